"""Read the design that a configuration asks for, and compare it with the design that the campaign began with."""

import zlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from coldcache.campaign.begin import begin, fit_design, is_enlarged
from coldcache.campaign.campaign import RAW, Campaign, check_name, presentation, read_campaign
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
from coldcache.design.resize import lengthen, resize
from coldcache.design.scale import MOST_THREADS
from coldcache.design.site import SITES, Site, read_site
from coldcache.design.study import Study, Sweep, read_study
from coldcache.measure.host.environment_modules import load_modules
from coldcache.measure.precondition import bytes_per_pass, is_due
from coldcache.measure.target import check_target, takes_direct_io
from coldcache.tools import TOOLS
from coldcache.tools.fio import command as fio
from coldcache.tools.programs import HELPERS
from coldcache.tools.run import Run
from coldcache.workflow.named_studies import STUDIES, read_studies
from coldcache.workflow.no_effect import refuse_no_effect

#: What `config/config.yaml` and ``--config`` may hold.
KEYS = ("campaign", "studies", "site", "target", "size", "seconds")

#: What `config/config.yaml` has as it comes: such a value gives way to that of a campaign that has begun.
DEFAULTS = {"studies": "quick", "site": "local", "target": "", "size": "", "seconds": ""}


class _File(Strict):
    """What `config/config.yaml` may hold."""

    model_config = ConfigDict(strict=True)

    campaign: str | int | None = None
    studies: str | None = None
    site: str | None = None
    target: str | None = None
    size: str | int | None = None
    seconds: str | int | float | None = None


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


