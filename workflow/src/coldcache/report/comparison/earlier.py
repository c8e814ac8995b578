"""Compare a campaign with the one before it on the same target, without being asked."""

import sys
from datetime import datetime
from pathlib import Path

from coldcache.campaign.campaign import RAW, Campaign, read_campaign
from coldcache.campaign.trial_json import list_trial_files, read_outcome
from coldcache.core.errors import ColdCacheError
from coldcache.core.files import write_whole
from coldcache.report.comparison.compare import compare_campaigns
from coldcache.report.comparison.markdown import write_markdown
from coldcache.report.site.index_page import COMPARISON

#: Trials of both campaigns from which reading them again takes too long to be done without being asked.
_MOST_TRIALS = 5_000

#: The last line of a page that nobody asked for, which the report leaves out.
_UNASKED = "% Compared without being asked, and again whenever verdicts change."


def compare_with_earlier(name: str, results: Path) -> Path | None:
    """Write the page that compares a campaign with the one before it, unless there is one that is not older.

    A page that `compare --page` wrote is kept, whatever its age; one line on stderr says that it is older than the
    verdicts. A page that nobody asked for is removed where the comparison can no longer be made.

    Parameters
    ----------
    name : str
        The campaign.
    results : Path
        Its folder of results.

    Returns
    -------
    Path or None
        The page that is there in the end. Without one that was asked for it is None where no earlier campaign was
        measured on the same target, where nothing of the two can be compared, or where they are too large.
    """
    page, verdicts = results / COMPARISON, results / "verdicts.csv"
    if not verdicts.is_file():
        return None
    if page.is_file() and page.stat().st_mtime >= verdicts.stat().st_mtime:
        return page
    if page.is_file() and not page.read_text(encoding="utf-8").rstrip().endswith(_UNASKED):
        print(f"{page}: older than {verdicts}; give compare --page again, or remove it", file=sys.stderr)
        return page
    text = _compare(name)
    if text is None:
        page.unlink(missing_ok=True)
        return None
    write_whole(page, f"{text.rstrip()}\n\n{_UNASKED}\n")
    return page


def _compare(name: str) -> str | None:
    earlier = find_earlier(read_campaign(RAW / name))
    try:
        return write_markdown(compare_campaigns([earlier, name])) if earlier else None
    except ColdCacheError:
        return None


def find_earlier(campaign: Campaign) -> str | None:
    """Return the last campaign that began before another, on the same target, with a study in common.

    None where there is none, or where the two together have more trials than are quickly read.
    """
    if not campaign.planned:
        return None
    begun, found = _find_begin(campaign), []
    for path in sorted(RAW.glob("*/campaign.json")):
        if path.parent.name == campaign.name:
            continue
        try:
            other = read_campaign(path.parent)
            began = _find_begin(other) if _is_alike(campaign, other) else None
        except ColdCacheError:
            # What is wrong with another campaign is not this one's.
            continue
        if begun and began and began < begun:
            found.append((began, other))
    if not found:
        return None
    last = max(found, key=lambda one: one[0])[1]
    return last.name if _count(campaign) + _count(last) <= _MOST_TRIALS else None


def _is_alike(campaign: Campaign, other: Campaign) -> bool:
    names = {study.study for study in campaign.planned} & {study.study for study in other.planned}
    return bool(names) and other.site.target.path == campaign.site.target.path and other.site.site == campaign.site.site


def _find_begin(campaign: Campaign) -> datetime | None:
    """Return when the first trial that is found began: two campaigns do not measure one target at once."""
    for path in list_trial_files(campaign.folder, campaign.planned)[:1]:
        return read_outcome(path).started
    return None


def _count(campaign: Campaign) -> int:
    return len(list_trial_files(campaign.folder, campaign.planned))
