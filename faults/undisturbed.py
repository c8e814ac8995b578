"""Undisturbed campaigns, with which others are compared; processes share them in a file."""

import os
import pickle
from pathlib import Path
from typing import Any, NamedTuple


class Trace(NamedTuple):
    """What a trial must share with the same trial of an undisturbed campaign."""

    outcome: dict[str, Any]
    argv: list[str]
    settings: dict[str, tuple[str, str]]
    files: list[str]
    figures: set[tuple[str, str, str]]
    verdict: str
    codes: str


class UndisturbedRun(NamedTuple):
    """An undisturbed campaign: the trace of each trial by its key, and the times of its runner, in s.

    Attributes
    ----------
    start : float
        From the start of the runner to its first tool.
    trial : float
        From there to the end, for each trial.
    """

    traces: dict[str, Trace]
    start: float
    trial: float


#: The undisturbed campaigns that were measured so far, by study and site.
KNOWN: dict[tuple[str, str], UndisturbedRun] = {}

#: Stores them for other processes.
_store: Path | None = None


def share(path: Path) -> None:
    """Use the undisturbed campaigns that other processes have stored in a file, and store there those that it lacks."""
    global _store
    _store = path
    if path.exists():
        KNOWN.update(pickle.loads(path.read_bytes()))


def keep(study: str, site: str, run: UndisturbedRun) -> None:
    """Store an undisturbed campaign."""
    KNOWN[study, site] = run
    if _store:
        share(_store)
        unfinished = _store.with_name(f"{_store.name}.{os.getpid()}")
        unfinished.write_bytes(pickle.dumps(KNOWN))
        unfinished.rename(_store)
