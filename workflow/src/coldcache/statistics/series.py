"""Simulated series of rounds with which intervals are calibrated, the same for the same arguments."""

from functools import lru_cache

import numpy as np
from scipy import special

from coldcache.statistics.array import Array

#: Series simulated for each number of rounds and correlation.
SERIES = 40_000

#: Of rates in two modes: share of the slower mode, its rate over that of the faster one, and noise within each.
SLOW_SHARE, SLOW_RATE, MODE_NOISE = 0.3, 0.7, 0.03


def simulate(n: int, correlation: float, count: int = SERIES, seed: int = 1) -> Array:
    """Return normal series of `n` rounds of unit variance, each value correlated with the one before it."""
    return correlate(_draw(n, count, seed).copy(), correlation)


@lru_cache(maxsize=2)
def _draw(n: int, count: int, seed: int) -> Array:
    """Return independent steps; to draw them takes longer than to correlate them."""
    return np.random.default_rng([n, seed]).standard_normal((count, n))


def correlate(steps: Array, correlation: float) -> Array:
    """Return a first-order autoregression of unit variance along the last axis, made in place of independent steps."""
    steps[..., 1:] *= np.sqrt(1 - correlation**2)
    for place in range(1, steps.shape[-1]):
        steps[..., place] += correlation * steps[..., place - 1]
    return steps


def trend(n: int) -> Array:
    """Return a linear drift over `n` rounds with mean 0 and root mean square 1."""
    steps = np.arange(n) - (n - 1) / 2
    return steps / np.sqrt((steps**2).mean()) if n > 1 else np.zeros(n)


def as_two_modes(normal: Array) -> Array:
    """Return rates in two modes, in the order of normal values: 3 in 10 are 30 % slower, with noise of 3 %."""
    share = special.ndtr(normal)
    slow = share < SLOW_SHARE
    within = np.where(slow, share / SLOW_SHARE, (share - SLOW_SHARE) / (1 - SLOW_SHARE))
    return np.where(slow, SLOW_RATE, 1.0) * np.exp(MODE_NOISE * special.ndtri(np.clip(within, 1e-9, 1 - 1e-9)))


@lru_cache(maxsize=8)
def sorted_series(n: int, correlation: float, drift: float) -> Array:
    """Return simulated series with a drift of this root mean square, each in ascending order."""
    return np.sort(simulate(n, correlation) + drift * trend(n), axis=-1)
