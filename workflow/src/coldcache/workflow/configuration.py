"""Read the design that a configuration asks for, and compare it with the design that the campaign began with."""

import functools
import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from coldcache.campaign.begin import fit_design
from coldcache.campaign.campaign import RAW, Campaign, check_name, read_campaign
from coldcache.campaign.progress import is_whole
from coldcache.campaign.seal import is_sealed
from coldcache.claims.read import read_claims
from coldcache.core.errors import DesignError, ToolError
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_mistakes import name_place
from coldcache.core.yaml_models import Strict, read_model
from coldcache.design import default_sentinel
from coldcache.design.grid import Environment
from coldcache.design.jobs import refuse_hours
from coldcache.design.notebooks import refuse_unknown_notebooks
from coldcache.design.overrides import lengthen, repeat, resize
from coldcache.design.scale import MOST_THREADS
from coldcache.design.site import SITES, Site, read_site
from coldcache.design.study import Study, Sweep
from coldcache.measure.host.environment_modules import load_modules
from coldcache.measure.precondition import bytes_per_pass, is_due
from coldcache.measure.target import check_target, takes_direct_io
from coldcache.tools import TOOLS
from coldcache.tools.fio import command as fio
from coldcache.tools.programs import HELPERS, Program
from coldcache.tools.run import Run
from coldcache.workflow.named_studies import STUDIES, read_studies
from coldcache.workflow.no_effect import refuse_no_effect

#: What Snakemake reads in each folder.
CONFIG_FILE = Path("config/config.yaml")

#: What `config/config.yaml` and ``--config`` may hold.
KEYS = ("campaign", "studies", "site", "target", "size", "seconds", "repetitions")

#: Those that replace values of the studies.
OVERRIDES = ("size", "seconds", "repetitions")

#: What `config/config.yaml` has as it comes: such a value gives way to that of a campaign that has begun.
DEFAULTS = {"studies": "quick", "site": "local", "target": "", "size": "", "seconds": "", "repetitions": ""}


class _File(Strict):
    """What `config/config.yaml` may hold."""

    model_config = ConfigDict(strict=True)

    campaign: str | int | None = None
    studies: str | None = None
    site: str | None = None
    target: str | None = None
    size: str | int | None = None
    seconds: str | int | float | None = None
    repetitions: str | int | None = None


def read_config_file(path: Path) -> dict[str, Any]:
    """Return what the file of the configuration, `config/config.yaml`, states.

    Raises
    ------
    DesignError
        If it is missing, is not YAML, or holds an unknown key or a value of another kind.
    """
    if not path.is_file():
        raise DesignError(f"{path}: there is no such file in {Path.cwd()}; coldcache new makes a folder that has one")
    return read_model(path, _File).model_dump(exclude_unset=True)


def complete(given: Mapping[str, str | None]) -> dict[str, Any]:
    """Return a configuration in which what is not given, None, is what `config/config.yaml` of this folder states.

    Where there is no such file, it is what that file has as it comes.

    Raises
    ------
    DesignError
        As `read_config_file`.
    """
    stated = read_config_file(CONFIG_FILE) if CONFIG_FILE.is_file() else DEFAULTS
    return {**stated, **{key: value for key, value in given.items() if value is not None}}


