"""Notebooks, executed once per study: parameters in, a page with figures and tables out."""

import os
from pathlib import Path

import nbformat
import papermill

from coldcache.errors import ColdCacheError


class NotebookError(ColdCacheError):
    """A notebook that does not run through."""


def execute(notebook: Path, output: Path, log: Path, dataset: Path | None = None, study: str | None = None) -> None:
    """Execute a notebook on a campaign's dataset.

    Parameters
    ----------
    notebook : Path
        Its first code cell, tagged ``parameters``, names ``dataset`` and ``study``.
    output : Path
        Where the executed notebook goes once it is whole; may be `notebook` itself.
    log : Path
        Where it stands while it is being executed, and stays if it fails.
    dataset : Path, optional
        The campaign's `dataset.nc`; what the notebook itself names when not given.
    study : str, optional
        The study whose sweeps it reads; what the notebook itself names when not given.

    Raises
    ------
    NotebookError
        If a cell fails; the message names the cell and the cause. A campaign without the data that the notebook needs
        is no failure: the page says so in one line.
    """
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
        executed = _without_data(notebook, error.evalue)
    except RuntimeError as error:
        raise NotebookError(
            f"{notebook}: its kernel ended before the notebook did ({error}), as when memory is short; start again"
        ) from error
    else:
        executed = nbformat.read(log, as_version=4)
    strip(executed)
    output.parent.mkdir(parents=True, exist_ok=True)
    temporary = output.with_suffix(".partial")
    nbformat.write(executed, temporary)
    temporary.rename(output)


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
