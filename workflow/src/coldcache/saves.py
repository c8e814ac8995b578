"""What a notebook saves beside its dataset, noted while it is executed: what none saves any more is removed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coldcache.noting import note, watch

#: Folders of results that hold nothing but what notebooks save.
FOLDERS = ("tables", "figures")

#: The variable that names the file in which a notebook's kernel notes what it saves.
_NOTES = "COLDCACHE_SAVES"

#: Where an executed notebook lists what it saved.
_KEY = "coldcache"


def note_save(path: Path) -> None:
    """Note that a notebook has saved a file; nothing where none is being executed."""
    note(_NOTES, f"{path.parent.name}/{path.name}")


@contextmanager
def watch_saves(metadata: dict[str, Any]) -> Iterator[None]:
    """Let what a kernel saves that starts meanwhile be listed in the metadata of its notebook."""
    with watch(_NOTES) as notes:
        try:
            yield
        finally:
            metadata[_KEY] = {"saves": sorted(set(notes.read_text(encoding="utf-8").splitlines()))}


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
