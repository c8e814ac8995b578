"""The conditions of a campaign: machine, target, tools and time, as its trials recorded them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.trial_json import list_stories, read_story
from coldcache.design.imported_study import AnyStudy

#: The recorded values of a property, each with its number of trials, in order of appearance.
ValueCounts = dict[str, int]


class Conditions(NamedTuple):
    """What the trials of a campaign recorded about their environment.

    Attributes
    ----------
    system, target, queue : mapping of str to dict of str to int
        The values of each property of the machine, the target and the target's device; several if it changed
        between trials.
    tools : list of (str, str)
        Each tool with each of its versions.
    begin, end : datetime or None
        Start of the first trial and end of the last; None if no trial has run.
    trials : int
        Trials that have a folder.
    """

    system: Mapping[str, ValueCounts]
    target: Mapping[str, ValueCounts]
    queue: Mapping[str, ValueCounts]
    tools: list[tuple[str, str]]
    begin: datetime | None
    end: datetime | None
    trials: int


def read_conditions(campaign: Campaign, folder: Path | None = None) -> Conditions:
    """Return the conditions of a campaign's measured trials, or of its imported trials if there are no others.

    Parameters
    ----------
    campaign : Campaign
        Its design.
    folder : Path, optional
        The folder of its raw files; by default the campaign's own.

    Raises
    ------
    CampaignError
        If a `trial.json` cannot be read.
    """
    stories = list(_read_stories(folder or campaign.folder, campaign.planned or campaign.studies))
    targets = [dict(story["target"] or {}) for story in stories]
    queues = [target.pop("queue", {}) for target in targets]
    tools = {(story["tool"], story["tool_version"] or "of unknown version") for story in stories}
    begins = [datetime.fromisoformat(story["start"]) for story in stories if story["start"]]
    ends = [datetime.fromisoformat(story["end"]) for story in stories if story["end"]]
    return Conditions(
        system=_count([story["system"] or {} for story in stories]),
        target=_count(targets),
        queue=_count(queues),
        tools=sorted(tools),
        begin=min(begins, default=None),
        end=max(ends, default=None),
        trials=len(stories),
    )


def _read_stories(folder: Path, studies: Iterable[AnyStudy]) -> Iterable[dict[str, Any]]:
    for path in list_stories(folder, studies):
        yield read_story(path)


def _count(properties: list[dict[str, Any]]) -> dict[str, ValueCounts]:
    """Return the values of each property, each with its number of trials."""
    counts: dict[str, Counter[str]] = {}
    for stated in properties:
        for name, value in stated.items():
            counts.setdefault(name, Counter())[str(value)] += 1
    return {name: dict(values) for name, values in counts.items()}
