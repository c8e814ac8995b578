"""Test claims about single trials: counts, percentiles of series, outcomes, shares that crossed, settings read back."""

import numpy as np
import pandas as pd

from coldcache.analysis.estimates import LEVEL
from coldcache.claims.context import ClaimContext
from coldcache.claims.evidence import ComparisonResult, decide_exactly, weigh_bounds
from coldcache.claims.select import ResolvedSelection, resolve_selection
from coldcache.core.errors import NoData
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.units import show_rate
from coldcache.core.vocabulary import FACTORS
from coldcache.dataset.reader import COUNTED
from coldcache.design.claim_tests import CountTest, CrossedTest, OutcomeTest, PercentileTest, ReadBackTest
from coldcache.design.levels import stored_level
from coldcache.statistics.models.nfs_rpcs import most_in_flight, write_calls
from coldcache.statistics.percentiles import percentile
from coldcache.statistics.stopping import LEAST_REPETITIONS

_TRIAL = ["case", "repetition"]

#: Rules by which a trial is void because its tool failed.
_OWN_FAILURES = ("exit-status", "log-refused", "time-limit")


def weigh_count(context: ClaimContext, source: str, test: CountTest) -> ComparisonResult:
    """Test whether measured counts equal the model's prediction for each trial."""
    chosen = resolve_selection(source, test)
    rows = _select(context, chosen)
    rows = rows[(rows.operation == chosen.operation) & (rows.metric == "count") & rows.verdict.isin(COUNTED)]
    rows = rows[rows.value.notna()]
    rows = rows[_is_defined_as(rows.definition, test.definition)]
    if rows.empty:
        raise NoData(f"no trial of {chosen.study}/{chosen.sweep} counts {chosen.operation}")
    expected = [_EXPECT[test.model](row) for row in rows.itertuples()]
    ratios = rows.value.to_numpy() / np.array(expected)
    equal = np.abs(ratios - 1) <= test.within
    says = f"{equal.sum()} of {len(rows)} trials count as many {chosen.operation} as the model predicts, for instance "
    first = int(np.argmin(equal)) if not equal.all() else 0
    says += f"{rows.value.iloc[first]:,.0f} against {expected[first]:,}"
    same = len(set(expected)) == 1
    shown = rows.value.to_numpy() if same else ratios
    return decide_exactly(equal, says, "trials")._replace(estimate=float(np.median(shown)))


def _is_defined_as(definitions: "pd.Series[str]", wanted: str) -> "pd.Series[bool]":
    """Return which definitions a claim means: those that are its words, up to a comma; else all that contain them."""
    exact = (definitions + ",").str.startswith(f"{wanted},")
    return exact if exact.any() else definitions.str.contains(wanted, regex=False)


def _expect_calls(row: "pd.Series[float]") -> int:
    size = int(row.file_size * row.threads)
    sync = str(row.write_mode) == "sync"
    return write_calls(size, int(row.io_size), int(row.transfer_size) if sync else 0)


def _expect_in_flight(row: "pd.Series[float]") -> int:
    return most_in_flight(int(row.nconnect), int(row.slot_table_entries), _expect_calls(row))


_EXPECT = {"write-calls": _expect_calls, "requests-in-flight": _expect_in_flight}


def weigh_percentile(context: ClaimContext, source: str, test: PercentileTest) -> ComparisonResult:
    """Test whether a percentile is alike in all series: the ratio of the largest to the smallest."""
    chosen = resolve_selection(source, test)
    unit = UNIT_OF_METRIC[chosen.metric]
    rows = _select(context, chosen)
    rows = rows[(rows.operation == chosen.operation) & (rows.metric == chosen.metric) & rows.time.notna()]
    series = [
        points.sort_values("time").value.to_numpy()
        for _, points in rows[rows.verdict.isin(COUNTED)].groupby(["case", "repetition", "log"], sort=False)
    ]
    if len(series) < 2:
        raise NoData(f"{chosen.study}/{chosen.sweep} has {len(series)} series of {chosen.operation}; two are compared")

    def bounds(level: float) -> tuple[float, float]:
        # The extremes are chosen among all series, so all bounds must hold for the lower one, and two for the upper.
        all_hold, two_hold = (
            [percentile(points, test.percent, 1 - (1 - level) / count) for points in series]
            for count in (len(series), 2)
        )
        least = _divide(max(one.low for one in all_hold), min(one.high for one in all_hold))
        return max(1.0, least), _divide(max(one.high for one in two_hold), min(one.low for one in two_hold))

    found = sorted(percentile(points, test.percent) for points in series)
    p_for, p_against = weigh_bounds(bounds, 0.0, 1 + test.alike)
    shown = [show_rate(one.estimate, unit) for one in (found[0], found[-1])]
    low, high = bounds(LEVEL)
    why = "" if np.isfinite(high) else f", for p{test.percent:g} has no upper bound in these"
    missing = f"longer series{why}" if min(p_for, p_against) > 1 - LEVEL else ""
    return ComparisonResult(
        f"p{test.percent:g} of {len(series)} series lies between {shown[0]} and {shown[1]}; alike means within "
        f"{100 * test.alike:g} %",
        _divide(found[-1].estimate, found[0].estimate), low, high, "1", len(series), p_for, p_against,
        n=min(map(len, series)), missing=missing,
    )  # fmt: skip


