"""Run notebooks in this process, and compare what their cells display with what they displayed."""

import ast
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from invented_outputs import ALL, Shown, digest, find_dataset, list_shown, read_digests
from reference_outputs import show_text

#: An id that matplotlib makes of a path or a picture of its drawing.
_DIGEST = re.compile(r"\b(f[0-9a-f]{10}-|p[0-9a-f]{10}\b)")

#: What Python adds to the name of a function that lies in another one.
_LOCAL = re.compile(r"\.<(locals|lambda|listcomp|setcomp|dictcomp|genexpr)>")


@dataclass(frozen=True, slots=True)
class Page:
    """A notebook with its outputs.

    Attributes
    ----------
    path : Path
        The file, or the invented dataset that the notebook shows.
    notebook : Path
        The committed notebook of the same name.
    shown : Shown, optional
        The invented dataset: a digest of all that the notebook shows of it is compared.
    """

    path: Path
    notebook: Path
    shown: Shown | None = None

    @property
    def is_committed(self) -> bool:
        """Whether all that it displays is compared; else its texts, as `test_reference_outputs.py` does."""
        return self.path == self.notebook


def list_pages(root: Path) -> list[Page]:
    """Return the committed notebooks, those of the reference campaign's studies, and those of invented datasets."""
    notebooks = sorted(root.glob("notebooks/*.ipynb"), key=lambda path: path.stat().st_size)
    studies = root / "results/reference/notebooks"
    of_studies = [Page(path, one) for one in notebooks for path in sorted(studies.glob(f"*/{one.name}"))]
    invented = [
        Page(find_dataset(root / "results/invented", one), root / f"notebooks/{one.notebook}.ipynb", one) for one in ALL
    ]
    return [*(Page(path, path) for path in notebooks), *of_studies, *invented]


def displays_the_same(page: Page) -> bool:
    """Return whether a page that is executed anew displays what it did."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    os.chdir(page.notebook.parent)
    names: dict[str, Any] = {"__name__": "__main__"}
    if page.shown:
        return digest(list_shown(page.shown, page.path)) == read_digests()[str(page.shown)]
    show = _without_digests if page.is_committed else show_text
    try:
        with _draw(page.is_committed):
            return all(show(run_cell(source, names)) == show(shown) for source, shown in list_cells(page.path))
    except Exception:
        return False
    finally:
        pyplot.close("all")


def trace_functions(page: Page, folder: Path) -> list[str] | None:
    """Return the functions below a folder that a page calls, as ``analysis/format.py:show``; None if it differs."""
    found: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, value: Any) -> None:
        found.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    before = sys.gettrace()
    sys.settrace(note)
    try:
        is_same = displays_the_same(page)
    finally:
        sys.settrace(before)
    below = f"{folder}/"
    names = {f"{file.removeprefix(below)}:{_LOCAL.sub('', name)}" for file, name in found if file.startswith(below)}
    return sorted(names) if is_same else None


@contextmanager
def _draw(is_drawn: bool) -> Iterator[None]:
    """Leave figures undrawn where only texts are compared."""
    from matplotlib.figure import Figure

    save = Figure.savefig
    if not is_drawn:
        Figure.savefig = lambda figure, file, **options: file.write("<svg ></svg>")
    try:
        yield
    finally:
        Figure.savefig = save


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
