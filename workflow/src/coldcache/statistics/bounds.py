"""Bounds of confidence intervals for many cells at once; each cell is a row of repetitions without gaps.

Every function here takes values of shape (cells, n) and returns two arrays of shape (cells,), in the unit of the
values.
"""

import numpy as np
import numpy.typing as npt
from scipy import special

Values = npt.NDArray[np.float64]

#: Share of the range above which a gap between two neighbours separates two modes.
_WIDEST_GAP = 0.5


def order_bounds(values: Values, depth: float | Values) -> tuple[Values, Values]:
    """Return an interval of the median between order statistics, without assumptions on the distribution.

    Between two depths the interval is interpolated, except across a gap of more than half the range: that is two modes,
    and the outer bound remains.

    Parameters
    ----------
    values : array of float, shape (cells, n)
        Repetitions; n >= 2.
    depth : float or array of float, shape (cells,)
        As `widening.depth_of_order` returns it. Below 1 the extremes are stretched about the median, as ratios if all
        values are positive.

    Returns
    -------
    low, high : array of float, shape (cells,)
    """
    ordered = np.sort(values, axis=-1)
    n = values.shape[-1]
    depth = np.broadcast_to(np.asarray(depth, dtype=float), ordered.shape[:-1])
    outer = np.clip(np.floor(depth).astype(int), 1, (n + 1) // 2)
    inner = np.minimum(outer + 1, (n + 1) // 2)
    weight = np.clip(depth - outer, 0, 1)
    gap = _WIDEST_GAP * (ordered[..., -1] - ordered[..., 0])

    def end(turned: Values) -> Values:
        far, near = (np.take_along_axis(turned, place[..., None] - 1, -1)[..., 0] for place in (outer, inner))
        return np.where(np.abs(near - far) > gap, far, (1 - weight) * far + weight * near)

    low, high = end(ordered), end(ordered[..., ::-1])
    return stretch(np.median(ordered, axis=-1), low, high, 1 / np.clip(depth, 1e-9, 1))


def t_bounds(values: Values, level: float, factor: float | Values = 1.0) -> tuple[Values, Values]:
    """Return Student's interval of the mean.

    Parameters
    ----------
    values : array of float, shape (cells, n)
        Repetitions; n >= 2.
    level : float
        Wanted coverage, between 0 and 1.
    factor : float or array of float, shape (cells,)
        By how much to stretch the interval, as `widening.widening` returns it.

    Returns
    -------
    low, high : array of float, shape (cells,)
    """
    n = values.shape[-1]
    half = factor * special.stdtrit(n - 1, (1 + level) / 2) * values.std(axis=-1, ddof=1) / np.sqrt(n)
    centre = values.mean(axis=-1)
    return centre - half, centre + half


def stretch(centre: Values, low: Values, high: Values, factor: Values) -> tuple[Values, Values]:
    """Return bounds `factor` times as far from their centre: as ratios if all are positive, else as distances."""
    if (factor == 1).all():
        return low, high
    if (low > 0).all():
        return centre * (low / centre) ** factor, centre * (high / centre) ** factor
    return centre - factor * (centre - low), centre + factor * (high - centre)
