"""Levels of a setting against each other: their values, and a panel of their ratios with intervals."""

from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.axes import (
    draw_trials,
    label_ends,
    link_points,
    scale_for,
    set_linear,
    set_log,
    set_threads,
    set_title,
    shorten,
    sweep_of,
)
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.style import INK, house_style, mark_of
from coldcache.analysis.format import show_factor, show_level
from coldcache.analysis.paired_ratios import Pair, pairs, reference_level

#: Quantity and unit of an axis, by metric and stored unit.
_QUANTITY = {"rate": "per second", "elapsed": "time, s", "latency": "latency, s", "count": "calls"}


def draw_paired(estimates: Estimates, factor: str, finding: str) -> Picture:
    """Draw a metric at each level of a factor, and the ratio of each level to the reference level.

    Parameters
    ----------
    estimates : Estimates
        Dims must include ``operation`` and `factor`. With several thread counts the values and ratios are drawn over
        threads, a column of panels per operation; else as a row per case.
    factor : str
        The setting.
    finding : str
        What the figure shows; its title and text alternative.
    """
    found = pairs(estimates, factor)
    with house_style():
        over_threads = estimates.cells.sizes.get("threads", 1) > 1 and set(estimates.cells.estimate.dims) == {
            "operation", "threads", factor,
        }  # fmt: skip
        figure = (_draw_curves if over_threads else _draw_rows)(estimates, factor, found)
        set_title(figure, finding)
        return Picture(figure, finding, estimates.caption(), [sweep_of(estimates)])


def _draw_curves(estimates: Estimates, factor: str, found: list[Pair]) -> Any:
    operations = estimates.operations()
    figure, grid = plt.subplots(
        2, len(operations), sharex=True, squeeze=False, figsize=(6.4 if len(operations) > 1 else 6, 5.2),
        height_ratios=(3, 2),
    )  # fmt: skip
    log = estimates.metric == "rate"
    divisor, unit = (1.0, "") if log else scale_for(estimates.unit, estimates.cells.estimate)
    for column, operation in enumerate(operations):
        above, below = grid[0][column], grid[1][column]
        _draw_values(above, estimates, factor, operation, divisor)
        _draw_ratios_over_threads(
            below, [pair for pair in found if pair.place["operation"] == operation], estimates, factor
        )
        set_threads(below, estimates.values.threads.values)
        above.set_title(operation.replace("-", " "), fontsize=12)
        if log:
            set_log(above)
        else:
            set_linear(above)
        above.margins(x=0.1)
    quantity = _QUANTITY.get(estimates.metric, estimates.metric)
    grid[0][0].set_ylabel(f"{quantity} (log10)" if log else f"{quantity}, {unit}".removesuffix(", "))
    grid[1][0].set_ylabel(f"ratio to\n{show_level(factor, reference_level(estimates, factor))}")
    figure.align_ylabels(grid[:, 0])
    label_ends(grid[0][-1])
    return figure


def _draw_values(axes: Axes, estimates: Estimates, factor: str, operation: str, divisor: float) -> None:
    levels = estimates.cells[factor].values.tolist()
    for level in levels:
        mark, at = mark_of(level, levels), {"operation": operation, factor: level}
        cells = estimates.cells.sel(at)
        axes.fill_between(
            cells.threads, cells.low / divisor, cells.high / divisor, color=mark.colour, alpha=0.18, linewidth=0
        )
        axes.plot(
            cells.threads, cells.estimate / divisor, color=mark.colour, marker=mark.marker, markeredgecolor="white",
            label=show_level(factor, level),
        )  # fmt: skip
        pages = [estimates.page({**at, "threads": count}) for count in cells.threads.values]
        link_points(axes, cells.threads, cells.estimate / divisor, pages)
        for count in cells.threads.values:
            draw_trials(axes, estimates, {**at, "threads": count}, count, divisor, mark)


def _draw_ratios_over_threads(axes: Axes, found: list[Pair], estimates: Estimates, factor: str) -> None:
    levels = estimates.cells[factor].values.tolist()
    for level in levels:
        mine = [pair for pair in found if pair.level == level]
        if not mine:
            continue
        mark = mark_of(level, levels)
        threads = [pair.place["threads"] for pair in mine]
        axes.vlines(
            threads, [pair.ratio.low for pair in mine], [pair.ratio.high for pair in mine], color=mark.colour, alpha=0.6
        )
        axes.plot(threads, [pair.ratio.estimate for pair in mine], color=mark.colour, marker=mark.marker, linewidth=1)
    axes.axhline(1, color=INK, linewidth=1.2)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 0.8), max(high, 1.2))


