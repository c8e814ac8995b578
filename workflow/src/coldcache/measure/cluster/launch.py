"""One trial on several nodes: the files that its tool needs, the tool's servers, and which process ran where."""

import os
import re
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.measure.cluster.ask_nodes import SEEN_MARK
from coldcache.measure.cluster.job_nodes import clear_environment
from coldcache.measure.model.client_view import open_client_views
from coldcache.measure.model.place import find_place
from coldcache.tools.launchers import MODEL, RANK, REMOTE, deal_out, reach, write_scripts
from coldcache.tools.protocols import Server, Tool
from coldcache.tools.run import Run

#: What the tool's servers print.
SERVERS = "servers.txt"

#: How long the tool's servers may take until they listen, in s.
_SECONDS = 60

#: A model runs as root, and its clients share the cores of one machine (Open MPI 4.1, mpirun(1)).
_MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}

_RANK = re.compile(r"^coldcache: rank (\d+) on (\S+) sees (\S+)$", re.MULTILINE)


class Launch:
    """What it takes to run a tool on the nodes of a trial; on a single machine nothing.

    Parameters
    ----------
    tool : Tool
        What runs.
    run : Run
        With the names of its hosts.
    folder : Path
        Of the trial, under its temporary name.
    work : Path
        The marked work folder of the target.
    environment : mapping of str to str
        That of this process.
    """

    def __init__(self, tool: Tool, run: Run, folder: Path, work: Path, environment: Mapping[str, str]):
        self._tool, self._run, self._folder, self._work = tool, run, folder, work
        self._environment = environment
        self._server = tool.TRAITS.server if run.nodes > 1 else None
        #: Whether anything runs in the folder of the trial, by whose scripts processes report where they are.
        self.spreads = bool(run.starter) and (RANK in run.launcher if run.launcher else run.nodes > 1)

    def environment(self) -> Mapping[str, str]:
        """Return the environment of the tool."""
        if not self._run.starter:
            return self._environment
        if self._run.starter == MODEL:
            return {**self._environment, **_MPIRUN, "RSH": REMOTE}
        tasks = -(-self._run.threads // self._run.nodes)
        return {**clear_environment(self._run.hosts, tasks), "RSH": REMOTE}

    def folder(self) -> Path | None:
        """Return the folder in which the tool starts; None for this process's own."""
        return self._folder if self.spreads else None

    @contextmanager
    def ready(self) -> Iterator[None]:
        """Write what the tool takes, and keep the tool's servers listening meanwhile.

        Raises
        ------
        SettingError
            If a server does not listen in time.
        """
        if not self.spreads:
            yield
            return
        run = self._run
        mark, place = self._work / SEEN_MARK, find_place(self._work)
        with ExitStack() as stack:
            if run.starter == MODEL and place:
                files = stack.enter_context(open_client_views(place, run.nodes, mark))
            else:
                files = dict(write_scripts(run.starter, str(mark)))
            for name, text in {**files, **self._tool.files(run)}.items():
                (self._folder / name).write_text(text)
            for name in (RANK, REMOTE):
                (self._folder / name).chmod(0o755)
            if self._server is not None:
                stack.enter_context(self._serving(self._server))
            yield

    @contextmanager
    def _serving(self, server: Server) -> Iterator[None]:
        run = self._run
        groups = [run.hosts] if run.starter == "srun" else [(host,) for host in run.hosts]
        serve = f"exec {server.command}"
        started = []
        with (self._folder / SERVERS).open("wb") as said:
            try:
                for group in groups:
                    words = [RANK, "sh", "-c", serve]
                    if run.starter == "ssh":
                        words = [f"cd '{self._folder.absolute()}' && {RANK} sh -c '{serve}'"]
                    process = subprocess.Popen(
                        [*reach(run.starter, group), *words], cwd=self._folder, stdin=subprocess.DEVNULL, stdout=said,
                        stderr=said, env=clear_environment(group), start_new_session=True,
                    )  # fmt: skip
                    started.append(process)
                self._wait_for_servers(server.port, started)
                yield
            finally:
                _end(started)

    def _wait_for_servers(self, port: int, started: list[subprocess.Popen]) -> None:
        end = time.monotonic() + _SECONDS
        for host in self._run.hosts:
            while not _listens(host, port):
                if time.monotonic() > end or any(process.poll() is not None for process in started):
                    name = self._tool.TRAITS.program.name
                    raise SettingError(f"no server of {name} listens on node {host}; what they said is in {SERVERS}")
                time.sleep(0.02)

    def describe(self) -> dict[str, Any]:
        """Return who ran where, as the processes themselves told it: the ranks of each node."""
        logs = [self._folder / name for name in ("stderr.txt", SERVERS)]
        text = "".join(log.read_text(errors="replace") for log in logs if log.is_file())
        found: dict[str, list[int]] = {}
        seen: dict[str, set[str]] = {}
        for rank, host, word in _RANK.findall(text):
            found.setdefault(host, []).append(int(rank))
            seen.setdefault(host, set()).add(word)
        # Only MPI numbers its processes.
        nodes = {
            host: {"processes": len(ranks), **({"ranks": sorted(ranks)} if self._tool.TRAITS.is_mpi else {})}
            for host, ranks in sorted(found.items())
        }
        return {
            "starter": self._run.starter, "nodes": nodes,
            "marks": {host: sorted(words) for host, words in sorted(seen.items())},
        }  # fmt: skip

    def find_fault(self, told: dict[str, Any], word: str) -> str | None:
        """Return how a launch differs from the plan; None where it does not."""
        run = self._run
        for host, words in told["marks"].items():
            if words != [word]:
                return f"node {host} does not see the target: a process there found another folder under its path"
        times = self._tool.TRAITS.starts.get(run.operations[0], 1)
        planned = Counter({_short(host): times * len(own) for host, own in deal_out(run.threads, run.hosts).items()})
        if self._server:
            planned = Counter(map(_short, run.hosts))
        real = Counter({_short(host): node["processes"] for host, node in told["nodes"].items()})
        if not real:
            return "no process started: the launcher ended without starting any"
        for host in planned | real:
            if planned[host] != real[host]:
                return f"{real[host]} processes started on node {host}, {planned[host]} were to"
        return None


def _short(host: str) -> str:
    return host.split(".")[0]


def _listens(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def _end(started: list[subprocess.Popen]) -> None:
    """End what was started: srun hands the first signal on to its step."""
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
    for process in started:
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
