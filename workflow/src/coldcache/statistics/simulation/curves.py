"""Simulate scaling curves with a known truth: how often knees, anomalies and the scalability law are found."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from coldcache.statistics.array import Array
from coldcache.statistics.dependence import Rounds
from coldcache.statistics.scaling.anomaly import judge_point
from coldcache.statistics.scaling.knee import Knee, fit_knee
from coldcache.statistics.scaling.usl import fit_scalability, predict
from coldcache.statistics.series import correlate
from coldcache.statistics.simulation.labels import AS_STATED, NONE_GIVEN, TOO_NARROW, label_coverage

#: Relative standard deviation of every simulated rate.
NOISE = 0.05

#: Share of knees that their intervals are to cover.
LEAST_COVERED = 0.93

#: Share of knees that are to be found within one tested level, and the label of a setting in which fewer are.
LEAST_FOUND, FOUND_TOO_SELDOM = 0.95, "place is vague"

#: Tested thread counts by name: eleven doublings as in the PixStor study, the Dell study's, and a short sweep.
LEVELS: dict[str, npt.NDArray[Any]] = {
    "1 to 1024 by doubling": 2.0 ** np.arange(11),
    "1 to 256 in 17 steps": np.array([1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 72, 96, 120, 144, 192, 240, 256.0]),
    "1 to 32 by doubling": 2.0 ** np.arange(6),
}


def _saturating(sharpness: float, slope: float = 1.0) -> Callable[[Array, float], Array]:
    """Return a curve that rises with a slope and is level beyond a knee, both in log2, with a bend of any sharpness."""
    return lambda x, knee: -slope * np.logaddexp2(0, -sharpness * (x - knee)) / sharpness


def _broken(before: float, after: float) -> Callable[[Array, float], Array]:
    """Return a curve with two slopes and a sharp knee, in log2."""
    return lambda x, knee: before * np.minimum(x - knee, 0) + after * np.maximum(x - knee, 0)


def _falling_at_last(x: Array, knee: float) -> Array:
    """Return a curve that is level beyond its knee and falls by a tenth at the last thread count."""
    curve = np.minimum(x - knee, 0)
    curve[-1] += np.log2(0.9)
    return curve


#: Shapes of scaling curves by name, as functions of log2 threads and log2 of the knee.
CURVE_SHAPES: dict[str, Callable[[Array, float], Array]] = {
    "linear, then level": _broken(1.0, 0.0),
    "x 1.41 per doubling, then level": _broken(0.5, 0.0),
    "x 1.19 per doubling, then level": _broken(0.25, 0.0),
    "linear, then falling 10 % per doubling": _broken(1.0, -0.15),
    "linear, level, last one falls 10 %": _falling_at_last,
    "round bend": _saturating(4.0),
    "very round bend": _saturating(2.0),
    "hyperbola": _saturating(1.0),
}


def knee_table(curves: int = 200, seed: int = 1) -> pd.DataFrame:
    """Return how often a knee at 5 % noise is found within one tested level, and how often its interval covers it.

    Parameters
    ----------
    curves : int
        Simulated per row, their knees anywhere from the second doubling to two doublings before the last.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per thread counts, shape, repetitions and correlation of neighbouring repetitions: ``within_one_level``
        and ``rises`` (shares of curves; ``rises`` is the share judged to have no plateau, which counts as not found),
        ``given`` (share with an interval), ``covered`` (share of these), ``narrowest`` (the least width, in steps
        between thread counts) and ``label``.
    """
    rows: list[tuple[Any, ...]] = []
    for levels, threads in LEVELS.items():
        x = np.log2(threads)
        for shape, curve in CURVE_SHAPES.items():
            for repetitions, correlation in ((1, 0.0), (6, 0.0), (6, 0.8)):
                random = np.random.default_rng([seed, len(rows)])
                rounds, found = Rounds(correlation, correlation), []
                for knee in random.uniform(x[0] + 1, x[-1] - 2, curves):
                    noise = correlate(random.standard_normal((len(x), repetitions)), correlation)
                    fit = fit_knee(threads, 2 ** curve(x, knee)[:, None] * np.exp(NOISE * noise), rounds=rounds)
                    found.append(_judge_knee(x, fit, knee))
                each = np.array(found)
                within, rises, given = each[:, :3].mean(axis=0)
                covered = float(each[each[:, 2] > 0, 3].mean()) if given else np.nan
                narrowest = float(each[:, 4].min())
                rows.append((
                    levels, shape, repetitions, correlation, within, rises, given, covered, narrowest,
                    _label_knees(within, covered, given),
                ))  # fmt: skip
    columns = ["threads", "shape", "repetitions", "correlation", "within_one_level", "rises", "given", "covered"]
    return pd.DataFrame(rows, columns=[*columns, "narrowest", "label"])


def _judge_knee(x: Array, fit: Knee, knee: float) -> tuple[float, ...]:
    """Return whether a knee is found, the curve rises, there is an interval and it covers, and its width in levels."""
    low, high = np.log2(fit.low), np.log2(fit.high)
    width = float(np.diff(np.interp([low, high], x, np.arange(len(x))))[0]) if low == low else np.inf
    near = _levels_apart(x, np.log2(fit.threads), knee) <= 1
    return float(near), float(fit.rises_to_the_end), float(low == low), float(low <= knee <= high), width


def _label_knees(within: float, covered: float, given: float) -> str:
    """Return the label of a row: its intervals hold, and its knees are found within one level, or not."""
    if given == 0:
        return NONE_GIVEN
    if covered < LEAST_COVERED:
        return TOO_NARROW
    return AS_STATED if within >= LEAST_FOUND else FOUND_TOO_SELDOM


def _levels_apart(x: Array, found: float, true: float) -> float:
    """Return the distance between two places, counted in tested levels; NaN if one is NaN."""
    return abs(float(np.diff(np.interp([found, true], x, np.arange(len(x))))[0]))


def anomaly_table(curves: int = 400, seed: int = 1) -> pd.DataFrame:
    """Return how often a point is judged an anomaly at the 5 % level: a normal one, and one that is 20 % too low.

    Parameters
    ----------
    curves : int
        Simulated per row, linear and then level from 24 threads, 1 to 1,024 threads by doubling.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per thread count of the point: ``false_alarms`` and ``found`` (shares of curves).
    """
    threads = LEVELS["1 to 1024 by doubling"]
    x = np.log2(threads)
    truth = 2 ** _broken(1.0, 0.0)(x, np.log2(24))
    rows: list[tuple[Any, ...]] = []
    for place in (1, 4, 6, 8):
        random = np.random.default_rng([seed, place])
        clean = truth * np.exp(random.normal(0, NOISE, (curves, len(x))))
        low = clean.copy()
        low[:, place] *= 0.8
        alarms = [judge_point(threads, curve, threads[place]).p < 0.05 for curve in clean]
        found = [judge_point(threads, curve, threads[place]).p < 0.05 for curve in low]
        rows.append((int(threads[place]), float(np.mean(alarms)), float(np.mean(found))))
    return pd.DataFrame(rows, columns=["threads", "false_alarms", "found"])


def scalability_table(curves: int = 250, seed: int = 1) -> pd.DataFrame:
    """Return the coverage of the scalability law's intervals, also of those for predictions beyond the data.

    Parameters
    ----------
    curves : int
        Simulated per row, with 5 % noise and one repetition.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per thread counts and true law: ``contention``, ``coherency``, ``at_twice``, ``at_four_times`` (shares
        of curves whose interval covers; the last two at multiples of the last thread count) and ``label`` of the
        worst of them.
    """
    rows: list[tuple[Any, ...]] = []
    for levels in ("1 to 1024 by doubling", "1 to 32 by doubling"):
        n = LEVELS[levels]
        for contention, coherency in ((0.05, 1e-4), (0.2, 1e-3), (0.01, 0.0), (0.0, 1e-5), (0.0, 0.0)):
            random = np.random.default_rng([seed, len(rows)])
            beyond = np.array([2, 4]) * n[-1]

            def law(n: Array, a: float = contention, b: float = coherency) -> Array:
                return n / (1 + a * (n - 1) + b * n * (n - 1))

            covered = []
            for _ in range(curves):
                fit = fit_scalability(n, law(n) * np.exp(random.normal(0, NOISE, len(n))))
                ahead = predict(fit, beyond)
                covered.append(
                    (
                        fit.contention_low <= contention <= fit.contention_high,
                        fit.coherency_low <= coherency <= fit.coherency_high,
                        *((ahead["low"].values <= law(beyond)) & (law(beyond) <= ahead["high"].values)),
                    )
                )
            shares = np.mean(covered, axis=0)
            rows.append((levels, contention, coherency, *shares, label_coverage(float(shares.min()), campaigns=curves)))
    columns = ["threads", "true_contention", "true_coherency", "contention", "coherency", "at_twice", "at_four_times"]
    return pd.DataFrame(rows, columns=[*columns, "label"])
