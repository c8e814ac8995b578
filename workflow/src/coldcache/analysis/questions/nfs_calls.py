"""Calls counted by the client of a network file system, with the expected and the published counts."""

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_level
from coldcache.analysis.sentences import name_level
from coldcache.analysis.sentences.subjects import IN_FLIGHT
from coldcache.analysis.tables import Table
from coldcache.core.errors import NoData
from coldcache.dataset.published import level_of
from coldcache.dataset.reader import COUNTED, OPERATIONS_DIM, open_table
from coldcache.statistics.intervals import reached_level
from coldcache.statistics.models.nfs_rpcs import (
    REQUESTS_PER_CONNECTION,
    most_in_flight,
    slot_table_entries,
    write_calls,
)

_WRITE = "rpc-write"

#: Levels that a sentence lists; of more it has the first and the last.
_FEW_LEVELS = 3

#: The most calls over the fewest from which a factor changes them.
_TELLING = 1.1

#: The most work of a run over the least of another up to which they do the same: bytes are computed from rates.
_SAME = 1.01

_TRIAL = ["study", "sweep", "case", "repetition"]

#: What makes a file in version 3 of NFS; version 4 makes it as it opens it.
_CREATE = "rpc-create"


def does_same_work(estimates: Estimates, dataset: str | Path) -> bool:
    """Return whether all runs of a sweep that count moved as many bytes and names.

    Counts of calls can be compared only then: runs that end by time make more calls the more they get done.

    Parameters
    ----------
    estimates : Estimates
        Of any metric of the sweep.
    dataset : str or Path
        The `dataset.nc` that has it.
    """
    study, sweep = estimates.cube.attrs["study"], estimates.cube.attrs["sweep"]
    moved = open_table(Path(dataset), "evidence", study, [*_TRIAL[1:], "moved_bytes", "names"])
    verdicts = open_table(Path(dataset), "verdicts", study, [*_TRIAL[1:], "verdict"])
    counted = verdicts[(verdicts.sweep == sweep) & verdicts.verdict.isin(COUNTED)]
    own = moved.merge(counted[_TRIAL], on=_TRIAL)
    work = own.groupby(_TRIAL)[["moved_bytes", "names"]].sum()
    return bool((work.max() <= _SAME * work.min()).all())


