"""A drawn figure as notebooks and pages display it."""

import hashlib
import io
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from coldcache.analysis.outputs import place_save
from coldcache.analysis.report_links import without_links
from coldcache.core.files import write_whole


class Picture:
    """A figure with its caption and a text that tells what it shows; notebooks and pages display it as it is.

    Parameters
    ----------
    figure : Figure
        Drawn; it is closed once it is rendered.
    alternative : str
        What the figure shows, in words, for those who cannot see it.
    caption : str
        How to read it.
    sweeps : iterable of str
        Those that it shows, as ``study/sweep``.
    """

    def __init__(self, figure: Figure, alternative: str, caption: str, sweeps: Iterable[str] = ()):
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)
        drawn = buffer.getvalue()
        self.svg = drawn[drawn.index("<svg") :]
        self.alternative, self.caption = without_links(alternative), caption
        self.name, self.sweeps = "", tuple(dict.fromkeys(sweeps))

    def save(self, dataset: str | Path, name: str) -> "Picture":
        """Write the figure as `figures/<name>.svg` where `saves.place_save` says, and return it."""
        self.name = name
        write_whole(place_save(dataset, "figures", f"{name}.svg"), without_links(self.svg))
        return self

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        # Ids must differ between the pictures of one page.
        stem = "f" + hashlib.sha256(self.svg.encode()).hexdigest()[:10]
        svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{stem}-", self.svg)
        label = escape(self.alternative, quote=True)
        # What is an image to a screen reader has nothing in it that can be followed.
        role = "group" if "<a " in svg else "img"
        svg = svg.replace("<svg ", f'<svg role="{role}" aria-label="{label}" ', 1)
        caption = f"<figcaption>{escape(self.caption)}</figcaption>"
        facts = f'data-name="{escape(self.name)}" data-sweeps="{escape(" ".join(self.sweeps))}"'
        return {
            "text/plain": f"{self.alternative} {self.caption}",
            "text/html": f'<figure class="coldcache-figure" {facts}>{_name_links(svg)}{caption}</figure>',
        }


def _name_links(svg: str) -> str:
    """Return a drawing whose links say where they lead; those to single trials are left out of the way of the tab key.

    The same trials are linked from the table below the figure.
    """

    def name(match: re.Match[str]) -> str:
        case, page = unquote(match[1]).partition("#")[0].split("/")[-2:]
        if page == "index.html":
            return f'<a href="{match[1]}" aria-label="{escape(f"Trials of {case}")}">'
        return f'<a href="{match[1]}" tabindex="-1" aria-label="{escape(f"{page[:-5]} of {case}")}">'

    return re.sub(r'<a xlink:href="([^"]+)" target="_blank">', name, svg)
