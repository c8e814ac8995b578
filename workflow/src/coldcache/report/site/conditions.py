"""Under which conditions a campaign was measured: machine, target, tools and time, as its trials wrote them down."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.trial_json import list_stories, read_story
from coldcache.design.imported_study import AnyStudy

#: A condition as trials state it, each value with the number of trials, the first seen first.
ValueCounts = dict[str, int]


class Conditions(NamedTuple):
    """What the trials of a campaign state of themselves.

    Attributes
    ----------
    system, target, queue : mapping of str to dict of str to int
        Each property of the machine, the target and the target's device with its values; more than one where it
        changed between trials.
    tools : list of (str, str)
        Each tool with each of its versions.
    begin, end : datetime or None
        When the first trial began and the last one ended; None where no trial has run.
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
    """Return the conditions of a campaign, whose raw files may lie in another folder than its own.

    They are those of the trials that were measured; of imported ones where there are no others.

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
    """Return each property with its values, and how many trials state each of them."""
    counts: dict[str, Counter[str]] = {}
    for stated in properties:
        for name, value in stated.items():
            counts.setdefault(name, Counter())[str(value)] += 1
    return {name: dict(values) for name, values in counts.items()}
