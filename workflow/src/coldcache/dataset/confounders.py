"""What differs between the arms of a comparison in a campaign, and whether the named factor alone can be a cause."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd

from coldcache.core.vocabulary import SET_FACTORS

#: Stands where nothing was recorded of a property.
NOT_RECORDED = "none"

#: Columns of the tables of what was recorded.
CONFOUNDER_COLUMNS = ["study", "sweep", "factor", "what", "level", "recorded"]
HOST_COLUMNS = ["what", "host", "recorded"]


class RecordedDifference(NamedTuple):
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


class Confounders(NamedTuple):
    """Two or more arms of a comparison.

    Attributes
    ----------
    factor : str
        By whose levels they are told apart.
    levels : dict of str to tuple of str
        The arms, each with what the live system said of the level; the level itself where nothing was read.
    differences : tuple of RecordedDifference
        All that was recorded otherwise, beside the factor itself.
    """

    factor: str
    levels: dict[str, tuple[str, ...]]
    differences: tuple[RecordedDifference, ...]

    @property
    def is_cause(self) -> bool:
        """Whether what the arms differ in may be put down to the factor: nothing else that was recorded differs."""
        return len(self.levels) > 1 and not self.differences


def find_confounders(stories: Iterable[Mapping[str, Any]], factor: str) -> Confounders:
    """Return all recorded differences between the arms of a comparison.

    Parameters
    ----------
    stories : iterable of mapping
        What the `trial.json` of each trial holds; those that did not run are left out.
    factor : str
        The factor that is compared. Levels that other factors have in all arms alike are no difference.
    """
    arms: dict[str, list[dict[str, str]]] = {}
    read: dict[str, set[str]] = {}
    for story in stories:
        if factor in story["factors"] and story["start"]:
            level = str(story["factors"][factor])
            arms.setdefault(level, []).append(_recorded(story, factor))
            read.setdefault(level, set()).add(story["settings"].get(factor, {}).get("read", level))
    levels = {level: tuple(sorted(read[level])) for level in sorted(arms, key=_by_size)}
    return Confounders(factor, levels, _differences({level: arms[level] for level in levels}))


def compare_hosts(hosts: Mapping[str, Mapping[str, Any]]) -> tuple[RecordedDifference, ...]:
    """Return what differs between hosts, each as `hosts.json` of a campaign describes it."""
    return _differences({host: [dict(_flatten("", described))] for host, described in sorted(hosts.items())})


def tabulate_confounders(stories: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return what was recorded otherwise between the levels of each factor of the system that a sweep varies.

    Parameters
    ----------
    stories : iterable of mapping
        Those of the trials that count, sweep by sweep.

    Returns
    -------
    DataFrame
        Columns `CONFOUNDER_COLUMNS`: for each factor one row per level with the value read back, then one row per
        level for each other property that differs. A factor without such rows has no recorded confounder.
    """
    rows = []
    for (study, sweep), group in groupby(stories, key=lambda story: (story["study"], story["sweep"])):
        own = list(group)
        for factor in SET_FACTORS:
            arms = find_confounders(own, factor)
            if len(arms.levels) < 2:
                continue
            for what, values in ((factor, arms.levels), *arms.differences):
                rows += [(study, sweep, factor, what, level, "; ".join(values[level])) for level in arms.levels]
    return pd.DataFrame(rows, columns=CONFOUNDER_COLUMNS)


def tabulate_hosts(hosts: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row per recorded property and host, with columns `HOST_COLUMNS`."""
    described = {host: dict(_flatten("", hosts[host])) for host in sorted(hosts)}
    places = sorted({place for told in described.values() for place in told})
    rows = [(place, host, told.get(place, NOT_RECORDED)) for place in places for host, told in described.items()]
    return pd.DataFrame(rows, columns=HOST_COLUMNS)


def _recorded(story: Mapping[str, Any], factor: str) -> dict[str, str]:
    """Return what a trial states of its circumstances, but for the factor that is compared."""
    target = dict(story.get("target") or {})
    if story.get("guest"):
        # They follow from the levels and from the site, which is one for all, and are told with the factors.
        target.pop("mount_options", None)
    found = {"tool": str(story["tool"]), "tool_version": story["tool_version"] or ""}
    found |= dict(_flatten("system", story.get("system") or {}))
    found |= dict(_flatten("target", target))
    found |= dict(_flatten("guest", story.get("guest") or {}))
    found |= dict(_flatten("launch.nodes", sorted((story.get("launch") or {}).get("nodes", {}))))
    found |= dict(_flatten("factors", {name: level for name, level in story["factors"].items() if name != factor}))
    more = {"scale": story.get("scale"), "cold.method": (story.get("cold") or {}).get("method")}
    found |= {place: str(value) for place, value in more.items() if value}
    read = {name: level["read"] for name, level in story["settings"].items() if name != factor}
    return found | dict(_flatten("settings", read))


def _by_size(level: str) -> tuple[float, str]:
    """Return what sorts levels: numbers by value, names as they are."""
    return (float(level) if level.replace(".", "", 1).isdigit() else 0.0, level)


def _flatten(place: str, value: Any) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flatten(f"{place}.{key}" if place else str(key), inner)
    elif isinstance(value, list):
        # Of two long lists only the members that one of them lacks are to be told.
        yield from ((f"{place}.{member}", "there") for member in value)
    else:
        yield place, str(value)


def _differences(arms: Mapping[str, list[dict[str, str]]]) -> tuple[RecordedDifference, ...]:
    places = sorted({place for recorded in arms.values() for one in recorded for place in one})
    found = []
    for place in places:
        values = {
            arm: tuple(sorted({one.get(place, NOT_RECORDED) for one in recorded})) for arm, recorded in arms.items()
        }
        if len(set(values.values())) > 1:
            found.append(RecordedDifference(place, values))
    return tuple(found)
