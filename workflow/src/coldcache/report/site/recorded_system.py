"""The system of a campaign: machine, target, tools and time, as its trials recorded them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.analysis.format import list_words
from coldcache.campaign.campaign import Campaign
from coldcache.campaign.trial_json import list_trial_files, read_outcome

#: The recorded values of a property, each with its number of trials, in order of appearance.
ValueCounts = dict[str, int]


#: The version of a tool whose logs do not state it.
_UNKNOWN = "of unknown version"


class RecordedSystem(NamedTuple):
    """The system that the trials of a campaign recorded, and when they ran.

    Attributes
    ----------
    machine, target, queue : mapping of str to dict of str to int
        The values of each property of the machine, the target and the target's device; several if it changed
        between trials.
    tools : list of (str, str)
        Each tool with each of its versions.
    begin, end : datetime or None
        Start of the first trial and end of the last; None if no trial has run.
    trials : int
        Trials that have a folder.
    """

    machine: Mapping[str, ValueCounts]
    target: Mapping[str, ValueCounts]
    queue: Mapping[str, ValueCounts]
    tools: list[tuple[str, str]]
    begin: datetime | None
    end: datetime | None
    trials: int


def read_recorded_system(campaign: Campaign, folder: Path | None = None) -> RecordedSystem:
    """Return the system of a campaign's measured trials, or of its imported trials if there are no others.

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
    paths = list_trial_files(folder or campaign.folder, campaign.planned or campaign.studies)
    outcomes = [read_outcome(path) for path in paths]
    targets = [dict(outcome.target or {}) for outcome in outcomes]
    queues = [target.pop("queue", {}) for target in targets]
    tools = {(outcome.tool, outcome.tool_version or _UNKNOWN) for outcome in outcomes}
    begins = [outcome.started for outcome in outcomes if outcome.started]
    ends = [outcome.ended for outcome in outcomes if outcome.ended]
    return RecordedSystem(
        machine=_count([outcome.system or {} for outcome in outcomes]),
        target=_count(targets),
        queue=_count(queues),
        tools=sorted(tools),
        begin=min(begins, default=None),
        end=max(ends, default=None),
        trials=len(outcomes),
    )


def name_tools(tools: Iterable[tuple[str, str]]) -> list[str]:
    """Return each tool once, with those of its versions that are known: ``ior 3.3.0 and 4.0.0``, ``cloudwatch``."""
    versions: dict[str, list[str]] = {}
    for tool, version in tools:
        known = versions.setdefault(tool, [])
        if version != _UNKNOWN:
            known.append(version.removeprefix(f"{tool}-"))
    return [" ".join(filter(None, (tool.replace("_", " "), list_words(known)))) for tool, known in versions.items()]


def show_recorded(value: Any) -> str:
    """Return a recorded value in words: what has parts as ``disk: name vda, number 254:0``."""
    if not isinstance(value, Mapping) or not value:
        return str(value)
    nested = any(isinstance(part, Mapping) for part in value.values())
    return ("; " if nested else ", ").join(
        f"{name}{':' if isinstance(part, Mapping) else ''} {show_recorded(part)}" for name, part in value.items()
    )


def _count(properties: Iterable[Mapping[str, Any]]) -> dict[str, ValueCounts]:
    """Return the values of each property, each with its number of trials."""
    counts: dict[str, Counter[str]] = {}
    for stated in properties:
        for name, value in stated.items():
            counts.setdefault(name, Counter())[show_recorded(value)] += 1
    return {name: dict(values) for name, values in counts.items()}
