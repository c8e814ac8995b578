"""The model's network: a bridge in a namespace of its own, and a link from it to each node."""

import json
from contextlib import suppress
from pathlib import Path

from coldcache.design.model.specification import Specification
from coldcache.measure.model.calls import call
from coldcache.measure.model.configuration import HUB
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.place import Place

# Addresses of each kind of node begin after one of these.
_FIRST_ADDRESS = {"mds": 2, "oss": 20, "c": 90}


def list_nodes(specification: Specification) -> dict[str, int]:
    """Return the nodes of a model, with the last number of the address of each."""
    servers = specification.metadata_servers + specification.standby_servers
    return {
        **{f"mds{number}": _FIRST_ADDRESS["mds"] + number for number in range(servers)},
        **{f"oss{number}": _FIRST_ADDRESS["oss"] + number for number in range(1, specification.storage_nodes + 1)},
        **{f"c{number}": _FIRST_ADDRESS["c"] + number for number in range(1, specification.clients + 1)},
    }


def make_network(place: Place, specification: Specification) -> None:
    """Make the bridge, the nodes, and their links."""
    hub = place.namespace("hub")
    network = HUB.rpartition(".")[0]
    call("ip", "netns", "add", hub)
    lines = ["link set lo up", "link add nodes type bridge", f"address add {HUB}/24 dev nodes", "link set nodes up"]
    for node in list_nodes(specification):
        call("ip", "netns", "add", place.namespace(node))
        lines.append(f"link add to-{node} type veth peer name eth0 netns {place.namespace(node)}")
        lines.append(f"link set to-{node} master nodes up")
    _run_lines(hub, lines)
    for node, number in list_nodes(specification).items():
        inside = [f"address add {network}.{number}/24 dev eth0", "link set eth0 up", "link set lo up"]
        _run_lines(place.namespace(node), inside)


def _run_lines(namespace: str, lines: list[str]) -> None:
    call("ip", "-netns", namespace, "-batch", "-", text="\n".join(lines) + "\n")


def limit_link(place: Place, node: str, rate: float | None, delay: float = 0.0) -> None:
    """Limit what leaves a node and what reaches it, each way, and delay each packet.

    Parameters
    ----------
    place : Place
        Where the model lies.
    node : str
        Such as ``c1`` or ``oss2``.
    rate : float or None
        B/s; None for no limit.
    delay : float
        s, each way.

    Raises
    ------
    ModelError
        If the kernel lacks what delays packets (sch_netem), or what limits their rate (sch_tbf).
    """
    for namespace, device in _ends_of(place, node):
        with suppress(ModelError):
            call("tc", "-n", namespace, "qdisc", "delete", "dev", device, "root")
        parent = ["root", "handle", "1:"]
        if delay:
            # More packets than a second of the fastest link has, so that none is dropped while it waits.
            words = ["netem", "limit", "1000000", "delay", f"{delay * 1e6:.0f}us"]
            try:
                call("tc", "-n", namespace, "qdisc", "add", "dev", device, *parent, *words)
            except ModelError as error:
                raise ModelError(f"network_delay: {error}; where the kernel has it, modprobe sch_netem") from error
            parent = ["parent", "1:", "handle", "2:"]
        if rate is not None:
            words = ["tbf", "rate", f"{rate * 8:.0f}bit", "burst", "256kb", "latency", "200ms"]
            call("tc", "-n", namespace, "qdisc", "add", "dev", device, *parent, *words)


def read_link(place: Place, node: str) -> tuple[float | None, float]:
    """Return the rate in B/s and the delay in s that the kernel reports of a node's link.

    Raises
    ------
    ModelError
        If its two ends differ.
    """
    ends = []
    for namespace, device in _ends_of(place, node):
        rate, delay = None, 0.0
        for discipline in json.loads(call("tc", "-json", "-n", namespace, "qdisc", "show", "dev", device)):
            options = discipline.get("options", {})
            if discipline["kind"] == "tbf":
                rate = float(options["rate"])
            elif discipline["kind"] == "netem":
                delay = float(options["delay"]["delay"])
        ends.append((rate, delay))
    if ends[0] != ends[1]:
        raise ModelError(
            f"link of {node}: {ends[0]} (B/s, s) at the node, {ends[1]} at the bridge; set its limit again"
        )
    return ends[0]


def switch_link(place: Place, node: str, up: bool) -> None:
    """Cut the link of a node at the bridge, or mend it."""
    call("ip", "-netns", place.namespace("hub"), "link", "set", f"to-{node}", "up" if up else "down")


def remove_network(place: Place) -> None:
    """Remove all namespaces of the model, and with them its links."""
    for namespace in list_namespaces(place):
        call("ip", "netns", "delete", namespace)


def list_namespaces(place: Place) -> list[str]:
    """Return the network namespaces of the model that are there."""
    folder = Path("/run/netns")
    return sorted(path.name for path in folder.glob(f"{place.name}-*")) if folder.is_dir() else []


def _ends_of(place: Place, node: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (place.namespace(node), "eth0"), (place.namespace("hub"), f"to-{node}")
