"""The Universal Scalability Law through the rates of each operation, and beyond the last one as a prediction."""

import numpy as np
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates, fit_law
from coldcache.analysis.figures.style import mark_level
from coldcache.statistics.scaling.usl import predict

#: How far beyond the tested threads the law is drawn.
_BEYOND = 2


def draw_law(axes: Axes, estimates: Estimates) -> str | None:
    """Draw the law of each operation that has rates at enough numbers of threads.

    Returns
    -------
    str or None
        A sentence for the caption; None where no law is fitted.
    """
    note = None
    for operation in estimates.operations():
        law = fit_law(estimates, operation)
        if law is None:
            continue
        first, last = law.tested
        expected = predict(law, np.geomspace(first, _BEYOND * last, 60))
        colour = mark_level(operation, estimates.operations()).colour
        axes.plot(expected.threads, expected.estimate, color=colour, linewidth=1, linestyle=":")
        beyond = expected.sel(threads=slice(last, None))
        axes.fill_between(beyond.threads, beyond.low, beyond.high, color=colour, alpha=0.08, linewidth=0)
        note = (
            f"Dotted: Universal Scalability Law; beyond {last:,.0f} threads it is a prediction, "
            "with the 95 % interval of the expected rate."
        )
    return note
