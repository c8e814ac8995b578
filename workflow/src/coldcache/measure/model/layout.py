"""Where files lie: stripes of files dealt out over the first targets, layouts of folders, and the way back."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from coldcache.design.model.specification import GIB, Specification
from coldcache.design.model.stripes import Layout, deal_stripes
from coldcache.measure.model.calls import wait_for
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.monitor import Monitor, ask_server
from coldcache.measure.model.place import Place, read_specification
from coldcache.measure.model.pools import SPREAD, make_pool

_OBJECT = GIB
#: Stripes in each object of a file with a single stripe.
_STRIPES_OF_AN_OBJECT = 4
_MOST_STRIPES = 128
_STRIPED = "stripes"


def make_files(place: Place, folder: Path, names: list[str], size: int, layout: Layout) -> dict[str, list[int]]:
    """Make files of a size that hold nothing yet, dealt out over the first targets.

    They have their size at once, because fio removes a file that is shorter than what it shall write, and with it the
    layout.

    Parameters
    ----------
    place : Place
        Where the model lies.
    folder : Path
        On a client's mount; it is made where it is missing.
    names : list of str
        The files; an existing file is recreated.
    size : int
        Of each file, in B.
    layout : Layout
        The stripes of each file.

    Returns
    -------
    dict
        The targets of each file, in the order of its stripes.

    Raises
    ------
    ModelError
        If there are fewer targets, the folder is not on a mount of the model, a file is larger than 1 GiB a stripe, or
        more than 128 stripes are asked for in all.
    """
    _check(place, read_specification(place), folder, size, layout, len(names))
    folder.mkdir(parents=True, exist_ok=True)
    places = deal_stripes(len(names), layout)
    if layout.stripe_count == 1:
        for name, (target,) in zip(names, places, strict=True):
            _make_file(folder / name, layout, f"ost{target}")
    else:
        with Monitor(place) as monitor:
            _make_striped(place, monitor, {folder / name: places[n] for n, name in enumerate(names)}, layout)
    for name in names:
        os.truncate(folder / name, size)
    return dict(zip(names, places, strict=True))


def read_layout(path: Path) -> dict[str, int | str]:
    """Return the layout of a file as the file system reports it: stripe_count, stripe_size in B, and the pool.

    Raises
    ------
    ModelError
        If it reports none: the path is not on a model.
    """
    try:
        text = os.getxattr(path, "ceph.file.layout").decode()
    except OSError as error:
        raise ModelError(f"{path}: no layout: {error.strerror}; name a file on a client's mount") from error
    words = dict(word.split("=") for word in text.split())
    return {
        "stripe_count": int(words["stripe_count"]),
        "stripe_size": int(words["stripe_unit"]),
        "object_size": int(words["object_size"]),
        "pool": words["pool"],
    }


def find_targets(place: Place, *paths: Path) -> list[int]:
    """Return the target of each object of some files, in the order of the files and of their stripes."""
    found = []
    with Monitor(place) as monitor:
        for path in paths:
            layout = read_layout(path)
            status = path.stat()
            unit, count, size = (int(layout[key]) for key in ("stripe_size", "stripe_count", "object_size"))
            sets = max(1, -(-status.st_size // (size * count)))
            objects = min(sets * count, max(1, -(-status.st_size // unit)))
            for number in range(objects):
                name = f"{status.st_ino:x}.{number:08x}"
                found.append(int(monitor.order("osd map", pool=layout["pool"], object=name)["acting"][0]))
    return found


def has_stripes(place: Place) -> bool:
    """Test whether there are pools of files with several stripes."""
    with Monitor(place) as monitor:
        return any(pool["poolname"].startswith(_STRIPED) for pool in monitor.order("osd lspools"))


def forget_stripes(place: Place) -> None:
    """Remove the pools of files with several stripes, once the files are removed and their objects are gone.

    Raises
    ------
    ModelError
        If objects are still there after 60 s.
    """
    servers = [place.socket_of(f"mds.m{server}") for server in range(read_specification(place).metadata_servers)]
    wait_for("removal of the objects of removed files", lambda: not any(map(_keeps_removed_files, servers)))
    with Monitor(place) as monitor:
        for pool in monitor.order("osd lspools"):
            name = pool["poolname"]
            if name.startswith(_STRIPED):
                monitor.order("fs rm_data_pool", fs_name="pfs", pool=name)
                monitor.order("osd pool delete", pool=name, pool2=name, yes_i_really_really_mean_it=True)


def _keeps_removed_files(server: Path) -> bool:
    """Return whether a metadata server has still to remove objects of files that nobody can open any more."""
    counters = ask_server(server, "perf dump")
    if counters["purge_queue"]["pq_item_in_journal"]:
        return True
    if not counters["mds_cache"]["num_strays"]:
        return False
    # A folder that was pinned may stay for long after its removal; it has no objects.
    rank = ask_server(server, "status")["whoami"]
    left = ask_server(server, "dump tree", root=f"~mds{rank}", depth=2)
    return any(not inode["nlink"] and not stat.S_ISDIR(inode["mode"]) for inode in left)


def _check(place: Place, specification: Specification, folder: Path, size: int, layout: Layout, files: int) -> None:
    if not 1 <= layout.stripe_count <= layout.targets <= specification.targets:
        raise ModelError(
            f"{layout.stripe_count} stripes over {layout.targets} targets: the model has {specification.targets}"
        )
    mounts = [place.mount_of(client) for client in range(1, specification.clients + 1)]
    if not any(mount in (folder, *folder.parents) and mount.is_mount() for mount in mounts):
        raise ModelError(f"{folder} is not on a client's mount: name a folder below {place.mount_of(1)}")
    if layout.stripe_count > 1 and size > layout.stripe_count * _OBJECT:
        raise ModelError(f"{size} B in {layout.stripe_count} stripes: a stripe holds 1 GiB at most")
    if layout.stripe_count > 1 and files * layout.stripe_count > _MOST_STRIPES:
        raise ModelError(
            f"{files} files of {layout.stripe_count} stripes: more than {_MOST_STRIPES} in all; "
            "use fewer files or stripes"
        )


def _make_file(path: Path, layout: Layout, pool: str) -> int:
    """Return the inode of an empty file that was recreated with a layout."""
    path.unlink(missing_ok=True)
    path.touch()
    # Several objects of a window that is read ahead arrive one by one; all stripes of one file are placed singly.
    size = _STRIPES_OF_AN_OBJECT * layout.stripe_size if layout.stripe_count == 1 else _OBJECT
    words = f"stripe_unit={layout.stripe_size} stripe_count={layout.stripe_count} object_size={size} pool={pool}"
    os.setxattr(path, "ceph.file.layout", words.encode())
    return path.stat().st_ino


def _make_striped(place: Place, monitor: Monitor, files: dict[Path, list[int]], layout: Layout) -> None:
    _let_groups_begin(place, False)
    try:
        stripes = _Stripes(monitor, len(files) * layout.stripe_count)
        for path, targets in files.items():
            for _ in range(2000):
                if stripes.take(_make_file(path, layout, stripes.pool), targets):
                    break
            else:
                raise ModelError(f"{path}: its stripes find no place; ask for fewer files at a time")
        stripes.assign()
    finally:
        _let_groups_begin(place, True)
    stripes.begin()
    for client in range(1, read_specification(place).clients + 1):
        update_map(place.mount_of(client))


def update_map(mount: Path) -> None:
    """Let a client have the cluster's newest map.

    A target drops the requests of a client whose map is older than a group of objects. The client sends them again only
    if its newer map moves the group: where chance had it on the right target before, it would wait for ever.
    """
    # A client that does not know a pool asks for the newest map, and only then refuses the name.
    with suppress(OSError):
        os.setxattr(mount, "ceph.dir.layout.pool", b"none of this name")


def _let_groups_begin(place: Place, begin: bool) -> None:
    """Let the groups of objects of new pools begin on their targets, or wait (monitor, 16.2)."""
    value = ["1024" if begin else "0"]
    ask_server(place.socket_of("mon.a"), "config set", var="mon_osd_max_creating_pgs", val=value)


class _Stripes:
    """A new pool, whose groups of objects are assigned to the targets of the files' stripes before they begin.

    Ceph finds the place of an object by a hash of its name, so that of a few stripes some would share a target. A group
    that moves once it has begun may stay unreadable for 0.8 times `failure_grace`, while its earlier target may still
    answer for it.
    """

    def __init__(self, monitor: Monitor, stripes: int):
        self._monitor = monitor
        groups = 64
        while groups < min(8 * stripes, 512):
            groups *= 2
        taken = {pool["poolname"] for pool in monitor.order("osd lspools")}
        self.pool = next(f"{_STRIPED}{number}" for number in range(10_000) if f"{_STRIPED}{number}" not in taken)
        make_pool(monitor, self.pool, groups, rule=SPREAD)
        monitor.order("fs add_data_pool", fs_name="pfs", pool=self.pool)
        self._groups: dict[str, int] = {}
        self._objects: dict[str, int] = {}

    def take(self, inode: int, targets: list[int]) -> bool:
        """Note where a file's objects shall lie; False where two of one group should lie on different targets."""
        groups = dict(self._groups)
        names = [f"{inode:x}.{stripe:08x}" for stripe in range(len(targets))]
        for name, target in zip(names, targets, strict=True):
            group = self._monitor.order("osd map", pool=self.pool, object=name)["pgid"]
            if groups.setdefault(group, target) != target:
                return False
        self._groups = groups
        self._objects.update(zip(names, targets, strict=True))
        return True

    def assign(self) -> None:
        """Assign the groups to their targets."""
        for group, target in self._groups.items():
            self._monitor.order("osd pg-upmap", pgid=group, id=[target])
        for name, target in self._objects.items():
            acting = self._monitor.order("osd map", pool=self.pool, object=name)["acting"]
            if acting != [target]:
                raise ModelError(f"{self.pool}/{name} lies on {acting}, not on {target}; recreate the files")

    def begin(self) -> None:
        """Wait until each target answers for its objects."""
        # The monitor looks for groups that wait at the next change only.
        self._monitor.order("osd pool application enable", pool=self.pool, app="model", yes_i_really_mean_it=True)
        for name in self._objects:
            self._monitor.touch(self.pool, name)
