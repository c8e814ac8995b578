"""What metadata IOPS automatic mode gives over storage capacity, and what a user may ask for."""

from collections.abc import Sequence

from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter

from coldcache.analysis.figures.axes import set_log, set_title, shorten
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.published import MARKER, SIZE
from coldcache.analysis.figures.style import FAINT, SERIES, house_style


def draw_provisioning(
    capacities: Sequence[int], automatic: Sequence[int], largest: int, published: dict[int, float], finding: str
) -> Picture:
    """Draw the metadata IOPS of automatic mode over capacity.

    Parameters
    ----------
    capacities, automatic : sequence of int
        Storage capacities in GiB, and what automatic mode gives at each.
    largest : int
        The most that a user may ask for, at any capacity.
    published : dict of int to float
        What the document states of a capacity.
    finding : str
        What the figure shows; its title and text alternative.
    """
    with house_style():
        figure, axes = plt.subplots()
        axes.plot(capacities, automatic, drawstyle="steps-post", color=SERIES[0].colour, marker=SERIES[0].marker,
                  markeredgecolor="white")  # fmt: skip
        axes.plot(list(published), list(published.values()), linestyle="none", marker=MARKER, markersize=SIZE,
                  markerfacecolor="white", markeredgecolor=SERIES[1].colour, markeredgewidth=1.4, zorder=4)  # fmt: skip
        axes.axhline(largest, color=FAINT, linestyle="--", linewidth=1.3)
        axes.annotate(f"the most that a user may ask for, {largest:,}", (0.01, largest), xytext=(0, 4),
                      xycoords=("axes fraction", "data"), textcoords="offset points", fontsize=9.5,
                      color=FAINT)  # fmt: skip
        set_log(axes)
        axes.set_xscale("log", base=2)
        axes.set_xticks(capacities[::2], [f"{capacity:,}" for capacity in capacities[::2]])
        axes.xaxis.set_minor_formatter(FuncFormatter(lambda *_: ""))
        axes.minorticks_off()
        axes.yaxis.set_major_formatter(FuncFormatter(shorten))
        axes.set_xlabel("storage capacity, GiB (log2)")
        axes.set_ylabel("metadata IOPS (log10)")
        set_title(figure, finding)
        return Picture(figure, finding, "Line: automatic mode by the model; stars: what the document states of it.")
