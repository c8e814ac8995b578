"""A value of the kernel: a file of sysfs or procfs, or a parameter of sysctl, which is a file, too."""

import re
from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.design.settings.kernel_value import FileSetting, SysctlSetting
from coldcache.measure.host.sudo import why_not_writable, write_value
from coldcache.measure.settings.devices import name_device

NAME = "kernel-value"
KINDS = (FileSetting, SysctlSetting)

#: Files that list every choice mark the one in force, as in ``[none] mq-deadline``.
_CHOSEN = re.compile(r"(?:^|\s)\[([^\]\s]+)\](?:\s|$)")


def locate(setting: FileSetting | SysctlSetting, folder: Path, sweep: Path) -> dict[str, Any]:
    """Return the file; raises `SettingError` if it names the target's device and the target has none."""
    if isinstance(setting, SysctlSetting):
        # Dots separate folders unless slashes do (sysctl.d(5)).
        name = setting.name if "/" in setting.name else setting.name.replace(".", "/")
        return {"path": f"/proc/sys/{name}", "shown_as": setting.name}
    path = setting.path.replace("{device}", name_device(folder)) if "{device}" in setting.path else setting.path
    return {"path": path, "shown_as": path}


def why_not(address: dict) -> str | None:
    """Return why the value cannot be changed here; None if it can."""
    return why_not_writable(Path(address["path"])) or None


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
