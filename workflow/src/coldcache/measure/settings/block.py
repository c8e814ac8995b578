"""Levels that must be put in force: applied for a trial, read back from the live system, undone at the block's end.

One module per kind, each with the same few names: ``why_not``, ``read``, ``apply`` and ``restore``. What lasts beyond
a trial is written into a journal before it is changed, so that the next start undoes what a killed runner left. On a
cluster what each node has for itself is put in force, read and undone on every node of the job.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from coldcache.core.outcome import SettingReading
from coldcache.design.cases import Case, Trial
from coldcache.design.settings import Setting
from coldcache.design.settings.kernel_value import FileSetting
from coldcache.measure.settings.changes import Changes
from coldcache.measure.settings.journal import JOURNAL, SHARED, is_left
from coldcache.measure.settings.on_nodes import OnNodes
from coldcache.measure.settings.qemu_nbd import served
from coldcache.measure.settings.registry import locate, why_not

__all__ = ["BlockSettings", "is_left", "restore_left", "why_not_run"]


class BlockSettings:
    """The settings of a block's trials: changed where a trial needs it, and undone when the context ends.

    Parameters
    ----------
    work : Path
        The marked work folder of the target; the journals lie in it.
    lock : int
        Descriptor of the target's lock, which every command that is started inherits.
    """

    def __init__(self, work: Path, lock: int) -> None:
        self._work, self._lock = work, lock
        self._changes = Changes(work, lock)
        self._nodes: OnNodes | None = None
        # What trials have put in force and does not disappear with a sweep's own folder: where it lies, by factor.
        self._lasting: dict[str, dict[str, Any]] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Undo what a killed runner left."""
        restore_left(self._work, self._lock)
        return self

    def __exit__(self, *_: object) -> None:
        """Undo every change; raises `SettingError` if something cannot be put back."""
        try:
            self._changes.undo()
        finally:
            self._stack.close()

    def reach(self, starter: str, hosts: tuple[str, ...], cases: Iterable[Case]) -> str | None:
        """Let the nodes of a job have the settings of some cases, and undo what a killed runner left on them.

        Returns
        -------
        str or None
            Why a setting cannot be put in force on a node; None if each can.

        Raises
        ------
        SettingError
            If what was left cannot be put back.
        ClusterError
            If a node does not answer: another job may do better.
        """
        asked = {
            (factor, Path(case.run.directory)): kind
            for case in cases
            for factor, kind in case.settings.items()
            if not isinstance(kind, str) and kind.is_of_node
        }
        if hosts:
            # Any other job may undo what one host changed of the whole system.
            self._changes = Changes(self._work, self._lock, SHARED)
        if not hosts or not (asked or is_left(self._work)):
            return None
        self._nodes = self._stack.enter_context(OnNodes(starter, hosts, self._work))
        for (factor, folder), kind in asked.items():
            for host, reason in self._nodes.ask(locate(kind, self._work, folder), "why not").items():
                if reason:
                    return f"{factor} cannot be put in force on node {host}: {reason}"
        return None

    def undo_others(self, trial: Trial) -> None:
        """Restore what earlier trials changed and this one does not have: a sentinel's between those of a sweep.

        Parameters
        ----------
        trial : Trial
            The next one.

        Raises
        ------
        SettingError
            If something cannot be put back, or does not read as before.
        """
        for factor in sorted(self._lasting.keys() - trial.case.settings.keys()):
            address = self._lasting.pop(factor)
            self._changes.undo_one(factor)
            if self._nodes:
                self._nodes.ask(address, "undo", factor=factor)

    @contextmanager
    def in_force(self, trial: Trial, folder: Path) -> Iterator[dict[str, SettingReading]]:
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
                level = trial.case.factors[factor]
                if isinstance(kind, str):
                    read = stack.enter_context(served(str(level), trial, folder, self._lock))
                    readings[factor] = SettingReading(str(level), read, f"command line of {kind}")
                elif not kind.in_guest:
                    readings[factor] = self._put(factor, kind, level, folder)
            yield readings

    @contextmanager
    def held(self, file: Path, value: str) -> Iterator[None]:
        """Hold a value of this host's kernel while the context lasts, even if this runner is killed meanwhile.

        Parameters
        ----------
        file : Path
            In sysfs or procfs.
        value : str
            What the file then reads.

        Raises
        ------
        SettingError
            If the kernel refuses the value, or the former one afterwards.
        """
        address = locate(FileSetting(kind="file", path=str(file)), self._work)
        before = self._changes.read(address)
        self._changes.put(file.name, address, value, value)
        try:
            yield
        finally:
            self._changes.put(file.name, address, before, before)

    def read_again(self, trial: Trial) -> dict[str, dict[str, Any]]:
        """Return what is in force now for each factor whose setting lasts beyond the trial.

        Returns
        -------
        dict
            ``read_after`` and, where each node was asked, ``nodes_after``, by factor.

        Raises
        ------
        SettingError
            If it cannot be read.
        """
        told = {}
        for factor, kind in trial.case.settings.items():
            if isinstance(kind, str) or kind.in_guest:
                continue
            address = locate(kind, self._work, Path(trial.case.run.directory))
            if self._nodes and kind.is_of_node:
                nodes = self._nodes.ask(address, "read")
                told[factor] = {"read_after": _join(nodes), **_tell("nodes_after", nodes)}
            else:
                told[factor] = {"read_after": self._changes.read(address)}
        return told

    def _put(self, factor: str, kind: Setting, level: Any, folder: Path) -> SettingReading:
        """Put a level in force unless it is already, and return what is read then."""
        address, asked, value = locate(kind, self._work, folder), kind.reading(level), kind.value(level)
        if address.get("folder") != str(folder):
            self._lasting[factor] = address
        if self._nodes and kind.is_of_node:
            nodes = self._nodes.ask(address, "put", factor=factor, asked=asked, value=value)
            return SettingReading(asked, _join(nodes), address["shown_as"], nodes)
        return SettingReading(asked, self._changes.put(factor, address, asked, value), address["shown_as"])


def restore_left(work: Path, lock: int) -> int:
    """Undo what a killed runner left changed, and return how many settings that were.

    Raises
    ------
    SettingError
        If something cannot be put back, or does not read as before; the journal stays then.
    """
    return sum(Changes(work, lock, journal).restore_left() for journal in (JOURNAL, SHARED))


def why_not_run(case: Case, folder: Path) -> str | None:
    """Return why a case's settings cannot be put in force on this system; None if they can."""
    for factor, kind in case.settings.items():
        if not isinstance(kind, str) and (reason := why_not(kind, folder, Path(case.run.directory))):
            return f"{factor} cannot be put in force: {reason}"
    return None


def _join(nodes: dict[str, str]) -> str:
    """Return what all nodes answer, or which answers which."""
    answers = dict.fromkeys(nodes.values())
    if len(answers) == 1:
        return next(iter(answers))
    return "; ".join(f"{read} on {', '.join(host for host, own in nodes.items() if own == read)}" for read in answers)


def _tell(key: str, nodes: dict[str, str]) -> dict[str, dict[str, str]]:
    return {key: nodes} if nodes else {}
