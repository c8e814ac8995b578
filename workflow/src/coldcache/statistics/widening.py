"""How much wider intervals become where rounds matter, so that simulated series are covered as stated."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import special

from coldcache.statistics.array import Array
from coldcache.statistics.dependence import INDEPENDENT, MOST_CORRELATION, MOST_DRIFT, Rounds, effective_repetitions
from coldcache.statistics.series import as_two_modes, simulate, sorted_series
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: Correlations and drifts for which intervals are calibrated; those between are interpolated.
_CORRELATIONS, _DRIFTS = np.linspace(0, MOST_CORRELATION, 10), np.array([0, 0.3, 0.6, 1, 1.5, 2.2, 3.2, MOST_DRIFT])

#: Fewer runs than these of two modes with at least this correlation have no interval: in 7 % of cases of six runs with
#: a correlation of 0.8, no run is in the mode in which the median lies; in 2.6 % of cases of ten.
LEAST_OF_MODES, CORRELATED = 10, 0.6

#: Runs worth fewer independent ones than these have an interval, but decide nothing.
LEAST_WORTH = 2.0


def refuse(n: int, rounds: Rounds) -> str | None:
    """Return why so many runs of a case have no interval; None if they have one.

    Parameters
    ----------
    n : int
        Runs of a case.
    rounds : Rounds
        Of its sweep.

    Returns
    -------
    str or None
        One clause.
    """
    if n < LEAST_REPETITIONS:
        return f"no interval from {n} run{'s' if n != 1 else ''}"
    if rounds.modes and rounds.correlation >= CORRELATED and n < LEAST_OF_MODES:
        return f"no interval: runs of two modes that resemble those before them need {LEAST_OF_MODES}"
    return None


def refuse_verdict(n: int, rounds: Rounds) -> str | None:
    """Return why so many runs of a case decide nothing; None if they can.

    Parameters
    ----------
    n, rounds
        As for `refuse`.
    """
    if (worth := effective_repetitions(n, rounds.correlation)) < LEAST_WORTH and n >= LEAST_REPETITIONS:
        return f"no verdict: {n} runs worth {worth:.1f} independent ones decide nothing"
    return refuse(n, rounds)


def widening(n: int, rounds: Rounds, level: float = 0.95, sides: int = 1) -> float:
    """Return by how much Student's interval of a mean logarithm must be stretched about its estimate.

    Parameters
    ----------
    n : int
        Repetitions, at least 2.
    rounds : Rounds
        Of the sweep. Drift is not used: it moves both sides of a ratio.
    level : float
        Coverage of the interval.
    sides : int
        1 for a mean, 2 for the difference of two such means by Welch's test.

    Returns
    -------
    float
        The factor with which intervals of simulated series cover at `level`: 1 for one mean of independent normal
        values. Rates in two modes need less at six runs (0.9) than normal ones, whose spread varies more.
    """
    correlation, modes = np.array([rounds.of_logarithms]), np.array([rounds.modes])
    return float(widenings(n, correlation, modes, level, sides)[0])


def widenings(n: int, correlation: Array, modes: npt.NDArray[np.bool_], level: float = 0.95, sides: int = 1) -> Array:
    """Return what `widening` returns for many sweeps at once."""
    place, weight = _between(_CORRELATIONS, correlation)
    factors = np.ones(len(correlation))
    for corner, of_modes in {*zip(place.tolist(), modes.tolist(), strict=True)}:
        here = (place == corner) & (modes == of_modes)
        near, far = (
            _stretch_of_mean(n, round(float(_CORRELATIONS[at]), 1), of_modes, level, sides)
            for at in (corner, corner + 1)
        )
        factors[here] = (1 - weight[here]) * near + weight[here] * far
    return factors


def widenings_of_tests(n: int, correlation: Array, modes: npt.NDArray[np.bool_]) -> Array:
    """Return by how much standard errors are larger in one-sided tests at 5 %, for many sweeps at once.

    The interval of 90 % ends where such a test decides; tests at smaller levels need the factor of wider intervals.
    """
    return np.maximum(*(widenings(n, correlation, modes, level) for level in (0.9, 0.95)))


@lru_cache(maxsize=1024)
def _stretch_of_mean(n: int, correlation: float, modes: bool, level: float, sides: int) -> float:
    if correlation == 0 and not modes and sides == 1:
        return 1.0
    distance, error, freedom = _miss_of_means(n, correlation, modes, sides)
    return float(np.quantile(distance / (special.stdtrit(freedom, (1 + level) / 2) * error), level))


@lru_cache(maxsize=16)
def _miss_of_means(n: int, correlation: float, modes: bool, sides: int) -> tuple[Array, Array, Array]:
    """Return how far the means of simulated series lie from the truth, their standard errors, and degrees of freedom.

    Intervals of several levels are calibrated by the same series.
    """
    series, other = simulate(n, correlation), simulate(n, correlation, seed=2)
    if modes:
        series, other = np.log(as_two_modes(series)), np.log(as_two_modes(other))
    if sides == 2:
        return np.abs(series.mean(axis=1) - other.mean(axis=1)), *welch(series, other)
    # A ratio of rates in two modes has three.
    logs = series - other if modes else series
    return np.abs(logs.mean(axis=1)), logs.std(axis=1, ddof=1) / np.sqrt(n), np.array(n - 1)


def welch(above: Array, below: Array, wider: Sequence[float | Array] = (1.0, 1.0)) -> tuple[Array, Array]:
    """Return the standard error of the difference of two means, and Welch's degrees of freedom.

    Parameters
    ----------
    above, below : array of float, shape (..., n)
        Logarithms of rates; the two may differ in n.
    wider : sequence of float
        By how much the standard error of each side is larger than that of independent values.
    """
    sizes = above.shape[-1], below.shape[-1]
    squares = [
        np.square(factor) * side.var(axis=-1, ddof=1) / side.shape[-1]
        for factor, side in zip(wider, (above, below), strict=True)
    ]
    total = squares[0] + squares[1]
    shares = squares[0] ** 2 / (sizes[0] - 1) + squares[1] ** 2 / (sizes[1] - 1)
    return np.sqrt(total), np.where(shares > 0, total**2 / np.where(shares > 0, shares, 1), sum(sizes) - 2)


def depth_of_order(n: int, rounds: Rounds = INDEPENDENT, level: float = 0.95) -> float:
    """Return how deep in the ordered values an interval of the median may end.

    What order statistics cover does not depend on how values are distributed. Drift lets an interval end deeper: rounds
    that are all low or all high leave less to chance. Correlation makes it reach farther out, and in the end beyond the
    extremes.

    Parameters
    ----------
    n : int
        Repetitions.
    rounds : Rounds
        Of the sweep.
    level : float
        Coverage of the interval; at most that which the range of `n` independent values has is reached.

    Returns
    -------
    float
        1.25 means a quarter of the way from the first to the second value from each end; 0.5 means twice as far from
        the median as the extremes.
    """
    found = depths_of_order(n, np.array([rounds.drift]), np.array([rounds.correlation]), level)
    return float(found[0])


def depths_of_order(n: int, drift: Array, correlation: Array, level: float = 0.95) -> Array:
    """Return what `depth_of_order` returns for many sweeps at once."""
    level = min(level, reach_of_order(n))
    at, weight = zip(_between(_DRIFTS, drift), _between(_CORRELATIONS, correlation), strict=True)
    depths = np.zeros(len(drift))
    for steps in ((0, 0), (0, 1), (1, 0), (1, 1)):
        share = np.prod([part if step else 1 - part for step, part in zip(steps, weight, strict=True)], axis=0)
        corners = np.stack([place + step for place, step in zip(at, steps, strict=True)], axis=1)
        used = share > 0
        for corner in np.unique(corners[used], axis=0):
            here = used & (corners == corner).all(axis=1)
            cell = _depth(n, float(_DRIFTS[corner[0]]), round(float(_CORRELATIONS[corner[1]]), 1), level)
            depths[here] += share[here] * cell
    return depths


def _between(grid: Array, given: Array) -> tuple[npt.NDArray[np.int64], Array]:
    """Return the place in a grid below each value, and which share of the step lies between."""
    place = np.clip(np.searchsorted(grid, given, side="right") - 1, 0, len(grid) - 2)
    return place, np.clip((given - grid[place]) / (grid[place + 1] - grid[place]), 0, 1)


def reach_of_order(n: int) -> float:
    """Return the highest coverage that any interval of the median from `n` values can have: 1 - 2^(1-n)."""
    return 1 - 2.0 ** (1 - n)


@lru_cache(maxsize=2048)
def _depth(n: int, drift: float, correlation: float, level: float) -> float:
    """Return the depth at which simulated normal series are covered at `level`."""
    if drift == correlation == 0:
        return _depth_of_independent(n, level)
    lost = _depths_of_zero(sorted_series(n, correlation, drift))
    depth = float(np.quantile(lost, 1 - level))
    # Stretched beyond the extremes, normal series are to miss less often than stated, since skewed ones miss more: the
    # less, the farther.
    return depth if depth >= 1 else min(1.0, float(np.quantile(lost, (1 + depth) / 2 * (1 - level))))


def _depth_of_independent(n: int, level: float) -> float:
    """Return the depth of independent values (Hettmansperger and Sheather 1986, Stat. & Probability Letters 4:75)."""
    below = special.bdtr(np.arange((n + 1) // 2), n, 0.5)
    coverage = np.append(1 - 2 * below, 0.0)
    depth = int(np.flatnonzero(coverage >= level - 1e-12)[-1]) + 1
    surplus = (coverage[depth - 1] - level) / (coverage[depth - 1] - coverage[depth])
    return float(depth + (n - depth) * surplus / (depth + (n - 2 * depth) * surplus))


def _depths_of_zero(ordered: Array) -> Array:
    """Return how deep an interval of each ordered series may end and still cover zero, as `depth_of_order` counts."""
    n = ordered.shape[1]
    below = (ordered < 0).sum(axis=1)
    # Seen from the side on which fewer values lie, the others are those to reach.
    seen = np.where((below > n - below)[:, None], -ordered[:, ::-1], ordered)
    below = np.minimum(below, n - below)
    outer = np.take_along_axis(seen, np.maximum(below - 1, 0)[:, None], axis=1)[:, 0]
    inner = np.take_along_axis(seen, below[:, None], axis=1)[:, 0]
    centre = np.median(seen, axis=1)
    within = below + outer / np.where(below > 0, outer - inner, 1)
    beyond = np.clip((centre - seen[:, 0]) / centre, 0, 1)
    return np.where(below > 0, within, beyond)


def chances_of_side(n: int, rounds: Rounds) -> Array:
    """Return the probability that at least 0, 1, ... `n` runs lie on one given side of their true median.

    Parameters
    ----------
    n : int
        Runs.
    rounds : Rounds
        Of the sweep.
    """
    if rounds.correlation == rounds.drift == 0:
        return np.append(1.0, special.bdtrc(np.arange(n), n, 0.5))
    return _chances_of_side(n, 0.05 * round(rounds.correlation / 0.05), 0.2 * round(rounds.drift / 0.2))


@lru_cache(maxsize=512)
def _chances_of_side(n: int, correlation: float, drift: float) -> Array:
    below = (sorted_series(n, correlation, drift) < 0).sum(axis=1)
    reached = (below[:, None] >= np.arange(n + 1)).sum(axis=0)
    return np.minimum((reached + 1) / (len(below) + 1), 1.0)
