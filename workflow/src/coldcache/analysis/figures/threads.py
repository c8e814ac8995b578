"""A metric over threads: one line per operation, with its ceilings, published values and what a law predicts."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates, fit_law
from coldcache.analysis.figures.axes import (
    draw_trials,
    label_ends,
    link_points,
    scale_for,
    set_linear,
    set_log,
    set_threads,
    set_title,
    sweep_of,
)
from coldcache.analysis.figures.ceilings import draw_ceilings
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.published import draw_published
from coldcache.analysis.figures.style import MARKS, house_style
from coldcache.statistics.scaling.usl import predict

#: How far beyond the tested threads a law is drawn.
_BEYOND = 2


def draw_over_threads(estimates: Estimates, finding: str, ylabel: str, log: bool = False, law: bool = False) -> Picture:
    """Draw a metric over threads, one line per operation.

    Parameters
    ----------
    estimates : Estimates
        Dims must be ``operation`` and ``threads``.
    finding : str
        What the figure shows; its title and text alternative.
    ylabel : str
        The quantity; the unit is added.
    log : bool
        Whether the rate is drawn on a log10 axis, which its label says; else from zero.
    law : bool
        Whether the Universal Scalability Law is drawn through each line and beyond it, as prediction.
    """
    with house_style():
        figure, axes = plt.subplots()
        divisor, unit = (
            (1.0, "per second")
            if log
            else scale_for(estimates.unit, estimates.cells.high.fillna(estimates.cells.estimate))
        )
        notes = [_draw_law(axes, estimates, operation, divisor) if law else "" for operation in estimates.operations()]
        for operation, note in zip(estimates.operations(), notes, strict=True):
            _draw_series(axes, estimates, operation, divisor, is_named=not note)
        if log:
            set_log(axes)
        else:
            set_linear(axes)
        notes.append(draw_published(axes, estimates, divisor, log))
        notes.append(draw_ceilings(axes, estimates, divisor))
        set_threads(axes, estimates.values.threads.values)
        if not log:
            set_linear(axes)
        axes.set_ylabel(f"{ylabel}, {unit}{' (log10)' if log else ''}")
        label_ends(axes)
        set_title(figure, finding)
        caption = " ".join([estimates.caption(), *dict.fromkeys(note for note in notes if note)])
        return Picture(figure, finding, caption, [sweep_of(estimates)])


def _short_name(operation: str) -> str:
    return operation.partition("-")[2] if operation.startswith(("file-", "directory-")) else operation


def _draw_series(axes: Axes, estimates: Estimates, operation: str, divisor: float, is_named: bool) -> None:
    mark = MARKS[operation]
    cells = estimates.cells.sel(operation=operation)
    threads = cells.threads.values
    axes.fill_between(threads, cells.low / divisor, cells.high / divisor, color=mark.colour, alpha=0.18, linewidth=0)
    axes.plot(
        threads, cells.estimate / divisor, color=mark.colour, marker=mark.marker, markeredgecolor="white",
        label=_short_name(operation) if is_named else "_",
    )  # fmt: skip
    pages = [estimates.page({"operation": operation, "threads": count}) for count in threads]
    link_points(axes, threads, cells.estimate / divisor, pages)
    for count in threads:
        draw_trials(axes, estimates, {"operation": operation, "threads": count}, count, divisor, mark)


def _draw_law(axes: Axes, estimates: Estimates, operation: str, divisor: float) -> str:
    """Draw the law through one line and beyond; return what the caption says of it, nothing where it is not fitted."""
    law = fit_law(estimates, operation)
    if law is None:
        return ""
    first, last = law.tested
    expected = predict(law, np.geomspace(first, _BEYOND * last, 60))
    colour = MARKS[operation].colour
    axes.plot(
        expected.threads,
        expected.estimate / divisor,
        color=colour,
        linewidth=1,
        linestyle=":",
        label=_short_name(operation),
    )
    beyond = expected.sel(threads=slice(last, None))
    axes.fill_between(
        beyond.threads, beyond.low / divisor, beyond.high / divisor, color=colour, alpha=0.08, linewidth=0
    )
    return (
        f"Dotted: Universal Scalability Law; beyond {last:,.0f} threads it is a prediction, "
        "with the 95 % interval of the expected rate."
    )
