"""One runner per block: its missing trials, one after the other, with a line that tells how far it is."""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from coldcache.campaign.campaign import Campaign, begin, note_hosts
from coldcache.campaign.progress import note_not_run
from coldcache.campaign.seal import is_sealed
from coldcache.campaign.stop_rule import is_done, is_missing
from coldcache.core.errors import CampaignError, TargetError
from coldcache.core.files import write_whole
from coldcache.core.units import show_seconds
from coldcache.core.vocabulary import nearest
from coldcache.design.blocks import Block
from coldcache.design.cases import Case, Trial
from coldcache.design.jobs import arrange_allocations, most_nodes
from coldcache.measure.cluster.ask_nodes import Place, describe_everywhere, find_fault, write_mark
from coldcache.measure.cluster.job_nodes import find_hosts
from coldcache.measure.cluster.leftover_runners import wait_for_lease
from coldcache.measure.cold import why_not_cold
from coldcache.measure.host.inventory import describe_machine, describe_system, describe_target
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.lease import leased
from coldcache.measure.room import refuse_full
from coldcache.measure.settings.block import BlockSettings, is_left, why_not_run
from coldcache.measure.target import MARKER, WORK, check_space, check_target, clear, locked, make_work_folder
from coldcache.measure.trial import Surroundings, execute
from coldcache.tools import find_tool

#: Seconds beside a tool's time limit that laying out files and putting settings in force may take together.
_SECONDS_AROUND = 300.0


def measure_block(
    campaign: Campaign, name: str, manifest: Path, log: Path | None = None, terminal: TextIO = sys.stderr
) -> None:
    """Run the trials of a block, or of a job of several, that have no folder yet, then write the manifest.

    Parameters
    ----------
    campaign : Campaign
        The design.
    name : str
        The block's name.
    manifest : Path
        Where to write which trials were executed.
    log : Path, optional
        Where to note each trial with how it ended.
    terminal : TextIO
        Where the progress line goes.

    Raises
    ------
    CampaignError
        If the campaign is sealed and trials are missing, began with another design, has no such block,
        or holds a folder in place of a trial.
    TargetError
        If the target cannot be used, is in use, or is lost or full before a trial.
    SettingError
        If something that was changed cannot be put back; what can be told of a trial is in its folder.
    ToolError
        If a tool is missing.
    """
    blocks = campaign.blocks()
    allocations = arrange_allocations(blocks, campaign.site)
    allocation = next((allocation for allocation in allocations if allocation.name == name), None)
    if allocation is None:
        hint = nearest(name, [allocation.name for allocation in allocations])
        raise CampaignError(f'campaign {campaign.name} has no block "{name}"; {hint}')
    home, trials = campaign.folder, [trial for block in allocation.blocks for trial in block.trials]
    waiting = [trial for trial in trials if is_missing(home, campaign.site, trial)]
    if waiting and is_sealed(home):
        raise CampaignError(f"{home} is sealed, but {waiting[0].key} is missing; it is never measured again")
    for trial in waiting:
        folder = home / trial.key
        if folder.exists() and any(folder.iterdir()):
            raise CampaignError(f"{folder}: holds files but no trial.json, so it is no trial; move it away")
    if not waiting:
        _tidy(campaign, trials)
    progress = Progress(campaign, blocks, terminal) if waiting else None
    for block in allocation.blocks:
        # One that a stop rule may ask for is decided on when its turn has come.
        waiting = [trial for trial in block.trials if not is_done(home, trial)]
        if any(is_missing(home, campaign.site, trial) for trial in waiting) and progress:
            _measure(campaign, block, waiting, progress, log)
    asked = [trial for trial in trials if trial.repetition < trial.case.repetitions or is_done(home, trial)]
    told = {"block": name, "trials": [trial.key for trial in asked]}
    write_whole(manifest, json.dumps(told, indent=1) + "\n")


def _tidy(campaign: Campaign, trials: list[Trial]) -> None:
    """Undo what a start that was killed, or lost its target, left of trials that are all there by now."""
    work = Path(campaign.site.target.path).absolute() / WORK
    left = [folder for folder in {Path(trial.case.run.directory).absolute() for trial in trials} if folder.is_dir()]
    if is_left(work):
        clients = campaign.site.clients
        with locked(work) as lock, leased(work, _SECONDS_AROUND), BlockSettings(work, lock) as settings:
            settings.reach(clients.launcher, find_hosts(clients), [])
    # Whoever measures there now removes them in the end.
    with suppress(TargetError):
        if left:
            with locked(work), leased(work, _SECONDS_AROUND):
                for folder in left:
                    clear(folder)


