"""Where a notebook saves its output. The list of saved files is used to remove stale tables and figures."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coldcache.dataset.access_log import note, watch

#: Folders of results that hold nothing but what notebooks save.
FOLDERS = ("tables", "figures")

#: The parent of the same folders for what JupyterLab, nbval, `make notebooks` or a script saves: none of it belongs to
#: the campaign's results.
BY_HAND = "by-hand"

#: The suffix of tables that `export` writes beside the campaign's own: they hold the same, and no rule makes them.
EXPORTED = ".parquet"

#: The environment variable with the file in which a notebook's kernel notes each file that it saves.
_NOTES = "COLDCACHE_SAVES"

#: The key of an executed notebook's metadata with the list of its files.
_KEY = "coldcache"


def place_save(dataset: str | Path, folder: str, name: str) -> Path:
    """Return the path for a table or figure, and note it.

    Parameters
    ----------
    dataset : str or Path
        The campaign's `dataset.nc`.
    folder : str
        One of `FOLDERS`.
    name : str
        Of the file.

    Returns
    -------
    Path
        In the folder beside the dataset where a notebook is executed for the campaign, else in one of `BY_HAND`.
    """
    results = Path(dataset).parent
    if _NOTES not in os.environ:
        return results / BY_HAND / folder / name
    note(_NOTES, f"{folder}/{name}")
    return results / folder / name


@contextmanager
def watch_saves(metadata: dict[str, Any]) -> Iterator[None]:
    """List in the metadata of a notebook the files that its kernel saves while the context lasts."""
    with watch(_NOTES) as notes:
        try:
            yield
        finally:
            metadata[_KEY] = {"saves": sorted(set(notes.read_text(encoding="utf-8").splitlines()))}


def remove_unnamed(results: Path, named: Iterable[tuple[str, str]]) -> list[Path]:
    """Remove the executed notebooks that a campaign does not name, and their lists of reads; return them.

    Parameters
    ----------
    results : Path
        The campaign's folder of results.
    named : iterable of tuple of str
        Study and name of each of its notebooks.
    """
    kept = {f"{study}/{name}" for study, name in named}
    unnamed = []
    for path in sorted((results / "notebooks").glob("*/*.ipynb")):
        key = f"{path.parent.name}/{path.stem}"
        if key not in kept:
            path.unlink()
            (results / "reads" / f"{key}.txt").unlink(missing_ok=True)
            unnamed.append(path)
    return unnamed


def remove_stale(results: Path, notebooks: Sequence[Mapping[str, Any]]) -> list[Path]:
    """Remove the tables and figures that none of a campaign's executed notebooks saves, and return them.

    Parameters
    ----------
    results : Path
        The campaign's folder of results.
    notebooks : sequence of mapping
        All of its executed notebooks. Where one has no list, as one of an earlier version, nothing is known to be
        stale.
    """
    if not all(_KEY in notebook["metadata"] for notebook in notebooks):
        return []
    saved = {name for notebook in notebooks for name in notebook["metadata"][_KEY]["saves"]}
    stale = [
        path
        for folder in FOLDERS
        for path in sorted((results / folder).glob("*"))
        if f"{folder}/{path.name}" not in saved and path.is_file()
    ]
    for path in stale:
        path.unlink()
    return stale
