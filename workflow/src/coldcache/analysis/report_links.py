"""Links from a number to its evidence in a report: the page of its case, and the mark in the log of each trial."""

import re
from urllib.parse import quote

from markupsafe import Markup

#: The folder of a report that holds a page for each sweep, case and trial.
TRIALS_FOLDER = "trials"

_ANCHOR = re.compile(r"</?a\b[^>]*>")


def page_of(*parts: str) -> str:
    """Return the page of a sweep or a case, relative to a notebook's page.

    Parameters
    ----------
    *parts : str
        Study and sweep, and the case.
    """
    return f"../{TRIALS_FOLDER}/{quote('/'.join(parts), safe='/=,')}/index.html"


def page_of_trial(case_page: str, repetition: int, verdict: str = "") -> str:
    """Return the page of a trial from that of its case; one that is missing has none, and its case lists it."""
    if verdict == "missing":
        return case_page
    return f"{case_page.removesuffix('index.html')}r{repetition}.html"


def mark_of(operation: str, metric: str) -> str:
    """Return the name of the mark around a trial's figure, on the pages of the trial and of its case."""
    return f"{operation}-{metric}".replace("_", "-")


def lead(text: str, page: str | None, mark: str | None = None) -> Markup:
    """Return a text as a link to a page, in HTML that Markdown may hold; the text alone where there is no page."""
    if not page:
        return Markup("{}").format(text)
    return Markup('<a href="{}">{}</a>').format(f"{page}#{mark}" if mark else page, text)


def without_links(text: str) -> str:
    """Return HTML, SVG or a sentence with its links replaced by their text."""
    return _ANCHOR.sub("", text)
