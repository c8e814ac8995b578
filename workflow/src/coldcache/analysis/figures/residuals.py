"""Each trial against the median of its case, in the order of time: what drifts shows."""

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, NullFormatter

from coldcache.analysis.figures.axes import set_title
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.style import INK, SERIES, house_style

#: Ticks of an axis of ratios.
_TICKS = (0.25, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 4)
_FEW_TICKS = (0.001, 0.01, 0.1, 0.25, 0.5, 1, 2, 4, 10, 100)


def draw_residuals(trials: pd.DataFrame, finding: str) -> Picture:
    """Draw every trial's value over the median of its case against the time at which it ran.

    Parameters
    ----------
    trials : DataFrame
        Columns ``minutes`` since the campaign began, ``ratio`` and ``sweep``.
    finding : str
        What the figure shows; its title and text alternative.
    """
    with house_style():
        figure, axes = plt.subplots(figsize=(6, 3.6))
        axes.plot(trials.minutes, trials.ratio, linestyle="none", marker="o", markersize=4, alpha=0.5,
                  markerfacecolor=SERIES[0].colour, markeredgewidth=0)  # fmt: skip
        axes.axhline(1, color=INK, linewidth=1.2)
        axes.set_yscale("log")
        low, high = min(0.8, trials.ratio.min() / 1.05), max(1.25, trials.ratio.max() * 1.05)
        axes.set_ylim(low, high)
        ticks = [tick for tick in (_FEW_TICKS if high / low > 5 else _TICKS) if low <= tick <= high]
        axes.set_yticks(ticks)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.minorticks_off()
        axes.set_xlabel("time since the first trial, min")
        axes.set_ylabel("value over median of case (log10)")
        set_title(figure, finding)
        caption = f"Dots: {len(trials):,} trials of {trials.sweep.nunique()} sweeps, each over the median of its case."
        return Picture(figure, finding, caption)
