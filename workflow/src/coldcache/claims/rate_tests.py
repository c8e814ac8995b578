"""Test claims about rates, paired by repetition: orderings, ratios, interactions, equivalence, models."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from coldcache.analysis.format import format_ratio
from coldcache.claims.context import ClaimContext
from coldcache.claims.evidence import (
    WORTH,
    ComparisonResult,
    as_evidence,
    combine,
    decide_exactly,
    weigh_logarithms,
    weigh_values,
)
from coldcache.claims.select import (
    ResolvedSelection,
    average_cases,
    flatten_levels,
    log_of,
    pair,
    read_values,
    refuse_unpaired,
    resolve_selection,
)
from coldcache.core.errors import NoData
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.dataset.reader import measure_rounds_of_sweeps
from coldcache.design.claim_tests import (
    DifferenceTest,
    EquivalenceTest,
    InteractionTest,
    ModelTest,
    OrderingTest,
    RatioTest,
    Selection,
)
from coldcache.statistics.array import Array
from coldcache.statistics.dependence import Rounds, rounds_of
from coldcache.statistics.intervals import Interval
from coldcache.statistics.limits import LimitPair
from coldcache.statistics.models.fsx_metadata_iops import expected_rate
from coldcache.statistics.peaks import compare_peaks

_WHERE = {"every": "", "peaks": ", each at its peak,", "most": " at the most threads"}


def show_times(found: ComparisonResult) -> str:
    """Return a ratio with its interval in words: ``1.42 times (95 %: 1.31 to 1.55)``."""
    shown = Interval(
        found.estimate, found.low, found.high, max(found.n, 1), found.level, None, found.rounds, found.runs
    )
    return format_ratio(shown, found.level)


def _say_ratio(found: ComparisonResult, chosen: ResolvedSelection, one: str, other: str) -> str:
    """Return a ratio of two sides: ``stat is 5.6 times as fast as remove (95 %: 4.2 to 7.5)``."""
    times, _, interval = show_times(found).partition(" times")
    verb, how = ("takes", "as long as") if chosen.metric in ("elapsed", "latency") else ("is", "as fast as")
    return f"{one} {verb} {times} times {how} {other}{interval}"


def weigh_ordering(context: ClaimContext, source: str, test: OrderingTest) -> ComparisonResult:
    """Test whether each rate of a list is above the next."""
    names = [_name(side, test) for side in test.falling]
    parts = []
    for place, (upper, lower) in enumerate(zip(test.falling, test.falling[1:], strict=False)):
        found = _weigh_pair(context, source, test, (upper, lower), LimitPair(0.0, np.inf))
        chosen = resolve_selection(source, test, upper)
        says = _say_ratio(found, chosen, f"{names[place]}{_WHERE[test.over]}", names[place + 1])
        parts.append(found._replace(says=says))
    return combine(parts)._replace(says="; ".join(part.says for part in parts))


def weigh_ratio(context: ClaimContext, source: str, test: RatioTest) -> ComparisonResult:
    """Test whether a ratio of two rates lies within its thresholds."""
    sides = test.numerator, test.denominator
    chosen = resolve_selection(source, test, test.numerator)
    if chosen.metric == "count":
        return _weigh_counts(context, source, test)
    found = _weigh_pair(context, source, test, sides, LimitPair(_log(test.above), _log(test.below)))
    names = _name(test.numerator, test), _name(test.denominator, test)
    says = _say_ratio(found, chosen, f"{_subject(test, test.numerator)}{names[0]}{_WHERE[test.over]}", names[1])
    return found._replace(says=f"{says}; the claim needs {_show_limits(test.above, test.below)}")


def weigh_interaction(context: ClaimContext, source: str, test: InteractionTest) -> ComparisonResult:
    """Test whether a ratio is larger under one condition than under another."""
    logs, trials, selected, compared = list[Array](), 0, list[ResolvedSelection](), list[xr.DataArray]()
    for condition in (test.here, test.there):
        chosen = [resolve_selection(source, test, condition, side) for side in (test.numerator, test.denominator)]
        above, below = _read_sides(context, *chosen)
        found, count = pair(above, below, test.over)
        logs.append(found)
        trials, selected, compared = trials + count, [*selected, *chosen], [*compared, above, below]
    n = min(map(len, logs))
    rounds = _measure_rounds(context, selected, compared).of_several
    weighed = weigh_logarithms(logs[0][:n] - logs[1][:n], _log(test.above), np.inf, trials, rounds=rounds)
    names = _name(test.numerator, test), _name(test.denominator, test)
    says = (
        f"the ratio of {names[0]} to {names[1]} with {_name(test.here, test)} is {show_times(weighed)} that with "
        f"{_name(test.there, test)}"
    )
    return weighed._replace(says=says)


def weigh_equivalence(context: ClaimContext, source: str, test: EquivalenceTest) -> ComparisonResult:
    """Test whether settings perform alike (two one-sided tests)."""
    parts = []
    distance = float(np.log1p(test.margin))
    for side in test.sides[1:]:
        sides = side, test.sides[0]
        found = _weigh_pair(context, source, test, sides, LimitPair(-distance, distance), test.margin)
        names = _name(side, test), _name(test.sides[0], test)
        chosen = resolve_selection(source, test, side)
        parts.append(found._replace(says=_say_ratio(found, chosen, f"{names[0]}{_WHERE[test.over]}", names[1])))
    says = _subject(test, test.sides[0]) + "; ".join(part.says for part in parts)
    return combine(parts)._replace(says=f"{says}; alike means within {100 * test.margin:g} %")


def weigh_difference(context: ClaimContext, source: str, test: DifferenceTest) -> ComparisonResult:
    """Test whether two rates differ by a margin: the reverse of whether they are alike."""
    distance = float(np.log1p(test.margin))
    sides = test.numerator, test.denominator
    found = _weigh_pair(context, source, test, sides, LimitPair(-distance, distance), test.margin)
    names = _name(test.numerator, test), _name(test.denominator, test)
    chosen = resolve_selection(source, test, test.numerator)
    says = _say_ratio(found, chosen, f"{_subject(test, test.numerator)}{names[0]}{_WHERE[test.over]}", names[1])
    return found._replace(
        p_for=found.p_against, p_against=found.p_for, says=f"{says}; a difference is {100 * test.margin:g} % or more"
    )


def weigh_model(context: ClaimContext, source: str, test: ModelTest) -> ComparisonResult:
    """Test whether rates equal those that a model predicts from their factors."""
    chosen = resolve_selection(source, test)
    values = read_values(context, chosen)
    if "metadata_iops" not in values.coords:
        raise NoData(f"{chosen.study}/{chosen.sweep} does not vary metadata_iops")
    parts = []
    for iops in np.atleast_1d(values.metadata_iops.values):
        cells = values.sel(metadata_iops=iops) if "metadata_iops" in values.dims else values
        logs = log_of(cells / expected_rate(chosen.operation, int(iops)))
        found = weigh_values(np.exp(average_cases(logs)), 1 / (1 + test.within), 1 + test.within, rounds_of(values))
        says = f"{chosen.operation} at {int(iops):,} metadata IOPS is {show_times(found)} the model's"
        parts.append(found._replace(says=says, trials=int(logs.notnull().sum()), margin=test.within))
    says = "; ".join(part.says for part in parts)
    return combine(parts)._replace(says=f"{says}; the claim needs at most {100 * test.within:g} % apart")


def _weigh_pair(
    context: ClaimContext, source: str, test: OrderingTest | RatioTest | EquivalenceTest | DifferenceTest,
    sides: tuple[Selection, Selection], limits: LimitPair, margin: float = WORTH,
) -> ComparisonResult:  # fmt: skip
    """Test the ratio of two sides, paired by repetition: of common cases, or of the peaks of each."""
    chosen = [resolve_selection(source, test, side) for side in sides]
    above, below = _read_sides(context, *chosen)
    rounds = _measure_rounds(context, chosen, [above, below])
    if test.over != "peaks":
        logs, trials = pair(above, below, test.over)
        several = trials > 2 * int(np.isfinite(logs).sum())
        return weigh_logarithms(logs, *limits, trials, margin, rounds.of_several if several else rounds)
    above, below = xr.align(above, below, join="inner", exclude=set(above.dims) - {"repetition"})
    first, second = flatten_levels(above), flatten_levels(below)
    try:
        found = compare_peaks(first, second, limits, rounds)
    except ValueError as reason:
        raise NoData(str(reason)) from reason
    tested = first[found.places[0]] - second[found.places[1]]
    trials = int(above.notnull().sum() + below.notnull().sum())
    if found.test.n == 0:
        raise NoData("no round has both peaks")
    return as_evidence(found.test, tested, trials, margin, rounds)


def _read_sides(
    context: ClaimContext, upper: ResolvedSelection, lower: ResolvedSelection
) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the values of both sides of a ratio; raise `NoData` if their tools or units differ."""
    values = read_values(context, upper), read_values(context, lower)
    tools = {str(context.cube(one.study, one.sweep).attrs.get("tool")) for one in (upper, lower)}
    if len(tools) > 1:
        raise NoData(f"one side was measured with {' and the other with '.join(sorted(tools))}: that is no ratio")
    if UNIT_OF_METRIC[upper.metric] != UNIT_OF_METRIC[lower.metric]:
        raise NoData(
            f"the {upper.metric} of {upper.operation} and the {lower.metric} of {lower.operation} have different "
            "units: that is no ratio"
        )
    return values


