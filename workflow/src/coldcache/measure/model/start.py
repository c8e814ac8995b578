"""The start of a model: network, monitor, targets, pools, metadata servers, clients, limits."""

import os
import shutil
import sys
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from coldcache.core.units import MIB
from coldcache.design.model.specification import GIB, MODEL_LIMITS, Specification
from coldcache.measure.model.calls import call, wait_for
from coldcache.measure.model.client_view import RANKS as RANKS
from coldcache.measure.model.clients import list_mounts, mount_client
from coldcache.measure.model.configuration import HUB, write_configuration
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.feasibility import list_obstacles
from coldcache.measure.model.groups import give_way, make_groups
from coldcache.measure.model.limits import limit_all
from coldcache.measure.model.monitor import Monitor, ask_server
from coldcache.measure.model.network import list_nodes, make_network
from coldcache.measure.model.place import (
    Place,
    enter_groups,
    find_daemons,
    find_first_process,
    list_expected,
    lock,
    read_specification,
    start_within,
    write_specification,
)
from coldcache.measure.model.pools import SPREAD, count_active, make_pools
from coldcache.measure.model.stop import remove_all

#: Written last, so that a start that was killed is known.
COMPLETE = "complete"

#: Target 0 keeps the servers' journals and the database of its own, which fill 2 GiB within a million operations; the
#: image has holes.
_METADATA_SIZE = 8 * GIB

# Asleep for good. Ended processes become its children, and vanish as it ignores their signal, which exec(2) keeps; a
# shell's trap does not ignore this one.
_FIRST = "import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execvp('sleep', ['sleep', 'infinity'])"


def start_model(place: Place, specification: Specification, tell: Callable[[str], None] = lambda line: None) -> bool:
    """Start a model, or leave one of the same parts as it is, with these limits.

    Parameters
    ----------
    place : Place
        Where it lies; a folder that is not there, is empty, or holds a model.
    specification : Specification
        Its parts and limits.
    tell : callable
        Takes a line for each step.

    Returns
    -------
    bool
        Whether it was started; False where it was up.

    Raises
    ------
    ModelError
        If something is missing on this machine, the folder is in use, or a part does not start.
    """
    obstacles = list_obstacles()
    if obstacles:
        raise ModelError("; ".join(obstacles))
    with lock(place):
        if is_up(place) and _is_made_of(read_specification(place), specification):
            write_specification(place, specification)
            limit_all(place, specification)
            return False
        remove_all(place)
        try:
            _start(place, specification, tell)
        except ModelError as error:
            raise ModelError(f"{error}; the logs are in {place.folder / 'log'}, down removes all") from error
    return True


def is_up(place: Place) -> bool:
    """Test whether all of a model's servers and clients run, and every client is mounted."""
    if not (place.folder / COMPLETE).exists() or find_first_process(place) is None:
        return False
    specification = read_specification(place)
    mounts = {place.mount_of(client) for client in range(1, specification.clients + 1)}
    return list_expected(specification) <= set(find_daemons(place)) and mounts <= set(list_mounts(place.folder))


def _is_made_of(there: Specification, asked: Specification) -> bool:
    parts = set(Specification.model_fields) - set(MODEL_LIMITS)
    return all(getattr(there, key) == getattr(asked, key) for key in parts)


def _start(place: Place, specification: Specification, tell: Callable[[str], None]) -> None:
    begin = time.monotonic()

    def say(step: str) -> None:
        tell(f"{time.monotonic() - begin:5.1f} s  {step}")

    # The mark comes first: from here on a later start may remove what it finds.
    write_specification(place, specification)
    for folder in ("etc", "images", "log", "run/crash", "mon", "mds", "osd"):
        (place.folder / folder).mkdir(parents=True)
    groups = ["targets", "other", RANKS, *list_nodes(specification)]
    make_groups(place.name, [group for group in groups if not group.startswith("oss")])
    give_way(place.name, RANKS)
    _start_first_process(place)
    make_network(place, specification)
    say(f"network of {len(list_nodes(specification))} nodes")
    identity = write_configuration(place, specification)
    _start_monitor(place, identity)
    say("monitor")
    with Monitor(place) as monitor:
        _make_targets(place, specification, monitor)
        say(f"{specification.targets} storage targets and one for metadata made")
        _start_targets(place, specification, monitor)
        say("targets up")
        make_pools(place, specification, monitor)
        _start_metadata(place, specification, monitor)
    _make_folders(place, specification)
    say(f"file system with {specification.metadata_servers} metadata servers")
    with ThreadPoolExecutor(4) as pool:
        clients = range(1, specification.clients + 1)
        list(pool.map(lambda client: mount_client(place, specification, client), clients))
    limit_all(place, specification)
    (place.folder / COMPLETE).touch()
    say(f"{specification.clients} clients mounted")


def _start_first_process(place: Place) -> None:
    command = ["setsid", "--fork", "unshare", "--pid", "--fork", "--kill-child=KILL"]
    command += [sys.executable, "-I", "-S", "-c", _FIRST]
    call(*enter_groups(place, "other"), *command, log=place.log("first"))
    wait_for("first process of the model", lambda: find_first_process(place) is not None, 10, pause=0.02)


