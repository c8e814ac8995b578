"""The progress of a campaign while one of its blocks is measured: trials done, the one that runs, the time left."""

import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TextIO

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.stop_rule import is_done
from coldcache.core.live_progress import LiveProgress, is_shown_elsewhere, write_progress
from coldcache.core.units import show_seconds
from coldcache.design.blocks import Block
from coldcache.design.cases import Trial


class Progress:
    """The progress line of a runner, or the file from which Snakemake's terminal shows it."""

    def __init__(self, campaign: Campaign, blocks: Iterable[Block], terminal: TextIO):
        trials = [trial for block in blocks for trial in block.trials if trial.repetition < trial.case.repetitions]
        home = campaign.folder
        missing = [trial for trial in trials if not is_done(home, trial)]
        self._campaign = campaign.name
        self._all, self._done = len(trials), len(trials) - len(missing)
        self._estimated = sum(trial.case.seconds for trial in missing)
        self._terminal, self._live = terminal, terminal.isatty()
        self._elsewhere = is_shown_elsewhere()
        self._spent = self._expected = 0.0
        self._current: Trial | None = None
        self._refused: set[tuple[str, str]] = set()
        self._began = self._shown = time.monotonic()

    def show(self, trial: Trial) -> None:
        """Show that `trial` runs now: a terminal has one line, a file gets one every ten seconds."""
        self._current = trial
        if trial.repetition >= trial.case.repetitions:
            self._all += 1
            self._estimated += trial.case.seconds
        case = trial.case
        running = f"{case.study} {case.sweep} {case.name} r{trial.repetition}"
        if self._elsewhere:
            self._tell(running)
            return
        now = time.monotonic()
        if not self._live and self._spent and now - self._shown < 10:
            return
        self._shown = now
        pace = self._spent / self._expected if self._expected > 5 else 1.0
        line = (
            f"{self._done:>{len(str(self._all))}} of {self._all} trials · {running} · "
            f"{show_seconds((self._estimated - self._expected) * pace)} left"
        )
        self._terminal.write(f"\r\x1b[2K{line[:118]}" if self._live else f"{line}\n")
        self._terminal.flush()

    def refuse(self, block: str, reason: str) -> None:
        """Show why a block's missing trials cannot run, once for all of its rounds."""
        if (block, reason) in self._refused:
            return
        self._refused.add((block, reason))
        self._terminal.write(f"{block} is not run: {reason}\n")
        self._terminal.flush()

    def count(self) -> None:
        """Count the trial shown last as done."""
        assert self._current is not None
        self._done += 1
        self._expected += self._current.case.seconds
        self._spent = time.monotonic() - self._began

    def end(self) -> None:
        """End the line."""
        if self._elsewhere:
            self._tell("")
        elif self._live:
            self._terminal.write("\n")

    def _tell(self, running: str) -> None:
        # Where the disk of the logs is full, the trials say so.
        with suppress(OSError):
            left = max(0.0, self._estimated - self._expected)
            write_progress(self._campaign, LiveProgress(self._done, self._all, left, running))


def tell_step(campaign: Campaign, step: str, terminal: TextIO) -> None:
    """Show a step before the first trial, as a line on the terminal or in the file that Snakemake's terminal shows."""
    if not is_shown_elsewhere():
        terminal.write(f"{step}\n")
        terminal.flush()
        return
    trials = [trial for block in campaign.blocks() for trial in block.trials]
    planned = [trial for trial in trials if trial.repetition < trial.case.repetitions]
    with suppress(OSError):
        write_progress(campaign.name, LiveProgress(0, len(planned), sum(trial.case.seconds for trial in planned), step))
