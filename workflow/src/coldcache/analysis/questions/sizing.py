"""Published and measured peak and sustained values, and estimates for other numbers of node pairs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_interval
from coldcache.analysis.questions.select import published_values
from coldcache.analysis.scaling import find_scaling
from coldcache.analysis.sentences import PLURALS, TOO_FEW, describe_order, shorten_reason
from coldcache.core.units import show_percent, show_rate
from coldcache.dataset.published import PublishedValue, operation_of
from coldcache.statistics.intervals import reached_level

#: Pairs of nodes that the published values were measured with; each gives half of them.
PUBLISHED_PAIRS = 2

#: The table that states peak and sustained values.
_ITEM = "table 4"


@dataclass(frozen=True, slots=True)
class Peaks:
    """Published and measured peak and sustained values, as numbers and in words."""

    numbers: pd.DataFrame
    shown: pd.DataFrame


def describe_sustained(found: Iterable[Estimates]) -> str:
    """Return the sustained rate of each workload that has one, and how many have none for which reason."""
    parts = []
    rising = unknown = 0
    for estimates in found:
        described = find_scaling(estimates)
        for name in estimates.operations():
            row = described.sel(operation=name)
            rate, why = float(row.sustained), shorten_reason(str(row["why"].values))
            if rate == rate:
                parts.append(f"{estimates.question.sweep} {PLURALS.get(name, name)} {show_rate(rate, estimates.unit)}")
            elif why == TOO_FEW:
                unknown += 1
            else:
                rising += 1
    said = [f"Sustained: {', '.join(parts)}."] if parts else []
    if rising:
        said.append(f"{rising} workload{'s' if rising != 1 else ''} still rise{'s' if rising == 1 else ''}.")
    if unknown:
        every = (
            "No workload was"
            if not parts and not rising
            else f"{unknown} workload{'s were' if unknown > 1 else ' was'} not"
        )
        said.append(f"{every} tried at enough numbers of threads to show a plateau.")
    return " ".join(said)


def title_sustained(sweep: Estimates) -> str:
    """Return what share of its peak each operation of a sweep sustains, as a title; else the highest rates."""
    described = find_scaling(sweep)
    shares = {name: float((described.sustained / described.peak).sel(operation=name)) for name in sweep.operations()}
    kept = [f"{PLURALS.get(name, name)} {show_percent(share)}" for name, share in shares.items() if share == share]
    if kept:
        return f"Of their peak the plateaus sustain: {', '.join(kept)}"
    said = describe_order(sweep)
    # One number of threads has no plateau to lack.
    return said if sweep.cells.sizes["threads"] == 1 else f"No plateau: {said[:1].lower()}{said[1:]}"


def tabulate_peaks(dataset: str | Path, study: str, found: Sequence[Estimates]) -> Peaks:
    """Return one row per published peak or sustained value with what was measured of the same workload."""
    rows, words = [], []
    described = {estimates.question.sweep: find_scaling(estimates) for estimates in found}
    for value in _peaks(dataset, study):
        operation = operation_of(value)
        mine = _find_same(value, found, operation)
        row = {"workload": value.workload, "operation": operation, "statistic": value.statistic,
               "unit": value.unit, "published": value.high, "grade": value.grade}  # fmt: skip
        said = {"workload": value.workload, "operation": operation, "statistic": value.statistic,
                "published": show_rate(value.high, value.unit), "grade": value.grade, "measured here": "–"}  # fmt: skip
        if mine is not None:
            curve = described[mine.question.sweep].sel(operation=operation)
            parts = [float(curve[f"{value.statistic}{end}"]) for end in ("", "_low", "_high")]
            runs = int(mine.cells.n.sel(operation=operation).max())
            level = reached_level(runs) if parts[1] == parts[1] else float("nan")
            row |= {**dict(zip(("measured", "low", "high"), parts, strict=True)), "level": level}
            said["measured here"] = (
                format_interval(parts[0], parts[1], parts[2], value.unit, runs)
                if parts[0] == parts[0]
                else "no plateau"
            )
        rows.append(row)
        words.append(said)
    return Peaks(pd.DataFrame(rows), pd.DataFrame(words))


def _peaks(dataset: str | Path, study: str) -> list[PublishedValue]:
    values = published_values(dataset, study)
    return [value for value in values if value.item == _ITEM and value.statistic in ("peak", "sustained")]


def _find_same(value: PublishedValue, found: Sequence[Estimates], operation: str | None) -> Estimates | None:
    """Return the estimates that a published value may be compared with; None where there are none."""
    return next((one for one in found if operation in one.operations() and value in one.published), None)


def estimate_sizes(dataset: str | Path, study: str, pairs: Sequence[int]) -> Peaks:
    """Return the published sustained values at other numbers of node pairs, linear in them.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`.
    study : str
        The source of the values.
    pairs : sequence of int
        Numbers of pairs of NVMe nodes. Rates of metadata come from one array, whatever their number, and are left out.
    """
    rows, words = [], []
    for value in _peaks(dataset, study):
        if value.statistic != "sustained" or "node pairs" not in value.system:
            continue
        name = {"workload": value.workload, "operation": operation_of(value)}
        sizes = {f"{n} pair{'s' if n != 1 else ''}": n * value.high / PUBLISHED_PAIRS for n in pairs}
        rows.append({**name, "unit": value.unit, **sizes})
        words.append({**name, **{size: show_rate(rate, value.unit) for size, rate in sizes.items()}})
    return Peaks(pd.DataFrame(rows), pd.DataFrame(words))


def describe_sizes(dataset: str | Path, study: str) -> str | None:
    """Return the rates of one pair of nodes by the published values; None where none is published."""
    parts = [
        f"{value.workload} {value.operation} {show_rate(value.high / PUBLISHED_PAIRS, value.unit)}"
        for value in _peaks(dataset, study)
        if value.statistic == "sustained" and "node pairs" in value.system
    ]
    return f"By the document each pair of nodes sustains {', '.join(parts)}." if parts else None
