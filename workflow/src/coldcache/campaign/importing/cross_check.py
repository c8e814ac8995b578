"""Compare the figures that a harness quotes with the logs of the tools that it ran."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from coldcache.campaign.importing.scan import Log
from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools import HARNESSES, read_file

#: Share by which the two may differ in addition to the rounding of the printed digits; mdtest rounds its rates.
_TOLERANCE = 2e-3


def find_contradictions(folder: Path, logs: Sequence[Log]) -> dict[tuple[str, str], str]:
    """Return the figures of a harness that differ from the log of the same phase.

    Parameters
    ----------
    folder : Path
        The folder of imported logs.
    logs : sequence of Log
        The logs in it.

    Returns
    -------
    dict of (str, str) to str
        A sentence with both figures, by the harness's file and the phase. Phases without a readable log are skipped.
    """
    files = {log.stored: log for log in logs}
    found: dict[tuple[str, str], str] = {}
    for log in logs:
        harness = HARNESSES.get(log.tool)
        if harness is None or log.refusal:
            continue
        for record in read_file(folder / log.file):
            for name in harness.name_sources(record):
                source = files.get(str(PurePosixPath(log.file).with_name(name)))
                if source and source.tool in harness.QUOTED_TOOLS and not source.refusal:
                    contradiction = _compare(record, folder / source.file)
                    if contradiction:
                        found[log.file, str(record.factors["phase"])] = f"{contradiction} in {source.file}"
    return found


def _compare(record: Record, path: Path) -> str | None:
    """Return how a log's own figures differ from the harness's; None where one of them is the same."""
    try:
        own = [
            other for other in read_file(path) if (other.operation, other.metric) == (record.operation, record.metric)
        ]
    except LogError:
        return None
    digits = len(record.printed.split()[0].partition(".")[2])
    scale = record.value / float(record.printed.split()[0])
    slack = _TOLERANCE * record.value + scale * 10.0**-digits
    if not own or any(abs(other.value - record.value) <= slack for other in own):
        return None
    nearest = min(own, key=lambda other: abs(other.value - record.value))
    return f"{record.definition.partition(',')[0]} is {record.printed} here, and {nearest.printed}"
