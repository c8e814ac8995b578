"""`python -m coldcache open` and `make lab`: show a report in the browser, and copy notebooks to work with."""

import os
import shutil
import sys
import webbrowser
from pathlib import Path

import nbformat

from coldcache.campaign.campaign import RAW, check_name, read_campaign
from coldcache.core.errors import CampaignError
from coldcache.core.program_files import find_file
from coldcache.core.units import show_bytes
from coldcache.core.vocabulary import nearest

#: Folder of the user's own notebooks, with a subfolder per campaign; existing files are never overwritten.
LAB = Path("lab")

#: First page of a report.
_PAGE = "index.html"

#: The file of a report that holds all findings and figures.
_SUMMARY = "summary.html"

_QUESTION = "my-question"

_FIRST_LINES = """\
import xarray as xr

tree = xr.open_datatree(dataset, engine="h5netcdf").load()
cube = tree["{sweep}"].to_dataset()
cube"""


def open_report(name: str = "", summary: bool = False) -> None:
    """Print the path of a report, and open it in the browser if this system can show one.

    Parameters
    ----------
    name : str
        The campaign; by default the one rendered last.
    summary : bool
        Whether the file to send is meant: findings and figures in one. It is not opened; a line on standard error says
        how to mail it.

    Raises
    ------
    CampaignError
        If there is no such report; the message names the most similar one.
    """
    shown = f"report/{_SUMMARY if summary else _PAGE}"
    pages = sorted(Path("results").glob(f"*/{shown}"), key=lambda page: page.stat().st_mtime)
    page = Path("results", name, shown) if name else pages[-1] if pages else Path("results/local", shown)
    if not page.is_file():
        known = [found.parts[1] for found in pages]
        chosen = f" --config campaign={name}" if name else ""
        hint = nearest(name, known) if known else f"snakemake --cores all{chosen} makes the first report"
        raise CampaignError(f"{page}: missing; {hint}")
    if summary:
        print(page)
        title = f"Findings of campaign {page.parts[1]}"
        told = f"{show_bytes(page.stat().st_size)}; to mail it: mutt -s '{title}' -a {page} -- name@example.org"
        print(told, file=sys.stderr)
        return
    # Only the path is printed, so that scripts can use it.
    print(page)
    if _has_browser():
        webbrowser.open(page.absolute().as_uri())


def _has_browser() -> bool:
    """Return whether there is a screen, or the user has named a browser."""
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def lay_out_notebooks(name: str) -> Path:
    """Copy the notebooks of a campaign's studies into a folder where they read that campaign's dataset.

    The folder also gets an almost empty notebook for the user's own question. Existing files stay unchanged.

    Parameters
    ----------
    name : str
        The campaign.

    Returns
    -------
    Path
        The folder, ``lab/<campaign>``.

    Raises
    ------
    CampaignError
        If the campaign has no dataset yet, or cannot be read; or if a notebook of its studies is none of Jupyter's.
    """
    check_name(name)
    dataset = Path("results", name, "dataset.nc")
    if not dataset.is_file():
        raise CampaignError(f"{dataset}: missing; snakemake --cores all --config campaign={name} makes it")
    folder = LAB / name
    missing = {}
    for study in read_campaign(RAW / name).studies:
        for notebook in study.notebooks:
            copy = folder / study.study / f"{notebook}.ipynb"
            if not copy.exists():
                missing[copy] = _read_without_outputs(find_file(Path("notebooks", copy.name)), copy, dataset)
        copy = folder / study.study / f"{_QUESTION}.ipynb"
        if not copy.exists():
            missing[copy] = _make_question(copy, dataset, f"{study.study}/{next(iter(study.sweeps))}")
    for copy, page in missing.items():
        _write(page, copy)
    return folder


def _read_without_outputs(source: Path, copy: Path, dataset: Path) -> nbformat.NotebookNode:
    """Return a notebook without its outputs, and with the parameters set to this campaign."""
    try:
        notebook = nbformat.read(source, as_version=4)
    except (ValueError, AttributeError, TypeError, nbformat.ValidationError) as error:
        raise CampaignError(f"{source}: not a notebook of Jupyter; nothing is written to {copy.parents[1]}") from error
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if "parameters" in cell.metadata.get("tags", []):
            cell.source = _parameters(copy, dataset)
    return notebook


def _parameters(copy: Path, dataset: Path) -> str:
    return f'dataset = "{os.path.relpath(dataset, copy.parent)}"\nstudy = "{copy.parent.name}"'


def _make_question(copy: Path, dataset: Path, sweep: str) -> nbformat.NotebookNode:
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_markdown_cell("# My question"),
        nbformat.v4.new_code_cell(_parameters(copy, dataset)),
        nbformat.v4.new_code_cell(_FIRST_LINES.format(sweep=sweep)),
    ]
    return notebook


def _write(notebook: nbformat.NotebookNode, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    nbformat.write(notebook, partial)
    shutil.move(partial, path)
