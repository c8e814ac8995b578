"""The site's own commands: one that applies a level, one that prints what is in force, and one that undoes."""

import shutil

from coldcache.measure.host.sudo import run_command, why_no_root


def why_not(address: dict) -> str | None:
    """Return why the commands cannot be run here; empty where they can."""
    for words in (address["apply"], address["verify"], address["restore"]):
        if words and shutil.which(words[0]) is None:
            return f"{words[0]} is not on PATH"
    return why_no_root() and f"{address['apply'][0]}: {why_no_root()}" if address["root"] else ""


def read(address: dict, lock: int) -> str:
    """Return what the command that verifies prints; raises `SettingError` as `run_command`."""
    words = _run(address, address["verify"], lock).split()
    return " ".join(sorted(set(words)) if address.get("is_listed") else words)


def apply(address: dict, value: str, lock: int) -> None:
    """Run the command that applies a value; raises `SettingError` as `run_command`."""
    _run(address, [word.replace("{level}", value) for word in address["apply"]], lock)


def restore(address: dict, value: str, lock: int) -> None:
    """Run the command that puts back `value`; raises `SettingError` as `run_command`."""
    if not address["restore"]:
        apply(address, value, lock)
        return
    _run(address, [word.replace("{before}", value) for word in address["restore"]], lock)


def _run(address: dict, words: list[str], lock: int) -> str:
    return run_command(words, root=address["root"], seconds=address["seconds"], lock=lock).output
