"""Calls counted by the client of a network file system, with the expected and the published counts."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_factor, format_level
from coldcache.dataset.published import level_of
from coldcache.statistics.intervals import reached_level
from coldcache.statistics.models.nfs_rpcs import (
    REQUESTS_PER_CONNECTION,
    most_in_flight,
    slot_table_entries,
    write_calls,
)

_WRITE = "rpc-write"

#: What makes a file in version 3 of NFS; version 4 makes it as it opens it.
_CREATE = "rpc-create"


def tabulate_calls(estimates: Estimates) -> pd.DataFrame:
    """Return one row per level of a factor, combination of the other levels, and kind of call.

    Parameters
    ----------
    estimates : Estimates
        Of ``count``; dims must include ``operation``, the kinds of calls, and ``question.factor``.

    Returns
    -------
    DataFrame
        ``level``, ``at`` (the other levels, where the sweep varies more than the factor), ``call``, ``counted``
        (median), ``low``, ``high``, ``expected`` by the formula for WRITE and ``published``; NaN where there is none.
    """
    rows = []
    cells, factor = estimates.cells, estimates.question.factor
    rest = [str(dim) for dim in cells.estimate.dims if dim not in ("operation", factor)]
    for level, *others in itertools.product(*(cells[dim].values.tolist() for dim in (factor, *rest))):
        place = dict(zip(rest, others, strict=True))
        here = cells.sel({factor: level, **place})
        created = _created(here.estimate)
        stated = [value.high for value in estimates.published if level_of(value).get(factor) == level]
        counts = [value for value in stated if value >= 1000]
        at = {"at": ", ".join(format_factor(dim, other) for dim, other in place.items())} if place else {}
        for call in cells.operation.values.tolist():
            cell, is_write = here.sel(operation=call), call == _WRITE
            if not np.isfinite(cell.estimate):
                continue
            rows.append({
                "level": format_level(factor, level), **at, "call": call.removeprefix("rpc-").upper(),
                "counted": float(cell.estimate), "low": float(cell.low), "high": float(cell.high),
                "interval level": reached_level(int(cell.n)) if float(cell.low) == float(cell.low) else np.nan,
                "expected": _expected(estimates, {factor: level, **place}, created) if is_write else np.nan,
                "published": counts[0] if is_write and counts else np.nan,
            })  # fmt: skip
    columns = [
        "level",
        *(["at"] if rest else []),
        "call",
        "counted",
        "low",
        "high",
        "interval level",
        "expected",
        "published",
    ]
    return pd.DataFrame(rows, columns=columns)


def _created(counted: xr.DataArray) -> int:
    """Return how many files the client made, 0 where it counted none."""
    return int(np.nansum(counted.sel(operation=counted.operation == _CREATE)))


def _expected(estimates: Estimates, levels: dict[str, Any], created: int) -> float:
    """Return the WRITE calls of a sweep by the formula; NaN where the sweep does not fix what it needs.

    A thread writes one file, unless the client made more than one for each: no call reaches over two files.
    """
    fixed = {**estimates.cube.attrs, **levels}
    if "file_size" not in fixed or "io_size" not in fixed:
        return np.nan
    sync = fixed.get("write_mode") == "sync"
    threads = int(fixed.get("threads", 1))
    transfer = int(fixed["transfer_size"]) if sync and "transfer_size" in fixed else 0
    files = max(created, threads)
    return float(files * write_calls(int(fixed["file_size"]) * threads // files, int(fixed["io_size"]), transfer))


def main_call(table: pd.DataFrame) -> str:
    """Return the kind of call that a sweep is about: WRITE where it writes, else the most frequent one."""
    if "WRITE" in table.call.values:
        return "WRITE"
    return str(table.groupby("call").counted.sum().idxmax())


def describe_calls(estimates: Estimates) -> str | None:
    """Return how many calls of the main kind each level took; None where none was counted.

    A level has a range of counts where other levels change them.
    """
    table = tabulate_calls(estimates)
    if table.empty:
        return None
    call = main_call(table)
    levels = table[table.call == call].groupby("level", sort=False).counted
    parts = [f"{_span(counted)} with {level}" for level, counted in levels]
    exact = table[(table.call == call) & table.expected.notna()]
    match = (
        f"; {int((exact.counted == exact.expected).sum())} of {len(exact)} as the formula has it" if len(exact) else ""
    )
    return f"{estimates.question.title}, {call} calls: {', '.join(parts)}{match}."


def _span(counted: pd.Series) -> str:
    low, high = f"{counted.min():,.0f}", f"{counted.max():,.0f}"
    return low if low == high else f"{low} to {high}"


def list_bars(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `tabulate_calls` of the main kind of call, with a ``name`` and a ``row`` for each bar."""
    rows = table[table.call == main_call(table)].reset_index(drop=True)
    words = [rows[name] for name in ("level", "at") if name in rows]
    return rows.assign(name=[", ".join(parts) for parts in zip(*words, strict=True)], row=np.arange(len(rows)))


def caption_bars(estimates: Estimates, bars: pd.DataFrame) -> str:
    """Return how to read a figure of bars with what the formula and the document state of each."""
    marks = {"upright lines: the formula": bars.expected, "stars: published": bars.published}
    drawn = ["Bars: median of the trials", *(words for words, values in marks.items() if values.notna().any())]
    return f"{'; '.join(drawn)}. {estimates.origin()}"


def tabulate_slots() -> pd.DataFrame:
    """Return the requests in flight and the recommended slot table entries of each number of connections."""
    rows = []
    for nconnect in (1, 2, 4, 8, 16):
        entries = slot_table_entries(nconnect)
        rows.append({
            "nconnect (1)": nconnect, "requests per connection (1)": REQUESTS_PER_CONNECTION,
            "requests in flight (1)": most_in_flight(nconnect),
            "tcp_max_slot_table_entries (1)": "not changed" if entries is None else f"{entries:,}",
        })  # fmt: skip
    return pd.DataFrame(rows)
