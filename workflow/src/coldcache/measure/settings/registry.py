"""The drivers that put settings in force, found in the package `drivers`: one module per driver, no list to extend."""

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from coldcache.core.errors import SettingError
from coldcache.design.settings import Setting
from coldcache.measure.settings import drivers


class Driver(Protocol):
    """A module that applies, reads and restores some kinds of settings.

    An address is a dict of plain values, which a journal can hold: where a setting lies on this system. It has the
    keys that `locate` of the module returns and, of all drivers, ``module``, ``value_of`` and ``outlives_restart``.
    """

    #: The driver's name in journals, under the key ``module``. Journals of killed runners hold it: never change it.
    NAME: str

    #: The kinds of settings that it puts in force.
    KINDS: tuple[type[Setting], ...]

    def locate(self, setting: Any, folder: Path, sweep: Path) -> dict[str, Any]:
        """Return where a setting lies on this system.

        Parameters
        ----------
        setting : Setting
            Of one of `KINDS`.
        folder : Path
            A folder of the target, for the device and the mount that the setting does not name.
        sweep : Path
            The folder of the trial's sweep on the target.

        Returns
        -------
        dict
            ``shown_as``, where a reader finds it; ``outlives_restart``, False if left out; ``folder``, if the setting
            disappears together with a folder; and whatever else the module needs.

        Raises
        ------
        SettingError
            If the system has no such place.
        """

    def why_not(self, address: dict[str, Any]) -> str | None:
        """Return why the setting cannot be changed here; None if it can."""

    def read(self, address: dict[str, Any], lock: int) -> str:
        """Return the value in force; raises `SettingError` if it cannot be read."""

    def apply(self, address: dict[str, Any], value: str, lock: int) -> None:
        """Put a value in force; raises `SettingError` if the system refuses it."""

    def restore(self, address: dict[str, Any], value: str, lock: int) -> None:
        """Put back a value that was read before; raises `SettingError` as `apply`."""


def _load() -> list[Driver]:
    names = sorted(module.name for module in pkgutil.iter_modules(drivers.__path__))
    modules: list[Any] = [import_module(f"{drivers.__name__}.{name}") for name in names]
    return modules


_LOADED = _load()

#: Every driver by its name in journals.
DRIVERS: Mapping[str, Driver] = {driver.NAME: driver for driver in _LOADED}

_DRIVER_OF_KIND: Mapping[type[Setting], Driver] = {kind: driver for driver in _LOADED for kind in driver.KINDS}


def locate(setting: Setting, folder: Path, sweep: Path | None = None) -> dict[str, Any]:
    """Return the address of a setting on this system.

    Parameters
    ----------
    setting : Setting
        As the site or the study states it.
    folder : Path
        A folder of the target, for the device and the mount that the setting does not name.
    sweep : Path, optional
        The folder of the trial's sweep on the target; `folder` when left out.

    Raises
    ------
    SettingError
        If the setting names the target's device and the target has none.
    """
    driver = _DRIVER_OF_KIND[type(setting)]
    place = driver.locate(setting, folder, sweep or folder)
    return {
        "module": driver.NAME, "outlives_restart": False, **place,
        "value_of": {**setting.value_of_reading(), **place.get("value_of", {})},
    }  # fmt: skip


def driver_of(address: dict[str, Any]) -> Driver:
    """Return the driver that reads and writes what lies at an address."""
    return DRIVERS[address["module"]]


def why_not(setting: Setting, folder: Path, sweep: Path | None = None) -> str | None:
    """Return why a setting cannot be put in force on this system; None if it can."""
    try:
        address = locate(setting, folder, sweep)
        return driver_of(address).why_not(address)
    except (SettingError, OSError) as error:
        return str(error)
