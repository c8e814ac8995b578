"""Faults that can be staged on a model that is up, each with its way back."""

import os
from contextlib import suppress

from coldcache.measure.model.calls import wait_for
from coldcache.measure.model.clients import cut_client, mount_client
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.monitor import Monitor
from coldcache.measure.model.network import switch_link
from coldcache.measure.model.place import Place, find_daemons, read_specification
from coldcache.measure.model.pools import count_active
from coldcache.measure.model.start import start_metadata_server, start_target


def lose_target(place: Place, target: int) -> None:
    """Kill the server of a target, and report it to the monitor, which otherwise thinks it alive for `failure_grace`.

    Raises
    ------
    ModelError
        If it does not run.
    """
    _kill(place, f"osd.{target}")
    with Monitor(place) as monitor:
        monitor.order("osd down", ids=[str(target)])


def return_target(place: Place, target: int) -> None:
    """Start the server of a target again, and wait until it answers.

    Raises
    ------
    ModelError
        If it does not within 60 s.
    """
    start_target(place, read_specification(place), target)
    with Monitor(place) as monitor:
        wait_for(f"target {target} up", lambda: target in _targets_up(monitor))


def lose_metadata_server(place: Place, server: int) -> None:
    """Kill a metadata server, and report it to the monitor; a standby, where there is one, takes its rank.

    Raises
    ------
    ModelError
        If it does not run.
    """
    _kill(place, f"mds.m{server}")
    with Monitor(place) as monitor:
        monitor.order("mds fail", role_or_gid=f"m{server}")


def return_metadata_server(place: Place, server: int, seconds: float = 120) -> None:
    """Start a metadata server again, and wait until every rank is served.

    Raises
    ------
    ModelError
        If it is not in time.
    """
    start_metadata_server(place, server)
    wait_for_metadata(place, seconds)


def wait_for_metadata(place: Place, seconds: float = 120) -> None:
    """Wait until every rank is served, by a standby or by a server that came back.

    Raises
    ------
    ModelError
        If it is not in time.
    """
    count = read_specification(place).metadata_servers
    with Monitor(place) as monitor:
        wait_for(f"{count} active metadata servers", lambda: count_active(monitor) == count, seconds)


def lose_client(place: Place, client: int) -> None:
    """End a client with all that it had not written; calls that wait for it fail with ENOTCONN."""
    cut_client(place, client)


def return_client(place: Place, client: int) -> None:
    """Mount a client again."""
    mount_client(place, read_specification(place), client)


def cut_link(place: Place, node: str) -> None:
    """Cut the link of a node, such as ``oss1`` or ``c2``."""
    switch_link(place, node, up=False)


def mend_link(place: Place, node: str) -> None:
    """Mend the link of a node."""
    switch_link(place, node, up=True)


def _targets_up(monitor: Monitor) -> set[int]:
    return {int(target["osd"]) for target in monitor.order("osd dump")["osds"] if target["up"]}


def _kill(place: Place, daemon: str) -> None:
    process = find_daemons(place).get(daemon)
    if process is None:
        raise ModelError(f"{daemon} does not run; show lists the servers that do")
    with suppress(ProcessLookupError):
        os.kill(process, 9)
    wait_for(f"end of {daemon}", lambda: daemon not in find_daemons(place), 30)
