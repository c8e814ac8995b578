"""Where a notebook saves, noted while it is executed for a campaign: what none saves any more is removed."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coldcache.dataset.access_log import note, watch

#: Folders of results that hold nothing but what notebooks save.
FOLDERS = ("tables", "figures")

#: Where the same folders lie for what is saved in JupyterLab, by nbval, by `make notebooks` or by a script: none of it
#: is of the campaign's results.
BY_HAND = "by-hand"

#: The variable that names the file in which a notebook's kernel notes what it saves.
_NOTES = "COLDCACHE_SAVES"

#: Where an executed notebook lists what it saved.
_KEY = "coldcache"


def place_save(dataset: str | Path, folder: str, name: str) -> Path:
    """Return where a table or figure is to be saved, and note it.

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
    """Let what a kernel saves that starts meanwhile be listed in the metadata of its notebook."""
    with watch(_NOTES) as notes:
        try:
            yield
        finally:
            metadata[_KEY] = {"saves": sorted(set(notes.read_text(encoding="utf-8").splitlines()))}


def remove_unnamed(results: Path, named: Iterable[tuple[str, str]]) -> list[Path]:
    """Remove the executed notebooks that a campaign does not name, with what they are known to have read; return them.

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
        All of its executed notebooks. Where one does not list what it saved, as one of an earlier version, nothing is
        known to be stale.
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
