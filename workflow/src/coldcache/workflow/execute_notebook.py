"""Execute a notebook with parameters for one study, and log the slices of the dataset that it reads."""

import ast
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import nbformat
import papermill

from coldcache.analysis.outputs import watch_saves
from coldcache.core.errors import ColdCacheError
from coldcache.core.program_files import PROGRAM
from coldcache.core.vocabulary import FAILED
from coldcache.dataset.slices import EVERYTHING, list_reads, watch_reads
from coldcache.workflow.forked_kernel import ForkedKernelManager

#: Packages that read a dataset only through this package, which logs each slice.
_LOGGED = ("coldcache", "IPython.display")

#: Packages that compute and draw. They can also read files, but only with the names below.
_COMPUTING = ("matplotlib", "numpy", "seaborn", "xarray")

#: Names with which those packages read files.
_READING = {
    "DataSource", "fromfile", "fromregex", "genfromtxt", "get_sample_data", "imread", "load", "load_dataarray",
    "load_dataset", "load_datatree", "loadtxt", "memmap", "open", "open_dataarray", "open_dataset", "open_datatree",
    "open_groups", "open_memmap", "open_mfdataset", "open_zarr", "read_array",
}  # fmt: skip

#: Names with which a cell could read files without an import.
_NOT_LOGGED = {"open", "exec", "eval", "compile", "getattr", "globals", "vars", "__import__", "get_ipython"}

#: Seconds after which a cell is given up.
_LONGEST_CELL = 1800


class NotebookError(ColdCacheError):
    """A notebook that failed."""


def execute_notebook(
    notebook: Path, output: Path, log: Path, dataset: Path | None = None, study: str | None = None,
    reads: Path | None = None,
) -> None:  # fmt: skip
    """Execute a notebook on a campaign's dataset.

    Parameters
    ----------
    notebook : Path
        Its first code cell, tagged ``parameters``, names ``dataset`` and ``study``.
    output : Path
        The executed notebook, written when it is complete; may be `notebook` itself. With `dataset`, its metadata lists
        the files that it saved; without, it saves to the folder `outputs.BY_HAND`.
    log : Path
        The notebook while it runs; it stays if a cell fails.
    dataset : Path, optional
        The campaign's `dataset.nc`; by default the one that the notebook names.
    study : str, optional
        The study to read; by default the one that the notebook names.
    reads : Path, optional
        Write the slices that the notebook read to this file.

    Raises
    ------
    NotebookError
        If a cell fails, or the file is no notebook, and there is no `dataset`; or if the kernel ends early. The message
        names the cell and the cause. With `dataset` a failure costs its page alone: the page and standard error name
        the cell and the cause. Missing data is not a failure: the page says so in one line.
    """
    saves: dict[str, Any] = {}
    try:
        source = nbformat.read(notebook, as_version=4)
    except (ValueError, AttributeError, TypeError, nbformat.ValidationError) as error:
        executed, read = _refuse(notebook, error, is_page=dataset is not None), set[str]()
    else:
        with watch_reads() as accesses, watch_saves(saves) if dataset else nullcontext():
            executed = _execute(notebook, log, dataset, study)
            read = list_reads(accesses) if _is_logged(source) else {EVERYTHING}
    strip(executed)
    executed.metadata.update(saves)
    if reads is not None:
        reads.parent.mkdir(parents=True, exist_ok=True)
        reads.write_text("".join(f"{name}\n" for name in sorted(read)), encoding="utf-8")
    output.parent.mkdir(parents=True, exist_ok=True)
    temporary = output.with_suffix(".partial")
    nbformat.write(executed, temporary)
    temporary.rename(output)


def _refuse(notebook: Path, error: Exception, is_page: bool) -> nbformat.NotebookNode:
    """Return the page of a file that is no notebook; raise `NotebookError` where there is no page."""
    cause = f"{notebook}: not a notebook of Jupyter"
    if not is_page:
        raise NotebookError(cause) from error
    print(f"coldcache: {cause}; its page says so", file=sys.stderr)
    title = nbformat.v4.new_markdown_cell(f"# {notebook.stem}")
    line = nbformat.v4.new_markdown_cell(f"This page failed: {_as_code(cause)}.", metadata={"tags": [FAILED]})
    return nbformat.v4.new_notebook(cells=[title, line])


