"""Results that fio prints as text or in its terse form: what both have in common, and their records.

Both round: text to three or four digits, terse bandwidths to KiB/s and rates to whole calls per second. Neither states
the options of a job; the text's first lines state some of them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.tools.fio.directions import ONE_PROCESS
from coldcache.tools.fio.documents import place, plain
from coldcache.tools.fio.duplicates import GroupRecords, number_groups
from coldcache.tools.fio.options import IDLE_ENGINES, PARTIAL, name_factors, name_fio_operation, operation_on_names

#: The share by which a transfer size may differ from that of the totals.
_SLACK = 0.02

#: What all processes of a group moved, as a run's last lines state it.
GROUP_DEFINITION = "all that the processes of the group moved, over the longest of their run times"

_SIZES = re.compile(r"(?:\(([RWT])\) ?)?([0-9.]+)([KMG]?)(?:i?B)?-([0-9.]+)([KMG]?)(?:i?B)?")
_POWER = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


class FioFigure(NamedTuple):
    """One printed number: what it is, its value in the stored unit, its place, digits and unit, and how it is rounded.

    `slack` is the most by which the value may differ from the measured one, in the stored unit; 0 if it is exact.
    """

    metric: str
    statistic: str
    definition: str
    value: float
    start: int
    digits: str
    unit: str
    slack: float = 0.0


class Side(NamedTuple):
    """One direction of an entry: its name, the totals by which it is checked, and all its figures.

    `moved` is in B and rounded by up to `slack`; `calls` is None if the text does not state it.
    """

    name: str
    start: int
    moved: float
    slack: float
    bandwidth: FioFigure
    rate: FioFigure
    elapsed: FioFigure
    calls: int | None
    figures: list[FioFigure]


class Entry(NamedTuple):
    """The result of one process, or of a whole group of them, whose number is None if it is not stated."""

    name: str
    group: int
    jobs: int | None
    start: int
    sides: list[Side]


class Total(NamedTuple):
    """What a group did in one direction: its rate, bytes and their rounding in B, and the range of run times in s."""

    bandwidth: FioFigure
    moved: float
    slack: float
    shortest: float
    longest: float


class FioRun(NamedTuple):
    """One run of fio: its version, the options that it describes by job and group, its entries and group totals."""

    version: str | None
    described: dict[tuple[str, int], dict[str, str] | None]
    entries: list[Entry]
    totals: dict[tuple[int, str], Total]
    caveats: tuple[str, ...] = ()


def scale_figure(digits: str, scale: float) -> float:
    """Return a printed number in its stored unit; raises `ValueError` if it is none."""
    # A division by a power of ten rounds once; its inverse is no binary fraction.
    return float(digits) * scale if scale >= 1 else float(digits) / round(1 / scale)


def describe(match: re.Match[str], described: dict[tuple[str, int], dict[str, str] | None]) -> None:
    """Add the options of a line such as ``x: (g=0): rw=read, bs=..., ioengine=..., iodepth=1``; None if two differ."""
    name, group, pattern, sizes, engine, depth = match.groups()
    options = {"rw": pattern, "ioengine": engine, "iodepth": depth, "sizes": sizes, PARTIAL: ""}
    key = (plain(name), int(group))
    described[key] = options if described.get(key, options) == options else None


def records_of_runs(runs: Sequence[FioRun], text: str) -> list[Record]:
    """Return the records of runs, in the order of the log; jobs with the same factors differ in ``repetition``.

    Raises
    ------
    LogError
        If an entry moved nothing, or its figures contradict each other.
    """
    records = number_groups(group for run in runs for group in _read_run(run, text))
    if not records:
        raise LogError("fio's jobs moved nothing")
    return records


def _read_run(run: FioRun, text: str) -> Iterator[GroupRecords]:
    """Yield what each reporting group states; raises `LogError` as `records_of_runs`."""
    for number in dict.fromkeys(entry.group for entry in run.entries):
        entries = [entry for entry in run.entries if entry.group == number]
        records: list[Record] = []
        unknown: list[str] = []
        for entry in entries:
            options = _find_options(run, entry, len(entries))
            if (options or {}).get("ioengine") in IDLE_ENGINES:
                continue
            if not entry.sides:
                raise LogError(f"{place(text, entry.start)}: job {entry.name[:60]!r} did no I/O: it failed")
            unknown += [entry.name] if options is None else []
            threads = entry.jobs if len(entries) == 1 else len(entries)
            for side in entry.sides:
                _check(side, entry, text)
                records += _read_side(run, entry, side, options, threads, len(entries) == 1)
        # One entry states its group's total itself.
        totals = [(name, total) for (group, name), total in run.totals.items() if group == number]
        for name, total in totals if len(entries) > 1 else ():
            options = _find_options(run, entries[0], 1)
            operation, caveat = name_fio_operation(name, options, entries[0].name)
            factors = name_factors(name, options, len(entries), 0, 0) | _name_size(name, options, 0, 0)
            records.append(_record(run, operation, total.bandwidth, "throughput", "", caveat, factors))
        yield GroupRecords(tuple(unknown), records)


def _find_options(run: FioRun, entry: Entry, members: int) -> dict[str, str] | None:
    """Return the options of an entry; None if they are unknown, or if it sums up jobs that differ in them."""
    if members > 1:
        return run.described.get((entry.name, entry.group))
    alike = [options for (_, group), options in run.described.items() if group == entry.group]
    return alike[0] if alike and all(options == alike[0] for options in alike) else None


def _read_side(
    run: FioRun, entry: Entry, side: Side, options: dict[str, str] | None, threads: int | None, is_whole: bool,
) -> Iterator[Record]:  # fmt: skip
    operation, caveat = name_fio_operation(side.name, options, entry.name)
    names_only = operation_on_names(options) is not None
    factors = name_factors(side.name, options, threads, side.moved, side.calls or 0)
    factors |= {} if names_only else _name_size(side.name, options, side.moved, side.calls or 0)
    for figure in side.figures:
        metric = figure.metric
        if metric == "throughput" and names_only:
            continue
        if metric == "throughput" and not is_whole:
            metric = "throughput_per_process"
        yield _record(run, operation, figure, metric, "" if is_whole else ONE_PROCESS, caveat, factors)


def _record(
    run: FioRun, operation: str, figure: FioFigure, metric: str, scope: str, caveat: str | None,
    factors: dict[str, Any],
) -> Record:  # fmt: skip
    caveats = tuple(filter(None, (*run.caveats, caveat, "rounded" if figure.slack else None)))
    return Record(
        "fio", run.version, operation, metric, figure.statistic, figure.value, UNIT_OF_METRIC[metric], None,
        scope + figure.definition, figure.start, len(figure.digits), f"{figure.digits} {figure.unit}".strip(), caveats,
        factors,
    )  # fmt: skip


def _name_size(side: str, options: dict[str, str] | None, moved: float, calls: float) -> dict[str, int]:
    """Return the transfer size, if a job's first line states a single one that the totals do not contradict."""
    found = list(_SIZES.finditer((options or {}).get("sizes", "")))
    place_of = {"read": 0, "write": 1, "trim": 2}.get(side)
    if place_of is None or len(found) < 3:
        return {}
    _, low, low_power, high, high_power = found[place_of].groups()
    size = float(low) * _POWER[low_power]
    if size != float(high) * _POWER[high_power] or size != int(size):
        return {}
    return {"transfer_size": int(size)} if not calls or abs(moved / calls - size) <= _SLACK * size else {}


