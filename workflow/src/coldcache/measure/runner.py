"""Run the missing trials of a block one after the other, and show the progress."""

import json
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from coldcache.campaign.begin import begin
from coldcache.campaign.campaign import Campaign, note_hosts
from coldcache.campaign.not_run import note_not_run
from coldcache.campaign.seal import is_sealed
from coldcache.campaign.stop_rule import is_done, is_missing
from coldcache.core.errors import CampaignError, TargetError
from coldcache.core.files import write_whole
from coldcache.core.outcome import Outcome
from coldcache.core.vocabulary import nearest
from coldcache.design.blocks import Block
from coldcache.design.cases import Case, Trial
from coldcache.design.jobs import Allocation, find_allocation, most_nodes
from coldcache.measure.ceilings import needs_ceilings, with_ceilings
from coldcache.measure.cluster.ask_nodes import BlockNodes, describe_everywhere, find_fault, write_mark
from coldcache.measure.cluster.job_nodes import find_hosts
from coldcache.measure.cluster.leftover_runners import wait_for_lease
from coldcache.measure.cold import why_not_cold
from coldcache.measure.fresh_files import name_aside
from coldcache.measure.host.inventory import describe_machine, describe_system, describe_target
from coldcache.measure.lease import leased
from coldcache.measure.model.place import find_place
from coldcache.measure.model.storage import storage
from coldcache.measure.model.watchdog import guarded
from coldcache.measure.precondition import is_due, precondition
from coldcache.measure.probe import needs_probe, with_paces
from coldcache.measure.progress import Progress, tell_step
from coldcache.measure.settings.block import BlockSettings, is_left, why_not_run
from coldcache.measure.target import MARKER, WORK, check_space, check_target, clear, locked, make_work_folder
from coldcache.measure.trial import BlockContext, refuse_full, run_trial
from coldcache.tools.programs import Program

#: Seconds that laying out files and applying settings may take in addition to a tool's time limit.
_SECONDS_AROUND = 300.0


def measure_block(
    campaign: Campaign, name: str, manifest: Path, log: Path | None = None, terminal: TextIO = sys.stderr
) -> None:
    """Run the trials of a job, or of all rounds of a sweep, that have no folder yet, then write the manifest.

    Parameters
    ----------
    campaign : Campaign
        The design.
    name : str
        The job's name, or ``study.sweep``.
    manifest : Path
        The file that lists its trials, written when all are done.
    log : Path, optional
        The file that gets a line for each trial, saying how it ended.
    terminal : TextIO
        The stream for the progress line.

    Raises
    ------
    CampaignError
        If trials are missing from a sealed campaign, the campaign began with another design, it has no such block, or
        a folder without `trial.json` is where a trial should be.
    TargetError
        If the target cannot be used, is in use, or is lost or full.
    SettingError
        If a setting cannot be restored.
    ToolError
        If a tool is missing.
    """
    _take_signals()
    if is_due(campaign):
        _find_allocation(campaign, name)
        _precondition(campaign, terminal)
    campaign = _settle(campaign)
    blocks, allocation = campaign.blocks(), _find_allocation(campaign, name)
    home, trials = campaign.folder, [trial for block in allocation.blocks for trial in block.trials]
    waiting = [trial for trial in trials if is_missing(campaign, trial)]
    if waiting and is_sealed(home):
        raise CampaignError(f"{home} is sealed, but {waiting[0].key} is missing; it is never measured again")
    for trial in waiting:
        folder = home / trial.key
        # Another runner may have completed it meanwhile.
        if folder.exists() and any(folder.iterdir()) and not is_done(home, trial):
            raise CampaignError(f"{folder}: holds files but no trial.json, so it is no trial; move it away")
    if waiting:
        if log:
            log.parent.mkdir(parents=True, exist_ok=True)
        progress = Progress(campaign, blocks, terminal)
        for block in allocation.blocks:
            # Whether a stop rule needs a trial is known only once those before it are done.
            unfinished = [trial for trial in block.trials if not is_done(home, trial)]
            if any(is_missing(campaign, trial) for trial in unfinished):
                with storage(campaign.site):
                    _measure(campaign, block, unfinished, progress, log)
    if not waiting or not campaign.site.model:
        _tidy(campaign, trials)
    asked = [trial for trial in trials if trial.repetition < trial.case.repetitions or is_done(home, trial)]
    told = {"block": name, "trials": [trial.key for trial in asked]}
    write_whole(manifest, json.dumps(told, indent=1) + "\n")


