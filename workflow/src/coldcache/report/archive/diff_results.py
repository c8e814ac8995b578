"""Compare two folders of results file by file: identical, equal within a tolerance, or different."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr

from coldcache.analysis.outputs import BY_HAND, EXPORTED

#: Largest relative difference of equal numbers; coordinates of figures have only six digits.
TOLERANCE, _TOLERANCE_OF_FIGURES = 1e-9, 1e-5

ARTEFACT_STATES = ("identical", "equal", "different", "missing", "new")

#: Files that no rule derives from raw logs, or that are not compared: manifests, bookkeeping for Snakemake, files saved
#: by hand or exported, and unfinished files.
_NOT_DERIVED = ("blocks", "digests", "reads", BY_HAND, ".")

_TEXTS = {".csv", ".svg", ".ipynb", ".html", ".js", ".json", ".css", ".txt", ".md", ""}
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")


class Artefact(NamedTuple):
    """A file of a campaign's results, compared with its rebuilt version.

    Attributes
    ----------
    name : str
        Path below the folder of results.
    state : str
        One of `ARTEFACT_STATES`: ``missing`` was not rebuilt, ``new`` was not stored.
    why : str
        What differs; empty if nothing does.
    """

    name: str
    state: str
    why: str = ""


def compare_results(stored: Path, rebuilt: Path) -> list[Artefact]:
    """Return the state of each file in two folders of results, sorted by name."""
    files = [set(_list_files(folder)) for folder in (stored, rebuilt)]
    return [_compare(name, stored, rebuilt, *files) for name in sorted(files[0] | files[1])]


def _list_files(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        if path.is_file() and not name.parts[0].startswith(_NOT_DERIVED) and path.suffix not in (".partial", EXPORTED):
            yield str(name)


def _compare(name: str, stored: Path, rebuilt: Path, before: set[str], after: set[str]) -> Artefact:
    if name not in after:
        return Artefact(name, "missing", "was not rebuilt")
    if name not in before:
        return Artefact(name, "new", "was not stored before")
    old, new = stored / name, rebuilt / name
    if old.read_bytes() == new.read_bytes():
        return Artefact(name, "identical")
    if old.suffix == ".nc":
        return Artefact(name, *_compare_datasets(old, new))
    if old.suffix not in _TEXTS:
        return Artefact(name, "different", "other bytes")
    tolerance = TOLERANCE if old.suffix == ".csv" else _TOLERANCE_OF_FIGURES
    return Artefact(
        name, *_compare_texts(old.read_text("utf-8", "replace"), new.read_text("utf-8", "replace"), tolerance)
    )


def _compare_texts(old: str, new: str, tolerance: float) -> tuple[str, str]:
    words, numbers = zip(*((_NUMBER.split(text), _NUMBER.findall(text)) for text in (old, new)), strict=True)
    if words[0] != words[1]:
        pairs = enumerate(zip(old.splitlines(), new.splitlines(), strict=False), start=1)
        line = next(
            (number for number, (one, other) in pairs if one != other),
            1 + min(len(old.splitlines()), len(new.splitlines())),
        )
        return "different", f"line {line}"
    old_values, new_values = (np.array(found, dtype=float) for found in numbers)
    if np.allclose(old_values, new_values, rtol=tolerance, atol=0, equal_nan=True):
        return "equal", f"within {tolerance:g}"
    distance = np.abs(old_values - new_values) / np.maximum(np.abs(old_values), np.finfo(float).tiny)
    worst = int(distance.argmax())
    return "different", f"{numbers[0][worst]} was, {numbers[1][worst]} is"


def _compare_datasets(old: Path, new: Path) -> tuple[str, str]:
    try:
        return _compare_groups(old, new)
    except OSError:
        # The new file has just been written, so the stored one is broken.
        return "different", "the stored dataset cannot be read"


def _compare_groups(old: Path, new: Path) -> tuple[str, str]:
    with xr.open_datatree(old, engine="h5netcdf") as before, xr.open_datatree(new, engine="h5netcdf") as after:
        if set(before.groups) != set(after.groups):
            return "different", "other groups"
        # Files with the same content may have different layouts on disk.
        if all(before[group].to_dataset().identical(after[group].to_dataset()) for group in before.groups):
            return "identical", ""
        for group in before.groups:
            try:
                xr.testing.assert_allclose(
                    before[group].to_dataset(), after[group].to_dataset(), rtol=TOLERANCE, atol=0
                )
            except AssertionError:
                return "different", f"group {group}"
    return "equal", f"within {TOLERANCE:g}"
