"""What else differs between campaigns, from all that their designs and their trials state of themselves."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from coldcache.core.units import show_bytes
from coldcache.dataset.confounders import list_leaves
from coldcache.report.comparison.campaigns import ComparedCampaign
from coldcache.verdicts.suspect_rules import fill_level

#: Stands where a campaign states nothing of a property.
UNSTATED = "not stated"

#: Parts of a design that name or explain, and change no measurement; and the order's seed, which follows the name.
_WORDS = {"site", "title", "question", "item", "notebooks", "study", "seed"}

#: Properties that two names of one thing state, or that change at each start of a machine.
_SAME_THING = {"device", "path"}


class Difference(NamedTuple):
    """A property in which campaigns differ.

    Attributes
    ----------
    group : str
        ``design``, ``site``, ``machine``, ``target``, ``tools`` or ``command lines``.
    name : str
        The property.
    values : tuple of str
        What each campaign states, in their order.
    """

    group: str
    name: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} ({' → '.join(self.values)})"


def list_differences(sides: Sequence[ComparedCampaign]) -> list[Difference]:
    """Return every property in which the campaigns differ; two values that are shown alike are no difference."""
    stated = [dict(_describe(side)) for side in sides]
    found = []
    for group, name in dict.fromkeys(key for properties in stated for key in properties):
        values = tuple(properties.get((group, name), UNSTATED) for properties in stated)
        if len(set(values)) > 1:
            found.append(Difference(group, name, values))
    # A design that differs is carried out by command lines that do: one thing, not two.
    return found if any(difference.group == "design" for difference in found) else [*found, *_list_commands(sides)]


def name_cause(differences: Sequence[Difference]) -> str:
    """Return a sentence on the cause of what changed: one is named only where exactly one thing differs."""
    if not differences:
        return "Nothing that the campaigns state differs, so they name no cause."
    if len(differences) > 1:
        return f"{len(differences)} things differ, so no single cause can be named."
    return f"Exactly one thing that the campaigns state differs: {differences[0]}. It can be the cause."


def _describe(side: ComparedCampaign) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each property of a campaign, by its group and name, as it is shown."""
    design = side.campaign.design()
    for name, value in _list_stated(design["site"]):
        yield ("site", name), value
    for study in side.campaign.planned:
        for name, value in _list_stated(study.model_dump(mode="json"), study.study):
            yield ("design", name), value
    for name, value in _list_stated(design.get("circumstances", {})):
        yield ("site", name.replace("tools.", "tool of ")), value
    yield from _describe_stories(side)


def _list_stated(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the shown value of each property of a design, without those that only name or explain."""
    for path, leaf in list_leaves(value, place, _WORDS):
        if leaf is not None and leaf not in ([], ""):
            shown = ", ".join(map(str, leaf)) if isinstance(leaf, list) else str(leaf)
            yield path, show_bytes(leaf) if path == "memory" and isinstance(leaf, int) else shown


def _describe_stories(side: ComparedCampaign) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield what the trials of a campaign state; a property that changed between them has all its values."""
    found: dict[tuple[str, str], dict[str, None]] = {}

    def note(group: str, name: str, value: Any) -> None:
        found.setdefault((group, name), {})[str(value)] = None

    for story in side.stories:
        note("tools", story["tool"], story["tool_version"] or "of unknown version")
        for name, value in (story.get("system") or {}).items():
            note("machine", name.removesuffix("_bytes"), show_bytes(value) if name == "memory_bytes" else value)
        target = dict(story.get("target") or {})
        for name, value in target.pop("queue", {}).items():
            note("target", f"queue of the device: {name}", value)
        for name in target.keys() - _SAME_THING:
            note("target", name.replace("_", " "), target[name])
        for factor, setting in (story.get("settings") or {}).items():
            note("target", f"{story['study']}/{story['sweep']}: {factor} as read back", setting["read"])
        if method := (story.get("cold") or {}).get("method"):
            note("design", f"{story['study']}/{story['sweep']}: made cold by", method)
        if story.get("scale"):
            note("design", f"{story['study']}/{story['sweep']}: scale", story["scale"])
    for key, values in found.items():
        yield key, "; ".join(sorted(values))
    levels = [level for story in side.stories if (level := fill_level(story)) is not None]
    if levels:
        # To the next ten per cent: what a file system holds changes a little with each trial.
        yield ("target", "filled by others, about"), f"{10 * round(10 * median(levels))} %"


def _list_commands(sides: Sequence[ComparedCampaign]) -> list[Difference]:
    """Return what differs in the command lines of cases that all campaigns have, alike ones once."""
    lines = [_command_lines(side) for side in sides]
    shared = set(lines[0]).intersection(*lines[1:])
    found: dict[tuple[str, ...], int] = {}
    for case in sorted(shared):
        words = [line[case] for line in lines]
        if all(one == other for one, other in pairwise(words)):
            continue
        everywhere = set(words[0]).intersection(*words[1:])
        own = tuple(" ".join(word for word in line if word not in everywhere) or UNSTATED for line in words)
        found[own] = found.get(own, 0) + 1
    return [Difference("command lines", f"arguments of {count} cases", own) for own, count in found.items()]


def _command_lines(side: ComparedCampaign) -> dict[str, tuple[str, ...]]:
    """Return the words of each case's command line, without what follows from the target and from time."""
    lines: dict[str, tuple[str, ...]] = {}
    for story in side.stories:
        if story.get("argv"):
            place = re.escape((story.get("target") or {}).get("path") or side.campaign.site.target.path)
            files = story["factors"].get("files")
            line = " ".join(story["argv"])
            line = re.sub(rf"[^\s=:,]*{place}(?=/)", "TARGET", line)
            line = re.sub(rf"(?<!\d){files}(?!\d)", "FILES", line) if files else line
            lines.setdefault(f"{story['study']}/{story['sweep']}/{story['case']}", tuple(line.split()))
    return lines
