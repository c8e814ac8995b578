"""Test claims about scaling curves: knees, growth, drops, anomalies, peaks, and rates against limits."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xarray as xr

from coldcache.analysis.estimates import LEVEL
from coldcache.analysis.format import format_interval, show_level
from coldcache.analysis.per_core_rates import add_streams, tabulate_core_rates
from coldcache.claims.context import ClaimContext, select_published
from coldcache.claims.evidence import (
    ComparisonResult,
    as_evidence,
    combine,
    weigh_bounds,
    weigh_logarithms,
    weigh_values,
)
from coldcache.claims.rate_tests import show_times
from coldcache.claims.select import (
    ResolvedSelection,
    fit_slopes,
    list_cells,
    list_empty_cells,
    read_curve,
    read_values,
    resolve_selection,
)
from coldcache.core.errors import NoData
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.units import show_number, show_rate
from coldcache.design.claim_tests import (  # fmt: skip
    SITE_LIMITS,
    AnomalyTest,
    DropTest,
    FigureTest,
    GrowthTest,
    KneeTest,
    PeakAtTest,
    Per,
    Selection,
    limit_of,
)
from coldcache.statistics.array import Array
from coldcache.statistics.dependence import INDEPENDENT, Rounds, rounds_of
from coldcache.statistics.limits import LimitPair
from coldcache.statistics.peaks import find_peak, weigh_extreme, weigh_place
from coldcache.statistics.scaling.anomaly import judge_point
from coldcache.statistics.scaling.knee import LEVEL_GROWTH, Knee, fit_knee
from coldcache.statistics.stopping import LEAST_REPETITIONS


@dataclass(frozen=True, slots=True)
class Curve:
    """A scaling curve and the selection that it was read from.

    Attributes
    ----------
    chosen : ResolvedSelection
        The selection.
    threads : array of float, shape (levels,)
        Thread counts, ascending.
    rates : array of float, shape (levels, repetitions)
        Rates in the stored unit of the metric; NaN for missing trials.
    rounds : Rounds
        Of the sweep.
    """

    chosen: ResolvedSelection
    threads: Array
    rates: Array
    rounds: Rounds = INDEPENDENT

    @property
    def trials(self) -> int:
        """The number of trials in the curve."""
        return int(np.isfinite(self.rates).sum())

    @property
    def medians(self) -> Array:
        """The median rate of each thread count."""
        return np.nanmedian(self.rates, axis=1)

    @property
    def runs(self) -> int:
        """The number of runs of a typical thread count: half of them have at least as many."""
        return int(np.median(np.isfinite(self.rates).sum(axis=1)))

    def knee(self, level: float = LEVEL) -> Knee:
        """Return the fitted knee; raise `NoData` if there are too few thread counts or repetitions."""
        if self.runs < LEAST_REPETITIONS:
            raise NoData(
                f"{self.chosen.study}/{self.chosen.sweep} has {self.runs} repetitions; a knee is tested with "
                f"{LEAST_REPETITIONS} or more"
            )
        try:
            return fit_knee(self.threads, self.rates, level, self.rounds)
        except ValueError as reason:
            raise NoData(f"{self.chosen.study}/{self.chosen.sweep}: {reason}") from reason

    def plateau(self) -> npt.NDArray[np.bool_]:
        """Return which thread counts belong to the plateau; raise `NoData` if the curve rises at the last one."""
        knee = self.knee()
        if knee.rises_to_the_end:
            grown = 100 * (knee.growth_last - 1)
            raise NoData(
                f"{self.chosen.operation} still rises by {grown:.0f} % over the last doubling to "
                f"{self.threads[-1]:g} threads: there is no plateau yet"
            )
        return self.threads >= knee.first_level


def _factor(found: ComparisonResult) -> str:
    """Return a ratio without the word for times."""
    return show_times(found).replace(" times", "", 1)


def _read(context: ClaimContext, source: str, test: Selection, per_thread: bool = False) -> Curve:
    chosen = resolve_selection(source, test)
    return as_curve(chosen, read_curve(context, chosen, _add_streams(context, chosen) if per_thread else None))


def as_curve(chosen: ResolvedSelection, values: xr.DataArray) -> Curve:
    """Return a curve that `read_curve` returned, with the rounds that its values state."""
    return Curve(chosen, values.threads.values.astype(float), values.values.astype(float), rounds_of(values))


def _count_in(context: ClaimContext, curve: Curve, per: Per | None) -> float:
    """Return the threads that one of what a test counts in takes; raise `NoData` if it is not known."""
    if per is None:
        return 1.0
    if per == "saturation":
        each = curve.medians / curve.threads
        return float(curve.medians.max() / each[0])
    targets = context.count_offered(per)
    if not targets:
        raise NoData(f'the site does not state how many {per} it has: it would offer "24 {per}", say')
    return float(targets)


def weigh_knee(context: ClaimContext, source: str, test: KneeTest) -> ComparisonResult:
    """Test whether a curve has its knee at the claimed thread count."""
    curve = _read(context, source, test)
    knee = curve.knee()
    n = curve.runs
    at = test.at * _count_in(context, curve, test.per)
    least, most = at / test.within, at * test.within

    def bounds(level: float) -> tuple[float, float]:
        found = curve.knee(level)
        if not found.rises_to_the_end:
            return (_lower_end(curve, found), found.high) if found.low == found.low else (0.0, np.inf)
        still = found.growth_last_low > 1 + LEVEL_GROWTH
        return (curve.threads[-1] if still else 0.0, np.inf)

    p_for, p_against = weigh_bounds(bounds, least, most)
    meant = f"the claim needs it between {least:g} and {most:g}"
    if knee.rises_to_the_end:
        reaches = curve.threads[-1] > most
        says = f"{curve.chosen.operation} still rises at {curve.threads[-1]:g} threads, the most measured; {meant}"
        missing = "" if reaches else f"more than {most:g} threads"
        return ComparisonResult(says, unit="threads", trials=curve.trials, p_against=p_against, n=n, missing=missing)
    low, fewest = _lower_end(curve, knee), curve.threads[0]
    ends = f"{show_number(low)} to {show_number(knee.high)}" if low else f"at most {show_number(knee.high)}"
    interval = f" ({show_level(LEVEL)}: {ends})" if knee.low == knee.low else ""
    shown = (
        f"{show_number(knee.threads)} threads"
        if low or knee.threads > fewest
        else f"{fewest:g} threads, the fewest, or before"
    )
    return ComparisonResult(
        f"{curve.chosen.operation} levels off at {shown}{interval}; {meant}",
        knee.threads, low, knee.high, "threads", curve.trials, p_for, p_against, n=n,
        missing="" if low else f"fewer than {fewest:g} threads",
    )  # fmt: skip


def _lower_end(curve: Curve, knee: Knee) -> float:
    """Return the lower end of a knee's interval; 0 if the curve may have been level before its fewest threads."""
    fewest = float(curve.threads[0])
    return 0.0 if fewest > 1 and np.isclose(knee.low, fewest) else knee.low


