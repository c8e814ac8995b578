"""Limits and layouts of the scale model: put in force by the model itself, and read back from kernel and mounts."""

import shutil
from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.design.settings.model import LAYOUTS, ModelSetting, format_value, parse_value
from coldcache.measure.model.folders import find_layout, pin_folders, read_pins, set_folder
from coldcache.measure.model.limits import is_same, read_model_limits, set_limit
from coldcache.measure.model.outage import arm, read_outage
from coldcache.measure.model.place import Place, find_place, open_place, read_specification
from coldcache.measure.target import released

NAME = "model"
KINDS = (ModelSetting,)

_WHERE = {
    "target_rate": "the targets' control group", "target_iops": "the targets' control group",
    "request_size": "/sys/block of the targets' devices",
    "uncached_write_rate": "the targets' control group", "write_cache": "/sys/block of the targets' devices",
    "metadata_cpu": "the metadata servers' control groups", "node_rate": "tc qdisc of the storage nodes' links",
    "client_rate": "tc qdisc of the clients' links", "network_delay": "tc qdisc of the clients' links",
    "metadata_servers": "subtrees of metadata server m0", "target_outage": "the first target's server",
}  # fmt: skip


def locate(setting: ModelSetting, folder: Path, sweep: Path) -> dict[str, Any]:
    """Return the model's folder, and the sweep's folder for what its files keep.

    Raises
    ------
    SettingError
        If the target is not on a model.
    """
    place = find_place(folder)
    if place is None:
        raise SettingError(f"{folder} is not on a model; measure on a site with the key model")
    where = _WHERE.get(setting.of, "layouts of files" if setting.of in LAYOUTS else "command lines of the clients")
    found: dict[str, Any] = {"of": setting.of, "place": str(place.folder), "sweep": str(sweep), "shown_as": where}
    # A layout disappears with the sweep's folder, and a limit with the model.
    return {**found, "folder": str(sweep if setting.of in LAYOUTS else folder)}


def why_not(address: dict) -> str | None:
    """Return why it cannot be changed here; None if it can."""
    return None


def read(address: dict, lock: int) -> str:
    """Return the value in force, in the unit of the model's key; raises `SettingError` if it cannot be read."""
    place, of = open_place(address["place"]), address["of"]
    if of == "metadata_servers":
        return str(len(set(read_pins(place, Path(address["sweep"])))) or 1)
    if of in LAYOUTS:
        return find_layout(place, Path(address["sweep"]))[of]
    if of == "target_outage":
        return format_value(read_outage(place))
    return format_value(_read_limit(place, of))


def apply(address: dict, value: str, lock: int) -> None:
    """Put a value in force; raises `SettingError` if the model refuses it."""
    place, of = open_place(address["place"]), address["of"]
    if of == "metadata_servers":
        pin_folders(place, Path(address["sweep"]), int(value))
    elif of == "target_outage":
        arm(place, parse_value(of, value))  # type: ignore[arg-type]
    elif of in LAYOUTS:
        set_folder(place, Path(address["sweep"]), of, int(value))
    elif (of.startswith("client_") and of != "client_rate") or of == "read_ahead":
        # Clients are remounted.
        with released(Path(address["folder"]), lock):
            set_limit(place, of, parse_value(of, value))
    else:
        set_limit(place, of, parse_value(of, value))


def restore(address: dict, value: str, lock: int) -> None:
    """Put back a limit; a folder with a layout, which the program created, is removed together with its files."""
    if address["of"] in LAYOUTS:
        shutil.rmtree(address["folder"])
    else:
        apply(address, value, lock)


def _read_limit(place: Place, key: str) -> object:
    """Return a limit in force, as it was asked for where the kernel rounds it."""
    asked, found = getattr(read_specification(place), key), read_model_limits(place).get(key)
    if key == "uncached_write_rate":
        return asked
    return asked if is_same(asked, found) else found
