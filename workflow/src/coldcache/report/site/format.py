"""Format levels, recorded values, shares and times for pages."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from markupsafe import Markup

from coldcache.core.units import show_bytes
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS
from coldcache.design.case_names import ONLY
from coldcache.report.site.html import join
from coldcache.report.site.recorded_system import ValueCounts

_FACTORS = {**FACTORS, **LEARNT_FACTORS}

#: Formats of recorded properties; others are shown unchanged.
_SHOW: dict[str, Callable[[str], str]] = {
    "memory_bytes": lambda size: show_bytes(float(size)),
    "free_bytes": lambda size: show_bytes(float(size)),
    "load": lambda load: f"{float(load):.2f}",
    "read_ahead_kb": lambda size: f"{size} KiB",
    "logical_block_size": lambda size: f"{size} B",
    "hypervisor": lambda answer: {"True": "yes", "False": "no"}.get(answer, answer),
    "rotational": lambda answer: {"1": "yes", "0": "no"}.get(answer, answer),
}


def show_noted(name: str, value: Any) -> str:
    """Return a recorded value for people: ``23.5 GiB`` for `memory_bytes`, ``yes`` for ``True``."""
    return _SHOW.get(name, str)(str(value))


def show_share(share: float) -> str:
    """Return a share in percent with three digits."""
    return f"{100 * share:.3g}\N{NO-BREAK SPACE}%"


def show_values(values: ValueCounts | None, show: Callable[[str], Any] = str, separator: str = "; ") -> Markup:
    """Return the values of a condition as HTML; several values come with their numbers of trials."""
    if not values:
        return Markup("not known")
    if len(values) == 1:
        return join(map(show, values))
    counted = (f"{show(value)} ({count} trial{'s' if count != 1 else ''})" for value, count in values.items())
    return join(counted, separator)


def show_levels(cases: Iterable[Mapping[str, Any]]) -> Markup:
    """Return the levels of each factor over some cases as HTML."""
    levels: dict[str, dict[str, None]] = {}
    for factors in cases:
        for factor, level in factors.items():
            levels.setdefault(factor, {})[_show_level(factor, level)] = None
    return join((f"{_FACTORS[factor].label} {', '.join(names)}" for factor, names in levels.items()), "; ")


def _show_level(factor: str, level: Any) -> str:
    if _FACTORS[factor].unit == "B" and str(level).replace(".", "", 1).isdecimal():
        return show_bytes(float(level))
    return {"true": "yes", "false": "no"}.get(str(level).lower(), str(level))


def show_case(case: str, sweep: str) -> str:
    """Return the name of a case in words, ``random read, threads 8``; the only one of a sweep has the sweep's name."""
    parts = []
    for factor, _, level in (part.partition("=") for part in case.split(",")):
        known = _FACTORS.get(factor)
        if factor == "operation":
            parts.append(level.replace("-", " ").replace("+", ", "))
        elif not level:
            parts.append(sweep if factor == ONLY else factor)
        elif known is None:
            parts.append(f"{factor.replace('_', ' ')} {level}")
        else:
            parts.append(f"{known.label} {_show_level(factor, level)}")
    return ", ".join(parts)


def show_repetitions(numbers: list[str]) -> str:
    """Return repetitions by the names of their folders: ``r0, r2``, or ``r0 to r4`` if they are consecutive."""
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and int(last) - int(first) == len(numbers) - 1:
        return f"r{first} to r{last}"
    return ", ".join(f"r{number}" for number in numbers)


def show_period(begin: datetime | None, end: datetime | None) -> str:
    """Return a period to the minute; both times are in UTC."""
    if begin is None or end is None:
        return "No trial has run"
    first, last = f"{begin.day} {begin:%B %Y, %H:%M}", f"{end.day} {end:%B %Y, %H:%M}"
    return f"{first} to {end:%H:%M} UTC" if begin.date() == end.date() else f"{first} to {last} UTC"
