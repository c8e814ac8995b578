"""What a terminal shows while Snakemake works: a line for each step, and one live line for the whole campaign."""

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TextIO

from coldcache.core.live_progress import LiveProgress
from coldcache.core.units import show_seconds

#: Each rule in words, with its wildcards; a rule without words shows nothing.
STEP_NAMES = {
    "measure_block": "measure {block}",
    "collect_records": "collect and judge the logs",
    "judge_claims": "test the claims",
    "execute_notebook": "execute {notebook} of {study}",
    "execute_overview": "execute {notebook} of {study}",
    "render_report": "render the report",
}
MEASURE = "measure_block"

#: How long a step after measuring is expected to take until one has ended, in s.
_SECONDS_PER_STEP = 5.0

#: Of the time that the trials should have taken; before, their pace is not known, in s.
_PACE_KNOWN_AFTER = 5.0

_GREEN, _RED, _BOLD, _RESET = "\033[32m", "\033[31m", "\033[1m", "\033[0m"
_WIDTH = 118


class _Step(NamedTuple):
    """A step that runs."""

    rule: str
    title: str
    began: float


class Estimate:
    """Progress of a run, which never decreases, and the time left at the pace so far.

    Parameters
    ----------
    clock : callable
        Returns the time in s.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._began: float | None = None
        self._to_render = 0
        self._seconds_rendering: list[float] = []
        self._first: tuple[float, float] | None = None
        self._planned_left: float | None = None
        self._trials_left = self._taken = 0.0
        self._percent = 0

    def plan(self, to_render: int) -> None:
        """Take in how many steps after measuring are still to end."""
        self._to_render = to_render

    def take_trials(self, left: float) -> None:
        """Take in how long the missing trials take by the plan, in s; the pace is known when one has ended."""
        now = self._clock()
        self._first = self._first or (now, left)
        if left == self._planned_left:
            return
        began, planned = self._first
        done = planned - left
        pace = (now - began) / done if done > _PACE_KNOWN_AFTER else 1.0
        self._planned_left, self._trials_left, self._taken = left, left * pace, now

    def end_rendering_step(self, seconds: float) -> None:
        """Take in how long a step after measuring took, in s."""
        self._seconds_rendering.append(seconds)

    def read(self) -> tuple[int, float]:
        """Return the percentage that is done, and the time left in s."""
        taken = self._seconds_rendering
        each = sum(taken) / len(taken) if taken else _SECONDS_PER_STEP
        now = self._clock()
        left = max(0.0, self._trials_left - (now - self._taken)) + each * self._to_render
        self._began = now if self._began is None else self._began
        spent = now - self._began
        # The last per cent belongs to the end.
        self._percent = max(self._percent, min(99, int(100 * spent / max(spent + left, 1e-9))))
        return self._percent, left


class Terminal:
    """Writes the lines of the steps, and below them the live line.

    Parameters
    ----------
    stream : TextIO
        Where to write. If it is no terminal, the live line is a line at every tenth of the run.
    read_trials : callable
        Returns how far the trials of a campaign are, given its name; None if that is not known.
    quiet : bool
        Whether to show failures alone.
    colour : bool
        Whether to colour on a terminal.
    """

    def __init__(
        self, stream: TextIO, read_trials: Callable[[str], LiveProgress | None], *,
        quiet: bool = False, colour: bool = True, clock: Callable[[], float] = time.monotonic,
    ):  # fmt: skip
        self._stream, self._read_trials, self._quiet, self._clock = stream, read_trials, quiet, clock
        self._live = stream.isatty()
        self._colour = colour and self._live
        self._estimate = Estimate(clock)
        self._running: dict[int, _Step] = {}
        self._failed: set[int] = set()
        self._campaign = ""
        self._steps = self._measuring = 0
        self._tenth = -1
        self._began = clock()

    def plan(self, stats: Mapping[str, Any]) -> None:
        """Take in how many steps of each rule are planned."""
        self._measuring = int(stats.get(MEASURE, 0))

    def start_step(self, number: int, rule: str, wildcards: Mapping[str, str]) -> None:
        """Take in that a step runs now."""
        self._campaign = self._campaign or wildcards.get("campaign", "")
        title = STEP_NAMES.get(rule, "").format_map(dict(wildcards))
        self._running[number] = _Step(rule, title, self._clock())
        self.refresh()

    def end_step(self, number: int) -> None:
        """Show that a step has ended."""
        step = self._running.pop(number, None)
        if step is None or number in self._failed:
            return
        seconds = self._clock() - step.began
        if step.rule == MEASURE:
            self._measuring -= 1
        elif step.title:
            self._estimate.end_rendering_step(seconds)
        if step.title:
            self._steps += 1
            self._write("✓", _GREEN, f"{step.title} · {show_seconds(seconds)}")
        elif self._steps:
            steps = "1 step" if self._steps == 1 else f"{self._steps} steps"
            self._write("✓", _GREEN, f"{steps} · {show_seconds(self._clock() - self._began)}")

    def fail_step(
        self, number: int, rule: str, wildcards: Mapping[str, str], logs: list[str], reason: str = ""
    ) -> None:
        """Show that a step has failed, once, and why where that is known."""
        if number in self._failed:
            return
        self._failed.add(number)
        title = STEP_NAMES.get(rule, rule).format_map(dict(wildcards)) if wildcards else rule
        self._say(
            "✗",
            _RED,
            f"failed: {title}" + (f" ({reason})" if reason else "") + (f", see {', '.join(logs)}" if logs else ""),
        )

    def count_steps(self, done: int, total: int) -> None:
        """Take in how many of all steps have ended; the last one of a report does nothing."""
        self._estimate.plan(max(0, total - done - max(0, self._measuring) - 1))

    def tell(self, text: str) -> None:
        """Show a message."""
        self._clear()
        self._stream.write(f"{text}\n")
        self._stream.flush()
        self.refresh()

    def refresh(self) -> None:
        """Redraw the live line."""
        titles = [step.title for step in self._running.values() if step.title]
        if self._quiet or not titles:
            return
        trials = self._read_trials(self._campaign) if self._campaign else None
        is_measuring = any(step.rule == MEASURE for step in self._running.values())
        if trials:
            self._estimate.take_trials(trials.left if self._measuring > 0 else 0.0)
        elif is_measuring:
            # The runner has not counted yet.
            self._show_live(titles[0])
            return
        percent, left = self._estimate.read()
        said = f"{percent:>3} % · {titles[0]}"
        if is_measuring and trials:
            said = f"{percent:>3} % · {trials.done} of {trials.planned} trials · {trials.now or titles[0]}"
        ending = f" · {show_seconds(left)} left"
        if self._live:
            self._show_live(f"{said[: _WIDTH - len(ending)]}{ending}")
        elif percent // 10 > self._tenth:
            self._tenth = percent // 10
            self._stream.write(f"{said}{ending}\n")
            self._stream.flush()

    def _show_live(self, line: str) -> None:
        if self._live:
            # The cursor waits at the start, so that whatever a step prints replaces the line.
            line = f"{_BOLD}{line}{_RESET}" if self._colour else line
            self._stream.write(f"\r\x1b[2K{line}\r")
            self._stream.flush()

    def close(self) -> None:
        """Remove the live line."""
        self._clear()
        self._stream.flush()

    def _write(self, mark: str, colour: str, text: str) -> None:
        if not self._quiet:
            self._say(mark, colour, text)

    def _say(self, mark: str, colour: str, text: str) -> None:
        self.tell(f"{colour}{mark}{_RESET} {text}" if self._colour else f"{mark} {text}")

    def _clear(self) -> None:
        if self._live:
            self._stream.write("\r\x1b[2K")