def _divide(rate: float, by: float) -> float:
    """Return the ratio of two rates; infinite if the second is zero or has no bound, and 1 if both are zero."""
    return rate / by if by > 0 else np.inf if rate > 0 else 1.0


def weigh_outcome(context: ClaimContext, source: str, test: OutcomeTest) -> ComparisonResult:
    """Test whether trials succeed at one level and fail at another."""
    whole, failing = (
        _drop_untried(_select(context, resolve_selection(source, test, side)).drop_duplicates(_TRIAL))
        for side in (test.whole, test.failing)
    )
    if whole.empty or failing.empty:
        raise NoData("no trial ran at both levels")
    kept, lost = int(whole.verdict.isin(COUNTED).sum()), int((failing.verdict == "void").sum())
    says = f"{kept} of {len(whole)} trials succeed where all should, {lost} of {len(failing)} fail where all should"
    fewest = min(len(whole), len(failing))
    if fewest < LEAST_REPETITIONS:
        missing = f"{LEAST_REPETITIONS} trials at each level (now {fewest})"
        return ComparisonResult(says, kept / len(whole), trials=len(whole) + len(failing), n=fewest, missing=missing)
    decided = kept == len(whole) and lost == len(failing)
    return ComparisonResult(says, kept / len(whole), trials=len(whole) + len(failing), n=fewest, decided=decided)


def _drop_untried(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the trials that count or whose own tool failed: others are void for what was done to them."""
    ended = trials.codes.str.split().str[0].isin(_OWN_FAILURES)
    return trials[trials.verdict.isin(COUNTED) | ((trials.verdict == "void") & ended)]


def weigh_crossed(context: ClaimContext, source: str, test: CrossedTest) -> ComparisonResult:
    """Test whether a share of what an operation moved crossed the device or the wire, in every trial."""
    chosen = resolve_selection(source, test)
    counted = _select_counted(context, chosen)
    table = context.reached
    rows = table[(table.study == chosen.study) & (table.sweep == chosen.sweep) & (table.operation == chosen.operation)]
    rows = rows.merge(counted, on=_TRIAL)
    shares = (rows.crossed_bytes / rows.moved_bytes).dropna().to_numpy()
    if not shares.size:
        raise NoData(f"no trial of {chosen.study}/{chosen.sweep} counts what crossed beside {chosen.operation}")
    held = (shares >= test.least) & (shares <= test.most)
    span = f"{100 * shares.min():.3g} to {100 * shares.max():.3g} %"
    wanted = [f"at least {100 * test.least:g} %"] * (test.least > 0) + [f"at most {100 * test.most:g} %"] * bool(
        np.isfinite(test.most)
    )
    says = f"{chosen.name}: {span} of the bytes crossed; the claim needs {' and '.join(wanted)}"
    return decide_exactly(held, says, "trials")._replace(estimate=float(np.median(shares)))


def weigh_verified(context: ClaimContext, source: str, test: ReadBackTest) -> ComparisonResult:
    """Test whether a setting was read back as claimed."""
    chosen = resolve_selection(source, test)
    counted = _select_counted(context, chosen)
    table = context.settings
    rows = table[(table.study == chosen.study) & (table.sweep == chosen.sweep) & (table.factor == test.factor)]
    rows = rows.merge(counted, on=_TRIAL)
    if rows.empty:
        raise NoData(f"no trial of {chosen.study}/{chosen.sweep} read back its {test.factor}")
    held = rows["read"].map(lambda read: all(word in str(read) for word in test.words)).to_numpy(dtype=bool)
    says = f"{int(held.sum())} of {len(rows)} trials read back {' and '.join(test.words)}"
    return decide_exactly(held, says, "trials")._replace(estimate=float(held.mean()))


def _select_counted(context: ClaimContext, chosen: ResolvedSelection) -> pd.DataFrame:
    """Return the trials with the levels of a selection that count, a row each."""
    rows = _select(context, chosen)
    return rows[rows.verdict.isin(COUNTED)].drop_duplicates(_TRIAL)[_TRIAL]


def _select(context: ClaimContext, chosen: ResolvedSelection) -> pd.DataFrame:
    """Return the rows of the trials with the levels of a selection; raise `NoData` if there are none."""
    rows = context.rows(chosen.study, chosen.sweep)
    for factor, level in chosen.levels.items():
        wanted = stored_level(factor, level) if factor in FACTORS else level
        if rows[factor].dtype.kind in "if":
            rows = rows[rows[factor] == float(wanted)]
        else:
            rows = rows[rows[factor].astype(str).str.lower() == str(wanted).lower()]
    if rows.empty:
        raise NoData(f"no trial of {chosen.study}/{chosen.sweep} with {chosen.name}")
    return rows
