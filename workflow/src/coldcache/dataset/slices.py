"""Slices of a `dataset.nc`: the parts that are told apart when one changes, and which of them a notebook has read.

A slice is a table's rows of one study, a table of the whole campaign, the cube of a sweep, or a study's limits.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from coldcache.dataset.access_log import note, watch

#: Tables with rows of each study, and tables of the campaign as a whole.
TABLES_OF_STUDIES = (
    "coverage", "designs", "differences", "drift", "proofs", "published", "records", "repetitions", "settings",
    "sweeps", "verdicts",
)  # fmt: skip
TABLES_OF_CAMPAIGN = ("hosts",)

#: Stands for all slices: what somebody reads without telling which.
EVERYTHING = "everything"

#: The variable of the environment that names the file to which each slice that is read is added.
_NOTES = "COLDCACHE_READS"


def slice_of_table(name: str, study: str | None = None) -> str:
    """Return the slice that holds a study's rows of a table, or all of a table."""
    return f"tables/{name}/{study}" if study else f"tables/{name}"


def slice_of_sweep(study: str, sweep: str) -> str:
    """Return the slice that holds the cube of a sweep."""
    return f"sweeps/{study}/{sweep}"


def slice_of_limits(study: str) -> str:
    """Return the slice that holds the most that the target of a study can do."""
    return f"limits/{study}"


def slice_of_claims(study: str) -> str:
    """Return the slice of what was judged that the page on a study's claims shows; it is no part of the dataset."""
    return f"claims/{study}"


def list_slices(study: str, sweeps: Iterable[str]) -> list[str]:
    """Return the slices from which a notebook answers for a study; what it reads beyond them counts as everything."""
    of_campaign = [EVERYTHING, *map(slice_of_table, TABLES_OF_CAMPAIGN)]
    tables = [slice_of_table(name, study) for name in TABLES_OF_STUDIES]
    return [*of_campaign, slice_of_limits(study), *tables, *(slice_of_sweep(study, sweep) for sweep in sweeps)]


def place_digest(results: str | Path, name: str) -> str:
    """Return where the digest of a slice lies."""
    return f"{results}/digests/{name}.sha256"


def note_read(name: str) -> None:
    """Note that a slice is being read, where somebody watches for it."""
    note(_NOTES, name)


def watch_reads() -> AbstractContextManager[Path]:
    """Yield a file that lists the slices which this process and those that it starts read meanwhile."""
    return watch(_NOTES)


def list_reads(notes: Path) -> set[str]:
    """Return the slices that a file lists; everything where there is no such file."""
    try:
        return set(notes.read_text(encoding="utf-8").split())
    except FileNotFoundError:
        return {EVERYTHING}