def read_design(config: Mapping[str, Any]) -> Campaign:
    """Return the design that a configuration asks for; write nothing.

    The design of a sealed campaign is returned unchanged. A campaign that has begun keeps its tools and environment,
    so that a tool installed later does not mix in. Levels, operations, repetitions and sweeps may be added to it;
    otherwise what decides trials must match the configuration, and what is only shown is that of the configuration.

    Parameters
    ----------
    config : mapping
        ``campaign``, ``studies`` (ids, separated by commas; ``study.sweep`` is a single sweep), ``site``
        and optionally ``target``, which overrides the site's; ``size``, as `coldcache.design.resize.resize`;
        ``seconds``, as `coldcache.design.resize.lengthen`.

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
    name = _required(config, "campaign")
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


def take_begun(config: Mapping[str, Any], stated: Collection[str] = ()) -> dict[str, Any]:
    """Return a configuration with the studies, site, target, size and seconds that its campaign began with.

    Parameters
    ----------
    config : mapping
        As for `read_design`.
    stated : collection of str
        Keys of the command line. These, and values that `config/config.yaml` changes, stay as they are.

    Raises
    ------
    DesignError
        If the campaign's name or its site is not valid.
    CampaignError
        If the campaign cannot be read.
    """
    name = _required(config, "campaign")
    check_name(name)
    if not (RAW / name / "campaign.json").is_file() or is_sealed(RAW / name):
        return dict(config)
    begun = read_campaign(RAW / name)
    named = begun.environment.studies if begun.environment else ""
    path = begun.site.target.path
    here = begun.planned and read_site(SITES, begun.site.site).target.path == path
    kept = {
        "studies": named or ",".join(map(_name_planned, begun.planned)),
        "site": begun.site.site,
        "target": "" if here else path,
        "size": begun.environment.size if begun.environment else "",
        "seconds": begun.environment.seconds if begun.environment else "",
    }
    free = [key for key in kept if key not in stated and (config.get(key) or "") == DEFAULTS[key]]
    return {**config, **{key: kept[key] for key in free if begun.planned}}


def _is_here(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        # The server of a mounted file system has gone.
        return False


def update_presentation(design: Campaign) -> str | None:
    """Write titles, questions and notebooks that have changed to `campaign.json` of a campaign that has begun.

    Returns
    -------
    str or None
        One line if the campaign is sealed, its target is here, and it keeps others than `config/studies` has now; or if
        it does not hold how its studies were named, and does not measure all of their sweeps.
    """
    if not (design.folder / "campaign.json").is_file():
        return None
    if not is_sealed(design.folder):
        begin(design)
        return _tell_left_out(design)
    if not _is_here(Path(design.site.target.path)):
        # It was measured elsewhere, and is only rebuilt here.
        return None
    stated = {study.study: _read_stated(study) for study in design.planned}
    if enlarged := [study.study for study in design.planned if is_enlarged(study, stated[study.study])]:
        return (
            f"{design.folder} is sealed: nothing is added to it. To measure what {', '.join(enlarged)} has now, choose "
            "another name (make study CAMPAIGN=…)"
        )
    if changed := [name for name, study in stated.items() if _is_shown_otherwise(design, study)]:
        return (
            f"{design.folder} is sealed: its report keeps the titles, questions and notebooks that "
            f"{', '.join(changed)} had when it was sealed"
        )
    return None


def _tell_left_out(design: Campaign) -> str | None:
    """Return one line on sweeps that a campaign leaves out and may have been added to its studies since it began."""
    if design.environment is None or design.environment.studies:
        return None
    left_out = [
        f"{study.study}.{name}"
        for study in design.planned
        for name in _read_stated(study).sweeps
        if name not in study.sweeps
    ]
    if not left_out:
        return None
    whole = ",".join(study.study for study in design.planned)
    return (
        f"{design.folder} does not measure {', '.join(left_out)}; to add what its studies have now: "
        f"snakemake --cores all --config campaign={design.name} studies={whole}"
    )


def _read_stated(sealed: Study) -> Study:
    """Return a study as `config/studies` has it; a sealed campaign needs no such file, and stands for itself."""
    try:
        return read_study(STUDIES, sealed.study)
    except DesignError:
        return sealed


def _is_shown_otherwise(sealed: Campaign, stated: Study) -> bool:
    """Return whether `config/studies` has a study with another presentation than a sealed campaign."""
    return any(
        study.study == stated.study and presentation([stated]) != presentation([study]) for study in sealed.planned
    )


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
    site = read_site(SITES, _required(config, "site"), str(config.get("target") or "") or None)
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


def _required(config: Mapping[str, Any], key: str) -> str:
    if config.get(key) is None:
        raise DesignError(f"config/config.yaml: {key} is required")
    return str(config[key])


def _draft(name: str, config: Mapping[str, Any], environment: Environment | None, full: bool = False) -> Campaign:
    site = read_site(SITES, _required(config, "site"), str(config.get("target") or "") or None)
    size, seconds = (str(config.get(key) or "") for key in ("size", "seconds"))
    named = _required(config, "studies")
    studies, site = resize(read_studies(named), site, size)
    studies = lengthen(studies, seconds)
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
    return Campaign(name, site, studies, environment._replace(studies=named, size=size, seconds=seconds))


def _name_planned(study: Study) -> str:
    """Return how a configuration names a study of a campaign that has begun, with its sweeps if it has not all."""
    stated = _read_stated(study)
    if set(study.sweeps) >= set(stated.sweeps):
        return study.study
    sentinel = study.sentinel.sweep if study.sentinel else None
    return ",".join(f"{study.study}.{name}" for name in study.sweeps if name != sentinel)


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
                tools[key] = choose_tool(file, sweep_name, sweep)
            except ToolError:
                if study.scale == "fixed":
                    raise
                tools[key] = sweep.tools[0]
                lacking.append(key)
    return {"tools": tools, "lacking": lacking}


def choose_tool(file: Path, name: str, sweep: Sweep) -> str:
    """Return the first tool of the sweep `name` of a study's file that is installed and fits its settings.

    If a setting serves a block device, the tool must be able to write to one.

    Raises
    ------
    ToolError
        If there is none; the message names the package of the last one.
    """
    device = "served" if "qemu-nbd" in sweep.settings.values() else ""
    for tool in sweep.tools:
        fits = not sweep.find_tool(tool).unfit(Run((), "", 1, device=device))
        if sweep.find_tool(tool).TRAITS.program.is_installed() and fits:
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