def weigh_growth(context: ClaimContext, source: str, test: GrowthTest) -> ComparisonResult:
    """Test the growth per doubling of the threads, fitted to each repetition."""
    curve = _read(context, source, test, test.per_thread)
    each = _count_in(context, curve, test.per)
    chosen = (curve.threads >= test.first * each) & (curve.threads <= (test.last or np.inf) * each)
    x, rates = np.log2(curve.threads[chosen]), curve.rates[chosen]
    if chosen.sum() < 2:
        raise NoData(
            f"{curve.chosen.study}/{curve.chosen.sweep} has fewer than two thread counts from {test.first * each:g} "
            f"on; the most is {curve.threads[-1]:g}"
        )
    if test.per_thread:
        rates = rates / curve.threads[chosen][:, None]
    slopes = fit_slopes(x, np.log(rates))
    low = float(np.log(test.above)) if test.above > 0 else -np.inf
    trials, rounds = int(np.isfinite(rates).sum()), curve.rounds.of_several
    found = weigh_logarithms(slopes, low, float(np.log(test.below)), trials, rounds=rounds)
    what = f"{curve.chosen.operation} per thread" if test.per_thread else curve.chosen.operation
    limits = [f"above {test.above:.3g}"] * (test.above > 0) + [f"below {test.below:.3g}"] * bool(
        np.isfinite(test.below)
    )
    if curve.threads[-1] < (needed := (test.reach or test.last or 0) * each):
        missing = f"{needed:,g} threads; the most is {curve.threads[-1]:,g}"
        found = found._replace(p_for=1.0, missing=missing)
    return found._replace(
        says=f"each doubling from {2 ** x[0]:g} to {2 ** x[-1]:g} threads multiplies {what} by {_factor(found)}; "
        f"the claim needs {' and '.join(limits)}"
    )


