"""Simulate claims with a known truth: how often each kind of test gives a false verdict."""

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import numpy as np
import pandas as pd

from coldcache.statistics.array import Array
from coldcache.statistics.dependence import measure_campaigns
from coldcache.statistics.equivalence import adjust, weigh_margin
from coldcache.statistics.limits import LimitPair, weigh_means, weigh_sides
from coldcache.statistics.peaks import weigh_levels, weigh_ratios_of_peaks, weigh_ratios_to_others
from coldcache.statistics.scaling.knee import fit_knee
from coldcache.statistics.simulation.labels import label_errors
from coldcache.statistics.simulation.noise import BATCH, CASES, CORRELATIONS, NOISES, ROUNDS, Setting
from coldcache.statistics.widening import chances_of_side, refuse_verdict, welch, widenings, widenings_of_tests

#: Error rate of each verdict, and of all verdicts of a campaign together.
ALPHA = 0.05

#: Thread counts of a curve, the margin of equivalence, and the true effect that is to be found.
_LEVELS, _MARGIN, _EFFECT = 6, np.log(1.05), np.log(1.2)

_ABOVE = LimitPair(0.0, np.inf)
_DOUBLINGS = np.arange(_LEVELS) - (_LEVELS - 1) / 2


class Campaigns:
    """Simulated campaigns: logarithms of the rates of their cases, and how wide their intervals are.

    Attributes
    ----------
    logs : array of float, shape (campaigns, cases, rounds)
        About their true medians.
    factor, factor_of_several, factor_of_change : array of float, shape (campaigns,)
        By how much standard errors of a pair's ratio, of a mean over several cases, and of a case in one of two
        campaigns are larger; NaN where nothing is decided.
    rounds : ManyRounds
        As measured.
    chances : array of float, shape (campaigns, rounds + 1)
        As `widening.chances_of_side` returns them; 1 where nothing is decided.
    """

    def __init__(self, setting: Setting, rates: Array) -> None:
        self.logs = np.log(rates / setting.median)
        self.rounds = rounds = measure_campaigns(self.logs[:, None])
        each = [rounds.one(place) for place in range(len(rates))]
        refused = np.array([refuse_verdict(setting.rounds, one) is not None for one in each])
        self.factor, self.factor_of_several = (
            np.where(refused, np.nan, widenings_of_tests(setting.rounds, rounds.of_logarithms, modes))
            for modes in (rounds.modes, np.zeros_like(rounds.modes))
        )
        own = measure_campaigns(self.logs[:, None], blocks=False)
        self.factor_of_change = np.where(
            refused, np.nan, widenings(setting.rounds, own.of_logarithms, own.modes, sides=2)
        )
        chances = np.array([chances_of_side(setting.rounds, one) for one in each])
        self.chances = np.where(refused[:, None], 1.0, chances)

    def take_turns(self) -> Iterator["Campaigns"]:
        """Yield these campaigns as often as a test can take other cases of them."""
        for first in range(0, self.logs.shape[1], _LEVELS):
            turn = copy(self)
            turn.logs = np.roll(self.logs, -first, axis=1)
            yield turn

    def means(self, values: Array, limits: LimitPair, several: bool = False) -> tuple[Array, Array]:
        """Return p-values for and against means of rounds being within limits."""
        factor = self.factor_of_several if several else self.factor
        found = weigh_means(values, limits, factor.reshape(-1, *[1] * (values.ndim - 2)))
        return found.p_for, found.p_against


def _ratio(made: Campaigns, effect: float) -> tuple[Array, Array]:
    return made.means(made.logs[:, 0] - made.logs[:, 1] + effect, _ABOVE)


def _equivalence(made: Campaigns, effect: float) -> tuple[Array, Array]:
    """Weigh a ratio at the margin, which is neither within nor beyond it; the true effect is a ratio of 1."""
    distance = 0.0 if effect else _MARGIN
    return made.means(made.logs[:, 0] - made.logs[:, 1] + distance, LimitPair(-_MARGIN, _MARGIN))


