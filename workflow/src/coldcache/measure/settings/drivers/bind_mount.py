"""A choice among mounts that the site has prepared: the chosen one is bound over the study's folder."""

import shutil
from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.design.settings.bind_mount import PreparedMounts
from coldcache.measure.host.sudo import run_command, why_no_root

NAME = "prepared-mount"
KINDS = (PreparedMounts,)

#: What is read if none of the mounts is bound, and what restores that.
NONE = "none"


def locate(setting: PreparedMounts, folder: Path, sweep: Path) -> dict[str, Any]:
    """Return the study's folder on the target, over which a mount is bound."""
    place = sweep.absolute().parent
    return {
        "place": str(place), "values": list(setting.values.values()), "own": [sweep.name],
        "shown_as": f"what is mounted on {place}", "value_of": {NONE: NONE},
    }  # fmt: skip


def why_not(address: dict) -> str | None:
    """Return why a mount cannot be chosen here (not mounted, not empty, no root); None if it can."""
    for value in address["values"]:
        path = Path(value)
        if not path.is_mount():
            return f"nothing is mounted on {value}"
        foreign = [entry.name for entry in path.iterdir() if entry.name not in ("lost+found", *address["own"])]
        if foreign:
            return f'{value} holds foreign files such as "{foreign[0]}"'
    reason = why_no_root()
    return f"mount: {reason}" if reason else None


def read(address: dict, lock: int) -> str:
    """Return which of the mounts the study's folder shows, by the identity of its root; ``none`` if none.

    Raises
    ------
    SettingError
        If something else is mounted there.
    """
    place = Path(address["place"])
    for reading, value in address["value_of"].items():
        if value != NONE and place.is_dir() and Path(value).is_dir() and place.samefile(value):
            return reading
    if place.is_dir() and place.is_mount():
        raise SettingError(f"{place} shows a mount that is none of {', '.join(address['values'])}")
    return NONE


def apply(address: dict, value: str, lock: int) -> None:
    """Bind a mount over the study's folder instead of the previous one; raises `SettingError` if that is refused."""
    place = Path(address["place"])
    place.mkdir(exist_ok=True)
    if place.is_mount():
        # The sweep's files stay behind on the previous mount; they are written again when it is chosen again.
        for name in address["own"]:
            shutil.rmtree(place / name, ignore_errors=True)
        run_command(["umount", str(place)], root=True)
    if value != NONE:
        run_command(["mount", "--bind", value, str(place)], root=True)


restore = apply