def _find_allocation(campaign: Campaign, name: str) -> Allocation:
    """Return the job of a name; raises `CampaignError` if there is none."""
    blocks = campaign.blocks()
    allocation = find_allocation(campaign.allocations, blocks, name)
    if allocation is None:
        known = [job.name for job in campaign.allocations]
        hint = nearest(name, list(dict.fromkeys([*known, *(block.name for block in blocks)])))
        raise CampaignError(f'campaign {campaign.name} has no block "{name}"; {hint}')
    return allocation


def _precondition(campaign: Campaign, terminal: TextIO) -> None:
    """Precondition the target of a campaign, before its probe and its trials."""
    assert campaign.site.precondition is not None
    work = make_work_folder(check_target(campaign.site, campaign.cases()))
    with locked(work) as lock, leased(work, campaign.site.precondition.seconds + _SECONDS_AROUND):
        precondition(campaign, work, lock, lambda step: tell_step(campaign, step, terminal))


def _take_signals() -> None:
    """Treat the signals by which Snakemake, Slurm and a closing terminal end the runner like an interrupt.

    One that is ignored stays so: `nohup` lets a closing terminal end nothing.
    """
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) is not signal.SIG_IGN:
            signal.signal(ending, signal.default_int_handler)


def _settle(campaign: Campaign) -> Campaign:
    """Return the campaign, if it has not begun, with what is measured first: sizes by a probe, and ceilings."""
    asks_probe, asks_ceilings = needs_probe(campaign), needs_ceilings(campaign)
    if not asks_probe and not asks_ceilings:
        return campaign
    with storage(campaign.site):
        work = make_work_folder(check_target(campaign.site, campaign.cases()))
        if campaign.site.clients.launcher != "local":
            wait_for_lease(work, _SECONDS_AROUND)
        with locked(work) as lock, leased(work, _SECONDS_AROUND), BlockSettings(work, lock) as settings:
            campaign = with_ceilings(campaign, work) if asks_ceilings else campaign
            return with_paces(campaign, work, settings) if asks_probe else campaign


def _tidy(campaign: Campaign, trials: list[Trial]) -> None:
    """Remove what trials have left aside, and what a start left behind that was killed or lost its target."""
    work = Path(campaign.site.target.path).absolute() / WORK
    if campaign.site.model and not work.parent.parent.is_mount():
        # What is left on a model goes with it.
        return
    folders = _list_folders(trials)
    left = [folder for folder in (*folders, *map(name_aside, folders)) if folder.is_dir()]
    if is_left(work):
        clients = campaign.site.clients
        with locked(work) as lock, leased(work, _SECONDS_AROUND), BlockSettings(work, lock) as settings:
            settings.reach(clients.launcher, find_hosts(clients), [])
    # If another runner measures there now, it removes them at its end.
    with suppress(TargetError):
        if left:
            with locked(work), leased(work, _SECONDS_AROUND):
                for folder in left:
                    clear(folder)


def _list_folders(trials: Iterable[Trial]) -> set[Path]:
    """Return the folders of trials on the target; a guest's trials have none there."""
    return {Path(own).absolute() for own in {trial.case.run.directory for trial in trials if not trial.case.guest}}


