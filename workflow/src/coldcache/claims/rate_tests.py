"""Comparisons of rates, paired by repetition: orderings, ratios, interactions, equivalence, models."""

import numpy as np

from coldcache.analysis.format import format_ratio
from coldcache.claims.context import Material
from coldcache.claims.evidence import Array, Evidence, combine, weigh
from coldcache.claims.select import choose, log_of, pair, read_values
from coldcache.core.errors import NoData
from coldcache.design.claim import Equivalence, Interaction, Model, Ordering, Ratio, Selection
from coldcache.statistics.intervals import Interval
from coldcache.statistics.models.fsx_metadata_iops import expected_rate

_WHERE = {"every": "", "peaks": ", each at its peak,", "most": " at the most threads"}


def show_times(found: Evidence) -> str:
    """Return a ratio with its interval in words: ``1.42 times (1.31 to 1.55)``."""
    return format_ratio(Interval(found.estimate, found.low, found.high, max(found.n, 1), 0.95, "t"))


def weigh_ordering(material: Material, source: str, test: Ordering) -> Evidence:
    """Return what a campaign says of rates of which each is said to be above the next."""
    names = [_name(side, test) for side in test.falling]
    parts = []
    for place, (upper, lower) in enumerate(zip(test.falling, test.falling[1:], strict=False)):
        logs, trials = _pair(material, source, test, upper, lower)
        found = weigh(logs, 0.0, np.inf, trials)
        says = f"{names[place]}{_WHERE[test.over]} is {show_times(found)} {names[place + 1]}"
        parts.append(found._replace(says=says))
    return combine(parts)._replace(says="; ".join(part.says for part in parts))


def weigh_ratio(material: Material, source: str, test: Ratio) -> Evidence:
    """Return what a campaign says of a ratio against its thresholds."""
    logs, trials = _pair(material, source, test, test.numerator, test.denominator)
    found = weigh(logs, _log(test.above), _log(test.below), trials)
    names = _name(test.numerator, test), _name(test.denominator, test)
    says = f"{_subject(test, test.numerator)}{names[0]}{_WHERE[test.over]} is {show_times(found)} {names[1]}"
    return found._replace(says=f"{says}; the claim needs {_show_limits(test.above, test.below)}")


def weigh_interaction(material: Material, source: str, test: Interaction) -> Evidence:
    """Return what a campaign says of a ratio that is said to be larger here than there."""
    logs, trials = [], 0
    for circumstance in (test.here, test.there):
        above = read_values(material, choose(source, test, circumstance, test.numerator))
        below = read_values(material, choose(source, test, circumstance, test.denominator))
        found, count = pair(above, below, test.over)
        logs.append(found)
        trials += count
    n = min(map(len, logs))
    weighed = weigh(logs[0][:n] - logs[1][:n], _log(test.above), np.inf, trials)
    names = _name(test.numerator, test), _name(test.denominator, test)
    says = (
        f"the ratio of {names[0]} to {names[1]} with {_name(test.here, test)} is {show_times(weighed)} that with "
        f"{_name(test.there, test)}"
    )
    return weighed._replace(says=says)


def weigh_equivalence(material: Material, source: str, test: Equivalence) -> Evidence:
    """Return what a campaign says of settings that are said to perform alike (two one-sided tests)."""
    parts = []
    distance = float(np.log1p(test.margin))
    for side in test.sides[1:]:
        logs, trials = _pair(material, source, test, side, test.sides[0])
        found = weigh(logs, -distance, distance, trials, test.margin)
        names = _name(side, test), _name(test.sides[0], test)
        parts.append(found._replace(says=f"{names[0]}{_WHERE[test.over]} is {show_times(found)} {names[1]}"))
    says = _subject(test, test.sides[0]) + "; ".join(part.says for part in parts)
    return combine(parts)._replace(says=f"{says}; alike means within {100 * test.margin:g} %")


def weigh_model(material: Material, source: str, test: Model) -> Evidence:
    """Return what a campaign says of rates that are said to be those of a model of their factors."""
    chosen = choose(source, test)
    values = read_values(material, chosen)
    if "metadata_iops" not in values.coords:
        raise NoData(f"{chosen.study}/{chosen.sweep} does not tell trials by their metadata_iops")
    parts = []
    distance = float(np.log1p(test.within))
    for iops in np.atleast_1d(values.metadata_iops.values):
        cells = values.sel(metadata_iops=iops) if "metadata_iops" in values.dims else values
        logs = log_of(cells / expected_rate(chosen.operation, int(iops)))
        per_repetition = logs.mean([dim for dim in logs.dims if dim != "repetition"]).values
        found = weigh(per_repetition, -distance, distance, int(logs.notnull().sum()), test.within)
        says = f"{chosen.operation} at {int(iops):,} metadata IOPS is {show_times(found)} the model's"
        parts.append(found._replace(says=says))
    says = "; ".join(part.says for part in parts)
    return combine(parts)._replace(says=f"{says}; the claim needs at most {100 * test.within:g} % apart")


def _pair(
    material: Material, source: str, test: Ordering | Ratio | Equivalence, upper: Selection, lower: Selection
) -> tuple[Array, int]:
    above, below = (read_values(material, choose(source, test, side)) for side in (upper, lower))
    return pair(above, below, test.over)


def _subject(test: Selection, side: Selection) -> str:
    """Return the operation in front of a comparison whose sides do not name it."""
    return f"{test.operation}: " if test.operation and not side.operation else ""


def _name(side: Selection, test: Selection) -> str:
    """Return what tells a side from the others: its own keys, else the operation."""
    parts = [side.sweep] if side.sweep and side.sweep != test.sweep else []
    parts += [side.operation] if side.operation else []
    parts += [f"{factor.replace('_', ' ')} {level}" for factor, level in side.levels.items()]
    return ", ".join(parts) or str(test.operation)


def _log(limit: float) -> float:
    return float(np.log(limit)) if limit > 0 else -np.inf


def _show_limits(above: float, below: float) -> str:
    parts = [f"above {above:g}"] * (above > 0) + [f"below {below:g}"] * bool(np.isfinite(below))
    return " and ".join(parts)
