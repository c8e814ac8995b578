"""What differs between the arms of a comparison in a campaign, and whether the named factor alone can be a cause."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd

from coldcache.core.outcome import Outcome
from coldcache.core.vocabulary import SET_FACTORS

#: Stands where nothing was recorded of a property.
NONE = "none"

#: Columns of the tables of what was recorded.
ARM_COLUMNS = ["study", "sweep", "factor", "what", "level", "recorded"]
HOST_COLUMNS = ["what", "host", "recorded"]


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
    levels : dict of str to tuple of str
        The arms, each with what the live system said of the level; the level itself where nothing was read.
    differences : tuple of Difference
        All that was recorded otherwise, beside the factor itself.
    """

    factor: str
    levels: dict[str, tuple[str, ...]]
    differences: tuple[Difference, ...]

    @property
    def is_cause(self) -> bool:
        """Whether what the arms differ in may be put down to the factor: nothing else that was recorded differs."""
        return len(self.levels) > 1 and not self.differences


def differences_between_arms(outcomes: Iterable[Outcome], factor: str) -> Arms:
    """Return all recorded differences between the arms of a comparison.

    Parameters
    ----------
    outcomes : iterable of Outcome
        Of the trials of both arms; those that did not run are left out.
    factor : str
        The factor that is compared. Levels that other factors have in all arms alike are no difference.
    """
    arms: dict[str, list[dict[str, str]]] = {}
    read: dict[str, set[str]] = {}
    for outcome in outcomes:
        if factor in outcome.factors and outcome.start:
            level = str(outcome.factors[factor])
            arms.setdefault(level, []).append(_recorded(outcome, factor))
            reading = outcome.settings.get(factor)
            read.setdefault(level, set()).add(reading.read if reading else level)
    levels = {level: tuple(sorted(read[level])) for level in sorted(arms, key=_by_size)}
    return Arms(factor, levels, _differences({level: arms[level] for level in levels}))


def differences_between_hosts(hosts: Mapping[str, Mapping[str, Any]]) -> tuple[Difference, ...]:
    """Return what differs between hosts, each as `hosts.json` of a campaign describes it."""
    return _differences({host: [dict(_flatten("", described))] for host, described in sorted(hosts.items())})


def tabulate_arms(outcomes: Iterable[Outcome]) -> pd.DataFrame:
    """Return what was recorded otherwise between the levels of each factor of the system that a sweep varies.

    Parameters
    ----------
    outcomes : iterable of Outcome
        Those of the trials that count, sweep by sweep.

    Returns
    -------
    DataFrame
        Columns `ARM_COLUMNS`: one row per level for the factor itself, with what was read of it, and one per level
        for each other property that differs. A factor without such rows is the only one that differs.
    """
    rows = []
    for (study, sweep), group in groupby(outcomes, key=lambda outcome: (outcome.study, outcome.sweep)):
        own = list(group)
        for factor in SET_FACTORS:
            arms = differences_between_arms(own, factor)
            if len(arms.levels) < 2:
                continue
            for what, values in ((factor, arms.levels), *arms.differences):
                rows += [(study, sweep, factor, what, level, "; ".join(values[level])) for level in arms.levels]
    return pd.DataFrame(rows, columns=ARM_COLUMNS)


def tabulate_hosts(hosts: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row per recorded property and host, with columns `HOST_COLUMNS`."""
    described = {host: dict(_flatten("", hosts[host])) for host in sorted(hosts)}
    places = sorted({place for told in described.values() for place in told})
    rows = [(place, host, told.get(place, NONE)) for place in places for host, told in described.items()]
    return pd.DataFrame(rows, columns=HOST_COLUMNS)


def _recorded(outcome: Outcome, factor: str) -> dict[str, str]:
    """Return what a trial states of its circumstances, but for the factor that is compared."""
    target = dict(outcome.target or {})
    if outcome.guest:
        # They follow from the levels and from the site, which is one for all, and are told with the factors.
        target.pop("mount_options", None)
    found = {"tool": outcome.tool, "tool_version": outcome.tool_version or ""}
    found |= dict(_flatten("system", outcome.system or {}))
    found |= dict(_flatten("target", target))
    found |= dict(_flatten("guest", outcome.guest or {}))
    found |= dict(_flatten("launch.nodes", sorted((outcome.launch or {}).get("nodes", {}))))
    found |= dict(_flatten("factors", {name: level for name, level in outcome.factors.items() if name != factor}))
    more = {"scale": outcome.scale, "cold.method": outcome.cold.method if outcome.cold else ""}
    found |= {place: str(value) for place, value in more.items() if value}
    read = {name: level.read for name, level in outcome.settings.items() if name != factor}
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


def _differences(arms: Mapping[str, list[dict[str, str]]]) -> tuple[Difference, ...]:
    places = sorted({place for recorded in arms.values() for one in recorded for place in one})
    found = []
    for place in places:
        values = {arm: tuple(sorted({one.get(place, NONE) for one in recorded})) for arm, recorded in arms.items()}
        if len(set(values.values())) > 1:
            found.append(Difference(place, values))
    return tuple(found)
