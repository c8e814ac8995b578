"""Run the committed notebooks in this process, and compare what their cells display with the committed outputs."""

import ast
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: An id that matplotlib makes of a path or a picture of its drawing.
_DIGEST = re.compile(r"\b(f[0-9a-f]{10}-|p[0-9a-f]{10}\b)")


def find_difference(notebooks: list[Path]) -> str | None:
    """Return the first notebook with a cell that displays something else than committed, or fails; else None."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    for notebook in notebooks:
        os.chdir(notebook.parent)
        names: dict[str, Any] = {"__name__": "__main__"}
        for source, committed in list_cells(notebook):
            try:
                if _without_digests(run_cell(source, names)) != _without_digests(committed):
                    return notebook.stem
            except Exception:
                return notebook.stem
        pyplot.close("all")
    return None


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
