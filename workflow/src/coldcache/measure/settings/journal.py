"""What was changed on this system and how it was before: on disk before the first change, gone once all is undone."""

import json
import os
import socket
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import SettingError

#: Its name inside the marked work folder of a target, where every campaign that measures the target finds it.
JOURNAL = ".settings.json"

#: The name of the one of a cluster's settings that no node has for itself: any host undoes them.
SHARED = ".settings-of-all.json"


class Change(NamedTuple):
    """Something that may have been changed.

    Attributes
    ----------
    factor : str
        Whose levels are put in force by it.
    address : dict
        Where it lies and how it is read and written, as `registry.locate` returns it.
    before : str
        What was read before the first change.
    """

    factor: str
    address: dict[str, Any]
    before: str


def of_node(host: str) -> str:
    """Return the name of the journal of one node of a cluster."""
    return f".settings-on-{host}.json"


def write_journal(work: Path, changes: list[Change], name: str = JOURNAL) -> None:
    """Bring a journal of a target to stable storage, whole or not at all; without changes, remove it.

    Raises
    ------
    SettingError
        If the target does not take it: nothing may be changed then.
    """
    path = work / name
    try:
        if not changes:
            path.unlink(missing_ok=True)
        else:
            partial = path.with_suffix(".partial")
            stated: dict[str, Any] = {"host": socket.gethostname(), "boot": _boot()}
            stated["changes"] = [change._asdict() for change in changes]
            with partial.open("w") as file:
                json.dump(stated, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            partial.rename(path)
        _sync(work)
    except OSError as error:
        raise SettingError(f"{path}: cannot be written ({error.strerror}), so nothing may be changed") from error


def read_journal(work: Path, name: str = JOURNAL) -> list[Change]:
    """Return what a runner that was killed may have left changed, in the order in which it was changed.

    What a restart of the system undid by itself, as it does with values of the kernel and options of mounts, is left
    out.

    Raises
    ------
    SettingError
        If the journal was written on another host, where it must be undone, or is not a journal.
    """
    path = work / name
    try:
        stated = json.loads(path.read_text())
        changes = [Change(**change) for change in stated["changes"]]
        host, boot = stated["host"], stated["boot"]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingError(f"{path}: not a journal of settings ({error}); undo them by hand, then remove it") from error
    if name != SHARED and host != socket.gethostname():
        raise SettingError(f"{path}: {host} left settings changed; start there, or undo them by hand and remove it")
    return [change for change in changes if boot == _boot() or change.address["outlives_restart"]]


def is_left(work: Path) -> bool:
    """Return whether a runner that was killed may have left something changed, here or on a node of a cluster."""
    return any(work.glob(".settings*.json"))


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
