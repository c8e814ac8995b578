"""Levels as the system reported them, as a table."""

from pathlib import Path

import pandas as pd

from coldcache.analysis.tables import Table
from coldcache.core.errors import NoData
from coldcache.dataset.reader import open_settings

_KEYS = ["sweep", "factor", "level", "read", "where"]


def tabulate_read_back(dataset: str | Path, study: str, factor: str) -> Table:
    """Return one row per sweep, level of a factor and answer of the system, with the number of trials that had it.

    Parameters
    ----------
    dataset : str or Path
        A `dataset.nc`.
    study : str
        Whose sweeps are looked at.
    factor : str
        A factor whose levels were put in force, such as ``write_cache``.

    Raises
    ------
    NoData
        If no trial of the study had the factor put in force.
    """
    settings = open_settings(Path(dataset), study)
    rows = settings[settings.factor == factor]
    if rows.empty:
        raise NoData(f"no trial of {study} had its {factor.replace('_', ' ')} put in force")
    counted = rows.groupby(_KEYS, as_index=False, sort=True).agg(
        asked=("asked", "first"), trials=("repetition", "size"), after=("read_after", _join)
    )
    numbers = counted[["sweep", "level", "asked", "read", "after", "where", "trials"]]
    names = {"read": "read before the run", "after": "read after it", "where": "read from"}
    noted = [column for column in numbers if column != "asked" and (numbers[column] != "").any()]
    shown = numbers[noted].replace("", "not noted").rename(columns=names)
    label = factor.replace("_", " ").capitalize()
    return Table(shown, numbers, f"{label}: what was asked for, and what the system said of it")


def find_read_back(dataset: str | Path, study: str, factor: str) -> Table | None:
    """Return the same table; None where no trial of the study had the factor put in force."""
    try:
        return tabulate_read_back(dataset, study, factor)
    except NoData:
        return None


def _join(readings: pd.Series) -> str:
    return ", ".join(sorted(set(readings)))
