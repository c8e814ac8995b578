"""Check the nodes of a site for `python -m coldcache check`, by one short job."""

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coldcache.core.errors import ClusterError
from coldcache.core.units import show_bytes
from coldcache.design.site import Clients
from coldcache.measure.cluster.ask_nodes import ask_nodes, find_other_name
from coldcache.measure.cluster.job_nodes import clear_environment, find_hosts
from coldcache.tools.launchers import HOSTS, RANK, start_ranks

#: The name of one check, whether it passed, and a detail or the reason why not.
Check = tuple[str, bool, str]

#: Time limit of the job in minutes, and how long it may wait for its nodes in s.
_MINUTES, _SECONDS_IN_QUEUE = 5, 900

_SECONDS = 60


def needs_job(clients: Clients) -> bool:
    """Return whether the nodes can be reached only from inside a job, and this process is not in one."""
    return clients.launcher == "srun" and "SLURM_JOB_ID" not in os.environ


def check_in_job(clients: Clients, arguments: list[str]) -> int:
    """Run `python -m coldcache check` again inside a job of all nodes, and return its exit status.

    Raises
    ------
    ClusterError
        If Slurm grants no nodes in time, or there is no Slurm.
    """
    words = ["salloc", "--quiet", f"--nodes={clients.nodes}", f"--ntasks={clients.nodes}", "--ntasks-per-node=1"]
    words += [f"--time={_MINUTES}", *os.environ.get("COLDCACHE_SALLOC", "").split()]
    try:
        return subprocess.run(
            [*words, sys.executable, "-m", "coldcache", "check", *arguments], check=False, timeout=_SECONDS_IN_QUEUE
        ).returncode
    except FileNotFoundError as error:
        raise ClusterError("salloc is not on PATH: run this where jobs can be submitted") from error
    except subprocess.TimeoutExpired as error:
        raise ClusterError(
            f"Slurm gave no {clients.nodes} nodes within {_SECONDS_IN_QUEUE // 60} min: try again, or name an account "
            'and a partition, as in COLDCACHE_SALLOC="--account=name --partition=name"'
        ) from error


def check_nodes(clients: Clients, folder: Path, programs: list[str]) -> Iterator[Check]:
    """Yield what the nodes of this job have, and what does not work on them.

    Parameters
    ----------
    clients : Clients
        The site's.
    folder : Path
        The target's folder on this machine.
    programs : list of str
        Tools to look for on each node.

    Raises
    ------
    ClusterError
        If the nodes of the job are unknown.
    """
    hosts = find_hosts(clients)
    yield "nodes", len(hosts) >= clients.nodes, f"{len(hosts)} of {clients.nodes}"
    word = secrets.token_hex(8)
    mark = folder / f".coldcache-{word}"
    mark.write_text(word)
    try:
        began = time.time()
        told = ask_nodes(clients.launcher, hosts, [str(mark), *programs], _SECONDS)
        ended = time.time()
    finally:
        mark.unlink()
    for host in hosts:
        if host not in told:
            yield f"node {host}", False, find_other_name(host, told) or f"does not answer within {_SECONDS} s"
            continue
        yield f"node {host}", True, _describe(told[host])
        for problem in _find_problems(told[host], word, began, ended, clients):
            yield f"node {host}", False, problem
    yield _check_ranks(clients, hosts)


def _describe(node: dict[str, Any]) -> str:
    links = ", ".join(f"{name} {speed / 1000:g} Gbit/s" for name, speed in node["links"].items() if speed > 0)
    tools = ", ".join(name for name, path in node["programs"].items() if path) or "no tool"
    memory = show_bytes(node["memory_bytes"])
    return (
        f"{node['cores']} cores, {memory}, kernel {node['kernel']}, {node['mount']}, {links or 'link speed unknown'}, "
        f"{tools}"
    )


def _find_problems(node: dict[str, Any], word: str, began: float, ended: float, clients: Clients) -> Iterator[str]:
    if node["mark"] != word:
        yield f"does not see the target: there its folder is in {node['mount']}; mount it there"
    elif not node["writable"]:
        yield "may not write to the target"
    # Times between question and answer are not a clock error: they include the network.
    off = max(began - node["time"], node["time"] - ended, 0.0)
    if off > 0.5:
        yield f"its clock is {off:.1f} s off: set it by NTP"
    if clients.cores and node["cores"] < clients.cores:
        yield f"has {node['cores']} cores, the site states {clients.cores}: lower clients.cores"
    if clients.memory not in (None, "here") and node["memory_bytes"] < 0.9 * clients.memory_bytes():
        yield f"has {show_bytes(node['memory_bytes'])} of memory, the site states {show_bytes(clients.memory_bytes())}"


def _check_ranks(clients: Clients, hosts: tuple[str, ...]) -> Check:
    """Check that the launcher starts a process on each node, as for the ranks of IOR and mdtest."""
    what = f"ranks by {'mpirun' if clients.launcher == 'ssh' else clients.mpi}"
    words = list(start_ranks(clients.launcher, clients.mpi, len(hosts), len(hosts), clients.total_cores()))
    words.remove(RANK)
    if HOSTS in words:
        words[words.index(HOSTS) - 1 : words.index(HOSTS) + 1] = ["--host", ",".join(hosts)]
    try:
        answer = subprocess.run(
            [*words, "uname", "-n"], capture_output=True, text=True, timeout=_SECONDS, check=False,
            stdin=subprocess.DEVNULL, env={**clear_environment(hosts), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
        )  # fmt: skip
    except FileNotFoundError:
        return what, False, f"{words[0]} is not on PATH; load the module that has it"
    except subprocess.TimeoutExpired:
        return what, False, f"{' '.join(words)} does not end within {_SECONDS} s"
    started = sorted(answer.stdout.split())
    if answer.returncode or len(started) != len(hosts):
        said = answer.stderr.strip().splitlines()
        return what, False, f"{' '.join(words)}: {len(started)} started; {said[-1] if said else 'no message'}"
    return what, True, f"one on each of {len(set(started))} nodes"