def read_design(config: Mapping[str, Any]) -> Campaign:
    """Return the design that a configuration asks for; write nothing.

    The design of a sealed campaign is returned unchanged. A campaign that has begun keeps its tools and environment,
    so that a tool installed later does not mix in. Levels, operations, repetitions and sweeps may be added to it;
    otherwise what decides trials must match the configuration, and what is only shown is that of the configuration.

    Parameters
    ----------
    config : mapping
        ``campaign``, ``studies`` (ids, separated by commas; ``study.sweep`` is a single sweep), ``site``
        and optionally ``target``, which overrides the site's; ``size``, as `coldcache.design.overrides.resize`;
        ``seconds``, as `coldcache.design.overrides.lengthen`; ``repetitions``, as `coldcache.design.overrides.repeat`.

    Raises
    ------
    DesignError
        If a key, a study, a site or a level is unknown or does not fit the system, or a claim cannot be judged.
    ToolError
        If no tool of a sweep is installed, or a program that a setting needs is missing.
    TargetError
        If trials are missing and the target cannot be measured.
    CampaignError
        If the campaign began with another design, or cannot be read.
    """
    for key in config:
        if key not in KEYS:
            raise DesignError(f'--config: unknown key "{key}"; {nearest(key, KEYS)}')
    name = required(config, "campaign")
    check_name(name)
    folder = RAW / name
    if is_sealed(folder):
        return read_campaign(folder)
    begun = read_campaign(folder) if (folder / "campaign.json").is_file() else None
    design = _draft(name, config, begun.environment if begun else None)
    if begun:
        design = fit_design(begun, design)
        design = replace(design, studies=(*design.studies, *begun.foreign))
    _refuse_empty(design)
    if not is_whole(design):
        _refuse_impossible(design)
    return design


def keep_text(config: Mapping[str, Any], typed: Collection[str]) -> dict[str, Any]:
    """Return a configuration with values as they were typed: Snakemake reads ``campaign=007`` as the number 7.

    Parameters
    ----------
    config : mapping
        As for `read_design`.
    typed : collection of str
        What was typed after ``--config``.
    """
    values = {key: text for key, _, text in (entry.partition("=") for entry in typed)}
    return {key: value if isinstance(value, str) else values.get(key, value) for key, value in config.items()}


def draft_design(config: Mapping[str, Any], full: bool = False) -> Campaign:
    """Return the design of a campaign that has not begun, without looking at existing campaigns; write nothing.

    At `full` scale, for a site that is only for plans, and away from the cluster that a site describes, each sweep uses
    the first of its tools, and neither tools nor target need to exist here.

    Parameters
    ----------
    config : mapping
        ``studies``, ``site`` and ``target``, as in `read_design`.
    full : bool
        Whether to ignore the limits of the site.

    Raises
    ------
    ColdCacheError
        As `read_design`.
    """
    site = read_site(SITES, required(config, "site"), str(config.get("target") or "") or None)
    away = is_elsewhere(site)
    design = _draft("plan", config, None, full or away)
    for study in design.studies:
        refuse_unknown_notebooks(study, STUDIES / f"{study.study}.yaml")
    if away and not full:
        refuse_hours(design.allocations, design.site)
    elif not full and not design.site.plan_only:
        _refuse_impossible(design)
    return design


def is_elsewhere(site: Site) -> bool:
    """Return whether a site is a cluster that this machine is not part of: its target is not here."""
    return site.clients.launcher != "local" and not Path(site.target.path).exists()


def _refuse_empty(design: Campaign) -> None:
    """Raise `DesignError` if none of the cases runs here, with the reason for the first."""
    if design.environment and not design.blocks():
        case, names = design.cases()[0], ", ".join(study.study for study in design.studies)
        raise DesignError(
            f"{SITES / design.site.site}.yaml: no case of {names} runs here; the first one: {case.why_not_here}"
        )


def required(config: Mapping[str, Any], key: str) -> str:
    """Return the value of a key as text; raises `DesignError` without one."""
    if config.get(key) is None:
        raise DesignError(f"config/config.yaml: {key} is required")
    return str(config[key])


def _draft(name: str, config: Mapping[str, Any], environment: Environment | None, full: bool = False) -> Campaign:
    site = read_site(SITES, required(config, "site"), str(config.get("target") or "") or None)
    size, seconds, repetitions = (str(config.get(key) or "") for key in ("size", "seconds", "repetitions"))
    named = required(config, "studies")
    studies, site = resize(read_studies(named), site, size)
    studies = repeat(lengthen(studies, seconds), repetitions)
    # A mistake in the claims is found before anything is measured, not after all of it.
    read_claims(study.study for study in studies)
    if not full and not site.plan_only:
        _load_modules(site)
        is_installed = TOOLS[default_sentinel.TOOL].TRAITS.program.is_installed()
        studies = tuple(default_sentinel.with_sentinel(study, site, is_installed=is_installed) for study in studies)
    if environment is None:
        environment = _find_environment(name, site, studies, full)
    else:
        environment = environment._replace(**_choose_tools(site, studies, full, environment))
        # What an earlier version began stays without it: whether its studies were asked for whole is not known.
        named = named if environment.studies else ""
    refuse_no_effect(site, studies, environment)
    environment = environment._replace(studies=named, size=size, seconds=seconds, repetitions=repetitions)
    return Campaign(name, site, studies, environment)


