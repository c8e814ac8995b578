"""Apply settings on all nodes of a job: a process on each node answers the runner, and ends with it."""

import json
import queue
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Self

from coldcache.core.errors import ClusterError, SettingError
from coldcache.measure.cluster.ask_nodes import SECONDS, match_host
from coldcache.measure.cluster.job_nodes import clear_environment
from coldcache.tools.launchers import reach

#: Number of the last answer, which says whether everything was restored. The first, unasked answer has 0.
LAST = -1


class OnNodes:
    """Processes that apply settings on the nodes of a job; leaving the context restores what they changed.

    Parameters
    ----------
    starter : str
        ``srun`` or ``ssh``.
    hosts : tuple of str
        The nodes.
    work : Path
        The marked work folder of the target, which all nodes see.
    """

    def __init__(self, starter: str, hosts: tuple[str, ...], work: Path) -> None:
        self._starter, self._hosts, self._work = starter, hosts, work
        self._started: list[subprocess.Popen[str]] = []
        self._said: queue.Queue[dict[str, Any]] = queue.Queue()
        self._asked = 0

    def __enter__(self) -> Self:
        """Start them; each restores what a killed runner changed on its node.

        Raises
        ------
        SettingError
            If a setting cannot be restored there.
        ClusterError
            If a node does not answer: another job may succeed.
        """
        groups = [self._hosts] if self._starter == "srun" else [(host,) for host in self._hosts]
        program = [sys.executable, "-m", "coldcache.measure.settings.node_agent", str(self._work)]
        for group in groups:
            process = subprocess.Popen(
                [*reach(self._starter, group), *program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=clear_environment(group), start_new_session=True, text=True,
            )  # fmt: skip
            self._started.append(process)
            threading.Thread(target=self._listen, args=(process.stdout,), daemon=True).start()
        try:
            self._collect(0, SECONDS)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Let them restore what they changed.

        Raises
        ------
        SettingError
            If a setting cannot be restored on a node.
        ClusterError
            If a node does not answer.
        """
        for process in self._started:
            with suppress(OSError):
                _input(process).close()
        try:
            self._collect(LAST, SECONDS)
        finally:
            self._end()

    def ask(self, address: dict[str, Any], do: str, **more: str) -> dict[str, str]:
        """Return what each node answers.

        Parameters
        ----------
        address : dict
            As `coldcache.measure.settings.registry.locate` returns it.
        do : str
            ``read``, ``put`` (with ``factor``, ``asked`` and ``value``), ``undo`` (with ``factor``) or ``why not``.
        **more : str
            Further fields of the question.

        Raises
        ------
        SettingError
            If a node cannot do it.
        ClusterError
            If a node does not answer.
        """
        self._asked += 1
        line = json.dumps({"number": self._asked, "do": do, "address": address, **more}) + "\n"
        for process in self._started:
            # A process that has ended is found by its missing answer.
            with suppress(OSError):
                _input(process).write(line)
                _input(process).flush()
        return self._collect(self._asked, SECONDS + 3 * address.get("seconds", 0.0))

    def _listen(self, output: IO[str]) -> None:
        for line in output:
            with suppress(ValueError):
                self._said.put(json.loads(line))

    def _collect(self, number: int, seconds: float) -> dict[str, str]:
        """Return each node's answer to one question, by name; answers to earlier questions are skipped."""
        end = time.monotonic() + seconds
        told: dict[str, str] = {}
        error = ""
        while len(told) < len(self._hosts):
            try:
                said = self._said.get(timeout=max(0.0, min(1.0, end - time.monotonic())))
            except queue.Empty:
                if time.monotonic() < end and any(process.poll() is None for process in self._started):
                    continue
                host = next(host for host in self._hosts if host not in told)
                raise ClusterError(f"node {host} does not answer; another job will try it") from None
            if said["number"] not in (number, LAST):
                continue
            host = match_host(said["host"], self._hosts)
            told[host] = said.get("read", "")
            if "error" in said:
                error = error or f"node {host}: {said['error']}"
        if error:
            raise SettingError(error)
        return {host: told[host] for host in self._hosts}

    def _end(self) -> None:
        for process in self._started:
            with suppress(OSError):
                _input(process).close()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._started.clear()


def _input(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdin is not None
    return process.stdin