def _list_places(estimates: Estimates, factor: str) -> list[dict[str, Any]]:
    """Return the combinations of the other dims at which any level has an estimate."""
    others = [str(dim) for dim in estimates.cells.estimate.dims if dim != factor]
    measured = estimates.cells.estimate.notnull().any(factor).stack(place=others)
    return [dict(zip(others, place, strict=True)) for place in measured.place.values[measured.values]]


def _draw_rows(estimates: Estimates, factor: str, found: list[Pair]) -> Any:
    """Draw a row per case, where no scaling is to be seen."""
    places = _list_places(estimates, factor)
    levels = estimates.cells[factor].values.tolist()
    height = 1.7 + max(0.55 * len(levels), 0.9) * max(len(places), 1)
    figure, (left, right) = plt.subplots(1, 2, sharey=True, figsize=(6.4, height), width_ratios=(3, 2))
    for row, place in enumerate(places):
        for number, level in enumerate(levels):
            y = row + 0.7 * ((number + 0.75) / len(levels) - 0.5)
            _draw_level(left, estimates, {**place, factor: level}, factor, levels, y)
            for pair in found:
                if pair.place == place and pair.level == level:
                    _draw_ratio(right, pair, levels, y)
    left.set_yticks(range(len(places)), [_name_place(place) for place in places])
    left.set_ylim(len(places) - 0.5, -0.5)
    quantity = _QUANTITY.get(estimates.metric, f"{estimates.metric}, {estimates.unit}")
    for axes, label in ((left, f"{quantity} (log10)"), (right, "ratio (log10)")):
        axes.margins(x=0.25)
        _set_log_x(axes)
        axes.set_xlabel(label)
    right.axvline(1, color=INK, linewidth=1.2)
    if not any(abs(tick - 1) < 0.05 for tick in right.get_xticks()):
        right.annotate("1", (1, 0), xycoords=("data", "axes fraction"), xytext=(0, -17), textcoords="offset points",
                       ha="center")  # fmt: skip
    return figure


def _set_log_x(axes: Axes) -> None:
    """Set log10 where values span more than they would without; ticks stay few."""
    axes.set_xscale("log")
    set_log(axes, "x")
    low, high = axes.get_xlim()
    if np.log10(high / low) < 0.6:
        axes.xaxis.set_major_locator(MaxNLocator(3))
        axes.xaxis.set_major_formatter(FuncFormatter(shorten))


def _name_place(place: dict[str, Any]) -> str:
    words = [str(place["operation"]).replace("-", " ")]
    words += [show_factor(dim, level) for dim, level in place.items() if dim != "operation"]
    return "\n".join(words)


def _draw_level(axes: Axes, estimates: Estimates, at: dict[str, Any], factor: str, levels: list[Any], y: float) -> None:
    mark, cell = mark_of(at[factor], levels), estimates.cells.sel(at)
    axes.plot([cell.low, cell.high], [y, y], color=mark.colour, linewidth=3, alpha=0.4)
    axes.plot([cell.estimate], [y], color=mark.colour, marker=mark.marker, markersize=8, markeredgecolor="white")
    link_points(axes, [cell.estimate], [y], [estimates.page(at)])
    draw_trials(axes, estimates, at, y, 1.0, mark, along="x")
    axes.annotate(
        show_level(factor, at[factor]), (float(cell.estimate), y), xytext=(0, 8), textcoords="offset points",
        ha="center", color=mark.colour, fontsize=10.5, fontweight="bold",
    )  # fmt: skip


def _draw_ratio(axes: Axes, pair: Pair, levels: list[Any], y: float) -> None:
    mark, ratio = mark_of(pair.level, levels), pair.ratio
    axes.plot([ratio.low, ratio.high], [y, y], color=mark.colour, linewidth=2)
    axes.plot([ratio.estimate], [y], color=mark.colour, marker=mark.marker, markersize=7)
    axes.annotate(
        f"{ratio.estimate:.3g}×", (ratio.estimate, y), xytext=(3, 7), textcoords="offset points", ha="left",
        color=mark.colour, fontsize=10.5, fontweight="bold",
    )  # fmt: skip
