"""Change settings of one host: note each in a journal, apply it, read it back, and restore it afterwards."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, Self

from coldcache.core.errors import SettingError
from coldcache.measure.settings.journal import JOURNAL, SettingChange, read_journal, write_journal
from coldcache.measure.settings.registry import driver_of

#: The signals by which a user, Snakemake, Slurm and a closing terminal end a runner.
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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

    def undo_one(self, factor: str) -> None:
        """Restore a factor, if it was changed; raises `SettingError` as `restore_left`."""
        if factor in self._made:
            self._undo([self._made[factor]], [change for name, change in self._made.items() if name != factor])
            del self._made[factor]

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

    def _undo(self, changes: list[SettingChange], kept: Sequence[SettingChange] = ()) -> None:
        """Restore some changes, and keep the journal of others."""
        if not changes:
            if (self._work / self._journal).exists():
                write_journal(self._work, [], self._journal)
            return
        with _uninterrupted():
            failures = [failure for change in reversed(changes) if (failure := _undo_one(change, self._lock))]
            if failures:
                raise SettingError(f"{failures[0]}; undo it by hand, or start again to try once more")
            # If the target is gone the journal stays, and the next start finds nothing left to restore.
            with suppress(SettingError):
                write_journal(self._work, list(kept), self._journal)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let an interrupt wait until everything is restored, whichever thread gets it; each command has a time limit."""
    if current_thread() is not main_thread():
        # The handlers run in the main thread.
        yield
        return
    waiting: list[int] = []
    # One that is ignored, as under nohup, is not to hide another that comes after it.
    endings = [ending for ending in _ENDINGS if signal.getsignal(ending) is not signal.SIG_IGN]
    handlers = {ending: signal.signal(ending, lambda number, _: waiting.append(number)) for ending in endings}
    try:
        yield
    finally:
        for ending, handler in handlers.items():
            signal.signal(ending, handler)
        if waiting:
            signal.raise_signal(waiting[0])


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
