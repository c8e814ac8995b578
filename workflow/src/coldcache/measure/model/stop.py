"""The end of a model: processes, mounts, devices, networks, control groups, files, in this order; nothing else."""

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

from coldcache.measure.model.calls import call, join_values, wait_for
from coldcache.measure.model.clients import list_mounts
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.groups import list_members, list_trees, remove_groups
from coldcache.measure.model.network import list_namespaces, remove_network
from coldcache.measure.model.place import IN_USE, MARK, Place, claim, lock


def stop(place: Place) -> None:
    """End the model that lies here, whatever is left of it; where none lies, do nothing.

    Raises
    ------
    ModelError
        If the folder holds files and is no model's, another process measures on this model, starts or ends it, or
        something stays.
    """
    if not place.folder.exists() and not list_left(place):
        return
    with claim(place), lock(place):
        remove_all(place)
        (place.folder / IN_USE).unlink(missing_ok=True)
        place.folder.rmdir()


def remove_all(place: Place) -> None:
    """Remove all of a model but its folder, which the caller has locked.

    Raises
    ------
    ModelError
        As `stop` does.
    """
    refuse_foreign(place)
    _end_processes(place)
    for mount in list_mounts(place.folder):
        # Its server has ended, so that it takes no time; a process in it keeps it busy.
        with suppress(ModelError):
            call("umount", "--lazy", mount, seconds=20)
    for device in list_devices(place):
        call("losetup", "--detach", device)
    wait_for("end of the model's loop devices", lambda: not list_devices(place), 10)
    remove_network(place)
    remove_groups(place.name)
    if list_mounts(place.folder):
        raise ModelError(f"{place.folder}: still mounted: {join_values(list_mounts(place.folder))}; umount them")
    mark = place.folder / MARK
    for path in place.folder.iterdir():
        # The mark goes last: what a killed removal leaves is still known to be a model's.
        if path in (mark, place.folder / IN_USE):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    mark.unlink(missing_ok=True)


def refuse_foreign(place: Place) -> None:
    """Refuse a folder that holds files and lacks a model's mark.

    Raises
    ------
    ModelError
        If it is such a folder.
    """
    held = {path.name for path in place.folder.iterdir()} if place.folder.is_dir() else set()
    if held - {IN_USE} and MARK not in held:
        raise ModelError(f"{place.folder} holds files that are no model's: name an empty folder or a new one")


def list_devices(place: Place) -> list[Path]:
    """Return the loop devices that are backed by images of the model (losetup(8))."""
    told = call("losetup", "--list", "--json", "--output", "NAME,BACK-FILE").strip()
    devices = json.loads(told)["loopdevices"] if told else []
    images = f"{place.folder / 'images'}{os.sep}"
    return [Path(device["name"]) for device in devices if (device["back-file"] or "").startswith(images)]


def list_left(place: Place) -> list[str]:
    """Return what there is of a model beside its folder: processes, mounts, devices, networks, groups."""
    return [
        *(f"process {number}" for number in sorted(list_members(place.name))),
        *(f"mount {path}" for path in list_mounts(place.folder)),
        *(f"device {path}" for path in list_devices(place)),
        *(f"network {name}" for name in list_namespaces(place)),
        *(f"group {tree}" for tree in list_trees(place.name) if tree.is_dir()),
    ]


def _end_processes(place: Place) -> None:
    def none_is_left() -> bool:
        members = list_members(place.name)
        for member in members:
            with suppress(ProcessLookupError):
                os.kill(member, 9)
        return not members

    wait_for("end of the model's processes", none_is_left, 30, pause=0.05)
