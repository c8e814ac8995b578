"""Confounders: recorded properties that differ between the levels of a factor besides the factor itself."""

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd

from coldcache.core.outcome import Outcome
from coldcache.core.vocabulary import SET_FACTORS

#: Shown if a property was not recorded.
NOT_RECORDED = "none"

#: Columns of the tables of confounders and of hosts.
CONFOUNDER_COLUMNS = ["study", "sweep", "factor", "what", "level", "recorded"]
HOST_COLUMNS = ["what", "host", "recorded"]


class RecordedDifference(NamedTuple):
    """A recorded property whose values differ between levels or hosts.

    Attributes
    ----------
    what : str
        The property, such as ``system.kernel``.
    values : dict of str to tuple of str
        The recorded values, by level or by host.
    """

    what: str
    values: dict[str, tuple[str, ...]]


class Confounders(NamedTuple):
    """Everything that differs between the levels of a factor.

    Attributes
    ----------
    factor : str
        The compared factor.
    levels : dict of str to tuple of str
        By level, the values that were read back from the live system; the level itself if none was read.
    differences : tuple of RecordedDifference
        The other properties that differ.
    """

    factor: str
    levels: dict[str, tuple[str, ...]]
    differences: tuple[RecordedDifference, ...]

    @property
    def is_cause(self) -> bool:
        """Whether the factor alone can explain a difference: there are several levels, and no confounder."""
        return len(self.levels) > 1 and not self.differences


def find_confounders(outcomes: Iterable[Outcome], factor: str) -> Confounders:
    """Return all recorded properties that differ between the levels of a factor.

    Parameters
    ----------
    outcomes : iterable of Outcome
        What happened in each trial; trials that did not run are left out.
    factor : str
        The compared factor. Another factor is no confounder if it has the same levels at each level of this one.
    """
    recorded: dict[str, list[dict[str, str]]] = {}
    read: dict[str, set[str]] = {}
    for outcome in outcomes:
        if factor in outcome.factors and outcome.start:
            level = str(outcome.factors[factor])
            recorded.setdefault(level, []).append(_recorded(outcome, factor))
            reading = outcome.settings.get(factor)
            read.setdefault(level, set()).add(reading.read if reading else level)
    levels = {level: tuple(sorted(read[level])) for level in sorted(recorded, key=_by_size)}
    return Confounders(factor, levels, _find_differences({level: recorded[level] for level in levels}))


def compare_hosts(hosts: Mapping[str, Mapping[str, Any]]) -> tuple[RecordedDifference, ...]:
    """Return the properties that differ between hosts, each described as in a campaign's `hosts.json`."""
    return _find_differences(
        {host: [dict(_list_properties("", described))] for host, described in sorted(hosts.items())}
    )


def tabulate_confounders(outcomes: Iterable[Outcome]) -> pd.DataFrame:
    """Return a table of the confounders of each system factor that a sweep varies.

    Parameters
    ----------
    outcomes : iterable of Outcome
        What happened in each trial that counts, grouped by sweep.

    Returns
    -------
    DataFrame
        Columns `CONFOUNDER_COLUMNS`: for each factor one row per level with the value read back, then one row per
        level for each other property that differs. A factor without such rows has no recorded confounder.
    """
    rows = []
    for (study, sweep), group in groupby(outcomes, key=lambda outcome: (outcome.study, outcome.sweep)):
        own = list(group)
        for factor in SET_FACTORS:
            found = find_confounders(own, factor)
            if len(found.levels) < 2:
                continue
            for what, values in ((factor, found.levels), *found.differences):
                rows += [(study, sweep, factor, what, level, "; ".join(values[level])) for level in found.levels]
    return pd.DataFrame(rows, columns=CONFOUNDER_COLUMNS)


def tabulate_hosts(hosts: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row per recorded property and host, with columns `HOST_COLUMNS`."""
    described = {host: dict(_list_properties("", hosts[host])) for host in sorted(hosts)}
    places = sorted({place for properties in described.values() for place in properties})
    rows = [
        (place, host, properties.get(place, NOT_RECORDED)) for place in places for host, properties in described.items()
    ]
    return pd.DataFrame(rows, columns=HOST_COLUMNS)


def _recorded(outcome: Outcome, factor: str) -> dict[str, str]:
    """Return the properties that a trial recorded, without the compared factor."""
    target = dict(outcome.target or {})
    if outcome.guest:
        # A guest's mount options follow from the factors, which are compared already.
        target.pop("mount_options", None)
    found = {"tool": outcome.tool, "tool_version": outcome.tool_version or ""}
    found |= dict(_list_properties("system", outcome.system or {}))
    found |= dict(_list_properties("target", target))
    found |= dict(_list_properties("guest", outcome.guest or {}))
    found |= dict(_list_properties("launch.nodes", sorted((outcome.launch or {}).get("nodes", {}))))
    found |= dict(
        _list_properties("factors", {name: level for name, level in outcome.factors.items() if name != factor})
    )
    more = {"scale": outcome.scale, "cold.method": outcome.cold.method if outcome.cold else ""}
    found |= {place: str(value) for place, value in more.items() if value}
    read = {name: level.read for name, level in outcome.settings.items() if name != factor}
    return found | dict(_list_properties("settings", read))


def _by_size(level: str) -> tuple[float, str]:
    """Return a sort key for levels: numbers by value, names alphabetically."""
    return (float(level) if level.replace(".", "", 1).isdigit() else 0.0, level)


def list_leaves(value: Any, place: str = "", skip: Container[str] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the dotted path and the value of each leaf of nested mappings; lists are leaves.

    Parameters
    ----------
    value : Any
        A mapping, or a leaf.
    place : str
        Path of `value`.
    skip : container of str
        Keys that are left out at every depth.
    """
    if not isinstance(value, Mapping):
        yield place, value
        return
    for key, inner in value.items():
        if key not in skip:
            yield from list_leaves(inner, f"{place}.{key}" if place else str(key), skip)


def _list_properties(place: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each leaf below a place; a list has a leaf per member."""
    for path, leaf in list_leaves(value, place):
        if isinstance(leaf, list):
            # One row per member, so that two long lists differ only in the members that one of them lacks.
            yield from ((f"{path}.{member}", "there") for member in leaf)
        else:
            yield path, str(leaf)


def _find_differences(groups: Mapping[str, list[dict[str, str]]]) -> tuple[RecordedDifference, ...]:
    places = sorted({place for group in groups.values() for one in group for place in one})
    found = []
    for place in places:
        values = {
            name: tuple(sorted({one.get(place, NOT_RECORDED) for one in group})) for name, group in groups.items()
        }
        if len(set(values.values())) > 1:
            found.append(RecordedDifference(place, values))
    return tuple(found)
