"""Expand studies on a site into cases, trials and exact command lines. Nothing here touches the system."""

import itertools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import DesignError
from coldcache.core.units import show_bytes, show_seconds
from coldcache.core.vocabulary import METADATA_OPERATIONS, NAME_FACTORS
from coldcache.core.yaml_mistakes import name_place
from coldcache.design.case_names import ONLY, name_case, name_trial
from coldcache.design.case_run import SOCKET, make_run
from coldcache.design.companions import find_parts
from coldcache.design.feasibility import explain_excess, explain_lack
from coldcache.design.grid import Environment, expand_grid
from coldcache.design.levels import Level, Lookup, Share
from coldcache.design.rounds import CaseRuns
from coldcache.design.scale import (
    count_items,
    describe_scale,
    expect_seconds,
    find_own_scale,
    find_scale,
    most_threads,
    shrink,
    split_iterations,
    with_trial_seconds,
)
from coldcache.design.sentinels import count_sentinels
from coldcache.design.settings import Setting, is_in_guest
from coldcache.design.settings.nfs_guest import Guest, describe_guest
from coldcache.design.site import Cold, Limits, Site, choose_for
from coldcache.design.study import RepeatUntil, Study, Sweep
from coldcache.design.sweep_factors import refuse_levels
from coldcache.tools import find_tool
from coldcache.tools.command.form import CommandForm
from coldcache.tools.protocols import Tool
from coldcache.tools.run import Run

#: The most trials of a study; each has a folder.
MOST_TRIALS = 10_000_000

#: The longest path of a socket, in bytes (unix(7)).
_LONGEST_SOCKET = 107


class Case(NamedTuple):
    """One combination of levels of one sweep, and the run that measures it.

    Attributes
    ----------
    scale : str
        The scale at which it runs, in a few words; empty for a study that does not scale.
    expected : float or None
        How long it measures by the site's expected speed, in s; None if it ends by time, or the speed is not stated.
    why_not_here : str or None
        Why it does not run on the site; None if it does.
    sentinel_every : int
        Number of trials of other cases after which it runs again; 0 for a case that is not a sentinel.
    guest : Guest or None
        The guest in which its trials run; None if they run on the site's own clients.
    until : RepeatUntil or None
        When to stop repeating it; `repetitions` is then the minimum.
    form : CommandForm or None
        The study's own command that it runs; None for a known tool.
    repeats : int
        How many of its trials may be measured again because the sentinel drifted around them.
    """

    study: str
    sweep: str
    name: str
    tool: str
    operations: tuple[str, ...]
    factors: dict[str, Level]
    settings: dict[str, Setting | str]
    run: Run
    repetitions: int
    item: str
    cold: Cold = Cold()
    scale: str = ""
    expected: float | None = None
    why_not_here: str | None = None
    sentinel_every: int = 0
    guest: Guest | None = None
    until: RepeatUntil | None = None
    form: CommandForm | None = None
    repeats: int = 0

    @property
    def implementation(self) -> Tool:
        """The functions of its tool."""
        return find_tool(self.tool, self.form, self.operations)

    @property
    def longest(self) -> int:
        """The most trials of the case, without those of rounds that are measured again."""
        return max(self.repetitions, self.until.most) if self.until else self.repetitions

    @property
    def most(self) -> int:
        """The most trials of the case."""
        return self.longest + self.repeats

    @property
    def bytes(self) -> int:
        """Bytes that a trial of the case keeps on the target."""
        return (self.run.file_size + self.run.files * self.run.file_body) * self.run.threads

    @property
    def items(self) -> int:
        """Files or directories that a trial of the case creates; 0 for operations on data."""
        return self.run.files * self.run.threads if self.operations[0] in METADATA_OPERATIONS else 0

    @property
    def seconds(self) -> float:
        """Estimate of how long one trial takes."""
        measured = self.run.ramp + (self.run.seconds if self.expected is None else self.expected)
        overhead = self.implementation.TRAITS.overhead_seconds
        return measured + overhead + (self.guest.seconds if self.guest else 0)

    @property
    def key(self) -> str:
        """The case's folder below the campaign's."""
        return f"{self.study}/{self.sweep}/{self.name}"


class Trial(NamedTuple):
    """One execution of one case."""

    case: Case
    repetition: int

    @property
    def key(self) -> str:
        """The trial's folder below the campaign's."""
        return f"{self.case.key}/r{self.repetition}"