def _ordering(made: Campaigns, effect: float) -> tuple[Array, Array]:
    """Weigh whether each of three rates is above the next: all must be, and any one refutes."""
    pairs = made.logs[:, :2] - made.logs[:, 1:3] + effect
    p_for, p_against = made.means(pairs, _ABOVE)
    return p_for.max(axis=1), np.minimum(1, 2 * p_against.min(axis=1))


def _interaction(made: Campaigns, effect: float) -> tuple[Array, Array]:
    return made.means(made.logs[:, 0] - made.logs[:, 1] - made.logs[:, 2] + made.logs[:, 3] + effect, _ABOVE, True)


def _growth(made: Campaigns, effect: float) -> tuple[Array, Array]:
    slopes = np.einsum("l,clr->cr", _DOUBLINGS / (_DOUBLINGS**2).sum(), made.logs[:, :_LEVELS])
    return made.means(slopes + effect / 2, _ABOVE, True)


def _figure(made: Campaigns, effect: float) -> tuple[Array, Array]:
    return weigh_sides(made.logs[:, 0] + effect, _ABOVE, made.chances)


def _highest(made: Campaigns, effect: float) -> tuple[Array, Array]:
    curve = made.logs[:, :_LEVELS] + effect * (np.arange(_LEVELS) == 3)[:, None]
    return weigh_levels(lambda limits: weigh_sides(curve, limits, made.chances[:, None])[0], _ABOVE)


def _peaks(made: Campaigns, effect: float) -> tuple[Array, Array]:
    first = made.logs[:, :_LEVELS] + effect * (np.arange(_LEVELS) == 3)[:, None]
    ratios = first[:, :, None] - made.logs[:, None, _LEVELS : 2 * _LEVELS]
    return weigh_ratios_of_peaks(ratios, _ABOVE, made.factor[:, None, None])


def _place(made: Campaigns, effect: float) -> tuple[Array, Array]:
    others = made.logs[:, 3, None] + effect - np.delete(made.logs[:, :_LEVELS], 3, axis=1)
    return weigh_ratios_to_others(others, made.factor[:, None])


def _knee(made: Campaigns, effect: float) -> tuple[Array, Array]:
    """Weigh whether a knee lies between 4 and 16 threads; it lies just outside, just inside, or in the middle."""
    inside = _bound_knees(made, 3.0 if effect else 3.95)
    outside = inside if effect else _bound_knees(made, 4.05)
    p_for = np.where((outside[0] >= 4) & (outside[1] <= 16), ALPHA, 1.0)
    return p_for, np.where((inside[0] > 16) | (inside[1] < 4), ALPHA, 1.0)


def _bound_knees(made: Campaigns, knee: float) -> tuple[Array, Array]:
    """Return the interval of the knee of each campaign's first eight cases, taken as 1 to 128 threads.

    Parameters
    ----------
    made : Campaigns
        Their rates are linear up to the knee and then level.
    knee : float
        log2 of its thread count.
    """
    doublings = np.arange(8)
    curve = np.minimum(doublings, knee) * np.log(2)
    found = [
        fit_knee(2.0**doublings, np.exp(curve[:, None] + logs), 1 - 2 * ALPHA, made.rounds.one(place))
        for place, logs in enumerate(made.logs[:, :8])
    ]
    return np.array([one.low for one in found]), np.array([one.high for one in found])


def _change(made: Campaigns, effect: float) -> tuple[Array, Array]:
    """Weigh a change by the margin, which is neither beyond it nor within."""
    above, below = made.logs[:, 0] + _MARGIN + effect, np.roll(made.logs[:, 0], 1, axis=0)
    error, freedom = welch(above, below, [made.factor_of_change, np.roll(made.factor_of_change, 1)])
    within, beyond = weigh_margin(above.mean(axis=1) - below.mean(axis=1), error, freedom, np.expm1(_MARGIN))
    return np.nan_to_num(beyond, nan=1.0), np.nan_to_num(within, nan=1.0)