def _measure(campaign: Campaign, block: Block, waiting: list[Trial], progress: Progress, log: Path | None) -> None:
    cases = [trial.case for trial in waiting]
    tools = {case.tool: case.implementation for case in cases}
    versions = {name: tool.version() for name, tool in tools.items()}
    folder = check_target(campaign.site, cases)
    begin(campaign)
    work = make_work_folder(folder)
    system = describe_system()
    commands = [sweep.form for study in campaign.planned for sweep in study.sweeps.values() if sweep.form]
    programs = [Program(form.program) for form in commands]
    note_hosts(campaign, {system["host"]: describe_machine(work, programs)})
    held_for = campaign.site.limits.seconds + _SECONDS_AROUND
    if campaign.site.clients.launcher != "local":
        wait_for_lease(work, held_for)
    with locked(work) as lock, leased(work, held_for) as lease, BlockSettings(work, lock) as settings:
        place = BlockNodes(find_hosts(campaign.site.clients), write_mark(work))
        reason = _find_obstacle(campaign, cases, settings, place, work, most_nodes(block))
        own = next((trial.case for trial in block.trials if not trial.case.sentinel_every), block.trials[0].case)
        note_not_run(campaign, own, reason)
        if reason:
            progress.refuse(block.name, reason)
            return
        target = describe_target(work, campaign.site.target.network)
        context = BlockContext(
            campaign.site,
            work,
            lock,
            lease,
            settings,
            system,
            target,
            versions,
            dict(os.environ),
            place,
            find_place(work),
        )
        left = _list_folders(block.trials)
        try:
            for trial in waiting:
                if not is_missing(campaign, trial):
                    continue
                _refuse_impossible(trial, campaign, context)
                progress.show(trial)
                outcome = run_trial(trial, campaign.folder / trial.key, context)
                progress.count()
                if log:
                    _note(log, trial, outcome)
            _refuse_lost(context)
            # The sentinel reads the same bytes at the same place in every block, until the job ends.
            left -= _list_folders(trial for trial in block.trials if trial.case.sentinel_every)
        finally:
            progress.end()
            if not context.why_lost():
                _clear_all(context, left)


def _clear_all(context: BlockContext, folders: Iterable[Path]) -> None:
    """Remove what trials have left; calls that no server of a model answers are cut off, and the rest goes with it."""
    with guarded(context.model, _SECONDS_AROUND):
        for folder in folders:
            try:
                clear(folder)
            except (OSError, TargetError):
                if not (context.model and context.why_lost()):
                    raise


def _find_obstacle(
    campaign: Campaign, cases: list[Case], settings: BlockSettings, place: BlockNodes, work: Path, nodes: int
) -> str | None:
    """Return why the cases of a block cannot run here, on this many nodes; None where they can."""
    for case in cases:
        if reason := _why_not(case, work):
            return reason
    if not place.hosts:
        return None
    launcher = campaign.site.clients.launcher
    if reason := find_fault(launcher, place, work, nodes):
        return reason
    note_hosts(campaign, describe_everywhere(launcher, place.hosts, work))
    return settings.reach(launcher, place.hosts, cases)


def _refuse_impossible(trial: Trial, campaign: Campaign, context: BlockContext) -> None:
    """Raise if the target is lost or full, or the disk of the logs is full: every further trial would fail."""
    _refuse_lost(context)
    context.lease.keep()
    check_space(campaign.site, trial.case)
    refuse_full(campaign.folder)


def _refuse_lost(context: BlockContext) -> None:
    """Raise `TargetError` if the target is lost; the message says whether the tool may have left files elsewhere."""
    reason = context.why_lost()
    if reason:
        work = context.work
        # A tool that had just started opens its files by their paths, wherever these lead now.
        strayed = os.path.lexists(work) and not (work / MARKER).exists()
        raise TargetError(
            f"{reason}; fix it and start again: the missing trials are measured then"
            + (f" (the tool may have left files in {work} of the other file system)" if strayed else "")
        )


def _why_not(case: Case, work: Path) -> str | None:
    """Return why a case cannot run on this system, because of a setting or its method to drop caches; else None."""
    reads = case.implementation.inputs(case.run).total and not case.run.device
    return why_not_run(case, work) or (why_not_cold(case.cold, work) if reads else None)


def _note(log: Path, trial: Trial, outcome: Outcome) -> None:
    if outcome.failure:
        ending = outcome.failure.message
    elif outcome.seconds is None:
        ending = "not run, its settings are not in force"
    else:
        ending = f"exit status {outcome.exit_status} after {outcome.seconds:.2f} s"
    with log.open("a") as file:
        file.write(f"{trial.key}: {ending}\n")
