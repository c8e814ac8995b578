"""Change settings of one host: note each in a journal, apply it, read it back, and restore it afterwards."""

import signal
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from coldcache.core.errors import SettingError
from coldcache.measure.settings.journal import JOURNAL, SettingChange, read_journal, write_journal
from coldcache.measure.settings.registry import driver_of


class Changes:
    """Changes of one host. Leaving the context restores everything.

    Parameters
    ----------
    work : Path
        The marked work folder of the target, which has the journal.
    lock : int
        Descriptor of the target's lock, which every command that is started inherits.
    journal : str
        The journal's name.
    """

    def __init__(self, work: Path, lock: int, journal: str = JOURNAL) -> None:
        self._work, self._lock, self._journal = work, lock, journal
        self._made: dict[str, SettingChange] = {}

    def __enter__(self) -> Self:
        """Restore what a killed runner changed."""
        self.restore_left()
        return self

    def __exit__(self, *_: object) -> None:
        """Restore everything; raises `SettingError` as `undo`."""
        self.undo()

    def read(self, address: dict[str, Any]) -> str:
        """Return the value in force; raises `SettingError` if it cannot be read."""
        return driver_of(address).read(address, self._lock)

    def put(self, factor: str, address: dict[str, Any], asked: str, value: str) -> str:
        """Apply a value unless `asked` is in force already, and return what is read afterwards.

        Raises
        ------
        SettingError
            If it cannot be applied or read, or the journal cannot be written.
        """
        read = self.read(address)
        if read != asked:
            if factor not in self._made:
                self._made[factor] = SettingChange(factor, address, read)
                write_journal(self._work, list(self._made.values()), self._journal)
            driver_of(address).apply(address, value, self._lock)
            read = self.read(address)
        return read

    def undo(self) -> None:
        """Restore everything; raises `SettingError` as `restore_left`."""
        self._undo(list(self._made.values()))
        self._made.clear()

    def restore_left(self) -> int:
        """Restore what a killed runner changed, and return the number of settings.

        Raises
        ------
        SettingError
            If a setting cannot be restored; the journal stays.
        """
        left = read_journal(self._work, self._journal)
        self._undo(left)
        return len(left)

    def _undo(self, changes: list[SettingChange]) -> None:
        if not changes:
            if (self._work / self._journal).exists():
                write_journal(self._work, [], self._journal)
            return
        # An interrupt waits until everything is restored; each command has a time limit.
        waiting = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            failures = [failure for change in reversed(changes) if (failure := _undo_one(change, self._lock))]
            if failures:
                raise SettingError(f"{failures[0]}; undo it by hand, or start again to try once more")
            # If the target is gone the journal stays, and the next start finds nothing left to restore.
            with suppress(SettingError):
                write_journal(self._work, [], self._journal)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, waiting)


def _undo_one(change: SettingChange, lock: int) -> str | None:
    """Restore what was read before a change; return why that failed, None where it did not."""
    address, before = change.address, change.before
    module = driver_of(address)
    try:
        # A setting of a folder is removed together with the folder.
        if not _is_gone(address) and module.read(address, lock) != before:
            module.restore(address, address["value_of"].get(before, before), lock)
        read = before if _is_gone(address) else module.read(address, lock)
    except (SettingError, OSError) as error:
        return f"{change.factor} is not as before ({address['shown_as']} was {before}): {error}"
    if read == before:
        return None
    return f"{change.factor}: {address['shown_as']} was {before}, is {read} after undoing it"


def _is_gone(address: dict[str, Any]) -> bool:
    return bool(address.get("folder")) and not Path(address["folder"]).exists()
