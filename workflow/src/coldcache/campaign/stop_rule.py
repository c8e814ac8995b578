"""Decide whether a case needs another repetition, from the trials on disk alone, so that every start agrees."""

import os
from functools import lru_cache
from pathlib import Path
from statistics import median

from coldcache.campaign.baselines import Baselines
from coldcache.campaign.campaign import Campaign
from coldcache.campaign.observe import observe
from coldcache.campaign.repeats import is_asked_again
from coldcache.campaign.trial_json import TRIAL_JSON, read_outcome
from coldcache.core.outcome import Outcome
from coldcache.core.trial_figure import choose_figure
from coldcache.design.cases import Case, Trial
from coldcache.design.site import Site
from coldcache.statistics.stopping import Stop, enough
from coldcache.tools.protocols import Tool
from coldcache.verdicts.judge import judge
from coldcache.verdicts.observation import Baseline


def is_done(folder: Path, trial: Trial) -> bool:
    """Return whether a trial is complete in its campaign's folder."""
    # A large campaign calls this a million times; making a Path takes longer than finding the file.
    return os.path.isfile(f"{folder}/{trial.key}/{TRIAL_JSON}")  # noqa: PTH113


def is_missing(campaign: Campaign, trial: Trial) -> bool:
    """Return whether a trial still has to be measured.

    Parameters
    ----------
    campaign : Campaign
        The thresholds of its site decide which trials count.
    trial : Trial
        A trial beyond the fixed repetitions is missing once all before it are done and do not suffice, or the sentinel
        has drifted in one of their rounds.
    """
    if is_done(campaign.folder, trial):
        return False
    case = trial.case
    if trial.repetition < case.repetitions:
        return True
    if case.until is None:
        return is_asked_again(campaign, trial)
    count = _count_done(campaign.folder, case)
    return trial.repetition == count and not weigh(campaign.folder, campaign.site, case, count).enough


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
    baseline = Baseline(tool_version=_first_version(folder.resolve(), case.tool))
    figures = [
        _figures(outcome, trial, site, case.implementation, baseline)
        for outcome, trial in zip(outcomes, folders, strict=True)
    ]
    spent = [outcome.seconds or 0.0 for outcome in outcomes]
    left = until.seconds - sum(spent) if until.seconds is not None else float("inf")
    rates = [[found[operation] for found in figures] for operation in case.operations]
    # How runs depend on their rounds is measured on each case alone, so that every start agrees.
    stops = [
        enough(
            of_operation, until.relative_width, most=case.longest, least=case.repetitions, seconds_left=left,
            seconds_each=median(spent) if spent else case.seconds,
        )
        for of_operation in rates
    ]  # fmt: skip
    return min(stops, key=lambda stop: (stop.enough, -(stop.relative_width if stop.relative_width > 0 else 0.0)))


def _count_done(folder: Path, case: Case) -> int:
    """Return how many trials of a case are done, up to the first gap."""
    numbers = range(case.longest)
    return next((number for number in numbers if not is_done(folder, Trial(case, number))), case.longest)


@lru_cache
def _first_version(folder: Path, tool: str) -> str | None:
    """Return the version of the first trial of a campaign that ran a tool; later ones never change it."""
    ran = [outcome for path in folder.glob(f"*/*/*/r*/{TRIAL_JSON}") if (outcome := read_outcome(path)).tool == tool]
    first = min(filter(lambda outcome: outcome.start, ran), key=lambda outcome: outcome.start or "", default=None)
    return Baselines(ran).of(first).tool_version if first else None


def _figures(outcome: Outcome, folder: Path, site: Site, tool: Tool, baseline: Baseline) -> dict[str, float]:
    """Return the figure of each operation of a trial; NaN if it is void."""
    trial, _ = observe(folder, outcome, tool, site, baseline)
    void = judge(trial).verdict == "void"
    found = {operation: choose_figure(operation, trial.records) for operation in outcome.operations}
    return {operation: float("nan") if void or figure is None else figure for operation, figure in found.items()}
