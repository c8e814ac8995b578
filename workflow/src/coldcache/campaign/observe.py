"""Read all that the rules know of a measured trial: its outcome, and what its logs state."""

import fnmatch
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from coldcache.core.errors import LogError
from coldcache.core.outcome import Outcome
from coldcache.core.records import Record
from coldcache.core.stamp import Stamp
from coldcache.design.site import Site
from coldcache.tools import nfs_guest_log as nfs_guest
from coldcache.tools import read_by, read_series
from coldcache.tools.protocols import Tool
from coldcache.verdicts.observation import Baseline, Observation
from coldcache.verdicts.thresholds import Ceilings, MeasuredCeiling
from coldcache.verdicts.windows import sum_windows

#: The records of each process, with the log that has them, relative to the campaign's folder.
ProcessSeries = list[tuple[str, Sequence[Record]]]

_NOTHING: Mapping[str, MeasuredCeiling] = {}


def observe(
    folder: Path, outcome: Outcome, tool: Tool, site: Site, baseline: Baseline,
    measured: Mapping[str, MeasuredCeiling] = _NOTHING,
) -> tuple[Observation, ProcessSeries]:  # fmt: skip
    """Return what the rules know of a measured trial, and the rates over time of each of its processes.

    Parameters
    ----------
    folder : Path
        The trial's.
    outcome : Outcome
        What its `trial.json` holds.
    tool : Tool
        What it ran.
    site : Site
        Its thresholds and ceilings.
    baseline : Baseline
        The state in which the campaign began.
    measured : mapping of str to MeasuredCeiling
        The ceilings that were measured then.

    Returns
    -------
    Observation
        With the reason if a log is refused.
    list of (str, sequence of Record)
        The log of each process relative to the campaign's folder, and its records.
    """
    records: Sequence[Record] = []
    refusal: str | None = None
    stamp = Stamp()
    try:
        log = read_log_bytes(folder / tool.TRAITS.log)
        stamp = tool.read_stamp(log)
        records = read_by(nfs_guest if outcome.guest else tool, log)
    except LogError as error:
        refusal = str(error)
    series: ProcessSeries = []
    for path in _list_series(folder, tool.TRAITS.series_logs):
        try:
            series += [(f"{outcome.key}/{path.name}", own) for own in read_series(path)]
        except LogError as error:
            refusal = refusal or f"{path.name}: {error}"
    # A guest's disk is not the target.
    ceilings, found = (Ceilings(), _NOTHING) if outcome.guest else (site.target, measured)
    trial = Observation(
        outcome, records, refusal, site.thresholds, ceilings, baseline,
        tool.TRAITS.states_version, stamp, tool.TRAITS.exit_codes, tool.TRAITS.durable_words,
        tool.TRAITS.tick_seconds, sum_windows([own for _, own in series], outcome.operations),
        {name: ceiling.rate for name, ceiling in found.items()},
    )  # fmt: skip
    return trial, series


def _list_series(folder: Path, pattern: str | None) -> list[Path]:
    """Return a folder's logs of rates over time; `Path.glob` would take ten times as long."""
    if pattern is None:
        return []
    with os.scandir(folder) as entries:
        return sorted(Path(entry) for entry in entries if fnmatch.fnmatch(entry.name, pattern))


def read_log_bytes(path: Path) -> bytes:
    """Return the bytes of a log; raises `LogError` if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise LogError(f"{path.name} cannot be read: {error.strerror}") from error
