"""An option of a GlusterFS volume: set on its servers, in force once the client that is measured has loaded it."""

import re
import shutil
import time
from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.design.settings.gluster_option import VolumeSetting
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.host.sudo import run_command, why_no_root

NAME = "volume-option"
KINDS = (VolumeSetting,)

#: Follows the value of an option that nobody has set, so that it is reset instead of set to that value.
_UNSET = " (not set)"

#: How long a client may take to load the graph that its server has written, in s.
_SECONDS = 30.0

#: The translator of a client's graph that an option switches on and off, for options that do nothing else.
_TRANSLATORS = {
    "performance.write-behind": "write-behind", "performance.read-ahead": "read-ahead",
    "performance.io-cache": "io-cache", "performance.quick-read": "quick-read",
    "performance.open-behind": "open-behind", "performance.readdir-ahead": "readdir-ahead",
    "performance.stat-prefetch": "md-cache", "performance.nl-cache": "nl-cache",
    "performance.client-io-threads": "io-threads",
}  # fmt: skip


def locate(setting: VolumeSetting, folder: Path, sweep: Path) -> dict[str, Any]:
    """Return the volume, its option, and where the client that is measured has mounted it."""
    return {
        "volume": setting.volume, "option": setting.option, "point": find_mount(folder).point,
        "outlives_restart": True, "shown_as": f"{setting.option} of the volume {setting.volume}",
    }  # fmt: skip


def why_not(address: dict) -> str | None:
    """Return why the option cannot be set here; None if it can."""
    if shutil.which("gluster") is None:
        return "gluster is not on PATH"
    if reason := why_no_root():
        return f"gluster: {reason}"
    if not _graph_of(address).is_file():
        return f"{address['point']} is no mount of GlusterFS"
    try:
        _ask(address)
    except SettingError as error:
        return str(error)
    return None


def read(address: dict, lock: int) -> str:
    """Return the value in force, followed by ``(not set)`` if nobody has set it.

    Raises
    ------
    SettingError
        As `run_command`, and if the client's translators contradict the value.
    """
    value, translator = _ask(address), _TRANSLATORS.get(address["option"])
    there = f"type performance/{translator}" in _read_graph(address)
    if translator and there != (value.split()[0] in ("on", "enable", "yes", "true", "1")):
        has = "has" if there else "lacks"
        raise SettingError(f"{address['option']} is {value}, but the client of {address['point']} {has} {translator}")
    return value


def apply(address: dict, value: str, lock: int) -> None:
    """Set the option and wait until the client has it; raises `SettingError` if it does not take it in time."""
    _change(address, ["set", address["volume"], address["option"], value])


def restore(address: dict, value: str, lock: int) -> None:
    """Restore a value, or reset the option if nobody had set it; raises `SettingError` as `apply`."""
    words = ["reset", address["volume"], address["option"]]
    _change(address, words if value.endswith(_UNSET) else ["set", *words[1:], value])


def _change(address: dict, words: list[str]) -> None:
    before = _read_graph(address)
    served = _gluster("system::", "getspec", address["volume"])
    _gluster("volume", *words)
    if _gluster("system::", "getspec", address["volume"]) == served:
        # Only the servers use this option.
        return
    end = time.monotonic() + _SECONDS
    while not _has_new_graph(address, before):
        if time.monotonic() > end:
            words_of = " ".join(words)
            raise SettingError(f"the client of {address['point']} has not taken {words_of} within {_SECONDS:g} s")
        time.sleep(0.05)


def _has_new_graph(address: dict, before: str) -> bool:
    try:
        return _read_graph(address) != before
    except SettingError:
        # The client has no graph for a moment while it switches.
        return False


def _ask(address: dict) -> str:
    option = re.escape(address["option"])
    found = re.search(rf"^{option}\s+(\S+)", _gluster("volume", "get", address["volume"], address["option"]), re.M)
    if found is None:
        raise SettingError(f"the volume {address['volume']} has no option {address['option']}")
    is_set = re.search(rf"^{option}:", _gluster("volume", "info", address["volume"]), re.M)
    return found[1] + ("" if is_set else _UNSET)


def _gluster(*words: str) -> str:
    return run_command(["gluster", "--mode=script", *words], root=True).output


def _graph_of(address: dict) -> Path:
    return Path(address["point"]) / ".meta/graphs/active/volfile"


def _read_graph(address: dict) -> str:
    """Return the client's translators and their options, as the client itself lists them."""
    try:
        return _graph_of(address).read_text()
    except OSError as error:
        raise SettingError(f"{_graph_of(address)} cannot be read: {error.strerror}") from error