def expand_cases(study: Study, site: Site, environment: Environment, full: bool = False) -> list[Case]:
    """Return every case of a study on a site, with a reason for those that do not run there.

    With `full` nothing is scaled down.

    Raises
    ------
    DesignError
        If a level does not fit the system, a total does not divide evenly, a trial exceeds the site's limits, or there
        are more than `MOST_TRIALS`.
    """
    cases: list[Case] = []
    for name, sweep in study.sweeps.items():
        try:
            cases += _expand_sweep(study, name, sweep, site, environment, full)
        except DesignError as error:
            raise DesignError(name_place(_file_of(study), f"sweeps.{name}: {error}")) from error
    cases = cases if study.sentinel is None else _mark_sentinel(study, cases, environment.order)
    trials = sum(case.most for case in cases)
    if trials > MOST_TRIALS:
        raise DesignError(
            f"{_file_of(study)}: {trials:,} trials, a study has at most {MOST_TRIALS:,}; lower repetitions or levels"
        )
    return cases


def _file_of(study: Study) -> Path:
    return Path(f"config/studies/{study.study}.yaml")


def _mark_sentinel(study: Study, cases: list[Case], order: str) -> list[Case]:
    """Return the cases; the sentinel gets as many repetitions as the other trials need."""
    assert study.sentinel is not None
    name, every = study.sentinel.sweep, study.sentinel.every
    repeats = study.sentinel.repeats if order == "rounds" else 0
    own = [case for case in cases if case.sweep == name]
    if len(own) != 1:
        problem = f"{name} has {len(own)} cases; give each of its factors and operations one level"
        raise DesignError(name_place(_file_of(study), f"sentinel.sweep: {problem}"))
    repeated = [case if case.until or case is own[0] else case._replace(repeats=repeats) for case in cases]
    others = [case for case in repeated if case is not own[0] and not case.why_not_here]
    parts = find_parts(others) if order == "rounds" else {}
    runs = [
        CaseRuns(parts.get((case.study, case.sweep), case.sweep), case.repetitions, case.longest, case.repeats)
        for case in others
    ]
    times = count_sentinels(runs, every, order)
    marked = own[0]._replace(sentinel_every=every, repetitions=times.fixed, repeats=times.again, until=None)
    return [marked if case is own[0] else case for case in repeated]


def _expand_sweep(
    study: Study, name: str, sweep: Sweep, site: Site, environment: Environment, full: bool
) -> Iterator[Case]:
    key = f"{study.study}/{name}"
    tool = environment.tools[key]
    scales = study.scale == "site"
    settings = _resolve_settings(sweep, site, scales)
    site = with_trial_seconds(_as_settings_need(site, settings), study.study, name)
    most = None
    if scales and not full:
        sweep = split_iterations(sweep, study, site)
        most = most_threads(
            site, environment.most_threads or 2 * environment.cores, sweep.find_tool(tool).TRAITS.is_mpi
        )
    limits = site.limits if most else Limits()
    kept = choose_for(limits.thread_counts, study.study, name) or ()
    largest = choose_for(limits.transfer_sizes, study.study, name)
    groups = sweep.find_tool(tool).separate(tuple(sweep.operations))
    grids = {group: list(expand_grid(sweep, site, environment, most, kept, largest, group)) for group in groups}
    grid = list(itertools.chain(*grids.values()))
    if not grid and not kept:
        raise DesignError("leave_out: leaves no case of the sweep; let at least one run")
    if not grid:
        where = f"config/sites/{site.site}.yaml, limits.thread_counts.{study.study}"
        raise DesignError(
            f"factors.threads: none is in {where}: add one of its numbers there, or state {study.study}.{name} apart"
        )
    varying = [factor for factor in sweep.factors if len({point[factor] for point in grid}) > 1]
    # A level that follows from another factor would only repeat that factor in the name.
    varying = [factor for factor in varying if not isinstance(sweep.factors[factor], Share | Lookup)]
    lack = _explain_missing(sweep, site) if key in environment.lacking else None
    for operations, points in grids.items():
        shrinks = scales and not full and not sweep.keeps_sizes
        is_paced = _is_paced(sweep, site, tool, scales)
        part = find_scale(operations, points, sweep, site, tool) if shrinks else 1.0
        for point in points:
            parts: dict[str, Level] = {"operation": "+".join(operations)} if len(groups) > 1 else {}
            parts |= {factor: point[factor] for factor in varying}
            own = min(part, find_own_scale(operations, point, sweep, site, tool)) if shrinks else 1.0
            factors = _as_measured(shrink(point, own, site.limits) if own < 1 else point, sweep, tool)
            given = site.nfs_guest
            guest = describe_guest(settings, factors, given.mount, given.parameters, given.array)
            case = Case(
                study=study.study, sweep=name, name=name_case(parts), tool=sweep.name_tool(tool),
                operations=operations, form=sweep.form,
                factors=factors, settings=settings,
                run=make_run(operations, factors, settings, study, name, sweep, site, tool, full, guest),
                repetitions=_repetitions(study, sweep, tool), item=sweep.item,
                until=sweep.repeat_until or study.repeat_until,
                cold=_resolve_cold(sweep, site),
                scale=describe_scale(part, most) if scales else "",
                expected=expect_seconds(operations, factors, sweep, site, tool) if is_paced else None,
                guest=guest,
            )  # fmt: skip
            _refuse_unfit(case, sweep, site)
            if not scales and not full:
                _refuse_excess(case, sweep, site)
            unfit = sweep.find_tool(tool).unfit(case.run) if scales and not full else None
            reason = explain_lack(sweep, site) or lack or (f"{tool} {unfit}" if unfit else None)
            case = case._replace(why_not_here=reason or (explain_excess(case.run, site) if full else None))
            yield case


