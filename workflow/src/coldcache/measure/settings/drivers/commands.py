"""Commands that apply a level, print what is in force, and restore it: the site's own, or lctl of Lustre."""

import shutil
from pathlib import Path
from typing import Any

from coldcache.design.settings.commands import CommandSetting, LctlSetting
from coldcache.measure.host.sudo import run_command, why_no_root

NAME = "site-commands"
KINDS = (CommandSetting, LctlSetting)


def locate(setting: CommandSetting | LctlSetting, folder: Path, sweep: Path) -> dict[str, Any]:
    """Return the commands, with the sweep's folder filled in."""
    if isinstance(setting, LctlSetting):
        return {
            "apply": ["lctl", "set_param", f"{setting.name}={{level}}"],
            "verify": ["lctl", "get_param", "-n", setting.name], "restore": [], "root": True, "seconds": 60.0,
            # lctl prints one line for each instance; equal lines count once.
            "is_listed": True, "shown_as": f"lctl get_param {setting.name}",
        }  # fmt: skip
    apply, verify, restore = (
        [word.replace("{folder}", str(sweep)) for word in words]
        for words in (setting.apply, setting.verify, setting.restore)
    )
    return {
        "apply": apply, "verify": verify, "restore": restore, "root": setting.root, "seconds": setting.seconds,
        "shown_as": " ".join(verify), "outlives_restart": True,
        "folder": str(sweep) if "{folder}" in " ".join([*setting.apply, *setting.verify]) else "",
    }  # fmt: skip


def why_not(address: dict) -> str | None:
    """Return why the commands cannot be run here; None if they can."""
    for words in (address["apply"], address["verify"], address["restore"]):
        if words and shutil.which(words[0]) is None:
            return f"{words[0]} is not on PATH"
    reason = why_no_root() if address["root"] else None
    return f"{address['apply'][0]}: {reason}" if reason else None


def read(address: dict, lock: int) -> str:
    """Return what the verifying command prints; raises `SettingError` as `run_command`."""
    words = _run(address, address["verify"], lock).split()
    return " ".join(sorted(set(words)) if address.get("is_listed") else words)


def apply(address: dict, value: str, lock: int) -> None:
    """Run the command that applies a value; raises `SettingError` as `run_command`."""
    _run(address, [word.replace("{level}", value) for word in address["apply"]], lock)


def restore(address: dict, value: str, lock: int) -> None:
    """Run the command that restores `value`; raises `SettingError` as `run_command`."""
    if not address["restore"]:
        apply(address, value, lock)
        return
    _run(address, [word.replace("{before}", value) for word in address["restore"]], lock)


def _run(address: dict, words: list[str], lock: int) -> str:
    return run_command(words, root=address["root"], seconds=address["seconds"], lock=lock).output
