"""Noise of simulated campaigns: skewed, with a slow tail, in two modes, and drifting; each made of normal series."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import special

from coldcache.statistics.array import Array
from coldcache.statistics.series import as_two_modes, correlate

#: Campaigns simulated at once, which bounds the memory.
BATCH = 250


def _skewed(normal: Array) -> Array:
    """Return lognormal rates with a spread of 30 %."""
    return np.exp(0.3 * normal)


def _slow_tailed(normal: Array) -> Array:
    """Return rates of runs that take the best time plus an exponential delay of 30 % on average."""
    return 1 / (1 - 0.3 * special.log_ndtr(normal))


def _drifting(normal: Array) -> Array:
    """Return rates that rise by 20 % over the rounds, with noise of 5 %."""
    rounds = normal.shape[-1]
    return np.exp(0.05 * normal + 0.2 * ((np.arange(rounds) + 0.5) / rounds - 0.5))


#: Noise by name, as a function of normal series whose last axis is the rounds; rates rise with the normal values.
NOISES: dict[str, Callable[[Array], Array]] = {
    "skewed": _skewed,
    "slow tail": _slow_tailed,
    "two modes, 7 to 3": as_two_modes,
    "drift of 20 %": _drifting,
}

#: The noise that moves whole rounds.
DRIFT = "drift of 20 %"

#: Cases of a sweep that share their rounds.
CASES = 24

#: Rounds and correlations of neighbours that are tried.
ROUNDS, CORRELATIONS = (6, 10, 20), (0.0, 0.4, 0.8)


class Setting(NamedTuple):
    """A noise, the correlation of neighbouring runs of a case, and the number of rounds."""

    noise: str
    correlation: float
    rounds: int

    def simulate(self, campaigns: int, cases: int, seed: int) -> Iterator[Array]:
        """Yield rates of shape (campaigns, cases, rounds) until there are so many campaigns."""
        random = np.random.default_rng([seed, list(NOISES).index(self.noise), int(100 * self.correlation), self.rounds])
        for start in range(0, campaigns, BATCH):
            shape = min(BATCH, campaigns - start), cases, self.rounds
            yield NOISES[self.noise](correlate(random.standard_normal(shape), self.correlation))

    @property
    def median(self) -> float:
        """The true median; of drifting rates, over the rounds of the campaign."""
        return 1.0 if self.noise == DRIFT else float(NOISES[self.noise](np.zeros(1))[0])


def list_settings() -> list[Setting]:
    """Return every noise with every correlation and number of rounds."""
    return [Setting(noise, c, n) for noise in NOISES for c in CORRELATIONS for n in ROUNDS]