def _measure(campaign: Campaign, block: Block, waiting: list[Trial], progress: "Progress", log: Path | None) -> None:
    versions = {tool: find_tool(tool).version() for tool in {trial.case.tool for trial in waiting}}
    folder = check_target(campaign.site, [trial.case for trial in waiting])
    begin(campaign)
    work = make_work_folder(folder)
    system = describe_system()
    note_hosts(campaign, {system["host"]: describe_machine(find_mount(work).device)})
    # An interrupt ends the running trial in order; so must the signals by which Snakemake, Slurm and a terminal end.
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.default_int_handler)
    held_for = campaign.site.limits.seconds + _SECONDS_AROUND
    if campaign.site.clients.launcher != "local":
        wait_for_lease(work, held_for)
    with locked(work) as lock, leased(work, held_for) as lease, BlockSettings(work, lock) as settings:
        place = Place(find_hosts(campaign.site.clients), write_mark(work))
        reason = next((reason for trial in waiting if (reason := _why_not(trial.case, work))), "")
        if place.hosts and not reason:
            launcher = campaign.site.clients.launcher
            reason = find_fault(launcher, place, work, most_nodes(block))
            note_hosts(campaign, {} if reason else describe_everywhere(launcher, place.hosts, work))
            reason = reason or settings.reach(launcher, place.hosts, (trial.case for trial in waiting)) or ""
        own = next((trial.case for trial in block.trials if not trial.case.sentinel_every), block.trials[0].case)
        note_not_run(campaign, own, reason)
        if reason:
            progress.refuse(block.name, reason)
            return
        surroundings = Surroundings(
            campaign.site, work, lock, lease, settings, system, describe_target(work), versions, place
        )
        try:
            for trial in waiting:
                if not is_missing(campaign.folder, campaign.site, trial):
                    continue
                _refuse_impossible(trial, campaign, surroundings)
                progress.show(trial)
                story = execute(trial, campaign.folder / trial.key, surroundings)
                progress.count()
                if log:
                    _note(log, trial, story)
            _refuse_lost(surroundings)
        finally:
            progress.end()
            if not surroundings.why_lost():
                for directory in {trial.case.run.directory for trial in block.trials}:
                    clear(Path(directory).absolute())


def _refuse_impossible(trial: Trial, campaign: Campaign, surroundings: Surroundings) -> None:
    """Refuse to go on where the target is lost or full, or the disk of the logs is: every further trial would fail."""
    _refuse_lost(surroundings)
    surroundings.lease.renew()
    check_space(campaign.site, trial.case)
    refuse_full(campaign.folder)


def _refuse_lost(surroundings: Surroundings) -> None:
    """Raise `TargetError` where the target is lost, and say whether files may lie elsewhere by now."""
    reason = surroundings.why_lost()
    if reason:
        work = surroundings.work
        # A tool that had just started opens its files by their paths, wherever these lead by then.
        strayed = os.path.lexists(work) and not (work / MARKER).exists()
        raise TargetError(
            f"{reason}; put it right and start again: what is missing is measured then"
            + (f" (the tool may have left files in {work} of the other file system)" if strayed else "")
        )


def _why_not(case: Case, work: Path) -> str:
    """Return why a case cannot run on this system: a setting, or a cold cache, that cannot be had."""
    reads = find_tool(case.tool).inputs(case.run).total and not case.run.device
    return why_not_run(case, work) or (why_not_cold(case.cold, work) if reads else "")


def _note(log: Path, trial: Trial, story: dict[str, Any]) -> None:
    failure = story["failure"]
    if failure:
        ending = failure["message"]
    elif story["seconds"] is None:
        ending = "not run, its settings are not in force"
    else:
        ending = f"exit status {story['exit_status']} after {story['seconds']:.2f} s"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as file:
        file.write(f"{trial.key}: {ending}\n")


class Progress:
    """The line that tells trials done of all, the case now running, and the time left."""

    def __init__(self, campaign: Campaign, blocks: list[Block], terminal: TextIO):
        trials = [trial for block in blocks for trial in block.trials if trial.repetition < trial.case.repetitions]
        home = campaign.folder
        missing = [trial for trial in trials if not is_done(home, trial)]
        self._all, self._done = len(trials), len(trials) - len(missing)
        self._estimated = sum(trial.case.seconds for trial in missing)
        self._terminal, self._live = terminal, terminal.isatty()
        self._spent = self._expected = 0.0
        self._current: Trial | None = None
        self._began = self._shown = time.monotonic()

    def show(self, trial: Trial) -> None:
        """Tell that `trial` runs now: over the line before on a terminal, else a line every ten seconds."""
        self._current = trial
        if trial.repetition >= trial.case.repetitions:
            self._all += 1
            self._estimated += trial.case.seconds
        now = time.monotonic()
        if not self._live and self._spent and now - self._shown < 10:
            return
        self._shown = now
        case = trial.case
        pace = self._spent / self._expected if self._expected > 5 else 1.0
        line = (
            f"{self._done:>{len(str(self._all))}} of {self._all} trials · {case.study} {case.sweep} {case.name} "
            f"r{trial.repetition} · {show_seconds((self._estimated - self._expected) * pace)} left"
        )
        self._terminal.write(f"\r\x1b[2K{line[:118]}" if self._live else f"{line}\n")
        self._terminal.flush()

    def refuse(self, block: str, reason: str) -> None:
        """Tell that none of a block's missing trials can run, and why."""
        self._terminal.write(f"{block} is not run: {reason}\n")
        self._terminal.flush()

    def count(self) -> None:
        """Tell that the trial shown last is done."""
        assert self._current is not None
        self._done += 1
        self._expected += self._current.case.seconds
        self._spent = time.monotonic() - self._began

    def end(self) -> None:
        """Leave the line behind."""
        if self._live:
            self._terminal.write("\n")