def _start_monitor(place: Place, identity: str) -> None:
    table = place.folder / "etc/monmap"
    addresses = f"[v2:{HUB}:3300,v1:{HUB}:6789]"
    call("monmaptool", "--create", "--fsid", identity, "--addv", "a", addresses, table, log=place.log("monmaptool"))
    daemon = ("ceph-mon", "--conf", place.configuration, "--id", "a")
    call(*daemon, "--mkfs", "--monmap", table, log=place.log("mon.mkfs"))
    start_within(place, "hub", "other", *daemon, log=place.log("mon.start"))


def _make_targets(place: Place, specification: Specification, monitor: Monitor) -> None:
    """Make the targets; target 0 holds the metadata and has no limit."""
    identities = {}
    for target in range(specification.targets + 1):
        folder = place.folder / f"osd/{target}"
        folder.mkdir()
        image = place.image_of(target)
        image.touch()
        os.truncate(image, specification.target_size if target else max(specification.target_size, _METADATA_SIZE))
        (folder / "block").symlink_to(_attach(place, target))
        identities[target] = str(uuid.uuid4())
        monitor.order("osd new", uuid=identities[target], id=target)

    def make(target: int) -> None:
        command = ("ceph-osd", "--conf", place.configuration, "--no-mon-config", "--id", str(target), "--mkfs")
        call(*command, "--osd-uuid", identities[target], log=place.log(f"osd.{target}.mkfs"), seconds=120)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(make, identities))


def _attach(place: Place, target: int) -> str:
    """Return a loop device for the image of a target, past the machine's cache."""
    for _ in range(20):
        # Another process may take the free device first.
        with suppress(ModelError):
            return call("losetup", "--find", "--show", "--direct-io=on", place.image_of(target)).strip()
        time.sleep(0.1)
    return call("losetup", "--find", "--show", "--direct-io=on", place.image_of(target)).strip()


def start_target(place: Place, specification: Specification, target: int) -> None:
    """Start the server of a target, on the node that it belongs to."""
    node = "mds0" if target == 0 else f"oss{specification.node_of(target)}"
    command = ("ceph-osd", "--conf", place.configuration, "--id", str(target))
    start_within(place, node, "targets", *command, log=place.log(f"osd.{target}.start"))


def _start_targets(place: Place, specification: Specification, monitor: Monitor) -> None:
    numbers = range(specification.targets + 1)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda target: start_target(place, specification, target), numbers))
    wait_for("targets up", lambda: monitor.order("osd stat")["num_up_osds"] == len(numbers))


def start_metadata_server(place: Place, server: int) -> None:
    """Start a metadata server."""
    (place.folder / f"mds/m{server}").mkdir(exist_ok=True)
    command = ("ceph-mds", "--conf", place.configuration, "--id", f"m{server}")
    start_within(place, f"mds{server}", f"mds{server}", *command, log=place.log(f"mds.m{server}.start"))


def _start_metadata(place: Place, specification: Specification, monitor: Monitor) -> None:
    for server in range(specification.metadata_servers + specification.standby_servers):
        start_metadata_server(place, server)
        # One after the other, so that m0 has rank 0 and m1 rank 1.
        active = min(server + 1, specification.metadata_servers)
        wait_for(f"metadata server m{server}", lambda active=active: count_active(monitor) == active)  # type: ignore[misc]


def _make_folders(place: Place, specification: Specification) -> None:
    """Make the folder that clients mount, with a quota that sets the size they see, and one on each metadata server."""
    root = place.folder / "run/root"
    root.mkdir()
    command = ("ceph-fuse", "--conf", place.configuration, "--name", "client.root", "--client_mountpoint=/", root)
    start_within(place, "hub", "other", *command, log=place.log("mount.root"))
    top = root / "pfs"
    _make_open(top)
    os.setxattr(top, "ceph.quota.max_bytes", str(specification.targets * specification.target_size).encode())
    layout = f"stripe_unit={MIB} stripe_count=1 object_size={MIB} pool={SPREAD}"
    os.setxattr(top, "ceph.dir.layout", layout.encode())
    for server in range(specification.metadata_servers):
        folder = top / f"mdt{server}"
        _make_open(folder)
        os.setxattr(folder, "ceph.dir.pin", str(server).encode())
        # An empty folder stays with the first server.
        (folder / ".rank").touch()
    for server in range(1, specification.metadata_servers):
        path = f"/pfs/mdt{server}"
        wait_for(f"{path} on server m{server}", lambda path=path, server=server: _owner(place, path) == server)  # type: ignore[misc]
    call("umount", root)
    wait_for("end of the first mount", lambda: "client.root" not in find_daemons(place))
    shutil.rmtree(root)


def _make_open(folder: os.PathLike[str]) -> None:
    os.mkdir(folder)  # noqa: PTH102
    os.chmod(folder, 0o1777)  # noqa: PTH101


def _owner(place: Place, path: str) -> int | None:
    """Return the rank that a folder belongs to, as rank 0 reports it."""
    for tree in ask_server(place.socket_of("mds.m0"), "get subtrees"):
        if tree["dir"]["path"] == path:
            return int(tree["auth_first"])
    return None
