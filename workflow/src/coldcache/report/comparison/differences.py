"""Properties in which campaigns differ, from their designs and from what their trials recorded."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from coldcache.core.units import show_bytes
from coldcache.dataset.confounders import list_leaves
from coldcache.report.comparison.campaigns import ComparedCampaign

#: Shown if a campaign does not state a property.
UNSTATED = "not stated"

#: Keys of a design that do not affect measurements, and the seed, which follows from the campaign's name.
_WORDS = {"site", "title", "question", "item", "notebooks", "study", "studies", "seed"}

#: Properties that repeat others, or that change when a machine starts.
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
        The value of each campaign, in their order.
    """

    group: str
    name: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} ({' → '.join(self.values)})"


def list_differences(sides: Sequence[ComparedCampaign]) -> list[Difference]:
    """Return every property whose shown values differ between the campaigns."""
    stated = [dict(_describe(side)) for side in sides]
    found = []
    for group, name in dict.fromkeys(key for properties in stated for key in properties):
        values = tuple(properties.get((group, name), UNSTATED) for properties in stated)
        if len(set(values)) > 1:
            found.append(Difference(group, name, values))
    # Command lines follow from the design, so they are not a second difference.
    return found if any(difference.group == "design" for difference in found) else [*found, *_list_commands(sides)]


def name_cause(differences: Sequence[Difference]) -> str:
    """Return a sentence on the possible cause of changes, which is named only if exactly one thing differs."""
    if not differences:
        return "The campaigns state no difference, so no cause can be named."
    if len(differences) > 1:
        return f"{len(differences)} things differ, so no single cause can be named."
    return f"Exactly one thing that the campaigns state differs: {differences[0]}. It can be the cause."


def _describe(side: ComparedCampaign) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the group, the name and the shown value of each property of a campaign."""
    design = side.campaign.design()
    for name, value in _list_stated(design["site"]):
        yield ("site", name), value
    for study in side.campaign.planned:
        for name, value in _list_stated(study.model_dump(mode="json"), study.study):
            yield ("design", name), value
    for name, value in _list_stated(design.get("circumstances", {})):
        yield ("site", name.replace("tools.", "tool of ")), value
    yield from _describe_outcomes(side)


def _list_stated(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the shown value of each property of a design, without those that only name or explain."""
    for path, leaf in list_leaves(value, place, _WORDS):
        if leaf is not None and leaf not in ([], ""):
            shown = ", ".join(map(str, leaf)) if isinstance(leaf, list) else str(leaf)
            yield path, show_bytes(leaf) if path == "memory" and isinstance(leaf, int) else shown


def _describe_outcomes(side: ComparedCampaign) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the properties that the trials recorded; one that changed between trials has all its values."""
    found: dict[tuple[str, str], dict[str, None]] = {}

    def note(group: str, name: str, value: Any) -> None:
        found.setdefault((group, name), {})[str(value)] = None

    for outcome in side.outcomes:
        note("tools", outcome.tool, outcome.tool_version or "of unknown version")
        for name, value in (outcome.system or {}).items():
            note("machine", name.removesuffix("_bytes"), show_bytes(value) if name == "memory_bytes" else value)
        target = dict(outcome.target or {})
        for name, value in target.pop("queue", {}).items():
            note("target", f"queue of the device: {name}", value)
        for name in target.keys() - _SAME_THING:
            note("target", name.replace("_", " "), target[name])
        sweep = f"{outcome.study}/{outcome.sweep}"
        for factor, setting in outcome.settings.items():
            note("target", f"{sweep}: {factor} as read back", setting.read)
        if outcome.cold:
            note("design", f"{sweep}: made cold by", outcome.cold.method)
        if outcome.scale:
            note("design", f"{sweep}: scale", outcome.scale)
    for key, values in found.items():
        yield key, "; ".join(sorted(values))
    levels = [outcome.fill_level for outcome in side.outcomes if outcome.fill_level is not None]
    if levels:
        # Rounded to ten percent, as the fill level changes a little with each trial.
        yield ("target", "filled by others, about"), f"{10 * round(10 * median(levels))} %"


def _list_commands(sides: Sequence[ComparedCampaign]) -> list[Difference]:
    """Return the differing arguments of cases that all campaigns have; equal differences are merged."""
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
    """Return the words of each case's command line, without target paths and numbers of files."""
    lines: dict[str, tuple[str, ...]] = {}
    for outcome in side.outcomes:
        if outcome.argv:
            place = re.escape((outcome.target or {}).get("path") or side.campaign.site.target.path)
            files = outcome.factors.get("files")
            line = " ".join(outcome.argv)
            line = re.sub(rf"[^\s=:,]*{place}(?=/)", "TARGET", line)
            line = re.sub(rf"(?<!\d){files}(?!\d)", "FILES", line) if files else line
            lines.setdefault(f"{outcome.study}/{outcome.sweep}/{outcome.case}", tuple(line.split()))
    return lines
