"""What a plan says of trials that end by their work: how sure their time is, and whether the site ends them before."""

from collections.abc import Iterable, Sequence

from coldcache.core.units import show_seconds
from coldcache.design.cases import Case
from coldcache.design.site import SITES, Site

#: The most sweeps that a line names.
_NAMED = 4


def advise(cases: Iterable[Case], site: Site) -> list[str]:
    """Return what to state on a site for trials that end once everything is moved, or made, and not by time.

    Parameters
    ----------
    cases : iterable of Case
        Those of a plan.
    site : Site
        Where they run.

    Returns
    -------
    list of str
        At most two lines: on trials whose time the plan cannot know, since the site states no expected speed; and on
        those that take longer at that speed than the site allows.
    """
    if site.plan_only:
        return []
    ending = [case for case in cases if not case.why_not_here and (case.bytes or case.items)]
    guessed = [] if "expected" in site.model_fields_set else [case for case in ending if _is_guess(case)]
    slow = [case for case in ending if case.expected and case.expected >= site.limits.seconds]
    lines = []
    where = SITES / f"{site.site}.yaml"
    if guessed:
        told = _show_range([case.run.seconds for case in guessed])
        lines.append(
            f"{_name_sweeps(guessed)}: a trial is counted as {told}, however much it moves or makes, as {where} states "
            "no speed: set expected there"
        )
    if slow:
        lines.append(
            f"{_name_sweeps(slow)}: a trial takes {_show_range([case.expected or 0 for case in slow])} at the expected "
            f"speed, and is void after {show_seconds(site.limits.seconds)}: raise limits.seconds in {where}, or lower "
            "its sizes"
        )
    return lines


def _is_guess(case: Case) -> bool:
    """Return whether a case ends by its work, and no speed says when; a series lasts as long as its sweep says."""
    return case.expected is None and not case.implementation.TRAITS.is_time_bound and not case.run.series


def _name_sweeps(cases: Sequence[Case]) -> str:
    names = list(dict.fromkeys(f"{case.study}.{case.sweep}" for case in cases))
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} sweeps"


def _show_range(seconds: Sequence[float]) -> str:
    least, most = show_seconds(min(seconds)), show_seconds(max(seconds))
    return least if least == most else f"{least} to {most}"