def _is_paced(sweep: Sweep, site: Site, tool: str, scales: bool) -> bool:
    """Return whether the expected speed says how long cases last; a series lasts as long as the sweep says.

    Where nothing is scaled, a tool that ends by time does so, too, and other tools need a speed that the site states.
    """
    ends_by_work = not sweep.find_tool(tool).TRAITS.is_time_bound and "expected" in site.model_fields_set
    return (scales or ends_by_work) and not sweep.series


def _explain_missing(sweep: Sweep, site: Site) -> str:
    """Return that none of a sweep's tools is installed; on a model, which is this machine's own, how to get it."""
    told = f"{' and '.join(sweep.tool_names)}: not installed"
    if site.model and any(sweep.find_tool(tool).TRAITS.is_mpi for tool in sweep.tools):
        return f"{told}; load the module that has it, or build IOR and mdtest: spack install ior"
    return told


def _as_settings_need(site: Site, settings: Mapping[str, Setting | str]) -> Site:
    """Return the site for a sweep: only the first node has a guest or a served device, and no model has a guest.

    Raises
    ------
    DesignError
        If commands of a cluster do not say which nodes run them.
    """
    is_cluster = site.clients.launcher != "local"
    for factor, kind in settings.items():
        if is_cluster and isinstance(kind, Setting) and kind.is_of_node is None:
            raise DesignError(
                f"settings.{factor}: commands on a cluster need every_node: true where each node has it for itself, "
                "false where one node runs them for all"
            )
    update: dict[str, Any] = {}
    if is_in_guest(settings):
        limits = (site.nfs_guest.limits or site.limits).model_copy(update={"seconds": site.limits.seconds})
        update = {"expected": site.nfs_guest.expected, "limits": limits, "model": None}
    if is_cluster and _needs_one_node(settings):
        update["clients"] = site.clients.model_copy(update={"nodes": 1})
    return site.model_copy(update=update)


def _needs_one_node(settings: Mapping[str, Setting | str]) -> bool:
    return "qemu-nbd" in settings.values() or is_in_guest(settings)


def _resolve_settings(sweep: Sweep, site: Site, scales: bool) -> dict[str, Setting | str]:
    """Return how each factor's levels are put in force: as the sweep says, or as the site does.

    If a study scales and its site does not state a setting, the word ``site`` stays: the case does not run there.
    """
    settings: dict[str, Setting | str] = {}
    for factor, given in sweep.settings.items():
        if given == "site":
            if factor not in site.settings and scales:
                settings[factor] = given
                continue
            if factor not in site.settings:
                raise DesignError(
                    f"settings.{factor}: config/sites/{site.site}.yaml does not say how; state it there under settings"
                )
            refuse_levels(factor, site.settings[factor], sweep.factors[factor])
        settings[factor] = site.settings[factor] if given == "site" else given
    return settings


def _resolve_cold(sweep: Sweep, site: Site) -> Cold:
    if sweep.cold == "commands" and not site.cold.commands:
        raise DesignError(f"cold: config/sites/{site.site}.yaml states no commands; state them there under cold")
    return site.cold if sweep.cold is None else site.cold.model_copy(update={"method": sweep.cold})


