"""An option of a mounted file system: changed by remounting, read back as it was negotiated."""

from pathlib import Path

from coldcache.core.errors import SettingError
from coldcache.design.settings import DEFAULT
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.host.sudo import run_command, why_no_root


def why_not(address: dict) -> str | None:
    """Return why the file system cannot be remounted here; empty where it can."""
    if find_mount(Path(address["point"])).point != address["point"]:
        return f"nothing is mounted on {address['point']}"
    return why_no_root() and f"mount: {why_no_root()}"


def read(address: dict, lock: int) -> str:
    """Return which of the levels' options is in force; ``default`` where the kernel lists none of them.

    Raises
    ------
    SettingError
        If nothing is mounted there, or no option is listed and no level is known to read so: what is in force could
        be neither told nor put back.
    """
    mount = find_mount(Path(address["point"]))
    if mount.point != address["point"]:
        raise SettingError(f"nothing is mounted on {address['point']}")
    options = mount.options.split(",")
    found = [reading for reading in address["value_of"] if reading != DEFAULT and reading in options]
    if not found and DEFAULT not in address["value_of"]:
        raise SettingError(f"{address['point']} shows none of {', '.join(address['value_of'])}, but {mount.options}")
    return ",".join(found) or DEFAULT


def apply(address: dict, value: str, lock: int) -> None:
    """Remount with an option; raises `SettingError` if the file system refuses it."""
    run_command(["mount", "-o", f"remount,{value}", address["point"]], root=True, lock=lock)


restore = apply
