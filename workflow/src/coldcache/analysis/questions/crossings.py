"""Bytes that crossed the device next to bytes that the tool moved, by case: a cache acknowledges writes early."""

from pathlib import Path

import numpy as np
import pandas as pd

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_level
from coldcache.analysis.tables import Table
from coldcache.core.units import show_bytes, show_percent
from coldcache.dataset.reader import COUNTED, open_table

_FIGURES = ["moved_bytes", "crossed_bytes", "requests", "flushes"]


def tabulate_crossings(dataset: str | Path, sweep: Estimates, caption: str) -> Table | None:
    """Return one row per case of a sweep; None where the device has no counters.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`.
    sweep : Estimates
        The sweep.
    caption : str
        What the table holds.

    Returns
    -------
    Table or None
        Per case the medians of the bytes that the tool moved, of those that crossed meanwhile, of requests and flushes,
        and how far the work of its trials got. Void trials are left out.
    """
    study = sweep.question.study
    evidence, verdicts = (open_table(Path(dataset), name, study) for name in ("evidence", "verdicts"))
    keys = ["sweep", "case", "repetition"]
    rows = evidence.merge(verdicts[[*keys, "verdict"]], on=keys)
    rows = rows[(rows.sweep == sweep.question.sweep) & rows.verdict.isin(COUNTED)]
    if not bool(rows.crossed_bytes.notna().any()):
        return None
    levels = _list_levels(sweep)
    grouped = rows.groupby(["case", "operation"], sort=False)
    medians = grouped[_FIGURES].median().reset_index()
    places = grouped.reached.agg(lambda found: ", ".join(sorted(set(found)))).reset_index()
    table = levels.merge(medians, on=["case", "operation"]).merge(places, on=["case", "operation"])
    factors = [str(name) for name in levels.columns if name not in ("case", "operation")]
    numbers = table[["operation", *factors, *_FIGURES, "reached"]]
    shown = pd.DataFrame({
        "operation": table.operation.str.replace("-", " "),
        **{name.replace("_", " "): [format_level(name, level) for level in table[name]] for name in factors},
        "moved": [_show(value) for value in table.moved_bytes],
        "crossed": [_show(value) for value in table.crossed_bytes],
        "share": [
            f"{show_percent(crossed / moved)}" if moved > 0 and crossed == crossed else "–"
            for moved, crossed in zip(table.moved_bytes, table.crossed_bytes, strict=True)
        ],
        "flushes": [f"{value:,.0f}" if value == value else "–" for value in table.flushes],
        "reached": table.reached,
    })  # fmt: skip
    units = {"moved_bytes": "moved (B)", "crossed_bytes": "crossed (B)", "requests": "requests (1)",
             "flushes": "flushes (1)"}  # fmt: skip
    return Table(shown, numbers.rename(columns=units), caption)


def _list_levels(sweep: Estimates) -> pd.DataFrame:
    """Return the case of each cell of a sweep, with its operation and the levels of the factors that it varies."""
    cells = sweep.cube.case.isel(repetition=0, drop=True)
    dims = [str(dim) for dim in cells.dims]
    rows = []
    for place in np.ndindex(cells.shape):
        cell = cells.isel(dict(zip(dims, place, strict=True)))
        if case := str(cell.item()):
            varied = {dim: cell[dim].item() for dim in dims if dim == "operation" or cells.sizes[dim] > 1}
            rows.append({**varied, "case": case})
    return pd.DataFrame(rows)


def _show(value: float) -> str:
    return show_bytes(int(value)) if value == value else "–"