def weigh_drop(context: ClaimContext, source: str, test: DropTest) -> ComparisonResult:
    """Test which share of its plateau a curve loses at a thread count."""
    curve = _read(context, source, test)
    end = _find_threads(curve, test.at) if test.at else len(curve.threads) - 1
    before = np.flatnonzero(curve.plateau()[:end])
    if not before.size:
        raise NoData(f"{curve.chosen.operation}: nothing of the plateau lies before {curve.threads[end]:g} threads")
    # One level is compared with one other: a mean of several has less of the skew of a rate, which biases the test.
    middle = before[(before.size - 1) // 2]
    logs = np.log(curve.rates[end] / curve.rates[middle])
    limits = float(np.log(1 - test.most)), float(np.log(1 - test.least))
    found = weigh_logarithms(logs, *limits, curve.trials, rounds=curve.rounds)
    return found._replace(
        says=f"{curve.chosen.operation} at {curve.threads[end]:g} threads is {show_times(found)} that at "
        f"{curve.threads[middle]:g}, in the middle of its plateau; the claim needs {1 - test.most:.3g} to "
        f"{1 - test.least:.3g}"
    )


def _find_threads(curve: Curve, threads: int) -> int:
    """Return the place of a thread count on a curve; a curve without it is no data."""
    if threads not in curve.threads:
        have = ", ".join(f"{count:g}" for count in curve.threads)
        raise NoData(f"{curve.chosen.study}/{curve.chosen.sweep} has threads {have}, not {threads}")
    return int(np.flatnonzero(curve.threads == threads)[0])


def weigh_anomaly(context: ClaimContext, source: str, test: AnomalyTest) -> ComparisonResult:
    """Test whether the point at one thread count lies below the trend of the others."""
    curve = _read(context, source, test)
    here = _find_threads(curve, test.at)
    n = min(curve.runs, int(np.isfinite(curve.rates[here]).sum()))
    if n < LEAST_REPETITIONS:
        raise NoData(f"{n} repetitions; an anomaly is tested with {LEAST_REPETITIONS} or more")
    lifted = curve.rates.copy()
    lifted[here] /= 1 - test.dip
    try:
        found, without = (judge_point(curve.threads, rates, test.at) for rates in (curve.rates, lifted))
    except ValueError as reason:
        raise NoData(f"{curve.chosen.study}/{curve.chosen.sweep}: {reason}") from reason
    p_for = found.p / 2 if found.ratio < 1 else 1 - found.p / 2
    p_against = without.p / 2 if without.ratio > 1 else 1 - without.p / 2
    low, high = found.observed / found.high, found.observed / found.low if found.low > 0 else np.inf
    return ComparisonResult(
        f"{curve.chosen.operation} at {test.at:,} threads is {found.ratio:.3g} times the trend of the others "
        f"({show_level(LEVEL)}: {low:.3g} to {high:.3g}); a dip of {100 * test.dip:g} % would matter",
        found.ratio, low, high, "1", curve.trials, p_for, p_against, n=n,
    )  # fmt: skip


def weigh_peak_at(context: ClaimContext, source: str, test: PeakAtTest) -> ComparisonResult:
    """Test whether a curve is highest at the claimed thread count."""
    curve = _read(context, source, test)
    here = _find_threads(curve, test.threads)
    try:
        found = weigh_place(logs := np.log(curve.rates), here, curve.rounds)
    except ValueError as reason:
        raise NoData(f"{curve.chosen.study}/{curve.chosen.sweep}: {reason}") from reason
    place, rival = found.places
    evidence = as_evidence(found.test, logs[place] - logs[rival], curve.trials, rounds=curve.rounds)
    return evidence._replace(
        says=f"{curve.chosen.operation} at {test.threads} threads is {show_times(evidence)} that at "
        f"{curve.threads[rival]:g}, the highest of the others"
    )


def weigh_figure(context: ClaimContext, source: str, test: FigureTest) -> ComparisonResult:
    """Test whether a peak, a sustained rate, or every case lies within limits or near a published value."""
    chosen = resolve_selection(source, test)
    unit = UNIT_OF_METRIC[chosen.metric]
    parts = []
    for figure in _figures(context, chosen, test):
        low, high, meant = _limits(context, source, test, chosen, figure.name)
        found = weigh_values(figure.shown, low, high, figure.rounds)
        if figure.curve is not None:
            limits = LimitPair(low, high)
            p_for, p_against = weigh_extreme(figure.curve, limits, figure.rounds, lowest=test.of == "sustained")
            found = found._replace(p_for=p_for, p_against=p_against)
        shown = format_interval(
            found.estimate, found.low, found.high, unit, found.n, runs=found.runs, rounds=figure.rounds
        )
        parts.append(found._replace(says=f"{figure.name} is {shown}; the claim needs {meant}", unit=unit))
    found = combine(parts)
    empty = list_empty_cells(context, chosen, _read_rates(context, chosen, test)) if test.of == "cases" else []
    if not empty:
        return found
    more = f" and {len(empty) - 1} more" if len(empty) > 1 else ""
    return found._replace(p_for=1.0, missing=f"values that count of {chosen.operation}{empty[0]}{more}")


def _limits(
    context: ClaimContext, source: str, test: FigureTest, chosen: ResolvedSelection, name: str
) -> tuple[float, float, str]:
    """Return the lower and upper limit of a rate, and both in words."""
    unit = UNIT_OF_METRIC[chosen.metric]
    if test.below == SITE_LIMITS:
        ceiling = context.ceiling(chosen.operation)
        if ceiling is None or unit != "B/s":
            raise NoData(f"the site states no limit on the {chosen.metric} of {chosen.operation}")
        return -np.inf, ceiling, f"below the {show_rate(ceiling, unit)} that the site states as its limit"
    if not test.near:
        words = [f"above {test.above}"] * (test.above is not None) + [f"below {test.below}"] * (test.below is not None)
        return limit_of(test.above, unit, -np.inf), limit_of(test.below, unit, np.inf), " and ".join(words)
    stated = [value for value in select_published(context.published, source, test.near) if value.unit == unit]
    # A case that names a system, such as an instance type, is compared with the value of that system.
    named = [value for value in stated if name.endswith(f" {value.system}")] or stated
    if len(named) != 1:
        raise NoData(f"{len(named)} published values match {name}; the claim needs exactly one")
    value = named[0]
    meant = f"{value.shown} within {100 * test.within:g} % ({value.item})"
    return value.low / (1 + test.within), value.high * (1 + test.within), meant


class _TestedFigure(NamedTuple):
    """A figure that is compared with limits.

    Attributes
    ----------
    name : str
        What it is, in words.
    shown : array of float, shape (repetitions,)
        The runs whose median is shown.
    rounds : Rounds
        Of the sweep.
    curve : array of float, shape (levels, repetitions), optional
        The levels of which it is the highest or the lowest.
    """

    name: str
    shown: Array
    rounds: Rounds
    curve: Array | None = None


def _figures(context: ClaimContext, chosen: ResolvedSelection, test: FigureTest) -> list[_TestedFigure]:
    """Return each figure that is compared with the limits."""
    each = " per thread" if test.per_thread else ""
    values = _read_rates(context, chosen, test)
    # Zero is a count; no rate is zero.
    values = values if chosen.metric == "count" else values.where(values > 0)
    if test.of == "cases":
        if test.per_thread:
            cube = context.cube(chosen.study, chosen.sweep)
            threads = values.threads if "threads" in values.coords else float(cube.attrs["threads"])
            values = (values / threads).assign_attrs(values.attrs)
        return [
            _TestedFigure(f"{chosen.operation}{each}{name}", cells, rounds_of(values))
            for name, cells in list_cells(values)
        ]
    curve = as_curve(chosen, read_curve(context, chosen, values))
    rates = curve.rates / curve.threads[:, None] if test.per_thread else curve.rates
    if test.of == "peak":
        place, levels, name = find_peak(rates), rates, "peak"
    else:
        plateau = curve.plateau()
        place = int(np.where(plateau, np.nanmedian(rates, axis=1), np.inf).argmin())
        levels, name = rates[plateau], "sustained rate"
    name = f"the {name} of {chosen.operation}{each}, at {curve.threads[place]:g} threads,"
    return [_TestedFigure(name, rates[place], curve.rounds, levels)]


def _read_rates(context: ClaimContext, chosen: ResolvedSelection, test: FigureTest) -> xr.DataArray:
    """Return the values of a selection; with the sums of streams where rates per thread are meant."""
    return _add_streams(context, chosen) if test.per_thread else read_values(context, chosen)


def _add_streams(context: ClaimContext, chosen: ResolvedSelection) -> xr.DataArray:
    """Return the throughput of every trial; the sum of its streams if a log states each stream alone."""
    values = read_values(context, chosen)
    cube = context.cube(chosen.study, chosen.sweep)
    full = cube[chosen.metric].sel(operation=chosen.operation, drop=True)
    if chosen.metric != "throughput":
        return values
    streams = tabulate_core_rates(context.rows(chosen.study, chosen.sweep))
    summed = add_streams(full, streams[streams.operation == chosen.operation]).assign_attrs(full.attrs)
    # What the claim holds fixed, and what has a single level, is no dim of its values.
    return summed.sel({dim: values[dim] for dim in full.dims if dim not in values.dims})
