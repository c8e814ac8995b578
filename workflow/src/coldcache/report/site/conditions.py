"""Under which conditions a campaign was measured: machine, target, tools and time, as its trials wrote them down."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.trial_json import list_trial_files, read_outcome

#: A condition as trials state it, each value with the number of trials, the first seen first.
Values = dict[str, int]


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

    system: Mapping[str, Values]
    target: Mapping[str, Values]
    queue: Mapping[str, Values]
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
    paths = list_trial_files(folder or campaign.folder, campaign.planned or campaign.studies)
    outcomes = [read_outcome(path) for path in paths]
    targets = [dict(outcome.target or {}) for outcome in outcomes]
    queues = [target.pop("queue", {}) for target in targets]
    tools = {(outcome.tool, outcome.tool_version or "of unknown version") for outcome in outcomes}
    begins = [outcome.started for outcome in outcomes if outcome.started]
    ends = [outcome.ended for outcome in outcomes if outcome.ended]
    return Conditions(
        system=_count([outcome.system or {} for outcome in outcomes]),
        target=_count(targets),
        queue=_count(queues),
        tools=sorted(tools),
        begin=min(begins, default=None),
        end=max(ends, default=None),
        trials=len(outcomes),
    )


def _count(properties: Iterable[Mapping[str, Any]]) -> dict[str, Values]:
    """Return each property with its values, and how many trials state each of them."""
    counts: dict[str, Counter[str]] = {}
    for stated in properties:
        for name, value in stated.items():
            counts.setdefault(name, Counter())[str(value)] += 1
    return {name: dict(values) for name, values in counts.items()}
