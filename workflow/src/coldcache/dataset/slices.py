"""Slices of a `dataset.nc`: names of the parts whose changes are tracked, and a log of those that a notebook reads.

A slice is one study's rows of a table, a table of the whole campaign, the cube of a sweep, or a study's ceilings.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from coldcache.dataset.access_log import note, watch

#: Tables with rows for each study, and tables of the whole campaign.
TABLES_OF_STUDIES = (
    "coverage", "designs", "differences", "drift", "evidence", "proofs", "published", "records", "repetitions",
    "settings", "sweeps", "verdicts",
)  # fmt: skip
TABLES_OF_CAMPAIGN = ("hosts", "precondition")

#: The slice that changes with any other; it is assumed read if the log does not say which.
EVERYTHING = "everything"

#: Environment variable with the path of the log of slices read.
_NOTES = "COLDCACHE_READS"


def slice_of_table(name: str, study: str | None = None) -> str:
    """Return the slice of one study's rows of a table, or of a whole table."""
    return f"tables/{name}/{study}" if study else f"tables/{name}"


def slice_of_sweep(study: str, sweep: str) -> str:
    """Return the slice of the cube of a sweep."""
    return f"sweeps/{study}/{sweep}"


def slice_of_limits(study: str) -> str:
    """Return the slice of the ceilings of a study's target."""
    return f"limits/{study}"


def slice_of_claims(study: str) -> str:
    """Return the slice of the verdicts on a study's claims, which lie beside the dataset."""
    return f"claims/{study}"


def list_slices(study: str, sweeps: Iterable[str]) -> list[str]:
    """Return the slices that a notebook may read for a study; reading any other counts as reading everything."""
    of_campaign = [EVERYTHING, *map(slice_of_table, TABLES_OF_CAMPAIGN)]
    tables = [slice_of_table(name, study) for name in TABLES_OF_STUDIES]
    return [*of_campaign, slice_of_limits(study), *tables, *(slice_of_sweep(study, sweep) for sweep in sweeps)]


def place_digest(results: str | Path, name: str) -> str:
    """Return the path of the digest of a slice."""
    return f"{results}/digests/{name}.sha256"


def note_read(name: str) -> None:
    """Add a slice to the log of slices read, if there is one."""
    note(_NOTES, name)


def watch_reads() -> AbstractContextManager[Path]:
    """Yield the path of a log of the slices that this process and its children read inside the ``with`` block."""
    return watch(_NOTES)


def list_reads(log: Path) -> set[str]:
    """Return the slices that a log lists; `EVERYTHING` if there is no such file."""
    try:
        return set(log.read_text(encoding="utf-8").split())
    except FileNotFoundError:
        return {EVERYTHING}
