"""A profile of tuned, which changes many settings of the kernel at once."""

import shutil
from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.design.settings.tuned_profile import TunedSetting
from coldcache.measure.host.sudo import run_command, why_no_root

NAME = "tuned-profile"
KINDS = (TunedSetting,)

#: What is read if no profile is active.
NONE = "none"

#: Follows the name of a profile that tuned chose by itself.
AUTO = " (auto)"

_ACTIVE, _MODE = "Current active profile:", "Profile selection mode:"

#: What tuned-adm prints, with exit status 1, if its daemon runs and no profile is active.
_NONE_ACTIVE = "No current active profile."


def locate(setting: TunedSetting, folder: Path, sweep: Path) -> dict[str, Any]:
    """Return the address of the one active profile."""
    return {"outlives_restart": True, "shown_as": "tuned-adm active"}


def why_not(address: dict) -> str | None:
    """Return why no profile can be chosen here; None if one can."""
    if shutil.which("tuned-adm") is None:
        return "tuned-adm is not on PATH"
    if reason := why_no_root():
        return f"tuned-adm: {reason}"
    try:
        _read()
    except SettingError as error:
        return str(error)
    return None


def read(address: dict, lock: int) -> str:
    """Return the profile in force: ``none`` if none is active, ``balanced (auto)`` if tuned itself chose it.

    Raises
    ------
    SettingError
        If tuned's daemon does not answer: tuned-adm would then print the profile that the daemon starts with.
    """
    return _read(lock)


def _read(lock: int | None = None) -> str:
    try:
        said = _tuned_adm("active", lock=lock)
    except SettingError as error:
        if str(error).endswith(_NONE_ACTIVE):
            return NONE
        raise
    profile = _find(said, _ACTIVE)
    if not profile:
        raise SettingError(f"tuned-adm active: {' '.join(said.split()) or 'no answer'}")
    return profile + (AUTO if _find(_tuned_adm("profile_mode", lock=lock), _MODE) == "auto" else "")


def apply(address: dict, value: str, lock: int) -> None:
    """Choose a profile, none, or let tuned choose; raises `SettingError` if tuned does not know it."""
    if value == NONE:
        _tuned_adm("off", lock=lock)
    elif value.endswith(AUTO):
        _tuned_adm("auto_profile", lock=lock)
    else:
        _tuned_adm("profile", *value.split(), lock=lock)


restore = apply


def _tuned_adm(*words: str, lock: int | None) -> str:
    # Without root, tuned-adm always says that no profile is active.
    return run_command(["tuned-adm", *words], root=True, lock=lock).output


def _find(said: str, head: str) -> str:
    line = next((line for line in said.splitlines() if line.startswith(head)), "")
    return line.removeprefix(head).strip()
