"""A drawn figure as notebooks and pages display it."""

import hashlib
import io
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.marks import write_marks
from coldcache.analysis.figures.style import house_style
from coldcache.analysis.outputs import place_save
from coldcache.analysis.report_links import without_links
from coldcache.core.csv_file import write_csv
from coldcache.core.files import write_whole

#: Width of a letter over its size, and the share of the length of an axis that its label may fill.
_LETTER, _FILLED = 0.55, 0.8

#: Letters of a title's line in a figure of six inches.
_TITLE = 50

#: A number and the space before its unit.
_UNIT = re.compile(r"(\d) (?=%|\w{0,3}/s\b|[mµ]?s\b|[KMGT]i?B\b|times\b)")

#: Lines of a title for which a figure has room, and inches of one that takes more.
_MOST_LINES, _LINE = 2, 0.24


class Picture:
    """A figure with its title and caption, as notebooks and pages display it.

    Parameters
    ----------
    figure : Figure
        Everything is drawn but its title. It is rendered at once, and pyplot forgets it.
    title : str
        The finding, in words: the title, and the text for those who cannot see the figure.
    caption : str
        How to read it.
    sweeps : iterable of str
        The sweeps that it shows, as ``study/sweep``.
    is_small : bool
        Whether the title is text below the figure, not part of it.
    numbers : DataFrame, optional
        What is drawn, a row per mark; headings or a column ``unit`` state the units.
    """

    def __init__(
        self, figure: Figure, title: str, caption: str, sweeps: Iterable[str] = (), is_small: bool = False,
        numbers: pd.DataFrame | None = None,
    ):  # fmt: skip
        self.numbers = numbers
        self.figure, self.title, self.caption = figure, without_links(title), caption
        self.name, self.sweeps = "", tuple(dict.fromkeys(sweeps))
        _wrap_labels(figure)
        if not is_small:
            lines = _break(self.title.removesuffix("."), round(_TITLE * figure.get_figwidth() / 6))
            figure.suptitle(lines, x=0.01, ha="left", fontweight="bold", fontsize=13)
            _grow(figure, lines.count("\n") + 1 - _MOST_LINES)
        buffer = io.StringIO()
        with house_style():
            figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)
        drawn = buffer.getvalue()
        self.svg = write_marks(drawn[drawn.index("<svg") :])

    def save(self, dataset: str | Path, name: str) -> "Picture":
        """Write the figure as `figures/<name>.svg` where `outputs.place_save` says, and return it.

        Its numbers are written beside it, as `figures/<name>.csv`.
        """
        self.name = name
        if self.numbers is not None:
            write_csv(self.numbers, place_save(dataset, "figures", f"{name}.csv"))
        write_whole(place_save(dataset, "figures", f"{name}.svg"), without_links(self.svg))
        return self

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        # Ids must differ between the pictures of one page.
        stem = "f" + hashlib.sha256(self.svg.encode()).hexdigest()[:10]
        svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{stem}-", self.svg)
        label = escape(self.title, quote=True)
        # A screen reader offers no links within an image.
        role = "group" if "<a " in svg else "img"
        svg = svg.replace("<svg ", f'<svg role="{role}" aria-label="{label}" ', 1)
        caption = f"<figcaption>{escape(self.caption)}</figcaption>"
        anchor = f'id="figure-{escape(self.name)}" ' if self.name else ""
        facts = f'{anchor}data-name="{escape(self.name)}" data-sweeps="{escape(" ".join(self.sweeps))}"'
        return {
            "text/plain": f"{self.title} {self.caption}",
            "text/html": f'<figure class="coldcache-figure" {facts}>{svg}{caption}</figure>',
        }


def _break(title: str, width: int) -> str:
    """Return a title in lines, none of which begins with the unit of a number."""
    return fill(_UNIT.sub("\\1\N{NO-BREAK SPACE}", title), width).replace("\N{NO-BREAK SPACE}", " ")


def _wrap_labels(figure: Figure) -> None:
    """Break the label of an axis that is longer than its axes into lines."""
    for axes in figure.axes:
        place = axes.get_position()
        for axis, room in (
            (axes.yaxis, place.height * figure.get_figheight()), (axes.xaxis, place.width * figure.get_figwidth()),
        ):  # fmt: skip
            label = axis.label
            length = _LETTER * float(label.get_fontsize()) / 72 * len(label.get_text())
            if length > _FILLED * room and "\n" not in label.get_text():
                label.set_text(fill(label.get_text(), max(12, len(label.get_text()) * 2 // 3)))
    is_broken = any("\n" in axes.xaxis.label.get_text() for axes in figure.axes)
    _grow(figure, int(is_broken))


def _grow(figure: Figure, lines: int) -> None:
    """Make a figure higher by some lines of text, which would else take room from the axes and the names in them."""
    figure.set_figheight(figure.get_figheight() + _LINE * max(lines, 0))


def picture_of(
    sweep: Estimates, figure: Figure, title: str, *notes: str | None, is_small: bool = False, has_runs: bool = True
) -> Picture:  # fmt: skip
    """Return a figure of one sweep as a picture: its caption says how to read the estimates, and then the notes.

    The caption of a small one is its title. Without `has_runs` single trials are not drawn.
    """
    if is_small:
        return Picture(figure, title, without_links(title), [sweep.path], is_small=True, numbers=_tabulate(sweep))
    return Picture(figure, title, sweep.caption(*notes, has_runs=has_runs), [sweep.path], numbers=_tabulate(sweep))


def picture_of_map(sweep: Estimates, figure: Figure, title: str) -> Picture:
    """Return a heat map of one sweep as a picture: its caption has no marks to explain."""
    return Picture(figure, title, sweep.caption_cells(), [sweep.path], numbers=_tabulate(sweep))


def _tabulate(sweep: Estimates) -> pd.DataFrame:
    """Return a row per case of a sweep: its levels, median, interval, runs and unit."""
    table = sweep.table()
    return table.assign(trials=[" ".join(map(repr, values)) for values in table.trials], unit=sweep.unit)
