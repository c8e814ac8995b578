"""A row per case: the estimates of a sweep as a table with the height of each case in a figure."""

import re
from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coldcache.analysis.figures.style import INK
from coldcache.analysis.format import format_factor, format_level
from coldcache.core.vocabulary import FACTORS

#: Letters of a line of a name.
_WIDTH = 24

#: Inches of a letter of a label.
_LETTER = 0.11

#: Inches of a line of text, and of what surrounds the rows.
_LINE, _AROUND = 0.24, 1.5


def list_cases(cells: xr.Dataset, factor: str, ratios: xr.Dataset | None = None) -> pd.DataFrame:
    """Return one row per case that has an estimate: by operation, other levels, and level of a factor.

    Parameters
    ----------
    cells : Dataset
        ``estimate``, ``low`` and ``high``; its dims include `factor`.
    factor : str
        The levels that are compared: they are neighbours.
    ratios : Dataset, optional
        The same of each case's ratio to a reference, as `paired_ratios` returns it.

    Returns
    -------
    DataFrame
        A column per dim; ``estimate low high`` in the unit of `cells`; with `ratios` ``ratio ratio_low ratio_high``;
        ``case``, its name; and ``row``, its height in a figure, counted from the top. The label of `factor` is in
        ``attrs``.
    """
    dims = [str(dim) for dim in cells.estimate.dims]
    frame = cells[["estimate", "low", "high"]].to_dataframe()[["estimate", "low", "high"]]
    if ratios is not None:
        names = {"estimate": "ratio", "low": "ratio_low", "high": "ratio_high"}
        frame = frame.join(ratios[list(names)].to_dataframe()[list(names)].rename(columns=names))
    frame = frame[frame.estimate.notna()].reset_index()
    fastest = frame.groupby("operation").estimate.max().sort_values(ascending=False).index.tolist()
    order = [*dict.fromkeys(["operation", *(dim for dim in dims if dim != factor), factor])]
    keys = {name: _rank(frame[name], fastest if name == "operation" else None) for name in order}
    places = pd.DataFrame(keys).sort_values(order).index
    frame = frame.loc[places].reset_index(drop=True)
    varied = [name for name in order if name == factor or cells.sizes[name] > 1]
    frame["case"] = [_name_case(row, varied, factor) for row in frame.to_dict("records")]
    frame.attrs["label"] = FACTORS[factor].label if factor in FACTORS else ""
    return frame.assign(row=np.arange(len(frame)))


def _rank(values: pd.Series, order: Sequence[Any] | None) -> list[int]:
    """Return the rank of each value: in an order that is given, else by size; -1 of a level that is not stated."""
    ranked = list(order) if order is not None else sorted(set(values.dropna()), key=_by_size)
    return [-1 if pd.isna(value) else ranked.index(value) for value in values]


def _by_size(level: Any) -> Any:
    """Return the sort key of a level: numbers by value, instances by family and size, other names as they are."""
    if not isinstance(level, str):
        return level
    family, _, size = level.partition(".")
    times = re.match(r"(\d*)(x?)large", size)
    return family, (int(times[1] or 1) if times[2] else 0) if times else 0, size


def _name_case(row: dict[str, Any], varied: Sequence[str], factor: str) -> str:
    words = [
        format_level(name, row[name]).replace("-", " ") if name == "operation" else format_level(name, row[name])
        if name == factor else format_factor(name, row[name])
        for name in varied
    ]  # fmt: skip
    return "\n".join(fill(line, _WIDTH) for line in (", ".join(words[:-1]), words[-1]) if line)


def join_levels(cells: xr.Dataset, factors: Sequence[str]) -> xr.Dataset:
    """Return the estimates with a dim ``line``, which names the combinations of the levels of some factors.

    Parameters
    ----------
    cells : Dataset
        ``estimate``, ``low``, ``high`` and ``n``; its dims include some of `factors`.
    factors : sequence of str
        Each combination of their levels that has an estimate is a line, in ascending order.
    """
    varied = [factor for factor in factors if factor in cells.dims]
    joined = cells.sortby(varied).stack(line=varied)
    joined = joined.isel(line=joined.estimate.notnull().any([dim for dim in joined.estimate.dims if dim != "line"]))
    names = [
        " × ".join(format_level(factor, level) for factor, level in zip(varied, levels, strict=True))
        for levels in joined.line.values
    ]
    return joined.drop_vars(["line", *varied]).assign_coords(line=names)


def open_rows(rows: pd.DataFrame, panels: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a figure with a row per case, named at the left, and one or more panels.

    Parameters
    ----------
    rows : DataFrame
        As `list_cases` returns them.
    panels : int
        Axes that share the rows; the first one is the widest. Those after it are for ratios: they have a line at 1.
    """
    lines = max((case.count("\n") + 1 for case in rows.case), default=1)
    height = _AROUND + max(_LINE * lines * 1.15, 0.4) * max(len(rows), 1)
    ratios = [3, *[2] * (panels - 1)]
    figure, grid = plt.subplots(
        1, panels, sharey=True, squeeze=False, figsize=(6.4, height), width_ratios=ratios
    )  # fmt: skip
    axes = list(grid[0])
    axes[0].set_yticks(rows.row, rows.case)
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    axes[0].set_ylabel(fill(rows.attrs["label"], max(8, int((height - _AROUND) / _LETTER))))
    for panel in axes:
        panel.grid(axis="y", visible=False)
    for panel in axes[1:]:
        panel.axvline(1, color=INK, linewidth=1.2, zorder=1)
    return figure, axes
