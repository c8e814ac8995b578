"""A drawn figure as notebooks and pages display it."""

import hashlib
import io
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any
from urllib.parse import unquote

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.style import house_style
from coldcache.analysis.outputs import place_save
from coldcache.analysis.report_links import without_links
from coldcache.core.files import write_whole

#: Letters of a title's line in a figure of six inches.
_TITLE = 50


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
    """

    def __init__(self, figure: Figure, title: str, caption: str, sweeps: Iterable[str] = (), is_small: bool = False):
        self.figure, self.title, self.caption = figure, without_links(title), caption
        self.name, self.sweeps = "", tuple(dict.fromkeys(sweeps))
        if not is_small:
            lines = fill(self.title.removesuffix("."), round(_TITLE * figure.get_figwidth() / 6))
            figure.suptitle(lines, x=0.01, ha="left", fontweight="bold", fontsize=13)
        buffer = io.StringIO()
        with house_style():
            figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)
        drawn = buffer.getvalue()
        self.svg = drawn[drawn.index("<svg") :]

    def save(self, dataset: str | Path, name: str) -> "Picture":
        """Write the figure as `figures/<name>.svg` where `outputs.place_save` says, and return it."""
        self.name = name
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
        facts = f'data-name="{escape(self.name)}" data-sweeps="{escape(" ".join(self.sweeps))}"'
        return {
            "text/plain": f"{self.title} {self.caption}",
            "text/html": f'<figure class="coldcache-figure" {facts}>{_name_links(svg)}{caption}</figure>',
        }


def picture_of(
    sweep: Estimates, figure: Figure, title: str, *notes: str | None, is_small: bool = False
) -> Picture:  # fmt: skip
    """Return a figure of one sweep as a picture: its caption says how to read the estimates, and then the notes.

    The caption of a small one is its title.
    """
    if is_small:
        return Picture(figure, title, without_links(title), [sweep.path], is_small=True)
    return Picture(figure, title, sweep.caption(*notes), [sweep.path])


def _name_links(svg: str) -> str:
    """Return a drawing whose links have a label; the tab key skips those to single trials.

    The table below the figure links the same trials.
    """

    def name(match: re.Match[str]) -> str:
        case, page = unquote(match[1]).partition("#")[0].split("/")[-2:]
        if page == "index.html":
            return f'<a href="{match[1]}" aria-label="{escape(f"Trials of {case}")}">'
        return f'<a href="{match[1]}" tabindex="-1" aria-label="{escape(f"{page[:-5]} of {case}")}">'

    return re.sub(r'<a xlink:href="([^"]+)" target="_blank">', name, svg)
