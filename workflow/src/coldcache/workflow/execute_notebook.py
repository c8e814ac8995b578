"""Notebooks, executed once per study: parameters in, a page with figures and tables out."""

import ast
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import nbformat
import papermill

from coldcache.analysis.outputs import watch_saves
from coldcache.core.errors import ColdCacheError
from coldcache.dataset.slices import EVERYTHING, list_reads, watch_reads

#: Packages that cells may import while this package alone reads the dataset and notes what it reads.
_NOTED = ("coldcache", "IPython.display", "matplotlib", "numpy", "seaborn", "xarray")

#: Names and attributes by which a cell could read a file unnoticed.
_UNNOTED = {
    "open", "exec", "eval", "compile", "__import__", "get_ipython", "open_dataset", "open_dataarray", "open_datatree",
    "open_groups", "open_mfdataset", "open_zarr", "load_dataset", "load_dataarray", "load", "loadtxt", "genfromtxt",
    "fromfile", "memmap", "imread",
}  # fmt: skip


class NotebookError(ColdCacheError):
    """A notebook that does not run through."""


def execute(
    notebook: Path, output: Path, log: Path, dataset: Path | None = None, study: str | None = None,
    reads: Path | None = None,
) -> None:  # fmt: skip
    """Execute a notebook on a campaign's dataset.

    Parameters
    ----------
    notebook : Path
        Its first code cell, tagged ``parameters``, names ``dataset`` and ``study``.
    output : Path
        Where the executed notebook goes once it is whole; may be `notebook` itself. One that is executed on a given
        dataset lists in its metadata what it saved beside it; any other saves by hand, as `saves.BY_HAND` says.
    log : Path
        Where it stands while it is being executed, and stays if it fails.
    dataset : Path, optional
        The campaign's `dataset.nc`; what the notebook itself names when not given.
    study : str, optional
        The study whose sweeps it reads; what the notebook itself names when not given.
    reads : Path, optional
        Where a list of the slices that it has read goes; none is written when not given.

    Raises
    ------
    NotebookError
        If a cell fails; the message names the cell and the cause. A campaign without the data that the notebook needs
        is no failure: the page says so in one line.
    """
    saves: dict[str, Any] = {}
    with watch_reads() as notes, watch_saves(saves) if dataset else nullcontext():
        executed = _execute(notebook, log, dataset, study)
        read = list_reads(notes) if _is_noted(nbformat.read(notebook, as_version=4)) else {EVERYTHING}
    strip(executed)
    executed.metadata.update(saves)
    if reads is not None:
        reads.parent.mkdir(parents=True, exist_ok=True)
        reads.write_text("".join(f"{name}\n" for name in sorted(read)), encoding="utf-8")
    output.parent.mkdir(parents=True, exist_ok=True)
    temporary = output.with_suffix(".partial")
    nbformat.write(executed, temporary)
    temporary.rename(output)


def _execute(notebook: Path, log: Path, dataset: Path | None, study: str | None) -> nbformat.NotebookNode:
    log.parent.mkdir(parents=True, exist_ok=True)
    parameters = {"dataset": os.path.relpath(dataset, notebook.parent)} if dataset else {}
    parameters |= {"study": study} if study else {}
    try:
        papermill.execute_notebook(
            notebook,
            log,
            parameters,
            cwd=notebook.parent,
            progress_bar=False,
            kernel_name="python3",
            extra_arguments=["--log-level=40"],
        )
    except papermill.PapermillExecutionError as error:
        if error.ename != "NoData":
            raise NotebookError(
                f"{notebook}, cell {error.exec_count}: {error.ename}: {error.evalue}; the notebook is in {log}"
            ) from error
        return _without_data(notebook, error.evalue)
    except RuntimeError as error:
        raise NotebookError(
            f"{notebook}: its kernel ended before the notebook did ({error}), as when memory is short; start again"
        ) from error
    return nbformat.read(log, as_version=4)


def _is_noted(notebook: nbformat.NotebookNode) -> bool:
    """Return whether all that a notebook reads of its dataset is noted: it leaves reading to this package."""
    try:
        tree = ast.parse("\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code"))
    except SyntaxError:
        # Commands of IPython, which may read anything.
        return False
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(not f"{name}.".startswith(tuple(f"{noted}." for noted in _NOTED)) for name in names):
            return False
        if isinstance(node, ast.Name) and node.id in _UNNOTED:
            return False
        if isinstance(node, ast.Attribute) and node.attr in _UNNOTED:
            return False
    return True


def _without_data(notebook: Path, cause: str) -> nbformat.NotebookNode:
    """Return the notebook's title with one line that says why there is nothing below it."""
    page = nbformat.read(notebook, as_version=4)
    page.cells = [page.cells[0], nbformat.v4.new_markdown_cell(f"No answer from this campaign: {cause}.")]
    return page


def strip(notebook: nbformat.NotebookNode) -> None:
    """Remove from a notebook what differs from run to run: papermill's metadata, time stamps, random cell ids."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell.metadata = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
        cell.id = f"cell-{number}"
