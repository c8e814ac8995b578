"""Levels that must be put in force: applied for a trial, read back from the live system, undone at the block's end.

One module per kind, each with the same few names: ``why_not``, ``read``, ``apply`` and ``restore``. What lasts beyond
a trial is written into a journal before it is changed, so that the next start undoes what a killed runner left.
"""

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from coldcache.errors import SettingError
from coldcache.plan import Case, Trial
from coldcache.setting_kinds import GuestSetting, Kind
from coldcache.settings.addresses import locate, module_of, why_not
from coldcache.settings.journal import Change, is_left, read_journal, write_journal
from coldcache.settings.qemu_nbd import served

__all__ = ["BlockSettings", "Reading", "is_left", "restore_left", "why_not_run"]


class Reading(NamedTuple):
    """A factor's level as the live system has it.

    Attributes
    ----------
    asked : str
        What is read when the level is in force.
    read : str
        What was read.
    where : str
        What was read it from.
    """

    asked: str
    read: str
    where: str


class BlockSettings:
    """The settings of a block's trials: changed where a trial needs it, and undone when the context ends.

    Parameters
    ----------
    work : Path
        The marked work folder of the target; the journal lies in it.
    lock : int
        Descriptor of the target's lock, which every command that is started inherits.
    """

    def __init__(self, work: Path, lock: int) -> None:
        self._work, self._lock = work, lock
        self._changes: dict[str, Change] = {}

    def __enter__(self) -> Self:
        """Undo what a killed runner left."""
        restore_left(self._work, self._lock)
        return self

    def __exit__(self, *_: object) -> None:
        """Undo every change; raises `SettingError` as `restore_left`."""
        _undo(self._work, list(self._changes.values()), self._lock)
        self._changes.clear()

    @contextmanager
    def in_force(self, trial: Trial, folder: Path) -> Iterator[dict[str, Reading]]:
        """Put the settings of a trial in force, and yield each factor's level as read back; not those of a guest.

        Parameters
        ----------
        trial : Trial
            Its case states the setting of each factor.
        folder : Path
            The folder of the trial's sweep on the target.

        Raises
        ------
        SettingError
            If a level cannot be applied or read. One that is read and differs is told by the reading.
        """
        with ExitStack() as stack:
            readings = {}
            for factor, kind in trial.case.settings.items():
                if isinstance(kind, GuestSetting):
                    continue
                level = trial.case.factors[factor]
                if isinstance(kind, str):
                    read = stack.enter_context(served(str(level), trial, folder, self._lock))
                    readings[factor] = Reading(str(level), read, f"command line of {kind}")
                else:
                    readings[factor] = self._put(factor, kind, level, folder)
            yield readings

    def read_again(self, trial: Trial) -> dict[str, str]:
        """Return what is in force now for each factor whose setting lasts beyond the trial.

        Raises
        ------
        SettingError
            If it cannot be read.
        """
        lasting = {
            factor: kind
            for factor, kind in trial.case.settings.items()
            if not isinstance(kind, str) and not isinstance(kind, GuestSetting)
        }
        return {
            factor: self._read(locate(kind, self._work, Path(trial.case.run.directory)))
            for factor, kind in lasting.items()
        }

    def _put(self, factor: str, kind: Kind, level: Any, folder: Path) -> Reading:
        """Put a level in force unless it is already, and return what is read then."""
        address, asked = locate(kind, self._work, folder), kind.reading(level)
        read = self._read(address)
        if read != asked:
            if factor not in self._changes:
                self._changes[factor] = Change(factor, address, read)
                write_journal(self._work, list(self._changes.values()))
            module_of(address).apply(address, kind.value(level), self._lock)
            read = self._read(address)
        return Reading(asked, read, address["shown_as"])

    def _read(self, address: dict[str, Any]) -> str:
        return module_of(address).read(address, self._lock)


def restore_left(work: Path, lock: int) -> int:
    """Undo what a killed runner left changed, and return how many settings that were.

    Raises
    ------
    SettingError
        If something cannot be put back, or does not read as before; the journal stays then.
    """
    changes = read_journal(work)
    _undo(work, changes, lock)
    return len(changes)


def _undo(work: Path, changes: list[Change], lock: int) -> None:
    if not changes:
        if is_left(work):
            write_journal(work, [])
        return
    # An interrupt waits until all is undone; each command has a time limit.
    waiting = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        failures = [failure for change in reversed(changes) if (failure := _undo_one(change, lock))]
        if failures:
            raise SettingError(f"{failures[0]}; undo it by hand, or start again to try once more")
        # Where the target has gone the journal stays: the next start finds that all is as before.
        with suppress(SettingError):
            write_journal(work, [])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, waiting)


def _undo_one(change: Change, lock: int) -> str:
    """Put back what was read before a change; return why that failed, empty where it is as before."""
    address, before = change.address, change.before
    module = module_of(address)
    if address.get("folder") and not Path(address["folder"]).exists():
        # What was set of a folder went with it.
        return ""
    try:
        if module.read(address, lock) != before:
            module.restore(address, address["value_of"].get(before, before), lock)
        read = module.read(address, lock)
    except (SettingError, OSError) as error:
        return f"{change.factor} is not as before ({address['shown_as']} was {before}): {error}"
    return "" if read == before else f"{change.factor}: {address['shown_as']} was {before}, is {read} after undoing it"


def why_not_run(case: Case, folder: Path) -> str:
    """Return why a case's settings cannot be put in force on this system; empty where they can."""
    for factor, kind in case.settings.items():
        if not isinstance(kind, str) and (reason := why_not(kind, folder, Path(case.run.directory))):
            return f"{factor} cannot be put in force: {reason}"
    return ""
