"""Effects of rounds on the runs of a sweep: drift of whole rounds, correlation of neighbours, two modes.

Rounds are blocks: each visits every case once. One case has too few runs to know how they depend on each other, so this
is measured over all cases of a sweep. What moves all cases of a round alike is drift; what remains in the order of the
rounds is correlation, modelled as a first-order autoregression (AR(1)).
"""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from coldcache.statistics.array import Array, mean_there
from coldcache.statistics.neighbours import (
    CORRELATIONS,
    FEWER_SERIES,
    MOST_CORRELATION,
    expected_products,
    neighbour_products,
)
from coldcache.statistics.series import simulate, trend

if TYPE_CHECKING:  # the runner decides about repetitions without loading xarray
    import xarray as xr

#: The largest drift that an interval can be widened for.
MOST_DRIFT = 5.0

#: Drifts for which the expected spread is simulated; those between are interpolated.
_DRIFTS = np.array([0, 0.3, 0.6, 1, 1.5, 2.2, 3.2, MOST_DRIFT])

#: A correlation counts from so many of its standard errors on, and from so many of their squares: few cases of few runs
#: show some correlation by chance, and are better taken as independent.
_COUNTS_FROM, _COUNTS_FROM_SQUARES = 0.9, 3.0

#: By how much a correlation is raised at least, since runs with a slow tail show a little less of it; by how many of
#: its squared errors, since widening is convex and an unbiased correlation would widen too little on average; and the
#: most. Without blocks it is half as much: two campaigns have two errors, which average out.
_LEAST_RAISED, _RAISE, _MOST_RAISED = 0.01, 3.0, 0.4

#: Decimals of logarithms that are told apart: values closer than that are equal.
_DIGITS = 9

#: Fewer cases than these show neither drift nor two modes: what few have in common may be chance.
_LEAST_CASES = 6

#: Cases have two modes if a gap takes more than `_GAP` of the range in more than `_GAPPED` of them.
_GAP, _GAPPED = 0.6, 0.4


class Rounds(NamedTuple):
    """How the runs of a case depend on their rounds, measured over a sweep.

    Attributes
    ----------
    correlation : float
        Of neighbouring runs of a case beyond what moves whole rounds, by their ranks: for intervals of medians.
    of_logarithms : float
        The same by logarithms: for intervals of ratios.
    drift : float
        Root mean square of what moves all cases of a round alike, in standard deviations of a run; 0 of few cases.
    modes : bool
        Whether many cases have two modes.
    """

    correlation: float = 0.0
    of_logarithms: float = 0.0
    drift: float = 0.0
    modes: bool = False

    @property
    def of_several(self) -> "Rounds":
        """These rounds for a mean over several cases, in which no mode shows."""
        return self._replace(modes=False)


#: Rounds that do not matter.
INDEPENDENT = Rounds()


def rounds_of(*values: "xr.DataArray") -> Rounds:
    """Return what values state of their rounds in the attribute ``rounds``; of several, the more dependent."""
    return max((one.attrs.get("rounds", INDEPENDENT) for one in values), key=lambda rounds: rounds.of_logarithms)


def measure_rounds(values: npt.ArrayLike, blocks: bool = True) -> Rounds:
    """Return how runs depend on their rounds.

    Parameters
    ----------
    values : array of float, shape (..., cases, rounds)
        Positive figures; entry k of every case is from round k; NaN is missing. What comes before the cases, such as
        operations, is measured in the same trials.
    blocks : bool
        Whether the rounds are blocks, whose drift is told apart; else it counts as correlation.

    Returns
    -------
    Rounds
        `INDEPENDENT` without three runs of a case.
    """
    given = np.atleast_2d(np.asarray(values, dtype=float))
    if given.shape[-1] < 3:
        return INDEPENDENT
    logs = np.log(np.where(given > 0, given, np.nan))
    return measure_campaigns(logs.reshape(1, -1, *given.shape[-2:]), blocks).one(0)


class ManyRounds(NamedTuple):
    """The fields of `Rounds` for many campaigns; each is an array of shape (campaigns,)."""

    correlation: Array
    of_logarithms: Array
    drift: Array
    modes: npt.NDArray[np.bool_]

    def one(self, place: int) -> Rounds:
        """Return those of one campaign."""
        found = (self.correlation, self.of_logarithms, self.drift)
        correlation, of_logarithms, drift = (round(float(part[place]), 3) for part in found)
        return Rounds(correlation, of_logarithms, drift, bool(self.modes[place]))


def measure_campaigns(logs: Array, blocks: bool = True) -> ManyRounds:
    """Return how runs depend on their rounds, for many campaigns at once.

    Parameters
    ----------
    logs : array of float, shape (campaigns, operations, cases, rounds)
        Logarithms of figures; NaN is missing.
    blocks : bool
        As for `measure_rounds`.
    """
    n = logs.shape[-1]
    deviations = logs - mean_there(logs, -1)[..., None]
    # Values that differ by rounding alone are equal, and a case whose values are all equal shows no order.
    deviations = deviations.round(_DIGITS)
    varies = (np.nan_to_num(deviations) != 0).any(axis=-1) & ((~np.isnan(logs)).sum(axis=-1) >= 3)
    deviations = np.where(varies[..., None], deviations, np.nan)
    share, apparent = _weigh_rounds(deviations) if blocks else (np.zeros(len(logs)), np.ones(len(logs)))
    common = np.nan_to_num(mean_there(deviations, (1, 2)))
    own = deviations - (share[:, None] * common)[:, None, None]
    own = own.round(_DIGITS).reshape(len(own), -1, n)
    raised = 1.0 if blocks else 0.5
    by_rank = _correlation(own, True, raised)
    modes = _have_modes(own)
    by_value = np.where(modes, by_rank, _correlation(own, False, raised))
    apparent = np.where(varies.any(axis=1).sum(axis=-1) >= _LEAST_CASES, apparent, 1.0)
    return ManyRounds(by_rank, by_value, _drift(apparent, n, by_rank), modes)


