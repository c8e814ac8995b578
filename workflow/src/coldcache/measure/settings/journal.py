"""Journal of changed settings and their former values: written before a change, removed once all are restored."""

import json
import os
import socket
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import SettingError

#: Its name in the marked work folder of a target, where every campaign on the target finds it.
JOURNAL = ".settings.json"

#: Name of the journal of settings of the whole cluster, which any host can restore.
SHARED = ".settings-of-all.json"


class SettingChange(NamedTuple):
    """A setting that may have been changed.

    Attributes
    ----------
    factor : str
        The factor whose levels it applies.
    address : dict
        Where it is and how it is read and written, as `coldcache.measure.settings.registry.locate` returns it.
    before : str
        The value before the first change.
    """

    factor: str
    address: dict[str, Any]
    before: str


def of_node(host: str) -> str:
    """Return the name of the journal of one node of a cluster."""
    return f".settings-on-{host}.json"


def write_journal(work: Path, changes: list[SettingChange], name: str = JOURNAL) -> None:
    """Write a journal to stable storage, atomically; without changes, remove it.

    Raises
    ------
    SettingError
        If it cannot be written: nothing may be changed then.
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


def read_journal(work: Path, name: str = JOURNAL) -> list[SettingChange]:
    """Return the changes that a killed runner may have left, in order.

    Changes that a reboot undid, such as kernel values and mount options, are left out.

    Raises
    ------
    SettingError
        If the journal was written on another host, which must restore them, or is not a journal.
    """
    path = work / name
    try:
        stated = json.loads(path.read_text())
        changes = [SettingChange(**change) for change in stated["changes"]]
        host, boot = stated["host"], stated["boot"]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingError(f"{path}: not a journal of settings ({error}); undo them by hand, then remove it") from error
    if name != SHARED and host != socket.gethostname():
        raise SettingError(f"{path}: {host} left settings changed; start there, or undo them by hand and remove it")
    return [change for change in changes if boot == _boot() or change.address["outlives_restart"]]


def is_left(work: Path) -> bool:
    """Return whether a killed runner may have left changed settings, here or on a node of a cluster."""
    return any(work.glob(".settings*.json"))


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
