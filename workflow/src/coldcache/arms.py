"""What differs between the arms of a comparison in a campaign, and whether the named factor alone can be a cause."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Difference(NamedTuple):
    """Something recorded that is not the same everywhere.

    Attributes
    ----------
    what : str
        Where it is recorded, such as ``system.kernel``.
    values : dict of str to tuple of str
        What was recorded, by level or by host.
    """

    what: str
    values: dict[str, tuple[str, ...]]


class Arms(NamedTuple):
    """Two or more arms of a comparison.

    Attributes
    ----------
    factor : str
        By whose levels they are told apart.
    levels : tuple of str
        The arms.
    differences : tuple of Difference
        All that was recorded otherwise, beside the factor itself.
    """

    factor: str
    levels: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def is_cause(self) -> bool:
        """Whether what the arms differ in may be put down to the factor: nothing else that was recorded differs."""
        return len(self.levels) > 1 and not self.differences


def differences_between_arms(stories: Iterable[Mapping[str, Any]], factor: str) -> Arms:
    """Return all recorded differences between the arms of a comparison.

    Parameters
    ----------
    stories : iterable of mapping
        What the `trial.json` of each trial holds; those that did not run are left out.
    factor : str
        The factor that is compared. Levels that other factors have in all arms alike are no difference.
    """
    arms: dict[str, list[dict[str, str]]] = {}
    for story in stories:
        if factor in story["factors"] and story["start"]:
            arms.setdefault(str(story["factors"][factor]), []).append(_recorded(story, factor))
    return Arms(factor, tuple(sorted(arms)), _differences({level: arms[level] for level in sorted(arms)}))


def differences_between_hosts(hosts: Mapping[str, Mapping[str, Any]]) -> tuple[Difference, ...]:
    """Return what differs between hosts, each as `provenance.describe_host` describes it."""
    return _differences({host: [dict(_flatten("", described))] for host, described in sorted(hosts.items())})


def _recorded(story: Mapping[str, Any], factor: str) -> dict[str, str]:
    found = {"tool": str(story["tool"]), "tool_version": story["tool_version"] or ""}
    found |= dict(_flatten("system", story.get("system") or {}))
    found |= dict(_flatten("target", story.get("target") or {}))
    found |= dict(_flatten("factors", {name: level for name, level in story["factors"].items() if name != factor}))
    read = {name: level["read"] for name, level in story["settings"].items() if name != factor}
    return found | dict(_flatten("settings", read))


def _flatten(place: str, value: Any) -> Iterable[tuple[str, str]]:
    if not isinstance(value, Mapping):
        yield place, str(value)
        return
    for key, inner in value.items():
        yield from _flatten(f"{place}.{key}" if place else str(key), inner)


def _differences(arms: Mapping[str, list[dict[str, str]]]) -> tuple[Difference, ...]:
    places = sorted({place for recorded in arms.values() for one in recorded for place in one})
    found = []
    for place in places:
        values = {
            arm: tuple(sorted({one.get(place, "not recorded") for one in recorded})) for arm, recorded in arms.items()
        }
        if len(set(values.values())) > 1:
            found.append(Difference(place, values))
    return tuple(found)