def _execute(notebook: Path, log: Path, dataset: Path | None, study: str | None) -> nbformat.NotebookNode:
    log.parent.mkdir(parents=True, exist_ok=True)
    # A notebook of the program runs as if it lay in the working folder: its page names no folder of the machine.
    is_borrowed = notebook.is_relative_to(PROGRAM) and not PROGRAM.samefile(Path.cwd())
    folder = Path("notebooks") if dataset and is_borrowed else notebook.parent
    parameters = {"dataset": os.path.relpath(dataset, folder)} if dataset else {}
    parameters |= {"study": study} if study else {}
    folder.mkdir(exist_ok=True)
    try:
        papermill.execute_notebook(
            notebook,
            log,
            parameters,
            cwd=folder,
            progress_bar=False,
            kernel_name="python3",
            # A notebook may name neither kernel nor language.
            language="python",
            extra_arguments=["--log-level=50"],
            kernel_manager_class=ForkedKernelManager,
            execution_timeout=_LONGEST_CELL,
            # A kernel that is asked to end takes a tenth of a second; all that its cells save is complete.
            shutdown_kernel="immediate",
        )
    except papermill.PapermillExecutionError as error:
        if error.ename != "NoData":
            cause = f"cell {error.exec_count}: {error.ename}: {error.evalue}"
            if dataset is None:
                raise NotebookError(f"{notebook}, {cause}; the notebook is in {log}") from error
            print(f"coldcache: {notebook}, {cause}; its page says so, and the notebook is in {log}", file=sys.stderr)
            line = f"This page failed in {_as_code(cause)}. The notebook is in `{log}`."
            return _with_line(notebook, line, tags=[FAILED])
        return _with_line(notebook, f"No answer from this campaign: {error.evalue}.")
    except TimeoutError as error:
        raise NotebookError(
            f"{notebook}: a cell ran for more than {_LONGEST_CELL // 60} minutes; the notebook is in {log}"
        ) from error
    except RuntimeError as error:
        raise NotebookError(
            f"{notebook}: its kernel ended early ({error}), perhaps for lack of memory; run it again"
        ) from error
    return nbformat.read(log, as_version=4)


def _is_logged(notebook: nbformat.NotebookNode) -> bool:
    """Return whether a notebook reads its dataset through this package only: then every read is logged."""
    try:
        tree = ast.parse("\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code"))
    except SyntaxError:
        # IPython commands may read anything.
        return False
    return not any(_may_read(node) for node in ast.walk(tree))


def _may_read(node: ast.AST) -> bool:
    """Return whether a statement or expression may read files without a log."""
    if isinstance(node, ast.Import):
        return not all(_is_part_of(alias.name, _LOGGED + _COMPUTING) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        reads = any(alias.name == "*" or alias.name in _READING for alias in node.names)
        return not _is_part_of(module, _LOGGED) and (reads or not _is_part_of(module, _COMPUTING))
    if isinstance(node, ast.Attribute):
        return node.attr in _READING
    return isinstance(node, ast.Name) and node.id in _NOT_LOGGED


def _is_part_of(module: str, packages: tuple[str, ...]) -> bool:
    return f"{module}.".startswith(tuple(f"{package}." for package in packages))


def _as_code(text: str) -> str:
    """Return a text as one line of code in Markdown: nothing in it is a mark or a tag."""
    return f"`{' '.join(text.replace('`', ' ').split())}`"


def _with_line(notebook: Path, line: str, tags: Sequence[str] = ()) -> nbformat.NotebookNode:
    """Return a notebook of two cells: its title, and a line that says why there is no answer."""
    page = nbformat.read(notebook, as_version=4)
    page.cells = [page.cells[0], nbformat.v4.new_markdown_cell(line, metadata={"tags": list(tags)})]
    return page


def strip(notebook: nbformat.NotebookNode) -> None:
    """Remove everything that differs between runs: papermill's metadata, time stamps, random cell ids."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell.metadata = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
        cell.id = f"cell-{number}"
