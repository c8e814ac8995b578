"""A metric at each level of one factor: a row per level, with thresholds and published values."""

import re
from collections.abc import Mapping
from typing import Any

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.axes import draw_trials, link_points, scale_for, set_title, sweep_of
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.published import MARKER, SIZE
from coldcache.analysis.figures.style import FAINT, house_style, mark_of
from coldcache.analysis.format import show_level
from coldcache.core.vocabulary import FACTORS
from coldcache.dataset.published import level_of, operation_of


def draw_levels(
    estimates: Estimates, factor: str, finding: str, xlabel: str, thresholds: Mapping[str, float] | None = None
) -> Picture:
    """Draw a metric as a row per level of a factor, with a mark per operation.

    Parameters
    ----------
    estimates : Estimates
        Dims must be ``operation`` and `factor`.
    factor : str
        What the rows are.
    finding : str
        What the figure shows; its title and text alternative.
    xlabel : str
        The quantity; the unit is added.
    thresholds : mapping of str to float, optional
        What is asked of the metric, by name, in its unit; drawn as dashed lines.
    """
    levels = sorted(estimates.cells[factor].values.tolist(), key=_by_size)
    operations = estimates.operations()
    published = [(value, level_of(value).get(factor)) for value in estimates.published]
    beside = [(value, level) for value, level in published if level in levels and value.unit == estimates.unit]
    divisor, unit = scale_for(estimates.unit, [*estimates.values.values.ravel(), *(value.high for value, _ in beside)])
    with house_style():
        figure, axes = plt.subplots(figsize=(6, 1.6 + 0.3 * len(operations) * len(levels)))
        for row, level in enumerate(levels):
            for number, operation in enumerate(operations):
                y = row + 0.6 * ((number + 0.5) / len(operations) - 0.5)
                _draw_row(axes, estimates, {"operation": operation, factor: level}, divisor, y, operations)
                for value, of in beside:
                    if of == level and operation_of(value) == operation:
                        _draw_star(axes, value.high / divisor, y, operation, operations)
        for place, (name, threshold) in enumerate(sorted((thresholds or {}).items(), key=lambda found: found[1])):
            axes.axvline(threshold / divisor, color=FAINT, linestyle="--", linewidth=1.3, zorder=1)
            axes.annotate(
                name, (threshold / divisor, 1), xycoords=("data", "axes fraction"), xytext=(3 if place else -3, 2),
                ha="left" if place else "right", textcoords="offset points", fontsize=9.5, color=FAINT,
            )  # fmt: skip
        axes.set_yticks(range(len(levels)), [show_level(factor, level) for level in levels])
        axes.set_ylim(len(levels) - 0.5, -0.5)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.set_ylabel(FACTORS[factor].label)
        axes.set_xlabel(f"{xlabel}, {unit}".removesuffix(", "))
        _name_operations(axes, operations)
        set_title(figure, finding)
        note = " Stars: published values." if beside else ""
        return Picture(figure, finding, estimates.caption() + note, [sweep_of(estimates)])


def _by_size(level: Any) -> Any:
    """Return what sorts levels: numbers by value, names of instances by family and size, other names as they are."""
    if not isinstance(level, str):
        return level
    family, _, size = level.partition(".")
    times = re.match(r"(\d*)(x?)large", size)
    return family, (int(times[1] or 1) if times[2] else 0) if times else 0, size


def _draw_row(
    axes: Axes, estimates: Estimates, at: dict[str, Any], divisor: float, y: float, operations: list[str]
) -> None:
    mark, cell = mark_of(at["operation"], operations), estimates.cells.sel(at)
    axes.plot([cell.low / divisor, cell.high / divisor], [y, y], color=mark.colour, linewidth=3, alpha=0.4)
    axes.plot(
        [cell.estimate / divisor], [y], color=mark.colour, marker=mark.marker, markersize=8, markeredgecolor="white"
    )
    link_points(axes, [cell.estimate / divisor], [y], [estimates.page(at)])
    draw_trials(axes, estimates, at, y, divisor, mark, along="x")


def _draw_star(axes: Axes, x: float, y: float, operation: str, operations: list[str]) -> None:
    axes.plot(
        [x], [y], linestyle="none", marker=MARKER, markersize=SIZE, markerfacecolor="white", markeredgewidth=1.4,
        markeredgecolor=mark_of(operation, operations).colour, zorder=4,
    )  # fmt: skip


def _name_operations(axes: Axes, operations: list[str]) -> None:
    """Write the names of the operations in their colours below the axis's end, where more than one is drawn."""
    if len(operations) < 2:
        return
    handles = [
        plt.Line2D([], [], linestyle="none", color=mark_of(name, operations).colour,
                   marker=mark_of(name, operations).marker, label=name)
        for name in operations
    ]  # fmt: skip
    axes.legend(
        handles=handles, frameon=False, ncols=len(handles), loc="lower right", bbox_to_anchor=(1, 1.02), fontsize=10
    )
