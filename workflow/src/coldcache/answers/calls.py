"""Calls that a network file system's client counted, beside what a formula and a document state of them."""

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.estimates import Estimates, show_level
from coldcache.figures import Picture, draw_counts
from coldcache.figures.axes import sweep_of
from coldcache.nfs_calls import REQUESTS_PER_CONNECTION, most_in_flight, slot_table_entries, write_calls
from coldcache.published import level_of

_WRITE = "rpc-write"

#: What makes a file in version 3 of NFS; version 4 makes it as it opens it.
_CREATE = "rpc-create"


def tabulate_calls(estimates: Estimates) -> pd.DataFrame:
    """Return one row per level of a factor and kind of call.

    Parameters
    ----------
    estimates : Estimates
        Of ``count``; dims must include ``operation``, the kinds of calls, and ``asked.factor``.

    Returns
    -------
    DataFrame
        ``level``, ``call``, ``counted`` (median), ``low``, ``high``, ``expected`` by the formula for WRITE and
        ``published``; NaN where there is none.
    """
    rows = []
    cells, factor = estimates.cells, estimates.asked.factor
    rest = [dim for dim in cells.estimate.dims if dim not in ("operation", factor)]
    for level in cells[factor].values.tolist():
        for call in cells.operation.values.tolist():
            cell = cells.sel({"operation": call, factor: level}).isel(dict.fromkeys(rest, 0))
            if not np.isfinite(cell.estimate):
                continue
            is_write = call == _WRITE
            created = _created(cells.estimate.sel({factor: level}).isel(dict.fromkeys(rest, 0)))
            stated = [value.high for value in estimates.published if level_of(value).get(factor) == level]
            counts = [value for value in stated if value >= 1000]
            rows.append({
                "level": show_level(factor, level), "call": call.removeprefix("rpc-").upper(),
                "counted": float(cell.estimate), "low": float(cell.low), "high": float(cell.high),
                "expected": _expected(estimates, factor, level, created) if is_write else np.nan,
                "published": counts[0] if is_write and counts else np.nan,
            })  # fmt: skip
    columns = ["level", "call", "counted", "low", "high", "expected", "published"]
    return pd.DataFrame(rows, columns=columns)


def _created(counted: xr.DataArray) -> int:
    """Return how many files the client made, 0 where it counted none."""
    return int(np.nansum(counted.sel(operation=counted.operation == _CREATE)))


def _expected(estimates: Estimates, factor: str, level: str | int, created: int) -> float:
    """Return the WRITE calls of a sweep by the formula; NaN where the sweep does not fix what it needs.

    A thread writes one file, unless the client made more than one for each: no call reaches over two files.
    """
    fixed = {**estimates.cube.attrs, factor: level}
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


def tell_calls(estimates: Estimates) -> str:
    """Return how many calls of the main kind each level took, as a sentence."""
    table = tabulate_calls(estimates)
    if table.empty:
        return ""
    call = main_call(table)
    parts = [f"{row.counted:,.0f} with {row.level}" for row in table[table.call == call].itertuples()]
    exact = table[(table.call == call) & table.expected.notna()]
    match = (
        f"; {int((exact.counted == exact.expected).sum())} of {len(exact)} as the formula has it" if len(exact) else ""
    )
    return f"{estimates.asked.title}, {call} calls: {', '.join(parts)}{match}."


def draw_calls(estimates: Estimates) -> Picture:
    """Draw the calls of the main kind as a bar per level, with what the formula and the document state."""
    table = tabulate_calls(estimates)
    call = main_call(table)
    rows = table[table.call == call]
    marks = {"upright lines: the formula": rows.expected, "stars: published": rows.published}
    drawn = ["Bars: median of the trials", *(words for words, values in marks.items() if values.notna().any())]
    caption = f"{'; '.join(drawn)}. {estimates.origin()}"
    return draw_counts(
        rows.level.tolist(), rows.counted.tolist(), tell_calls(estimates), f"{call} calls", caption,
        rows.expected.tolist(), rows.published.tolist(), [sweep_of(estimates)],
    )  # fmt: skip


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