def _load_modules(site: Site) -> None:
    try:
        load_modules(site.clients.modules)
    except DesignError as error:
        raise DesignError(name_place(SITES / f"{site.site}.yaml", f"clients.modules: {error}")) from error


def _find_environment(name: str, site: Site, studies: tuple[Study, ...], full: bool) -> Environment:
    stated = site.target.direct_io
    return Environment(
        cores=site.clients.total_cores(),
        direct_io=takes_direct_io(Path(site.target.path).absolute()) if stated is None else stated,
        # Each runner of a campaign derives the same order.
        seed=zlib.crc32(name.encode()),
        memory=site.clients.memory_bytes(),
        physical_cores=site.clients.total_physical_cores(),
        order="rounds",
        most_threads=MOST_THREADS,
        **_choose_tools(site, studies, full),
    )


def _choose_tools(
    site: Site, studies: tuple[Study, ...], full: bool, begun: Environment | None = None
) -> dict[str, Any]:
    """Return the tool of each sweep and the sweeps that lack theirs; a sweep of a campaign that has begun keeps it."""
    tools: dict[str, str] = {}
    lacking = []
    is_installed = functools.cache(Program.is_installed)
    for study in studies:
        for sweep_name, sweep in study.sweeps.items():
            key, file = f"{study.study}/{sweep_name}", STUDIES / f"{study.study}.yaml"
            if begun and key in begun.tools:
                tools[key] = begun.tools[key]
                lacking += [key] * (key in begun.lacking)
                continue
            if full or site.plan_only:
                tools[key] = sweep.tools[0]
                continue
            try:
                tools[key] = choose_tool(file, sweep_name, sweep, is_installed)
            except ToolError:
                if study.scale == "fixed":
                    raise
                tools[key] = sweep.tools[0]
                lacking.append(key)
    return {"tools": tools, "lacking": lacking}


def choose_tool(
    file: Path, name: str, sweep: Sweep, is_installed: Callable[[Program], bool] = Program.is_installed
) -> str:
    """Return the first tool of the sweep `name` of a study's file that is installed and fits its settings.

    If a setting serves a block device, the tool must be able to write to one. With many sweeps, `is_installed` may
    remember its answers.

    Raises
    ------
    ToolError
        If there is none; the message names the package of the last one.
    """
    device = "served" if "qemu-nbd" in sweep.settings.values() else ""
    for tool in sweep.tools:
        fits = not sweep.find_tool(tool).unfit(Run((), "", 1, device=device))
        if is_installed(sweep.find_tool(tool).TRAITS.program) and fits:
            return tool
    try:
        sweep.find_tool(sweep.tools[-1]).TRAITS.program.require()
    except ToolError as error:
        raise ToolError(name_place(file, f"sweeps.{name}: {error}")) from error
    raise ToolError(name_place(file, f"sweeps.{name}: none of {', '.join(sweep.tool_names)} is installed"))


def _refuse_impossible(design: Campaign) -> None:
    refuse_hours(design.allocations, design.site)
    cases = [case for case in design.cases() if not case.why_not_here]
    programs = [case.implementation.TRAITS.program for case in cases]
    programs += [HELPERS[setting] for case in cases for setting in case.settings.values() if isinstance(setting, str)]
    for program in dict.fromkeys(programs):
        program.require()
    if cases:
        check_target(design.site, cases)
    if is_due(design):
        fio.TRAITS.program.require()
        bytes_per_pass(design.site)
