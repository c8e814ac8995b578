"""A case that is repeated through a campaign, in the order of time: how still the system held."""

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from coldcache.analysis.figures.axes import scale_for, set_linear, set_title
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.style import FAINT, INK, SERIES, house_style
from coldcache.analysis.report_links import page_of, page_of_trial

#: Quantity of an axis, by stored unit.
_QUANTITY = {"B/s": "throughput", "1/s": "operations"}


def draw_sentinel(trials: pd.DataFrame, finding: str) -> Picture:
    """Draw every trial of a sentinel against the time at which it ran, its median, and how far it may be off.

    Parameters
    ----------
    trials : DataFrame
        Columns ``study sweep case repetition verdict figure unit allowed`` and ``minutes`` since the first of them;
        one of them at least has a figure.
    finding : str
        What the figure shows; its title and text alternative.
    """
    divisor, unit = scale_for(str(trials.unit.iloc[0]), trials.figure)
    middle, allowed = float(trials.figure.median()) / divisor, float(trials.allowed.iloc[0])
    with house_style():
        figure, axes = plt.subplots(figsize=(6, 3.6))
        axes.axhline(middle, color=INK, linewidth=1.2)
        for share in (1 - allowed, 1 + allowed):
            axes.axhline(middle * share, color=FAINT, linestyle="--", linewidth=1.2)
        there = trials[trials.figure.notna()]
        axes.plot(there.minutes, there.figure / divisor, color=SERIES[0].colour, linewidth=1, alpha=0.5)
        _draw_trials(axes, trials, divisor)
        set_linear(axes)
        axes.set_ylim(top=1.05 * max(middle * (1 + allowed), float(there.figure.max()) / divisor))
        axes.set_xlabel("time since its first trial, min")
        axes.set_ylabel(f"{_QUANTITY.get(str(trials.unit.iloc[0]), 'figure')}, {unit}")
        set_title(figure, finding)
        caption = (
            f"Dots: {len(trials):,} trials of {trials.sweep.iloc[0]}; hollow: suspect; crosses on the axis: do not "
            f"count. Line: their median. Dashed: {allowed:.0%} off it."
        )
        return Picture(figure, finding, caption, [f"{trials.study.iloc[0]}/{trials.sweep.iloc[0]}"])


def _draw_trials(axes: Axes, trials: pd.DataFrame, divisor: float) -> None:
    """Draw each trial, as a link to its page."""
    for row in trials[trials.minutes.notna()].itertuples():
        lost = not np.isfinite(row.figure)
        axes.plot(
            [row.minutes], [0 if lost else row.figure / divisor], linestyle="none", marker="X" if lost else "o",
            markersize=8 if lost else 6, markeredgecolor=SERIES[0].colour, clip_on=False, zorder=3,
            markerfacecolor=SERIES[0].colour if row.verdict == "valid" else "white",
            url=page_of_trial(page_of(row.study, row.sweep, row.case), row.repetition),
        )  # fmt: skip