def _check(side: Side, entry: Entry, text: str) -> None:
    """Raise `LogError` if the totals of a side contradict each other beyond their rounding."""
    where = f"{place(text, side.start)}: job {entry.name[:60]!r}, {side.name}"
    bandwidth, rate, seconds = side.bandwidth, side.rate, side.elapsed.value
    if not seconds or not rate.value or not bandwidth.value or not side.moved:
        raise LogError(f"{where}: a rate is zero although something was moved: the job failed or was too short")
    if abs(bandwidth.value * seconds - side.moved) > bandwidth.slack * seconds + side.slack + 1:
        raise LogError(f"{where}: bandwidth, run time and bytes contradict each other: a digit is lost")
    if side.calls is not None and abs(rate.value * seconds - side.calls) > rate.slack * seconds + 1e-9 * side.calls:
        raise LogError(f"{where}: IOPS, run time and calls contradict each other: a digit is lost")
    by_kind: dict[tuple[str, str], dict[str, float]] = {}
    for figure in side.figures:
        by_kind.setdefault((figure.metric, figure.definition), {})[figure.statistic] = figure.value
    for (metric, _), found in by_kind.items():
        if {"min", "mean", "max"} <= found.keys() and not (found["min"] / 1.02 <= found["mean"] <= found["max"] * 1.02):
            raise LogError(f"{where}: min, mean and max of a {metric} contradict each other: a digit is lost")
