"""Every ratio of a setting to its reference level on one axis, from the tables that the notebooks save."""

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from markupsafe import Markup

from coldcache.analysis.format import format_factor, name_setting_level, show_level
from coldcache.core.units import show_number
from coldcache.report.site.html import block, escape_html, link
from coldcache.report.site.shown import Shown

#: The end of the name of a table of ratios.
_RATIOS = "-ratio"

_REFERENCE = re.compile(r"median at (.*) \([^)]*\)")

#: Ends of the axis that few ratios exceed: those are drawn at its end.
_LEAST, _MOST = 0.1, 200.0

_TICKS = (0.1, 0.5, 1, 2, 5, 10, 100)


class SettingRatio(NamedTuple):
    """A ratio of two levels of a setting.

    Attributes
    ----------
    study, page, table : str
        Its study, and where the report shows it.
    row : int
        Its row in that table, from 1.
    what, levels : str
        The case, and the level over the reference level.
    ratio, low, high : float
        The ratio with its interval; NaN from fewer than five pairs.
    level : float
        Of the interval, such as 0.95.
    pairs : int
        Trials of the same round on both sides.
    """

    study: str
    page: str
    table: str
    row: int
    what: str
    levels: str
    ratio: float
    low: float
    high: float
    level: float
    pairs: int


def read_ratios(results: Path, shown: Shown) -> list[SettingRatio]:
    """Return the ratios in the tables that the notebooks show, in the order of the pages."""
    found = []
    for name, page in shown.tables.items():
        path = results / "tables" / f"{name}.csv"
        if name.endswith(_RATIOS) and path.is_file() and path.stat().st_size > 1:
            found += list(_read_table(pd.read_csv(path), page, name))
    return found


def _read_table(table: pd.DataFrame, page: str, name: str) -> Iterable[SettingRatio]:
    places = [place for place, column in enumerate(table.columns) if _REFERENCE.fullmatch(column)]
    if not places:
        return
    *others, factor = [(column, re.sub(r" \([^)]*\)$", "", column)) for column in table.columns[: places[0]]]
    stated = _REFERENCE.fullmatch(table.columns[places[0]])
    reference = stated[1] if stated else ""
    for number, row in enumerate(table.to_dict("records"), start=1):
        where = [
            str(row[column]).replace("-", " ") if plain == "operation" else format_factor(plain, row[column])
            for column, plain in others
        ]
        level = name_setting_level(factor[1], row[factor[0]])
        levels = f"{format_factor(factor[1], '').strip()} {level} / {name_setting_level(factor[1], reference)}"
        yield SettingRatio(
            page.partition("/")[0], page, name, number, ", ".join(where), levels,
            row["ratio (1)"], row["ratio low (1)"], row["ratio high (1)"], row["level (1)"],
            int(row["pairs"]),
        )  # fmt: skip


def show_forest(ratios: Iterable[SettingRatio], name: str, caption: str = "") -> Markup:
    """Return ratios as a table with a mark and an interval each on one logarithmic axis, as a block for a page.

    Parameters
    ----------
    ratios : iterable of SettingRatio
        Rows, in their order.
    name, caption : str
        The id of the table, and what it shows; without a caption the heading above says so.
    """
    rows_of = list(ratios)
    rows = Markup("").join(
        Markup(
            '<tr><td>{}</td><td class="number">{}</td><td class="number">{}</td>'
            '<td class="coldcache-axis">{}</td></tr>\n'
        ).format(
            link(f"{ratio.what}: {ratio.levels}", f"{ratio.page}#table-{ratio.table}"),
            Markup('<a href="{}#table-{}.{}.1">{}</a>').format(ratio.page, ratio.table, ratio.row, _say(ratio)),
            ratio.pairs, _draw(ratio),
        )
        for ratio in rows_of
    )  # fmt: skip
    ticks = Markup("").join(
        Markup('<span style="left:{:.1f}%">{:g}</span>').format(_place(tick), tick) for tick in _TICKS
    )
    head = Markup(
        '{}<thead><tr><th scope="col">Setting</th><th scope="col" class="number">{}</th>'
        '<th scope="col" class="number">Pairs</th><th scope="col" class="coldcache-axis">{}</th></tr></thead>'
    ).format(
        Markup("<caption>{}</caption>").format(escape_html(caption)) if caption else "", _head_ratio(rows_of), ticks
    )
    return block(
        Markup('<table id="{}" class="coldcache-table coldcache-forest">{}<tbody>\n{}</tbody></table>').format(
            name, head, rows
        )
    )


def _head_ratio(ratios: Iterable[SettingRatio]) -> str:
    """Return the head of the column of ratios, with the levels of their intervals: ``Ratio (95 %)``."""
    levels = sorted({show_level(ratio.level) for ratio in ratios if ratio.low == ratio.low})
    return f"Ratio ({', '.join(levels)})" if levels else "Ratio"


def _say(ratio: SettingRatio) -> str:
    interval = f" ({show_number(ratio.low)} to {show_number(ratio.high)})" if ratio.low == ratio.low else ""
    return f"{show_number(ratio.ratio)}{interval}"


def _draw(ratio: SettingRatio) -> Markup:
    """Return the mark of a ratio with its interval; the number beside it says the same."""
    bar = Markup("")
    if ratio.low == ratio.low:
        left, right = _place(ratio.low), _place(ratio.high)
        bar = Markup('<i style="left:{:.1f}%;width:{:.1f}%"></i>').format(left, right - left)
    kind = "" if ratio.low == ratio.low and not ratio.low <= 1 <= ratio.high else ' class="open"'
    return bar + Markup('<b{} style="left:{:.1f}%"></b>').format(Markup(kind), _place(ratio.ratio))


def _place(ratio: float) -> float:
    """Return where a ratio lies on the axis, in per cent."""
    if not ratio > 0:
        return 0.0
    share = math.log(ratio / _LEAST) / math.log(_MOST / _LEAST)
    return 100 * min(max(share, 0.0), 1.0)