def _measure_rounds(
    context: ClaimContext, chosen: Sequence[ResolvedSelection], values: Sequence[xr.DataArray]
) -> Rounds:
    """Return how values depend on their rounds; of several sweeps, measured over the cases of all.

    A round visits every case of a campaign, so its drift moves all sweeps and cancels in a ratio of two.
    """
    sweeps = {(one.study, one.sweep) for one in chosen}
    if len(sweeps) == 1:
        return rounds_of(*values)
    metrics = dict.fromkeys((one.study, one.sweep, one.metric) for one in chosen)
    return measure_rounds_of_sweeps(*(context.cube(study, sweep)[metric] for study, sweep, metric in metrics))


def _weigh_counts(context: ClaimContext, source: str, test: RatioTest) -> ComparisonResult:
    """Compare counts of each pair exactly; zero is a count, and chance plays no part."""
    sides = _read_sides(
        context, *(resolve_selection(source, test, side) for side in (test.numerator, test.denominator))
    )
    refuse_unpaired(*sides)
    above, below = (side.transpose(*sides[0].dims).values.reshape(-1) for side in xr.align(*sides, join="inner"))
    there = ~np.isnan(above) & ~np.isnan(below)
    above, below = above[there], below[there]
    if not above.size:
        raise NoData("the two have no case in common")
    held = np.ones(above.shape, dtype=bool)
    # No count is above zero times another if it is zero itself, so limits that are not stated are no limits.
    if test.above > 0:
        held &= above > test.above * below
    if np.isfinite(test.below):
        held &= above < test.below * below
    names = _name(test.numerator, test), _name(test.denominator, test)
    says = (
        f"{_subject(test, test.numerator)}{names[0]} makes {_show_counts(above)} calls, {names[1]} "
        f"{_show_counts(below)}; the claim needs a ratio {_show_limits(test.above, test.below)}"
    )
    ratio = float(np.median(above) / np.median(below)) if np.median(below) else np.nan
    return decide_exactly(held, says, "pairs")._replace(estimate=ratio, trials=2 * int(above.size))


def _show_counts(counts: Array) -> str:
    least, most = f"{counts.min():,.0f}", f"{counts.max():,.0f}"
    return least if least == most else f"{least} to {most}"


def _subject(test: Selection, side: Selection) -> str:
    """Return the operation as a prefix if the sides of a comparison do not name it; else an empty string."""
    return f"{test.operation}: " if test.operation and not side.operation else ""


def _name(side: Selection, test: Selection) -> str:
    """Return what distinguishes a side: its own keys, else the operation."""
    parts = [side.sweep] if side.sweep and side.sweep != test.sweep else []
    parts += [side.operation] if side.operation else []
    parts += [f"{factor.replace('_', ' ')} {level}" for factor, level in side.levels.items()]
    return ", ".join(parts) or str(test.operation)


def _log(limit: float) -> float:
    return float(np.log(limit)) if limit > 0 else -np.inf


def _show_limits(above: float, below: float) -> str:
    parts = [f"above {above:g}"] * (above > 0) + [f"below {below:g}"] * bool(np.isfinite(below))
    return " and ".join(parts)
