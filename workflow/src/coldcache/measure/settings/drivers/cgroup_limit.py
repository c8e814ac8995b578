"""A limit of a device's IOPS, the same for reads and writes, which the kernel enforces for a control group.

Source: Documentation/admin-guide/cgroup-v2.rst (``io.max``) and cgroup-v1/blkio-controller.rst (``blkio.throttle``).
"""

import re
from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.design.settings.cgroup_limit import LimitSetting
from coldcache.measure.host.sudo import why_not_writable, write_value
from coldcache.measure.settings.devices import holds_root, name_device

NAME = "device-limit"
KINDS = (LimitSetting,)

#: What is read if nothing limits the device.
UNLIMITED = "max"

_MAX = "io.max"
_THROTTLES = ("blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device")

_PROC = Path("/proc/self")


def locate(setting: LimitSetting, folder: Path, sweep: Path) -> dict[str, Any]:
    """Return the device and the control group of this process.

    Raises
    ------
    SettingError
        If the target has no device, if that also holds the root file system, or as `find_group`.
    """
    name = name_device(folder)
    if holds_root(name):
        raise SettingError(f"{name} holds the root file system: a limit would slow down the whole system")
    group = find_group()
    # The limit disappears with its group.
    return {
        "device": Path(f"/sys/class/block/{name}/dev").read_text().strip(), "folder": group,
        "shown_as": f"limit of {name} in {group}",
    }  # fmt: skip


def find_group(proc: Path = _PROC) -> str:
    """Return the folder of the control group that limits the I/O of this process and of its children.

    Raises
    ------
    SettingError
        If neither version of control groups limits I/O for it.
    """
    groups = [line.split(":", 2)[1:] for line in (proc / "cgroup").read_text().splitlines()]
    mounts = [line.partition(" - ") for line in (proc / "mountinfo").read_text().splitlines()]
    found = []
    for left, _, right in mounts:
        kind, controllers = right.split()[0], right.split()[-1].split(",")
        if kind != "cgroup2" and not (kind == "cgroup" and "blkio" in controllers):
            continue
        root, point = left.split(" ")[3:5]
        for named, path in groups:
            if (named == "") == (kind == "cgroup2") and (named == "" or "blkio" in named.split(",")):
                found.append(Path(point, path.removeprefix(root.rstrip("/")).lstrip("/")))
    for folder in found:
        if all((folder / name).exists() for name in _THROTTLES) or (folder / _MAX).exists():
            return str(folder)
    raise SettingError(
        f"no control group limits the I/O of this process ({', '.join(map(str, found)) or 'none is mounted'} has "
        f"neither {_MAX} nor {_THROTTLES[0]}); start it in one that has the io controller"
    )


def why_not(address: dict) -> str | None:
    """Return why the device cannot be limited here; None if it can."""
    reasons = [why_not_writable(file) for file in _files(address)]
    return next((reason for reason in reasons if reason), None)


def read(address: dict, lock: int) -> str:
    """Return the limit in 1/s; ``max`` without one, and both limits if reads and writes differ, as in ``500 max``.

    Raises
    ------
    SettingError
        If the files of the control group cannot be read.
    """
    limits = []
    for file, name in zip(_files(address), ("riops", "wiops"), strict=True):
        try:
            text = file.read_text()
        except OSError as error:
            raise SettingError(f"{file} cannot be read: {error.strerror}") from error
        line = re.search(rf"^{re.escape(address['device'])} (.+)$", text, re.MULTILINE)
        stated = dict(word.split("=") for word in line[1].split()) if line and file.name == _MAX else {}
        limits.append(stated.get(name, UNLIMITED) if file.name == _MAX else line[1] if line else UNLIMITED)
    return limits[0] if limits[0] == limits[1] else " ".join(limits)


def apply(address: dict, value: str, lock: int) -> None:
    """Limit the device; raises `SettingError` if the kernel refuses the value."""
    limits = value.split() * (1 if " " in value else 2)
    files = _files(address)
    if files[0].name == _MAX:
        write_value(files[0], f"{address['device']} riops={limits[0]} wiops={limits[1]}")
        return
    for file, limit in zip(files, limits, strict=True):
        write_value(file, f"{address['device']} {0 if limit == UNLIMITED else limit}")


restore = apply


def _files(address: dict) -> tuple[Path, Path]:
    """Return the files of reads and of writes; version 2 has one file for both."""
    folder = Path(address["folder"])
    if (folder / _MAX).exists():
        return folder / _MAX, folder / _MAX
    return folder / _THROTTLES[0], folder / _THROTTLES[1]
