"""Whether a harness and the tools that it ran say the same: IO500's summary against the logs beside it."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from coldcache.campaign.importing.scan import Log
from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools import io500, read_file

#: Share by which the two may differ beside what their last digits lose; mdtest prints rates of its own rounding.
_TOLERANCE = 2e-3

#: The harness's rate of a phase among the figures of that phase.
_SCORED = ", as the harness scores it"


def find_contradictions(folder: Path, logs: Iterable[Log]) -> dict[tuple[str, str], str]:
    """Return what a harness states otherwise than the log of the phase beside it.

    Parameters
    ----------
    folder : Path
        The folder of foreign logs.
    logs : iterable of Log
        What it holds.

    Returns
    -------
    dict of (str, str) to str
        By the harness's file and the phase: a sentence with both figures. Empty where all agree; a phase without a
        log that can be read is passed over.
    """
    files = {log.file: log for log in logs}
    found: dict[tuple[str, str], str] = {}
    for log in files.values():
        if log.tool != io500.TOOL or log.refusal:
            continue
        for record in read_file(folder / log.file):
            if not record.definition.endswith(_SCORED):
                continue
            phase = record.definition.removeprefix("phase ").removesuffix(_SCORED)
            for name in (f"{phase}.txt", f"{phase.replace('-', '_')}.txt"):
                beside = files.get(str(PurePosixPath(log.file).with_name(name)))
                if beside and beside.tool in io500.PHASE_TOOLS and not beside.refusal:
                    contradiction = _compare(record, folder / beside.file)
                    if contradiction:
                        found[log.file, str(record.factors["phase"])] = f"{contradiction} in {beside.file}"
    return found


def _compare(record: Record, path: Path) -> str:
    """Return how a log's own figure differs from the harness's; empty where one of them is the same."""
    try:
        own = [
            other for other in read_file(path) if (other.operation, other.metric) == (record.operation, record.metric)
        ]
    except LogError:
        return ""
    digits = len(record.printed.split()[0].partition(".")[2])
    scale = record.value / float(record.printed.split()[0])
    slack = _TOLERANCE * record.value + scale * 10.0**-digits
    if not own or any(abs(other.value - record.value) <= slack for other in own):
        return ""
    nearest = min(own, key=lambda other: abs(other.value - record.value))
    return f"{record.definition.partition(',')[0]} is {record.printed} here, and {nearest.printed}"
