"""Run notebooks in this process, and compare what their cells display with what they displayed."""

import ast
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from reference_outputs import show_text

#: An id that matplotlib makes of a path or a picture of its drawing.
_DIGEST = re.compile(r"\b(f[0-9a-f]{10}-|p[0-9a-f]{10}\b)")


def find_difference(notebooks: list[Path], executed: Path) -> str | None:
    """Return the first notebook that displays something else than it did, or fails; else None.

    Parameters
    ----------
    notebooks : list of Path
        Committed notebooks: all that they display is compared.
    executed : Path
        Holds a folder per study with the notebooks that were executed on its data: of those with the same names the
        texts are compared, as `tests/project/test_reference_outputs.py` does.
    """
    if not notebooks:
        return None
    of_studies = [path for notebook in notebooks for path in sorted(executed.glob(f"*/{notebook.name}"))]
    for path, show in [*((path, _without_digests) for path in notebooks), *((path, show_text) for path in of_studies)]:
        if not _displays_the_same(path, notebooks[0].parent, show):
            return f"{path.parent.name}/{path.stem}"
    return None


def _displays_the_same(notebook: Path, folder: Path, show: Callable[[dict[str, str]], Any]) -> bool:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    os.chdir(folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        return all(show(run_cell(source, names)) == show(shown) for source, shown in list_cells(notebook))
    except Exception:
        return False
    finally:
        pyplot.close("all")


def _without_digests(shown: dict[str, str]) -> dict[str, str]:
    """Return what a cell displays without ids in drawings, which digest bits that processors round differently."""
    return {name: _DIGEST.sub("", text) for name, text in shown.items()}


def list_cells(notebook: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the source of each code cell, and what it displays by type."""
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            shown = [output["data"] for output in cell["outputs"] if output["output_type"] == "execute_result"]
            yield "".join(cell["source"]), {name: "".join(text) for name, text in (shown[0] if shown else {}).items()}


def run_cell(source: str, names: dict[str, Any]) -> dict[str, str]:
    """Run a cell as IPython does, and return what its last expression displays by type."""
    from IPython.core.formatters import DisplayFormatter

    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return {}
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if value is None or source.rstrip().endswith(";"):
        return {}
    return {name: text for name, text in DisplayFormatter().format(value)[0].items() if isinstance(text, str)}
