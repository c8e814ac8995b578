"""One runner per block: its missing trials, one after the other, with a line that tells how far it is."""

import json
import signal
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from coldcache.campaign import Campaign, begin, is_sealed, note_not_run
from coldcache.cold_methods import why_not_cold
from coldcache.errors import CampaignError
from coldcache.plan import Block, Case, Trial, tool_module
from coldcache.provenance import describe_system, describe_target
from coldcache.settings import BlockSettings, is_left, restore_left, why_not_run
from coldcache.target import WORK, check_target, clear, locked, make_work_folder
from coldcache.terms import nearest
from coldcache.trial import Surroundings, execute
from coldcache.units import show_seconds


def measure_block(
    campaign: Campaign, name: str, manifest: Path, log: Path | None = None, terminal: TextIO = sys.stderr
) -> None:
    """Run the trials of a block that have no folder yet, then write the block's manifest.

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
        If the target cannot be used, or is in use.
    SettingError
        If something that was changed cannot be put back; what can be told of a trial is in its folder.
    ToolError
        If a tool is missing.
    """
    blocks = campaign.blocks()
    block = next((block for block in blocks if block.name == name), None)
    if block is None:
        hint = nearest(name, [block.name for block in blocks])
        raise CampaignError(f'campaign {campaign.name} has no block "{name}"; {hint}')
    waiting = [trial for trial in block.trials if not _is_done(campaign, trial)]
    if waiting and is_sealed(campaign.folder):
        raise CampaignError(f"{campaign.folder} is sealed, but {waiting[0].key} is missing; it is never measured again")
    for trial in waiting:
        folder = campaign.folder / trial.key
        if folder.exists() and any(folder.iterdir()):
            raise CampaignError(f"{folder}: holds files but no trial.json, so it is no trial; move it away")
    work = Path(campaign.site.target.path).absolute() / WORK
    if not waiting and is_left(work):
        with locked(work) as lock:
            restore_left(work, lock)
    if waiting:
        _measure(campaign, block, waiting, Progress(campaign, blocks, terminal), log)
    manifest.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text(json.dumps({"block": name, "trials": [trial.key for trial in block.trials]}, indent=1) + "\n")


def _is_done(campaign: Campaign, trial: Trial) -> bool:
    return (campaign.folder / trial.key / "trial.json").is_file()


def _measure(campaign: Campaign, block: Block, waiting: list[Trial], progress: "Progress", log: Path | None) -> None:
    versions = {tool: tool_module(tool).version() for tool in {trial.case.tool for trial in waiting}}
    folder = check_target(campaign.site, [trial.case for trial in waiting])
    begin(campaign)
    work = make_work_folder(folder)
    # An interrupt ends the running trial in order; so must the signals by which Snakemake, Slurm and a terminal end.
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.default_int_handler)
    with locked(work) as lock, BlockSettings(work, lock) as settings:
        reason = next((reason for trial in waiting if (reason := _why_not(trial.case, work))), "")
        note_not_run(campaign, waiting[0].case, reason)
        if reason:
            progress.refuse(block.name, reason)
            return
        surroundings = Surroundings(
            campaign.site, work, lock, settings, describe_system(), describe_target(work), versions
        )
        try:
            for trial in waiting:
                progress.show(trial)
                story = execute(trial, campaign.folder / trial.key, surroundings)
                progress.count()
                if log:
                    _note(log, trial, story)
        finally:
            progress.end()
            clear(Path(block.trials[0].case.run.directory).absolute())


def _why_not(case: Case, work: Path) -> str:
    """Return why a case cannot run on this system: a setting, or a cold cache, that cannot be had."""
    reads = tool_module(case.tool).inputs(case.run).total and not case.run.device
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
        trials = [trial for block in blocks for trial in block.trials]
        missing = [trial for trial in trials if not _is_done(campaign, trial)]
        self._all, self._done = len(trials), len(trials) - len(missing)
        self._estimated = sum(trial.case.seconds for trial in missing)
        self._terminal, self._live = terminal, terminal.isatty()
        self._spent = self._expected = 0.0
        self._current: Trial | None = None
        self._began = self._shown = time.monotonic()

    def show(self, trial: Trial) -> None:
        """Tell that `trial` runs now: over the line before on a terminal, else a line every ten seconds."""
        self._current = trial
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
