"""What folders state for the files that are made in them: their layout, and the metadata server of each folder."""

import os
from dataclasses import replace
from pathlib import Path

from coldcache.core.units import MIB
from coldcache.design.model.clients import FILES, name_folder
from coldcache.design.model.stripes import Layout
from coldcache.measure.model.calls import wait_for
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.layout import find_targets, read_layout
from coldcache.measure.model.monitor import Monitor, ask_server
from coldcache.measure.model.place import Place, read_specification
from coldcache.measure.model.pools import FIRST, SPREAD, ensure_first_pool


def read_folder(place: Place, folder: Path) -> Layout:
    """Return the layout that a folder states for its files; by default one stripe on one of all targets."""
    stated = _read_attribute(folder, "ceph.dir.layout")
    targets = read_specification(place).targets
    if stated is None:
        return Layout(targets)
    pool = stated["pool"]
    count = int(pool.removeprefix(FIRST)) if pool.startswith(FIRST) else targets
    return Layout(count, int(stated["stripe_count"]), int(stated["stripe_unit"]))


def has_layout(folder: Path) -> bool:
    """Return whether a folder states a layout for its files."""
    return _read_attribute(folder, "ceph.dir.layout") is not None


def set_folder(place: Place, folder: Path, key: str, value: int) -> None:
    """Change one of ``targets``, ``stripe_count`` and ``stripe_size`` of the layout that a folder states for its files.

    Raises
    ------
    ModelError
        If the layout does not fit the model.
    """
    layout = replace(read_folder(place, folder), **{key: value})
    specification = read_specification(place)
    if layout.targets > specification.targets or layout.stripe_count > specification.targets:
        raise ModelError(f"{key}: {value} are more than the model's {specification.targets} targets")
    pool = SPREAD
    if layout.targets < specification.targets:
        pool = f"{FIRST}{layout.targets}"
        with Monitor(place) as monitor:
            ensure_first_pool(monitor, layout.targets)
    size = max(layout.stripe_size, 64 * MIB)
    words = f"stripe_unit={layout.stripe_size} stripe_count={layout.stripe_count} object_size={size} pool={pool}"
    _set_attribute(folder, "ceph.dir.layout", words)


def find_layout(place: Place, folder: Path) -> dict[str, str]:
    """Return the layout of the files in a folder, or, while it holds none, what the folder states for them.

    Returns
    -------
    dict
        ``targets``, ``stripe_count`` and ``stripe_size`` as text; where files differ, all that they have. The targets
        are those of the folder, unless a file lies on another one.
    """
    stated = read_folder(place, folder)
    found = {"targets": str(stated.targets), "stripe_count": str(stated.stripe_count)}
    found["stripe_size"] = str(stated.stripe_size)
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and path.stat().st_size]
    if files:
        layouts = [read_layout(path) for path in files]
        for key in ("stripe_count", "stripe_size"):
            found[key] = " ".join(dict.fromkeys(str(layout[key]) for layout in layouts))
        used = find_targets(place, *files)
        if max(used) > stated.targets:
            found["targets"] = f"{stated.targets}, and target {max(used)}"
    return found


def pin_folders(place: Place, folder: Path, servers: int) -> None:
    """Make a folder for each client, and deal these out to so many metadata servers.

    Raises
    ------
    ModelError
        If a server does not take its folders within 60 s.
    """
    clients = range(1, read_specification(place).clients + 1)
    for client in clients:
        path = folder / name_folder(client, servers)
        # An empty folder stays with the first server.
        (path / FILES).mkdir(parents=True, exist_ok=True)
        _set_attribute(path, "ceph.dir.pin", str((client - 1) % servers))
    asked = [(client - 1) % servers for client in clients]
    wait_for(f"{servers} metadata servers for {folder}", lambda: read_pins(place, folder) == asked)


def read_pins(place: Place, folder: Path) -> list[int]:
    """Return the metadata server of each client's folder, as server m0 reports it, in the order of the clients."""
    within = Path("/pfs") / folder.relative_to(place.mount_of(1))
    trees = ask_server(place.socket_of("mds.m0"), "get subtrees")
    owners = {tree["dir"]["path"]: int(tree["auth_first"]) for tree in trees}
    found = {int(path.name.rpartition("-c")[2]): path.name for path in folder.glob("mdt*-c*")}
    # What is no subtree of its own is of the server of the folder around it: the first.
    return [owners.get(str(within / name), 0) for _, name in sorted(found.items())]


def _read_attribute(path: Path, name: str) -> dict[str, str] | None:
    try:
        return dict(word.split("=") for word in os.getxattr(path, name).decode().split())
    except OSError:
        return None


def _set_attribute(path: Path, name: str, value: str) -> None:
    try:
        os.setxattr(path, name, value.encode())
    except OSError as error:
        raise ModelError(f"{path}: {name}={value}: {error.strerror}") from error
