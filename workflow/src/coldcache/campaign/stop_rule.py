"""Decide whether a case needs another repetition, from the trials on disk alone, so that every start agrees."""

import os
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from coldcache.campaign.trial_json import TRIAL_JSON, read_outcome
from coldcache.core.errors import LogError
from coldcache.core.outcome import Outcome
from coldcache.core.records import Record
from coldcache.core.stamp import Stamp
from coldcache.core.trial_figure import choose_figure
from coldcache.design.cases import Case, Trial
from coldcache.design.site import Site
from coldcache.statistics.stopping import Stop, enough
from coldcache.tools import read_by
from coldcache.tools.protocols import Tool
from coldcache.verdicts.judge import judge
from coldcache.verdicts.observation import Observation


def is_done(folder: Path, trial: Trial) -> bool:
    """Return whether a trial is complete in its campaign's folder."""
    # A large campaign calls this a million times; making a Path takes longer than finding the file.
    return os.path.isfile(f"{folder}/{trial.key}/{TRIAL_JSON}")  # noqa: PTH113


def is_missing(folder: Path, site: Site, trial: Trial) -> bool:
    """Return whether a trial still has to be measured.

    Parameters
    ----------
    folder : Path
        The campaign's.
    site : Site
        Its thresholds decide which trials count.
    trial : Trial
        A trial beyond the fixed repetitions is missing once all before it are done and do not suffice.
    """
    if is_done(folder, trial):
        return False
    case = trial.case
    if trial.repetition < case.repetitions:
        return True
    count = _count_done(folder, case)
    return trial.repetition == count and not weigh(folder, site, case, count).enough


def weigh(folder: Path, site: Site, case: Case, count: int | None = None) -> Stop:
    """Return whether the first trials of a case suffice, and why.

    Parameters
    ----------
    folder : Path
        The campaign's.
    site : Site
        Its thresholds decide which trials count.
    case : Case
        A case with a stop rule. Every operation must suffice; the answer is that of the worst one.
    count : int, optional
        How many trials; by default all up to the first gap.
    """
    until = case.until
    assert until is not None
    count = _count_done(folder, case) if count is None else count
    folders = [folder / Trial(case, number).key for number in range(count)]
    outcomes = [read_outcome(trial / TRIAL_JSON) for trial in folders]
    figures = [
        _figures(outcome, trial, site, case.implementation) for outcome, trial in zip(outcomes, folders, strict=True)
    ]
    spent = [outcome.seconds or 0.0 for outcome in outcomes]
    left = until.seconds - sum(spent) if until.seconds is not None else float("inf")
    stops = [
        enough(
            [found[operation] for found in figures], until.relative_width, most=until.most, least=case.repetitions,
            seconds_left=left, seconds_each=median(spent) if spent else case.seconds,
        )
        for operation in case.operations
    ]  # fmt: skip
    return min(stops, key=lambda stop: (stop.enough, -(stop.relative_width if stop.relative_width > 0 else 0.0)))


def _count_done(folder: Path, case: Case) -> int:
    """Return how many trials of a case are done, up to the first gap."""
    assert case.until is not None
    most = max(case.until.most, case.repetitions)
    return next((number for number in range(most) if not is_done(folder, Trial(case, number))), most)


def _figures(outcome: Outcome, folder: Path, site: Site, tool: Tool) -> dict[str, float]:
    """Return the figure of each operation of a trial; NaN if it is void."""
    refusal: str | None = None
    records: Sequence[Record] = []
    stamp = Stamp()
    try:
        log = (folder / tool.TRAITS.log).read_bytes()
        stamp, records = tool.read_stamp(log), read_by(tool, log)
    except (LogError, OSError) as error:
        refusal = str(error) or "it cannot be read"
    trial = Observation(
        outcome, records, refusal, site.thresholds, site.target, stamp=stamp, exit_codes=tool.TRAITS.exit_codes
    )
    void = judge(trial).verdict == "void"
    found = {operation: choose_figure(operation, records) for operation in outcome.operations}
    return {operation: float("nan") if void or figure is None else figure for operation, figure in found.items()}