def tabulate_calls(estimates: Estimates) -> pd.DataFrame:
    """Return one row per level of a factor, combination of the other levels, and kind of call.

    Parameters
    ----------
    estimates : Estimates
        Of ``count``; dims must include ``operation``, the kinds of calls, and ``question.factor``.

    Returns
    -------
    DataFrame
        ``level``, ``at`` (the other levels, where the sweep varies more than the factor, and the operation of the
        trials, where those of several make the same calls), ``call``, ``counted`` (median), ``low``, ``high``,
        ``expected`` by the formula for WRITE and ``published``; NaN where there is none.

    Raises
    ------
    NoData
        If the sweep varies no factor.
    """
    rows = []
    cells, factor = estimates.cells, estimates.factor
    if factor is None:
        raise NoData(f"{estimates.path} varies no factor, so its calls cannot be compared")
    rest = [str(dim) for dim in cells.estimate.dims if dim not in ("operation", factor)]
    for level, *others in itertools.product(*(cells[dim].values.tolist() for dim in (factor, *rest))):
        place = dict(zip(rest, others, strict=True))
        here = cells.sel({factor: level, **place})
        created = _created(here.estimate)
        stated = [value.high for value in estimates.published if level_of(value).get(factor) == level]
        counts = [value for value in stated if value >= 1000]
        words = [other if dim == OPERATIONS_DIM else name_level(dim, other) for dim, other in place.items()]
        at = {"at": ", ".join(words)} if place else {}
        for call in cells.operation.values.tolist():
            cell, is_write = here.sel(operation=call), call == _WRITE
            if not np.isfinite(cell.estimate) or call == IN_FLIGHT:
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
    """Return the WRITE calls of a sweep by the formula; NaN where the sweep leaves one of its terms open.

    A thread writes one file, unless the client made more than one for each: no call reaches over two files. Of several
    clients the calls of one are counted.
    """
    fixed = {**estimates.cube.attrs, **levels}
    if "file_size" not in fixed or "io_size" not in fixed:
        return np.nan
    sync = fixed.get("write_mode") == "sync"
    threads = int(fixed.get("threads", 1)) // int(fixed.get("nodes", 1))
    transfer = int(fixed["transfer_size"]) if sync and "transfer_size" in fixed else 0
    files = max(created, threads)
    return float(files * write_calls(int(fixed["file_size"]) * threads // files, int(fixed["io_size"]), transfer))


def main_call(table: pd.DataFrame) -> str:
    """Return the call that a sweep studies: WRITE where the formula holds, else the one that the factor changes most.

    That is the call with the largest ratio of its counts at the same other levels; among equal ones the most frequent.
    """
    if table[table.call == "WRITE"].expected.notna().any():
        return "WRITE"
    counted = table.groupby(["call", *(["at"] if "at" in table else [])]).counted
    ratios = (counted.max() / counted.min()).fillna(1.0)
    spans = pd.DataFrame({"ratio": ratios.groupby("call").max(), "sum": counted.sum().groupby("call").sum()})
    return str(spans.sort_values(["ratio", "sum"]).index[-1])


def describe_calls(estimates: Estimates) -> str | None:
    """Return how many calls of the main kind each level took; None where none was counted.

    A level has a range of counts where other levels change them.
    """
    table = tabulate_calls(estimates)
    return f"{estimates.question.title}: {_say_calls(table)}." if len(table) else None


def title_calls(estimates: Estimates) -> str:
    """Return the same as a title, without the sweep."""
    return _say_calls(tabulate_calls(estimates))


def _say_calls(table: pd.DataFrame) -> str:
    mine = table[table.call == main_call(table)]
    call = main_call(table)
    levels = [(str(level), counted) for level, counted in mine.groupby("level", sort=False).counted]
    if len(levels) > _FEW_LEVELS:
        levels = [levels[0], levels[-1]]
    first, *others = (f"{_span(counted)} {{}}with {level}" for level, counted in levels)
    parts = [first.format(f"{call} calls "), *(other.format("") for other in others)]
    exact = mine[mine.expected.notna()]
    same = int((exact.counted == exact.expected).sum())
    match = "" if exact.empty else ", as predicted" if same == len(exact) else f"; {same} of {len(exact)} as predicted"
    return f"{', '.join(parts)}{match}"


def choose_telling(found: Iterable[Estimates]) -> list[Estimates]:
    """Return the sweeps whose levels change the number of calls, the greatest change first."""
    changes = [(_find_change(tabulate_calls(one)), place, one) for place, one in enumerate(found)]
    return [one for change, _, one in sorted(changes, key=lambda each: (-each[0], each[1])) if change > _TELLING]


def _find_change(table: pd.DataFrame) -> float:
    """Return the most calls of any level over the fewest, at the same other levels; no calls count as one."""
    if table.empty:
        return 1.0
    mine = table[table.call == main_call(table)]
    counted = mine.counted.clip(lower=1)
    groups = counted.groupby(mine["at"]) if "at" in mine else [("", counted)]
    return max(float(counts.max() / counts.min()) for _, counts in groups)


def summarise_calls(found: Iterable[Estimates]) -> Table:
    """Return one row per sweep and level: the main kind of call by the document, by the formula, and as counted."""
    rows = []
    for one in found:
        table = tabulate_calls(one)
        for level, mine in table[table.call == main_call(table)].groupby("level", sort=False) if len(table) else []:
            rows.append({
                "sweep": one.question.sweep, "level": level, "call": main_call(table),
                "published": mine.published.max(), "formula": mine.expected.max(),
                "counted": mine.counted.min(), "most": mine.counted.max(),
            })  # fmt: skip
    numbers = pd.DataFrame(rows, columns=["sweep", "level", "call", "published", "formula", "counted", "most"])
    shown = numbers.drop(columns="most").assign(
        counted=[_span(row[["counted", "most"]]) for _, row in numbers.iterrows()],
        **{name: [f"{value:,.0f}" if value == value else "–" for value in numbers[name]]
           for name in ("published", "formula")},
    )  # fmt: skip
    return Table(
        shown, numbers, "Calls of the main kind by level: the document's number, the formula's, and as counted"
    )


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


def tabulate_slots(sweeps: Iterable[Estimates] = ()) -> pd.DataFrame:
    """Return the requests in flight and the recommended slot table entries of each number of connections.

    Parameters
    ----------
    sweeps : iterable of Estimates
        Of ``count``. Those that vary connections and the slot table say what was counted with the document's requests
        per connection.
    """
    counted = {nconnect: count for sweep in sweeps for nconnect, count in _list_in_flight(sweep)}
    rows = []
    for nconnect in (1, 2, 4, 8, 16):
        entries = slot_table_entries(nconnect)
        rows.append({
            "nconnect (1)": nconnect, "requests per connection (1)": REQUESTS_PER_CONNECTION,
            "requests in flight (1)": most_in_flight(nconnect),
            "counted (1)": f"{counted[nconnect]:,.0f}" if nconnect in counted else "–",
            "tcp_max_slot_table_entries (1)": "not changed" if entries is None else f"{entries:,}",
        })  # fmt: skip
    return pd.DataFrame(rows)


def _list_in_flight(sweep: Estimates) -> Iterator[tuple[int, float]]:
    """Yield connections and the most requests in flight that were counted with the document's requests on each."""
    cells = sweep.cells.estimate
    if not {"nconnect", "slot_table_entries", "operation"} <= set(cells.dims) or IN_FLIGHT not in cells.operation:
        return
    if REQUESTS_PER_CONNECTION in cells.slot_table_entries:
        found = cells.sel(operation=IN_FLIGHT, slot_table_entries=REQUESTS_PER_CONNECTION)
        found = found.max([dim for dim in found.dims if dim != "nconnect"])
        yield from zip(found.nconnect.values.tolist(), found.values.tolist(), strict=True)
