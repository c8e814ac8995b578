"""Findings whose numbers lead nowhere: the first one leads to what it was computed from."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from coldcache.analysis.report_links import TRIALS_FOLDER

#: A number with its unit, which no tag and no word holds.
_NUMBER = re.compile(r"(?<![\w.,<>/=\"-])\d(?:[\d,.]*\d)?(?: (?:%|times|[kMGT]?B/s|[kM]?/s|[µm]?s|runs|claims)\b)?")


def link_finding(text: str, titles: Mapping[str, str], shown: Sequence[str], page: str) -> str:
    """Return a finding in Markdown in which at least one number is a link.

    Parameters
    ----------
    text : str
        The finding; one that has a link, or no number, stays as it is.
    titles : mapping of str to str
        The sweep, ``study/sweep``, of each title with which a finding may begin.
    shown : sequence of str
        The sweeps of the chapter's figures: a single one is that of the finding.
    page : str
        Where the number leads if neither names its sweep; relative to the page of a chapter.
    """
    if "<a " in text:
        return text
    title = max((title for title in titles if text.startswith(title)), key=len, default="")
    sweep = titles.get(title) or (shown[0] if len(set(shown)) == 1 else "")
    target = f"../{TRIALS_FOLDER}/{quote(sweep)}/index.html" if sweep else page
    begin, rest = text[: len(title)], text[len(title) :]
    return begin + _NUMBER.sub(lambda found: f'<a href="{target}">{found[0]}</a>', rest, count=1)
