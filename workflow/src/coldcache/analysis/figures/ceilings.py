"""What a system can do at most, as dashed lines."""

import numpy as np
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.style import FAINT
from coldcache.core.units import show_rate

#: A ceiling that is further above the highest value would press the data to the floor of the figure.
_FARTHEST = 2.0


def draw_ceilings(axes: Axes, estimates: Estimates, divisor: float) -> str:
    """Draw the limits of a sweep that the scale allows; return what the caption says of all of them."""
    highest = np.nanmax(np.append(estimates.values.values, 0))
    drawn = sorted((rate, name) for name, rate in estimates.ceilings.items() if rate <= _FARTHEST * highest)
    for place, (rate, name) in enumerate(drawn):
        axes.axhline(rate / divisor, color=FAINT, linestyle="--", linewidth=1.3, zorder=1)
        # The lowest of several is named below its line, where no other stands.
        is_below = place == 0 and len(drawn) > 1
        axes.annotate(
            f"{name}, {show_rate(rate, estimates.unit)}", (0.01, rate / divisor), xytext=(0, -3 if is_below else 3),
            va="top" if is_below else "bottom", xycoords=("axes fraction", "data"), textcoords="offset points",
            fontsize=9.5, color=FAINT,
        )  # fmt: skip
    limits = "; ".join(f"{name} {show_rate(rate, estimates.unit)}" for name, rate in estimates.ceilings.items())
    return f"Dashed where the scale allows: {limits}." if limits else ""
