"""Layouts against each other: a panel per operation, a line per combination of levels, over threads."""

from itertools import product
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.axes import label_ends, scale_for, set_linear, set_log, set_threads, set_title, sweep_of
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.style import SERIES, house_style
from coldcache.analysis.format import show_level
from coldcache.core.vocabulary import FACTORS


def draw_grid(estimates: Estimates, factors: tuple[str, ...], finding: str) -> Picture:
    """Draw a metric over threads for every combination of the levels of some factors.

    Parameters
    ----------
    estimates : Estimates
        Dims must be ``operation``, ``threads`` and `factors`.
    factors : tuple of str
        One or two factors.
    finding : str
        What the figure shows; its title and text alternative.
    """
    operations = estimates.operations()
    log = estimates.metric == "rate"
    divisor, unit = (1.0, "") if log else scale_for(estimates.unit, estimates.cells.estimate)
    with house_style():
        figure, panels = plt.subplots(
            len(operations), 1, sharex=True, squeeze=False, figsize=(6, 1.2 + 2.1 * len(operations))
        )
        for operation, axes in zip(operations, panels[:, 0], strict=True):
            _draw_panel(axes, estimates, operation, factors, divisor)
            axes.set_title(operation.replace("-", " "), fontsize=12)
            if log:
                set_log(axes)
            else:
                set_linear(axes, 4)
            axes.set_ylabel("per second (log10)" if log else f"{estimates.metric}, {unit}".removesuffix(", "))
        set_threads(panels[-1, 0], estimates.values.threads.values)
        for axes in panels[:, 0]:
            label_ends(axes)
        panels[-1, 0].set_xlabel("threads (log2)")
        set_title(figure, finding)
        names = " and ".join(FACTORS[factor].label for factor in factors)
        return Picture(figure, finding, f"Lines by {names}. {estimates.caption()}", [sweep_of(estimates)])


def _draw_panel(axes: Axes, estimates: Estimates, operation: str, factors: tuple[str, ...], divisor: float) -> None:
    combinations = list(product(*(estimates.cells[factor].values.tolist() for factor in factors)))
    for levels, mark in zip(combinations, SERIES * (1 + len(combinations) // len(SERIES)), strict=False):
        at: dict[str, Any] = {"operation": operation, **dict(zip(factors, levels, strict=True))}
        cells = estimates.cells.sel(at)
        if not np.isfinite(cells.estimate).any():
            continue
        axes.fill_between(
            cells.threads, cells.low / divisor, cells.high / divisor, color=mark.colour, alpha=0.12, linewidth=0
        )
        axes.plot(
            cells.threads, cells.estimate / divisor, color=mark.colour, marker=mark.marker, markeredgecolor="white",
            label=" × ".join(show_level(factor, level) for factor, level in zip(factors, levels, strict=True)),
        )  # fmt: skip