#: Tests of claims by name; each returns p-values for and against, with the truth at the limit plus an effect.
TESTS: dict[str, Callable[[Campaigns, float], tuple[Array, Array]]] = {
    "ratio above a limit": _ratio,
    "equivalence": _equivalence,
    "ordering of three": _ordering,
    "interaction": _interaction,
    "growth": _growth,
    "median above a limit": _figure,
    "peak above a limit": _highest,
    "one peak above another": _peaks,
    "the place of a peak": _place,
    "change between campaigns": _change,
}

#: A test that takes long, for which fewer campaigns are simulated.
KNEE, KNEE_BATCHES = "the place of a knee", 2

#: The row of all kinds together, after Holm's correction.
FAMILY = "all of these, corrected"


def verdict_table(campaigns: int = 2000, seed: int = 2) -> pd.DataFrame:
    """Return how often claims are falsely borne out or refuted.

    Parameters
    ----------
    campaigns : int
        Simulated per noise, correlation and number of rounds; each test takes four sets of cases of each.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per claim, correlation and rounds: ``false_verdicts`` (share of campaigns with a false one; the larger
        of both kinds, and the largest over all noises) with the ``noise`` that has it, ``found`` (share of true claims,
        20 % beyond the limit, borne out; the mean over all noises) and ``label``.
    """
    rows: list[tuple[Any, ...]] = []
    for correlation in CORRELATIONS:
        for n in ROUNDS:
            each = {noise: _judge(Setting(noise, correlation, n), campaigns, seed) for noise in NOISES}
            for claim in (*TESTS, KNEE, FAMILY):
                worst = max(NOISES, key=lambda noise: each[noise][claim][0])
                false = each[worst][claim][0]
                found = float(np.mean([each[noise][claim][1] for noise in NOISES]))
                drawn = KNEE_BATCHES * BATCH if claim == KNEE else campaigns * CASES // _LEVELS
                rows.append((claim, correlation, n, false, worst, found, label_errors(false, drawn)))
    columns = ["claim", "correlation", "rounds", "false_verdicts", "noise", "found", "label"]
    return pd.DataFrame(rows, columns=columns)


def _judge(setting: Setting, campaigns: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return, for each claim, the larger share of false verdicts of both kinds, and the share of true ones found."""
    drawn = (Campaigns(setting, rates) for rates in setting.simulate(campaigns, CASES, seed))
    made = [turn for one in drawn for turn in one.take_turns()]
    found, false, families = {}, {}, []
    for place, (claim, test) in enumerate(TESTS.items()):
        p_for, p_against = (np.concatenate(part) for part in zip(*(test(one, 0.0) for one in made), strict=True))
        false[claim] = max(float((p <= ALPHA).mean()) for p in (p_for, p_against))
        found[claim] = float(np.mean([(test(one, _EFFECT)[0] <= ALPHA).mean() for one in made[:2]]))
        # Half of the claims of a family are false, half are true: one verdict on each can be wrong.
        wrong, right = (p_for, p_against) if place % 2 else (p_against, p_for)
        families.append(np.where(wrong <= right, wrong, 1.0))
    knees = zip(*(_knee(one, 0.0) for one in made[:KNEE_BATCHES]), strict=True)
    false[KNEE] = max(float((np.concatenate(p) <= ALPHA).mean()) for p in knees)
    found[KNEE] = float((_knee(made[0], _EFFECT)[0] <= ALPHA).mean())
    corrected = np.array([adjust(family) for family in np.array(families).T])
    false[FAMILY], found[FAMILY] = float((corrected <= ALPHA).any(axis=1).mean()), np.nan
    return {claim: (false[claim], found[claim]) for claim in false}
