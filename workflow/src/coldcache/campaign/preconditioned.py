"""How a campaign's target was preconditioned: the notes in `precondition.json`, and the rates in the logs beside it."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import CampaignError, LogError
from coldcache.core.files import write_whole
from coldcache.core.records import Record
from coldcache.core.trial_figure import choose_record
from coldcache.tools import read_file

#: The folder of the notes and logs in a campaign's folder, and the notes.
FOLDER, NOTES = "precondition", "precondition.json"

PRECONDITION_FORMAT = 1

#: Why it ended: the last rounds were steady, or a limit was reached.
STEADY, ROUNDS, TIME = "steady", "rounds", "time"


class PreconditionStep(NamedTuple):
    """One execution of fio: a pass from the beginning to the end, or a round of random writes.

    Attributes
    ----------
    name : str
        Its folder, such as ``sequential-1`` or ``random-03``.
    operation : str
        ``write`` or ``random-write``.
    argv : tuple of str
        Its command line.
    start, end : str
        ISO 8601 in UTC.
    seconds : float
        How long it took, in s.
    """

    name: str
    operation: str
    argv: tuple[str, ...]
    start: str
    end: str
    seconds: float


class PreconditionLog(NamedTuple):
    """What was done before the first trial.

    Attributes
    ----------
    stated : mapping
        What the site asked for.
    path : str
        The target.
    bytes, filled_bytes : int
        What was to be written in each pass, and what the last one left on the target, in B.
    ended_by : str
        `STEADY`, `ROUNDS` or `TIME`.
    host, tool_version : str
        Where it ran, and the version of fio.
    counters : mapping of str to int
        How much each counter of the target's device or server grew meanwhile; empty where nothing counts.
    parts : tuple of PreconditionStep
        In their order.
    """

    stated: Mapping[str, Any]
    path: str
    bytes: int
    filled_bytes: int
    ended_by: str
    host: str
    tool_version: str
    counters: Mapping[str, int]
    parts: tuple[PreconditionStep, ...]


def read_preconditioned(folder: Path) -> PreconditionLog | None:
    """Return how the target of the campaign in `folder` was preconditioned; None if it was not.

    Raises
    ------
    CampaignError
        If the notes cannot be read.
    """
    path = folder / FOLDER / NOTES
    try:
        stored = json.loads(path.read_text())
        if stored.pop("format") != PRECONDITION_FORMAT:
            raise CampaignError(f"{path}: of another format than this version reads")
        parts = tuple(PreconditionStep(**{**part, "argv": tuple(part["argv"])}) for part in stored.pop("parts"))
        return PreconditionLog(**stored, parts=parts)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CampaignError(f"{path}: not the notes of a precondition ({error})") from error


def write_preconditioned(folder: Path, found: PreconditionLog) -> None:
    """Write the notes into the folder of the logs."""
    told = {"format": PRECONDITION_FORMAT, **found._asdict(), "parts": [part._asdict() for part in found.parts]}
    write_whole(folder / NOTES, json.dumps(told, indent=1) + "\n")


def read_rates(folder: Path, found: PreconditionLog) -> Iterator[tuple[PreconditionStep, str, Record]]:
    """Yield each part, its log relative to the campaign's `folder`, and the rate that this states.

    Raises
    ------
    CampaignError
        If a log is refused, or states no rate.
    """
    for part in found.parts:
        log = f"{FOLDER}/{part.name}/stdout.txt"
        try:
            record = choose_record(part.operation, read_file(folder / log), "throughput")
        except LogError as error:
            raise CampaignError(f"{folder / log}: {error}") from error
        if record is None:
            raise CampaignError(f"{folder / log}: states no rate of {part.operation}")
        yield part, log, record
