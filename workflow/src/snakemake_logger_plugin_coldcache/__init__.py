"""A logger of Snakemake that prints a line for each step and one live line for the whole campaign.

`--quiet` leaves failures alone, `--quiet all` nothing. `--verbose`, `--printshellcmds` and a dry run print what
Snakemake prints by itself; the file in `.snakemake/log` always has that.
"""

import logging
import os
import sys
import time
from functools import partial
from threading import Event, Thread

from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from coldcache.core.live_progress import LIVE_VARIABLE, read_progress
from coldcache.workflow.terminal import Terminal

#: Seconds between two renewals of the live line.
_PERIOD = 1.0


class LogHandler(LogHandlerBase):
    """Passes Snakemake's events to a terminal, or to Snakemake's own handler where its words are wanted."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        settings = self.common_settings
        stream = sys.stdout if settings.stdout else sys.stderr
        quiet = set(settings.quiet or ())
        self.setFormatter(DefaultFormatter(quiet, settings.show_failed_logs))
        self._plain: logging.Handler | None = None
        if settings.verbose or settings.dryrun or settings.debug_dag or settings.printshellcmds:
            words = (settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds)
            self._plain = ColorizingTextHandler(settings.nocolor, stream)
            self._plain.setFormatter(self.formatter)
            self._plain.addFilter(DefaultFilter(quiet, *words))
            return
        # The runners that this process starts leave the terminal to it.
        os.environ[LIVE_VARIABLE] = "1"
        self._names = {str(one.value) for one in quiet}
        self._wildcards: dict[int, tuple[str, dict[str, str]]] = {}
        self._terminal = Terminal(
            stream,
            partial(read_progress, since=time.time()),
            quiet=bool(quiet),
            colour=not settings.nocolor and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        )
        self._ended = Event()
        Thread(target=self._refresh, daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Show an event."""
        if self._plain:
            if self._plain.filter(record):
                self._plain.emit(record)
            return
        if "all" in self._names:
            return
        try:
            self._show(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Remove the live line."""
        if not self._plain and not self._ended.is_set():
            self._ended.set()
            self.acquire()
            self._terminal.close()
            self.release()
        super().close()

    def _refresh(self) -> None:
        while not self._ended.wait(_PERIOD):
            self.acquire()
            try:
                self._terminal.refresh()
            finally:
                self.release()

    def _show(self, record: logging.LogRecord) -> None:
        event, told = getattr(record, "event", None), record.__dict__
        if event == LogEvent.RUN_INFO:
            self._terminal.plan(told["stats"])
            self._terminal.count_steps(0, int(told["stats"].get("total", 0)))
        elif event == LogEvent.JOB_INFO:
            wildcards = dict(told["wildcards"])
            self._wildcards[told["jobid"]] = (told["rule_name"], wildcards)
            self._terminal.start_step(told["jobid"], told["rule_name"], wildcards)
        elif event == LogEvent.JOB_FINISHED:
            self._terminal.end_step(told["job_id"])
        elif event == LogEvent.PROGRESS:
            self._terminal.count_steps(told["done"], told["total"])
        elif event == LogEvent.JOB_ERROR:
            rule, wildcards = self._wildcards.get(told["jobid"], (told["rule_name"], {}))
            reason = (told.get("rule_msg") or "").strip().removesuffix(".")
            self._terminal.fail_step(told["jobid"], rule, wildcards, list(told["log"]), reason)
        elif record.levelno >= logging.WARNING or self._is_wanted(record):
            self._terminal.tell(self.format(record))

    def _is_wanted(self, record: logging.LogRecord) -> bool:
        """Return whether a message of no step is shown: that nothing is to be done, and what a scheduler says."""
        is_of_scheduler = "executor_plugin" in record.pathname
        return not self._names and (record.msg == NOTHING_TO_BE_DONE_MSG or is_of_scheduler)