def _weigh_rounds(deviations: Array) -> tuple[Array, Array]:
    """Return which share of what rounds seem to have in common is not chance, and how much spread drift leaves.

    What counts is on which side of its case's median a run lies, since this depends on no distribution. Where rounds do
    not matter, half of the cases lie above in each round, but for chance, which the differences between cases show.

    Parameters
    ----------
    deviations : array of float, shape (campaigns, operations, cases, rounds)
        Of logarithms.

    Returns
    -------
    share, apparent : array of float, shape (campaigns,)
        Both between 0 and 1.
    """
    there = ~np.isnan(deviations)
    sides = np.where(there, 0.5 * np.sign(deviations - _medians(deviations)[..., None]), np.nan)
    of_case = mean_there(sides, 1)
    of_round = mean_there(of_case, 1)
    cases = (~np.isnan(of_case)).sum(axis=1)
    apart = np.nansum((of_case - of_round[:, None]) ** 2, axis=1)
    chance = np.where(cases > 1, apart / np.maximum(cases * (cases - 1), 1), np.inf)
    seen, chance, whole = mean_there(of_round**2, -1), np.mean(chance, axis=-1), mean_there(sides**2, (1, 2, 3))
    share = np.where(seen > chance, 1 - chance / np.where(seen > 0, seen, 1), 0.0)
    return share, np.where(whole > 0, 1 - share * seen / np.where(whole > 0, whole, 1), 1.0)


def _medians(values: Array) -> Array:
    """Return the median of what is there along the last axis; NaN where nothing is."""
    ordered = np.sort(values, axis=-1)
    last = np.maximum((~np.isnan(values)).sum(axis=-1, keepdims=True) - 1, 0)
    middle = [np.take_along_axis(ordered, place, -1)[..., 0] for place in (last // 2, (last + 1) // 2)]
    return (middle[0] + middle[1]) / 2


def _correlation(rows: Array, ranked: bool, share: float) -> Array:
    """Return the correlation of neighbours in each campaign.

    Few runs are correlated by less about their own mean than about the true one, so the correlation is the one that
    simulated runs need to resemble those observed. Ranks do not depend on how values are distributed.

    Parameters
    ----------
    rows : array of float, shape (campaigns, cases, rounds)
        What is left of the deviations; NaN is missing.
    ranked : bool
        Whether ranks are correlated, or the values.
    share : float
        Of the amount by which the correlation is raised.
    """
    count = (~np.isnan(rows).all(axis=-1)).sum(axis=-1)
    observed = np.nan_to_num(mean_there(neighbour_products(rows, ranked), -1), nan=-1.0)
    expected, spread = expected_products(rows.shape[-1], ranked)
    found = np.interp(observed, expected, CORRELATIONS)
    error = spread / np.gradient(expected, CORRELATIONS)
    error_of_none, error_of_found = (np.interp(c, CORRELATIONS, error) for c in (np.zeros(1), found))
    worth = np.maximum(count, 1)
    amount = share * (_LEAST_RAISED + _RAISE * error_of_found**2 / worth)
    raised = found + np.minimum(amount, _MOST_RAISED)
    chance = error_of_none / np.sqrt(worth)
    counts = found > np.maximum(_COUNTS_FROM * chance, _COUNTS_FROM_SQUARES * chance**2)
    return np.where(counts, np.minimum(raised, MOST_CORRELATION), 0.0)


def _drift(apparent: Array, n: int, correlation: Array) -> Array:
    """Return the drift that leaves the sides of a case's median as much spread as observed."""
    found = []
    for left, own in zip(apparent, correlation, strict=True):
        if left >= 1:
            found.append(0.0)
            continue
        place = min(int(own * 10), 8)
        weight = own * 10 - place
        expected = (1 - weight) * _expected_spread(n, place / 10) + weight * _expected_spread(n, (place + 1) / 10)
        found.append(float(np.interp(-left, -expected, _DRIFTS)))
    return np.array(found)


@lru_cache(maxsize=512)
def _expected_spread(n: int, correlation: float) -> Array:
    """Return, for each of `_DRIFTS`, the share of the spread of sides that drift leaves."""
    found = []
    for drift in _DRIFTS:
        series = simulate(n, correlation, FEWER_SERIES) + drift * trend(n)
        sides = np.sign(series - np.median(series, axis=1, keepdims=True))
        found.append(1 - (sides.mean(axis=0) ** 2).mean() / (sides**2).mean())
    return np.minimum.accumulate(found)


def _have_modes(rows: Array) -> npt.NDArray[np.bool_]:
    """Return whether a gap separates the runs of many cases, for each campaign."""
    ordered = np.sort(rows, axis=-1)
    gaps = np.nan_to_num(np.diff(ordered, axis=-1)).max(axis=-1, initial=0)
    lengths = np.nan_to_num(np.fmax.reduce(rows, axis=-1) - np.fmin.reduce(rows, axis=-1))
    gapped = np.where(lengths > 0, gaps > _GAP * lengths, np.nan)
    return (mean_there(gapped, -1) > _GAPPED) & ((lengths > 0).sum(axis=-1) >= _LEAST_CASES)


def effective_repetitions(n: int, correlation: float) -> float:
    """Return how many independent repetitions `n` correlated ones are worth for their mean.

    Parameters
    ----------
    n : int
        Repetitions.
    correlation : float
        Of neighbours.
    """
    lags = np.arange(1, n)
    return float(n / (1 + 2 * ((1 - lags / n) * correlation**lags).sum())) if n else 0.0
