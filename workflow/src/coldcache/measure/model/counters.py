"""What moved in the model: bytes and requests of targets and metadata servers, bytes of links, processor time."""

import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from coldcache.measure.model.calls import call
from coldcache.measure.model.client_view import RANKS as RANKS
from coldcache.measure.model.groups import seconds_of_cpu
from coldcache.measure.model.monitor import ask_server
from coldcache.measure.model.network import list_nodes
from coldcache.measure.model.place import Place, find_daemons, read_specification

#: A machine busier than this share of its cores is itself the limit.
SATURATED = 0.7


#: What a metadata server counts that has never had a rank.
_IN_RESERVE = {"handle_client_request": 0}


@dataclass(frozen=True, slots=True)
class TargetCounters:
    """Counts of a target's device since it was made (Linux, Documentation/block/stat.rst)."""

    reads: int
    read_bytes: int
    writes: int
    written_bytes: int
    discards: int
    flushes: int


@dataclass(frozen=True, slots=True)
class ModelCounters:
    """Counts at one moment: target 0 holds the metadata; links are seen from their node, in B."""

    time: float
    targets: dict[int, TargetCounters]
    sent: dict[str, int]
    received: dict[str, int]
    requests: dict[int, dict[str, int]]
    cpu: dict[str, float]
    busy: float
    cores: int

    def to_dict(self) -> dict[str, object]:
        """Return all counts as JSON takes them."""
        return asdict(self)


def read_model_counters(place: Place) -> ModelCounters:
    """Return the counts of a model that is up.

    Raises
    ------
    ModelError
        If it is not up, or a metadata server does not answer.
    """
    specification = read_specification(place)
    targets = {number: _read_device(place, number) for number in range(specification.targets + 1)}
    sent, received = _read_links(place)
    requests = {}
    running = find_daemons(place)
    for server in range(specification.metadata_servers + specification.standby_servers):
        if f"mds.m{server}" not in running:
            continue
        # One in reserve has no such counts.
        counts = ask_server(place.socket_of(f"mds.m{server}"), "perf dump").get("mds_server", _IN_RESERVE)
        kinds = {key[4:-8]: value["avgcount"] for key, value in counts.items() if key.startswith("req_")}
        requests[server] = {"requests": counts["handle_client_request"], **kinds}
    groups = ["targets", "other", RANKS, *(node for node in list_nodes(specification) if not node.startswith("oss"))]
    cpu = {group: seconds_of_cpu(place.name, group) for group in groups}
    return ModelCounters(time.monotonic(), targets, sent, received, requests, cpu, _read_busy(), os.cpu_count() or 1)


def count_evidence(place: Place) -> dict[str, int]:
    """Return the counts by name, as a trial keeps them.

    Returns
    -------
    dict
        ``read_bytes`` and ``written_bytes`` of all storage targets, then those of each (``target3.read_bytes``); bytes
        over the link of each node (``oss1.sent_bytes``), processor time of the model (``cpu_ms``) and of processes on
        its clients, which give way to it (``ranks.cpu_ms``), and requests of each metadata server (``mds0.requests``).

    Raises
    ------
    ModelError
        As `read_model_counters`.
    """
    counted = read_model_counters(place)
    storage = {number: target for number, target in counted.targets.items() if number}
    found = {
        "read_bytes": sum(target.read_bytes for target in storage.values()),
        "written_bytes": sum(target.written_bytes for target in storage.values()),
    }
    for number, target in storage.items():
        found[f"target{number}.read_bytes"] = target.read_bytes
        found[f"target{number}.written_bytes"] = target.written_bytes
    for node, sent in counted.sent.items():
        found |= {f"{node}.sent_bytes": sent, f"{node}.received_bytes": counted.received[node]}
    found["cpu_ms"] = round(1000 * sum(seconds for group, seconds in counted.cpu.items() if group != RANKS))
    found["ranks.cpu_ms"] = round(1000 * counted.cpu[RANKS])
    return found | {f"mds{server}.requests": counts["requests"] for server, counts in counted.requests.items()}


def subtract(after: ModelCounters, before: ModelCounters) -> ModelCounters:
    """Return what moved between two moments; `time` and `busy` are the seconds between them."""
    targets = {}
    for number, target in after.targets.items():
        earlier = asdict(before.targets[number])
        targets[number] = TargetCounters(**{key: value - earlier[key] for key, value in asdict(target).items()})
    return ModelCounters(
        after.time - before.time,
        targets,
        {node: count - before.sent[node] for node, count in after.sent.items()},
        {node: count - before.received[node] for node, count in after.received.items()},
        {
            server: {kind: count - before.requests.get(server, {}).get(kind, 0) for kind, count in counts.items()}
            for server, counts in after.requests.items()
        },
        {group: seconds - before.cpu[group] for group, seconds in after.cpu.items()},
        after.busy - before.busy,
        after.cores,
    )


def share_of_cores(moved: ModelCounters) -> float:
    """Return the share of the machine's cores that were busy while something was measured: 0 to 1."""
    return moved.busy / (moved.time * moved.cores)


def is_saturated(moved: ModelCounters) -> bool:
    """Test whether the machine was the limit: a rate measured then says nothing of the model's limits."""
    return share_of_cores(moved) > SATURATED


def _read_device(place: Place, target: int) -> TargetCounters:
    text = (Path("/sys/class/block") / place.device_of(target).name / "stat").read_text()
    words = [int(word) for word in text.split()]
    return TargetCounters(words[0], 512 * words[2], words[4], 512 * words[6], words[11], words[15])


def _read_links(place: Place) -> tuple[dict[str, int], dict[str, int]]:
    """Return what each node sent and received, by the counts of the bridge's end of its link."""
    sent, received = {}, {}
    for line in call("ip", "netns", "exec", place.namespace("hub"), "cat", "/proc/self/net/dev").splitlines():
        name, _, rest = line.strip().partition(":")
        if name.startswith("to-"):
            words = [int(word) for word in rest.split()]
            # What the bridge received is what the node sent.
            sent[name[3:]], received[name[3:]] = words[0], words[8]
    return sent, received


def _read_busy() -> float:
    """Return the seconds that all cores have been busy since boot (proc(5), stat)."""
    words = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(words) - words[3] - words[4]) / os.sysconf("SC_CLK_TCK")
