"""The layout that Lustre gives to new files of a folder: stripes by lfs setstripe, metadata targets by lfs mkdir."""

import os
import shutil
from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.design.settings.lustre_layout import LayoutSetting
from coldcache.measure.host.sudo import run_command, why_no_root

NAME = "lustre-layout"
KINDS = (LayoutSetting,)

_STRIPES = ("stripe-count", "stripe-size")


def locate(setting: LayoutSetting, folder: Path, sweep: Path) -> dict[str, Any]:
    """Return the sweep's folder, which has the layout."""
    return {
        "of": setting.of, "folder": str(sweep), "outlives_restart": True, "shown_as": f"{setting.of} by lfs of {sweep}",
    }  # fmt: skip


def why_not(address: dict) -> str | None:
    """Return why a layout cannot be chosen here; None if it can."""
    if shutil.which("lfs") is None:
        return "lfs is not on PATH"
    folder = Path(address["folder"]).absolute()
    while not folder.is_dir():
        folder = folder.parent
    try:
        _ask(address["of"], folder)
    except SettingError as error:
        return str(error)
    reason = why_no_root() if address["of"] == "mdt-count" else None
    return f"lfs mkdir: {reason}" if reason else None


def read(address: dict, lock: int) -> str:
    """Return the layout that the folder has; raises `SettingError` as `run_command`."""
    return _ask(address["of"], Path(address["folder"]))


def apply(address: dict, value: str, lock: int) -> None:
    """Give an empty folder a layout; raises `SettingError` as `run_command`, or if the folder holds files."""
    folder = Path(address["folder"])
    # One command sets all stripe values of a folder, and a new folder has none: set the others again.
    stripes = {of: _ask(of, folder) for of in _STRIPES}
    if address["of"] == "mdt-count":
        _make(folder, value)
    else:
        stripes[address["of"]] = value
    options = [word for of, level in stripes.items() for word in (f"--{of}", level)]
    run_command(["lfs", "setstripe", *options, str(folder)], lock=lock)


def restore(address: dict, value: str, lock: int) -> None:
    """Remove the folder, which the program created: its layout disappears with it."""
    shutil.rmtree(address["folder"])


def _make(folder: Path, targets: str) -> None:
    try:
        folder.rmdir()
    except OSError as error:
        raise SettingError(f"{folder} cannot be recreated over {targets} metadata targets: {error.strerror}") from error
    run_command(["lfs", "mkdir", "--mdt-count", targets, str(folder)], root=True)
    if os.geteuid():
        run_command(["chown", f"{os.geteuid()}:{os.getegid()}", str(folder)], root=True)


def _ask(of: str, folder: Path) -> str:
    words = ["lfs", "getdirstripe"] if of == "mdt-count" else ["lfs", "getstripe", "--directory"]
    return run_command([*words, f"--{of}", str(folder)]).output.strip()
