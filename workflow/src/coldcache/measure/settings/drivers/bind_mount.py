"""A choice among mounts that the site has prepared: the chosen one is bound over the study's folder on the target."""

import shutil
from pathlib import Path

from coldcache.core.errors import SettingError
from coldcache.measure.host.sudo import run_command, why_no_root

#: What is read where none of the mounts is bound, and what puts that back.
NONE = "none"


def why_not(address: dict) -> str | None:
    """Return why a mount cannot be chosen here: there is none, it holds files, root is refused; empty where it can."""
    for value in address["values"]:
        path = Path(value)
        if not path.is_mount():
            return f"nothing is mounted on {value}"
        foreign = [entry.name for entry in path.iterdir() if entry.name not in ("lost+found", *address["own"])]
        if foreign:
            return f'{value} holds foreign files such as "{foreign[0]}"'
    return why_no_root() and f"mount: {why_no_root()}"


def read(address: dict, lock: int) -> str:
    """Return which of the mounts the study's folder shows, told by the identity of its root; ``none`` where none.

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
    """Bind a mount over the study's folder in place of the one before; raises `SettingError` if that is refused."""
    place = Path(address["place"])
    place.mkdir(exist_ok=True)
    if place.is_mount():
        # The files of the sweep on the mount that is left; they are laid out anew when it is chosen again.
        for name in address["own"]:
            shutil.rmtree(place / name, ignore_errors=True)
        run_command(["umount", str(place)], root=True)
    if value != NONE:
        run_command(["mount", "--bind", value, str(place)], root=True)


restore = apply
