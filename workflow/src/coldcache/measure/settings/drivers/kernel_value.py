"""A value of the kernel: a file of sysfs or procfs, or a parameter of sysctl, which is a file, too."""

import re
from pathlib import Path

from coldcache.core.errors import SettingError
from coldcache.measure.host.sudo import why_not_writable, write_value

#: Files that list every choice mark the one in force, as in ``[none] mq-deadline``.
_CHOSEN = re.compile(r"(?:^|\s)\[([^\]\s]+)\](?:\s|$)")


def path_of_sysctl(name: str) -> str:
    """Return the file of a kernel parameter; dots part folders unless slashes do (sysctl.d(5))."""
    return f"/proc/sys/{name if '/' in name else name.replace('.', '/')}"


def why_not(address: dict) -> str | None:
    """Return why the value cannot be changed here; empty where it can."""
    return why_not_writable(Path(address["path"]))


def read(address: dict, lock: int) -> str:
    """Return the value in force.

    Raises
    ------
    SettingError
        If the file cannot be read.
    """
    try:
        text = Path(address["path"]).read_text()
    except OSError as error:
        raise SettingError(f"{address['path']} cannot be read: {error.strerror}") from error
    chosen = _CHOSEN.search(text)
    return chosen[1] if chosen else " ".join(text.split())


def apply(address: dict, value: str, lock: int) -> None:
    """Write a value; raises `SettingError` if the kernel refuses it."""
    write_value(Path(address["path"]), value)


restore = apply
