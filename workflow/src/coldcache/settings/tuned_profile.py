"""A profile of tuned, which changes many settings of the kernel at once."""

import shutil

from coldcache.privilege import run_command, why_no_root

#: What is read where no profile is active.
NONE = "none"

_ACTIVE = "Current active profile:"


def why_not(address: dict) -> str:
    """Return why no profile can be chosen here; empty where one can."""
    if shutil.which("tuned-adm") is None:
        return "tuned-adm is not on PATH"
    return why_no_root() and f"tuned-adm: {why_no_root()}"


def read(address: dict, lock: int) -> str:
    """Return the profile in force, ``none`` where none is; raises `SettingError` as `run_command`."""
    said = run_command(["tuned-adm", "active"], lock=lock).output
    line = next((line for line in said.splitlines() if line.startswith(_ACTIVE)), "")
    if not line:
        return NONE
    return line.removeprefix(_ACTIVE).strip()


def apply(address: dict, value: str, lock: int) -> None:
    """Choose a profile; raises `SettingError` if tuned does not know it."""
    words = ["tuned-adm", "off"] if value == NONE else ["tuned-adm", "profile", *value.split()]
    run_command(words, root=True, lock=lock)


restore = apply
