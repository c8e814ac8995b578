"""How narrow the interval of each case became, by the number of its trials: whether a stop rule was reached."""

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, MaxNLocator

from coldcache.analysis.figures.axes import set_log, set_title
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.style import FAINT, SERIES, house_style
from coldcache.analysis.report_links import page_of

#: The reason of a case whose interval became as narrow as was asked.
_NARROW = "narrow enough"


def draw_repetitions(cases: pd.DataFrame, finding: str) -> Picture:
    """Draw the relative width of every case's interval against the number of its trials.

    Parameters
    ----------
    cases : DataFrame
        Columns ``study sweep case trials relative_width asked reason``, widths as shares of the median.
    finding : str
        What the figure shows; its title and text alternative.
    """
    there = cases[cases.relative_width > 0]
    with house_style():
        figure, axes = plt.subplots(figsize=(6, 3.6))
        for asked in sorted(cases.asked.unique()):
            axes.axhline(100 * asked, color=FAINT, linestyle="--", linewidth=1.2)
        for row in there.itertuples():
            axes.plot(
                [row.trials], [100 * row.relative_width], linestyle="none", marker="o", alpha=0.8,
                markeredgecolor=SERIES[0].colour,
                markerfacecolor=SERIES[0].colour if row.reason == _NARROW else "white",
                url=page_of(row.study, row.sweep, row.case),
            )  # fmt: skip
        set_log(axes)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
        axes.margins(y=0.15)
        axes.set_xlim(there.trials.min() - 1, there.trials.max() + 1)
        axes.set_xlabel("trials")
        axes.set_ylabel("interval over median, % (log10)")
        set_title(figure, finding)
        caption = f"Dots: {len(there):,} cases; hollow: not as narrow as asked. Dashed: the width that was asked for."
        left = len(cases) - len(there)
        more = f" {left} without a width: see the table." if left else ""
        sweeps = [f"{row.study}/{row.sweep}" for row in cases.itertuples()]
        return Picture(figure, finding, caption + more, sweeps)
