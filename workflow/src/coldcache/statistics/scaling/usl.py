"""The Universal Scalability Law: the costs of contention and coherency, and predictions for more threads.

X(N) = g N / (1 + a (N - 1) + b N (N - 1)) with the rate g of one thread, contention a and coherency b (Gunther 2007,
Guerrilla Capacity Planning, equation 4.31; with g as in Gunther, Puglia and Tomasette 2015, acmqueue 13(5)). N / X
is linear in 1/g, a/g and b/g, which are fitted with relative errors and kept from being negative.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xarray as xr

from coldcache.core.errors import NoData
from coldcache.statistics.array import Array

#: The fewest thread counts for the law: three parameters, and two to estimate the spread.
LEAST_LEVELS_OF_LAW = 5

_DRAWS = 2000

_NO_RATE_OF_ONE = "scalability law: these thread counts say nothing of the rate of one thread; add smaller ones"


class UniversalScalability(NamedTuple):
    """The law fitted to one scaling curve.

    Attributes
    ----------
    rate_of_one, rate_of_one_low, rate_of_one_high : float
        g, in the unit of the rates.
    contention, contention_low, contention_high : float
        a, without unit: the share of work that is done one at a time.
    coherency, coherency_low, coherency_high : float
        b, without unit: the cost of each pair of threads.
    best_threads : float
        sqrt((1 - a) / b), where the law peaks; infinite if b is zero.
    spread : float
        Relative standard deviation of the rates about the law.
    tested : tuple of float
        Least and greatest thread count of the curve.
    level : float
        Coverage of the intervals.
    draws : array of float, shape (draws, 3)
        Bootstrap draws of 1/g, a/g and b/g.
    """

    rate_of_one: float
    rate_of_one_low: float
    rate_of_one_high: float
    contention: float
    contention_low: float
    contention_high: float
    coherency: float
    coherency_low: float
    coherency_high: float
    best_threads: float
    spread: float
    tested: tuple[float, float]
    level: float
    draws: Array


def fit_scalability(
    threads: npt.ArrayLike, rates: npt.ArrayLike, level: float = 0.95, seed: int = 0
) -> UniversalScalability:
    """Return the Universal Scalability Law through a scaling curve.

    Intervals come from refits to curves that are drawn around the fit with the spread of the data, which is itself
    drawn (a parametric bootstrap with scaled chi-square variance, which widens intervals as Student's t does).

    Parameters
    ----------
    threads : array of float, shape (levels,)
        Thread counts.
    rates : array of float, shape (levels,) or (levels, repetitions)
        Bytes or operations per second; NaN is missing. The median over repetitions is fitted.
    level : float
        Wanted coverage of the intervals.
    seed : int
        The same seed gives the same intervals.

    Returns
    -------
    UniversalScalability

    Raises
    ------
    ValueError
        If fewer than `LEAST_LEVELS_OF_LAW` thread counts have a rate, or a rate is not positive.
    NoData
        If the curve says nothing of the rate of one thread, of which the parameters are shares.
    """
    n, cells = np.asarray(threads, dtype=float), np.asarray(rates, dtype=float)
    cells = cells.reshape(len(n), -1)
    kept = ~np.isnan(cells).all(axis=1)
    if kept.sum() < LEAST_LEVELS_OF_LAW:
        raise ValueError(
            f"scalability law: {kept.sum()} thread counts with a rate: three parameters and their intervals need "
            f"at least {LEAST_LEVELS_OF_LAW}"
        )
    if (cells <= 0).any():
        raise ValueError("scalability law: a rate is zero or negative: leave void trials out as NaN")
    n = n[kept]
    times = n / np.nanmedian(cells[kept], axis=1)
    columns = _columns(n)
    best = _fit_times(columns, times)
    expected = columns @ best
    spread = float(np.sqrt(((times / expected - 1) ** 2).sum() / (len(n) - 3)))
    draws = _draw_refits(columns / expected[:, None], times / expected, spread, seed)
    if len(draws) < _DRAWS / 2:
        raise NoData(_NO_RATE_OF_ONE)
    tails = [(1 - level) / 2, (1 + level) / 2]
    one, contention, coherency = 1 / best[0], best[1] / best[0], best[2] / best[0]
    one_range = np.quantile(1 / draws[:, 0], tails)
    contention_range = np.quantile(draws[:, 1] / draws[:, 0], tails)
    coherency_range = np.quantile(draws[:, 2] / draws[:, 0], tails)
    return UniversalScalability(
        float(one), float(one_range[0]), float(one_range[1]),
        float(contention), float(contention_range[0]), float(contention_range[1]),
        float(coherency), float(coherency_range[0]), float(coherency_range[1]),
        best_threads=float(np.sqrt(max(1 - contention, 0) / coherency)) if coherency > 0 else np.inf,
        spread=spread, tested=(float(n.min()), float(n.max())), level=level, draws=np.vstack([best, draws]),
    )  # fmt: skip


def _fit_times(columns: Array, times: Array) -> Array:
    """Return the coefficients of the curve through `times` with the least relative distances, shape (3,)."""
    expected = times
    for _ in range(8):
        best = _nonnegative(columns / expected[:, None], (times / expected)[None])[0]
        if best[0] <= 0:
            raise NoData(_NO_RATE_OF_ONE)
        expected = columns @ best
    return best


def _draw_refits(design: Array, relative: Array, spread: float, seed: int) -> Array:
    """Return the coefficients of refits to curves drawn around the unconstrained fit of `relative` times."""
    levels = len(relative)
    freedom = levels - 3
    random = np.random.default_rng(seed)
    drawn_spread = spread * np.sqrt(freedom / random.chisquare(freedom, size=(_DRAWS, 1)))
    free = design @ np.linalg.lstsq(design, relative)[0]
    draws = _nonnegative(design, free + drawn_spread * random.standard_normal((_DRAWS, levels)))
    return draws[draws[:, 0] > 0]


def predict(law: UniversalScalability, threads: npt.ArrayLike) -> xr.Dataset:
    """Return the rates that the law predicts, with intervals, inside and outside the tested range.

    Parameters
    ----------
    law : UniversalScalability
        From `fit_scalability`.
    threads : array of float, shape (levels,)
        Thread counts of any size.

    Returns
    -------
    Dataset
        ``estimate``, ``low``, ``high`` in the unit of the rates over ``threads``, and ``tested``, which is false
        where the law extrapolates: draw these as predictions. The interval is that of the expected rate; it only holds
        if the system obeys the law out there and neither contention nor coherency is about zero: otherwise 95 %
        intervals cover 91 % (`coldcache.statistics.simulation.curves.scalability_table`).
    """
    n = np.atleast_1d(np.asarray(threads, dtype=float))
    curves = n / (law.draws @ _columns(n).T)
    low, high = np.quantile(curves[1:], [(1 - law.level) / 2, (1 + law.level) / 2], axis=0)
    tested = (n >= law.tested[0]) & (n <= law.tested[1])
    return xr.Dataset(
        {
            "estimate": ("threads", curves[0]),
            "low": ("threads", low),
            "high": ("threads", high),
            "tested": ("threads", tested),
        },
        coords={"threads": n},
        attrs={"level": law.level},
    )


def _columns(n: Array) -> Array:
    """Return the columns 1, N - 1 and N (N - 1), in which N / X is linear; shape (levels, 3)."""
    return np.stack([np.ones_like(n), n - 1, n * (n - 1)], axis=-1)


def _nonnegative(design: Array, targets: Array) -> Array:
    """Return least-squares coefficients for many targets, with contention and coherency not negative.

    Each combination of the two being zero is solved; the best feasible one is taken.
    """
    best = np.zeros((len(targets), 3))
    least = np.full(len(targets), np.inf)
    for kept in ([0, 1, 2], [0, 1], [0, 2], [0]):
        solution = targets @ np.linalg.pinv(design[:, kept]).T
        squares = ((targets - solution @ design[:, kept].T) ** 2).sum(axis=1)
        better = (solution[:, 1:] >= 0).all(axis=1) & (squares < least)
        least[better] = squares[better]
        full = np.zeros((len(targets), 3))
        full[:, kept] = solution
        best[better] = full[better]
    return best