def _repetitions(study: Study, sweep: Sweep, tool: str) -> int:
    """Return the number of trials of a case; a tool that cannot repeat within one execution runs more often."""
    repetitions = sweep.repetitions or study.repetitions
    repeats_itself = "{iterations}" in sweep.command.get(tool, "")
    return repetitions if repeats_itself else repetitions * sweep.iterations


def _as_measured(point: dict[str, Level], sweep: Sweep, tool: str) -> dict[str, Level]:
    """Return the levels that a tool applies; those that do not spread files over directories put them all in one."""
    if sweep.find_tool(tool).TRAITS.makes_directories or "items_per_directory" not in point:
        return point
    spread = ("directories_per_thread", "items_per_directory")
    kept = {factor: level for factor, level in point.items() if factor not in spread}
    return {**kept, "files": count_items(point) // int(point["threads"])}


def _refuse_excess(case: Case, sweep: Sweep, site: Site) -> None:
    """Refuse a case of a study that does not scale, and exceeds the site's limits."""
    if case.bytes > site.limits.bytes:
        sizes = [factor for factor in ("file_size", "file_body", *NAME_FACTORS) if factor in sweep.factors]
        raise DesignError(
            f"{name_trial(case.name)} keeps {show_bytes(case.bytes)} on the target, the site {site.site} allows "
            f"{show_bytes(site.limits.bytes)}: lower {' or '.join(f'factors.{size}' for size in sizes)} or raise "
            "limits.bytes"
        )
    lasts = case.run.seconds + case.run.ramp
    if _minds_seconds(case) and lasts >= site.limits.seconds:
        ramp = f" after a ramp of {show_seconds(case.run.ramp)}" if case.run.ramp else ""
        lower = "seconds or ramp," if case.run.ramp else "seconds"
        raise DesignError(
            f"{name_trial(case.name)} measures for {show_seconds(case.run.seconds)}{ramp}, the site {site.site} ends "
            f"it after {show_seconds(site.limits.seconds)}: lower {lower} or raise limits.seconds"
        )


def _minds_seconds(case: Case) -> bool:
    """Return whether the stated seconds end a run, however much it would still do."""
    counted = case.form is None and case.operations[0] in ("file-create", "file-remove")
    return case.implementation.TRAITS.is_time_bound and not counted


def _refuse_unfit(case: Case, sweep: Sweep, site: Site) -> None:
    """Refuse cases that a tool would silently run in another way, and more streams than can be started."""
    streams = site.clients.streams
    if streams and case.run.threads > streams:
        raise DesignError(
            f"factors.threads: {case.run.threads} are more than the {streams} streams that can be started: "
            f"lower them, or raise clients.streams in config/sites/{site.site}.yaml"
        )
    if case.run.starter and not site.model and case.run.nodes > site.clients.nodes:
        refused = f"factors.nodes: {case.run.nodes} are more than "
        if _needs_one_node(case.settings):
            raise DesignError(f"{refused}one, which alone has the device or the guest of the settings; set it to 1")
        where = f"config/sites/{site.site}.yaml, clients.nodes"
        raise DesignError(f"{refused}the {site.clients.nodes} of {where}")
    if case.run.nodes > 1 and not (case.run.starter or case.run.launcher or case.form or case.scale):
        raise DesignError(
            f"factors.nodes: config/sites/{site.site}.yaml reaches one node, not {case.run.nodes}: state clients.nodes "
            "and clients.launcher there, or set it to [1]"
        )
    for tool in sweep.tools if not case.scale else ():
        if unfit := sweep.find_tool(tool).unfit(case.run):
            cause = "" if case.name == ONLY or unfit.endswith(case.run.operations) else f", as {case.name} needs"
            raise DesignError(f"tools: {tool} {unfit}{cause}; name another tool, or change the sweep")
    if case.run.transfer_size and case.run.file_size % case.run.transfer_size:
        raise DesignError(
            f"factors.file_size: {show_bytes(case.run.file_size)} is no whole number of transfers of "
            f"{show_bytes(case.run.transfer_size)}"
        )
    if case.run.device and len(os.fsencode(f"{case.run.directory}/{SOCKET}")) > _LONGEST_SOCKET:
        raise DesignError(f"{case.run.directory} is too long a path for a socket; name a target with a shorter one")
