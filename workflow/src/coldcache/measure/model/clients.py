"""Mounts of the model's clients: mounted, unmounted, and remounted so that they keep nothing."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from coldcache.design.model.specification import Specification
from coldcache.measure.model.calls import call, wait_for
from coldcache.measure.model.configuration import list_client_options
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.groups import list_members
from coldcache.measure.model.monitor import Monitor, ask_server
from coldcache.measure.model.place import Place, find_daemons, read_specification, start_within


def list_mounts(folder: Path) -> list[Path]:
    """Return the mounts at or below a folder, the innermost first, living or dead (proc(5), mountinfo)."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        path = Path(line.split()[4].encode().decode("unicode_escape"))
        if path == folder or folder in path.parents:
            found.append(path)
    return found[::-1]


def mount_client(place: Place, specification: Specification, client: int) -> None:
    """Mount the file system for a client.

    Raises
    ------
    ModelError
        If no server answers within 60 s.
    """
    mount = place.mount_of(client)
    mount.mkdir(exist_ok=True)
    name = f"c{client}"
    start_within(
        place,
        name,
        name,
        "ceph-fuse",
        "--conf",
        place.configuration,
        "--name",
        f"client.{name}",
        *list_client_options(specification),
        "--client_mountpoint=/pfs",
        mount,
        log=place.log(f"mount.{name}"),
    )


def unmount_client(place: Place, client: int, seconds: float = 60) -> None:
    """End a client's mount, once the servers have all that it wrote; one that is dead or hangs is cut off.

    Raises
    ------
    ModelError
        If it was cut off: what it held is lost.
    """
    mount, group = place.mount_of(client), f"c{client}"
    lost = None
    if mount in list_mounts(place.folder):
        try:
            call("umount", mount, seconds=seconds)
            # The client's process outlives its mount until the metadata servers have its last changes.
            wait_for(f"end of client c{client}", lambda: not list_members(place.name, group), seconds)
        except ModelError as error:
            lost = error
    cut_client(place, client)
    if lost is not None:
        raise ModelError(f"client c{client}: cut off, and what it had not written is lost: {lost}") from lost


def cut_client(place: Place, client: int) -> None:
    """End a client's process and its mount at once; calls that wait for it fail."""
    for member in list_members(place.name, f"c{client}"):
        with suppress(ProcessLookupError):
            os.kill(member, 9)
    wait_for(f"end of client c{client}", lambda: not list_members(place.name, f"c{client}"), 10)
    _forget_session(place, client)
    while place.mount_of(client) in list_mounts(place.folder):
        call("umount", "--lazy", place.mount_of(client), seconds=20)


def _forget_session(place: Place, client: int) -> None:
    """Let the metadata servers forget a client that has ended without a word; else others wait for what it holds."""
    for server in find_daemons(place):
        if not server.startswith("mds."):
            continue
        # A server in reserve knows no sessions, and one that hangs must not keep the client's mount.
        with suppress(ModelError, KeyError, TypeError):
            for session in ask_server(place.socket_of(server), "session ls", seconds=10):
                if session["client_metadata"].get("entity_id") == f"c{client}":
                    ask_server(place.socket_of(server), "session evict", seconds=10, filters=[f"id={session['id']}"])


def settle_targets(place: Place, specification: Specification) -> None:
    """Let every target write what it holds back, and forget it.

    BlueStore writes the odd ends of a write that is not aligned to 4 KiB later, and keeps all of the write in memory
    until another transaction has noted that they are written. Three small ones push the last of them out.

    Raises
    ------
    ModelError
        If a target does not answer within 30 s.
    """
    with Monitor(place) as monitor:
        for _ in range(3):
            for target in range(1, specification.targets + 1):
                monitor.write(f"ost{target}", "settle")


def remount_clients(place: Place, first: int = 1) -> None:
    """Remount clients, so that they keep neither data nor names, and let the targets forget theirs.

    Parameters
    ----------
    place : Place
        Where the model lies.
    first : int
        The clients from this one on; all by default.

    Raises
    ------
    ModelError
        If a client could not be unmounted in time; all are mounted then, too.
    """
    specification = read_specification(place)
    numbers = range(first, specification.clients + 1)

    def remount(client: int) -> ModelError | None:
        lost = None
        try:
            unmount_client(place, client)
        except ModelError as error:
            lost = error
        mount_client(place, specification, client)
        return lost

    with ThreadPoolExecutor(4) as pool:
        errors = [error for error in pool.map(remount, numbers) if error is not None]
    if errors:
        raise errors[0]
    settle_targets(place, specification)


def read_client_value(place: Place, client: int, key: str) -> str:
    """Return an option of ceph-fuse as the client's process was started with it.

    Raises
    ------
    ModelError
        If the client does not run.
    """
    process = find_daemons(place).get(f"client.c{client}")
    if process is None:
        raise ModelError(f"client c{client} does not run; cold remounts every client")
    for word in Path(f"/proc/{process}/cmdline").read_text().split("\0"):
        if word.startswith(f"--{key}="):
            return word.partition("=")[2]
    raise ModelError(f"client c{client}: started without --{key}")
