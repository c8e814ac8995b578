"""Ask all nodes of a job at once whether they see the same target and what they have."""

import json
import secrets
import shutil
import subprocess
import sys
import time
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import ClusterError, SettingError
from coldcache.measure.cluster.job_nodes import clear_environment
from coldcache.measure.cluster.node_agent import COOL, DESCRIBE
from coldcache.tools.launchers import reach

#: A file in the work folder; a node that reads the runner's word from it sees the same target.
SEEN_MARK = ".seen"

#: The folder of the work folder in which each node describes itself.
_DESCRIBED = ".described"

#: How long nodes may take to answer, in s.
SECONDS = 120


class BlockNodes(NamedTuple):
    """The nodes that a block runs on.

    Attributes
    ----------
    hosts : tuple of str
        The nodes of its job; empty on a single machine.
    word : str
        The word in the mark on the target; a process that reads it sees the right target.
    """

    hosts: tuple[str, ...] = ()
    word: str = ""


def write_mark(work: Path) -> str:
    """Write a unique word into the work folder, and return it."""
    word = secrets.token_hex(8)
    (work / SEEN_MARK).write_text(word + "\n")
    return word


def ask_nodes(
    starter: str, hosts: tuple[str, ...], arguments: list[str], seconds: float = SECONDS
) -> dict[str, dict[str, Any]]:
    """Return each node's description of itself, by name; nodes that do not answer are left out.

    By ssh it has the host that was ``asked``: a node that calls itself otherwise is there by its own name.

    Parameters
    ----------
    starter : str
        ``srun`` or ``ssh``.
    hosts : tuple of str
        The nodes.
    arguments : list of str
        The arguments of `coldcache.measure.cluster.node_agent`.
    seconds : float
        How long they may take, in s.
    """
    groups = [hosts] if starter == "srun" else [(host,) for host in hosts]
    program = [sys.executable, "-m", "coldcache.measure.cluster.node_agent", *arguments]
    started = [
        subprocess.Popen(
            [*reach(starter, group), *program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=clear_environment(group), start_new_session=True,
        )
        for group in groups
    ]  # fmt: skip
    end = time.monotonic() + seconds
    told = {}
    for group, process in zip(groups, started, strict=True):
        try:
            output, _ = process.communicate(timeout=max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        for line in output.splitlines():
            try:
                answer = json.loads(line)
            except ValueError:
                continue
            told[match_host(answer["host"], hosts)] = {**answer, "asked": group[0] if starter == "ssh" else ""}
    return told


def match_host(host: str, hosts: tuple[str, ...]) -> str:
    """Return a node's name as the scheduler has it: the short or the long form of the node's own."""
    if host in hosts:
        return host
    return next((name for name in hosts if _shorten(name) == _shorten(host)), host)


def _shorten(host: str) -> str:
    """Return a name without its domain; an address has none."""
    try:
        return str(ip_address(host))
    except ValueError:
        return host.split(".")[0]


def find_other_name(host: str, told: dict[str, dict[str, Any]]) -> str | None:
    """Return by which name a host has answered, with what to do; None where it has by its own, or not at all."""
    names = (name for name, answer in told.items() if answer.get("asked") == host and name != host)
    return next((f'calls itself "{name}": name it so in clients.hosts' for name in names), None)


def find_fault(starter: str, place: BlockNodes, work: Path, nodes: int) -> str | None:
    """Return why the nodes of a job cannot be used; None where they can.

    Raises
    ------
    ClusterError
        If a node does not answer, or the job has too few: another job may do better.
    """
    hosts, word = place
    if len(hosts) < nodes:
        raise ClusterError(f"this job has {len(hosts)} nodes, the block needs {nodes}")
    told = ask_nodes(starter, hosts, [str(work / SEEN_MARK)])
    for host in hosts:
        if other := find_other_name(host, told):
            return f"node {host} {other}"
    if lost := _name_lost(hosts, told):
        raise ClusterError(f"{lost} does not answer within {SECONDS} s; another job will try it")
    for host in hosts:
        if told[host]["mark"] != word:
            return f"node {host} does not see the target: there {work} is in {told[host]['mount']}; mount it there"
        if not told[host]["writable"]:
            return f"node {host} may not write to {work}"
    return None


def refuse_lost(starter: str, hosts: tuple[str, ...]) -> None:
    """Raise `ClusterError` if a node no longer answers: a failure then says nothing about the storage."""
    if lost := _name_lost(hosts, ask_nodes(starter, hosts, ["/"])):
        raise ClusterError(f"{lost} was lost: it does not answer; the trial is run again by the next job")


def _name_lost(hosts: tuple[str, ...], told: dict[str, dict[str, Any]]) -> str | None:
    """Return the first node that did not answer; None if all did.

    srun asks no node if it cannot reach all of them, and does not say which one is lost.
    """
    lost = [host for host in hosts if host not in told]
    if lost and not told and len(hosts) > 1:
        return f"one of nodes {', '.join(hosts)}"
    return f"node {lost[0]}" if lost else None


def cool_everywhere(
    starter: str, hosts: tuple[str, ...], paths: list[Path], scratch: Path, method: str
) -> dict[str, int]:
    """Drop files from the memory of every node, and return how many bytes of them each node still holds.

    Raises
    ------
    SettingError
        If a node does not answer.
    """
    scratch.write_text("".join(f"{path}\n" for path in paths))
    told = ask_nodes(starter, hosts, [COOL, str(scratch.absolute()), method])
    scratch.unlink()
    for host in hosts:
        if host not in told:
            raise SettingError(f"node {host} did not drop the files from its memory")
    return {host: told[host]["resident_bytes"] for host in hosts}


def describe_everywhere(starter: str, hosts: tuple[str, ...], work: Path) -> dict[str, dict[str, Any]]:
    """Return the description of each node for `hosts.json`, by its own name; nodes that do not answer are left out."""
    folder = work / _DESCRIBED
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        told = ask_nodes(starter, hosts, [DESCRIBE, str(folder)])
        paths = [folder / f"{answer['host']}.json" for answer in told.values()]
        return {path.stem: json.loads(path.read_text()) for path in paths if path.is_file()}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
