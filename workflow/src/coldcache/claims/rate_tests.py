"""Test claims about rates, paired by repetition: orderings, ratios, interactions, equivalence, models."""

import numpy as np

from coldcache.analysis.format import format_ratio
from coldcache.claims.context import ClaimContext
from coldcache.claims.evidence import Evidence, combine, weigh_logarithms
from coldcache.claims.select import log_of, pair, read_values, resolve_selection
from coldcache.core.errors import NoData
from coldcache.design.claim import Equivalence, Interaction, Model, Ordering, Ratio, Selection
from coldcache.statistics.equivalence import Array
from coldcache.statistics.intervals import Interval
from coldcache.statistics.models.fsx_metadata_iops import expected_rate

_WHERE = {"every": "", "peaks": ", each at its peak,", "most": " at the most threads"}


def show_times(found: Evidence) -> str:
    """Return a ratio with its interval in words: ``1.42 times (1.31 to 1.55)``."""
    return format_ratio(Interval(found.estimate, found.low, found.high, max(found.n, 1), 0.95, "t"))


def weigh_ordering(context: ClaimContext, source: str, test: Ordering) -> Evidence:
    """Test whether each rate of a list is above the next."""
    names = [_name(side, test) for side in test.falling]
    parts = []
    for place, (upper, lower) in enumerate(zip(test.falling, test.falling[1:], strict=False)):
        logs, trials = _pair(context, source, test, upper, lower)
        found = weigh_logarithms(logs, 0.0, np.inf, trials)
        says = f"{names[place]}{_WHERE[test.over]} is {show_times(found)} {names[place + 1]}"
        parts.append(found._replace(says=says))
    return combine(parts)._replace(says="; ".join(part.says for part in parts))


def weigh_ratio(context: ClaimContext, source: str, test: Ratio) -> Evidence:
    """Test whether a ratio of two rates lies within its thresholds."""
    logs, trials = _pair(context, source, test, test.numerator, test.denominator)
    found = weigh_logarithms(logs, _log(test.above), _log(test.below), trials)
    names = _name(test.numerator, test), _name(test.denominator, test)
    says = f"{_subject(test, test.numerator)}{names[0]}{_WHERE[test.over]} is {show_times(found)} {names[1]}"
    return found._replace(says=f"{says}; the claim needs {_show_limits(test.above, test.below)}")


def weigh_interaction(context: ClaimContext, source: str, test: Interaction) -> Evidence:
    """Test whether a ratio is larger under one condition than under another."""
    logs, trials = [], 0
    for condition in (test.here, test.there):
        above = read_values(context, resolve_selection(source, test, condition, test.numerator))
        below = read_values(context, resolve_selection(source, test, condition, test.denominator))
        found, count = pair(above, below, test.over)
        logs.append(found)
        trials += count
    n = min(map(len, logs))
    weighed = weigh_logarithms(logs[0][:n] - logs[1][:n], _log(test.above), np.inf, trials)
    names = _name(test.numerator, test), _name(test.denominator, test)
    says = (
        f"the ratio of {names[0]} to {names[1]} with {_name(test.here, test)} is {show_times(weighed)} that with "
        f"{_name(test.there, test)}"
    )
    return weighed._replace(says=says)


def weigh_equivalence(context: ClaimContext, source: str, test: Equivalence) -> Evidence:
    """Test whether settings perform alike (two one-sided tests)."""
    parts = []
    distance = float(np.log1p(test.margin))
    for side in test.sides[1:]:
        logs, trials = _pair(context, source, test, side, test.sides[0])
        found = weigh_logarithms(logs, -distance, distance, trials, test.margin)
        names = _name(side, test), _name(test.sides[0], test)
        parts.append(found._replace(says=f"{names[0]}{_WHERE[test.over]} is {show_times(found)} {names[1]}"))
    says = _subject(test, test.sides[0]) + "; ".join(part.says for part in parts)
    return combine(parts)._replace(says=f"{says}; alike means within {100 * test.margin:g} %")


def weigh_model(context: ClaimContext, source: str, test: Model) -> Evidence:
    """Test whether rates equal those that a model predicts from their factors."""
    chosen = resolve_selection(source, test)
    values = read_values(context, chosen)
    if "metadata_iops" not in values.coords:
        raise NoData(f"{chosen.study}/{chosen.sweep} does not vary metadata_iops")
    parts = []
    distance = float(np.log1p(test.within))
    for iops in np.atleast_1d(values.metadata_iops.values):
        cells = values.sel(metadata_iops=iops) if "metadata_iops" in values.dims else values
        logs = log_of(cells / expected_rate(chosen.operation, int(iops)))
        per_repetition = logs.mean([dim for dim in logs.dims if dim != "repetition"]).values
        found = weigh_logarithms(per_repetition, -distance, distance, int(logs.notnull().sum()), test.within)
        says = f"{chosen.operation} at {int(iops):,} metadata IOPS is {show_times(found)} the model's"
        parts.append(found._replace(says=says))
    says = "; ".join(part.says for part in parts)
    return combine(parts)._replace(says=f"{says}; the claim needs at most {100 * test.within:g} % apart")


def _pair(
    context: ClaimContext, source: str, test: Ordering | Ratio | Equivalence, upper: Selection, lower: Selection
) -> tuple[Array, int]:
    above, below = (read_values(context, resolve_selection(source, test, side)) for side in (upper, lower))
    return pair(above, below, test.over)


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
