"""Which rounds of a campaign are measured again, because the sentinel drifted in them: decided from the disk alone.

The first measurement stays, and is marked. Every start agrees, as the trials of the sentinel that decide are never
measured again.
"""

from collections import Counter
from itertools import pairwise
from pathlib import Path

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.not_run import read_not_run
from coldcache.campaign.observe import read_log_bytes
from coldcache.campaign.trial_json import TRIAL_JSON, read_outcome
from coldcache.core.errors import LogError
from coldcache.core.outcome import Outcome
from coldcache.core.trial_figure import choose_figure
from coldcache.design.cases import Trial
from coldcache.design.watch import SentinelWatch
from coldcache.tools import read_by
from coldcache.tools.protocols import Tool
from coldcache.verdicts.drift import Drift, Moment

#: The rounds of each study, by the file that a trial of its sentinel wrote last, when, and how many there are: a large
#: campaign asks often.
_KNOWN: dict[tuple[Path, int, int, float], list[int]] = {}


def read_moment(folder: Path, outcome: Outcome, tool: Tool) -> Moment | None:
    """Return the figure of a trial of a sentinel, and when it began; None where it failed or states none."""
    if outcome.start is None or outcome.failure or outcome.exit_status not in tool.TRAITS.exit_codes:
        return None
    try:
        records = read_by(tool, read_log_bytes(folder / tool.TRAITS.log))
    except LogError:
        return None
    figure = choose_figure(outcome.operations[0], records) if outcome.operations else None
    return Moment(outcome.start, figure) if figure else None


def list_drifted(campaign: Campaign, study: str) -> list[int]:
    """Return the rounds of a study that are measured again, from 0, ascending.

    They are those with trials before and after which the sentinel was too far off its median, those with most of them
    first in line, and no more than the study allows. None before the sentinel has run in all rounds, except in blocks
    of sweeps that could not be run.
    """
    watch = campaign.watches.get(study)
    if not watch or not watch.trials[-1].case.repeats:
        return []
    awaited = _list_awaited(campaign, watch)
    # The last one is missing longest.
    files = [campaign.folder / trial.key / TRIAL_JSON for trial in reversed(awaited)]
    if not files or not files[0].is_file():
        return []
    key = files[0].resolve(), files[0].stat().st_mtime_ns, len(files), campaign.site.thresholds.drift
    if key not in _KNOWN:
        if not all(file.is_file() for file in files):
            return []
        _KNOWN[key] = _find_drifted(campaign, awaited, watch.stretches)
    return _KNOWN[key]


def is_asked_again(campaign: Campaign, trial: Trial) -> bool:
    """Return whether a trial that is beyond those of its case belongs to a round that is measured again."""
    case = trial.case
    drifted = list_drifted(campaign, case.study)
    if case.sentinel_every:
        return campaign.watches[case.study].again[trial.repetition] < len(drifted)
    return trial.repetition - case.repetitions < sum(number < case.repetitions for number in drifted)


def _list_awaited(campaign: Campaign, watch: SentinelWatch) -> list[Trial]:
    """Return the trials of a sentinel without those that are missing since a sweep could not be run."""
    folder = campaign.folder
    refused = {block for block in set(watch.blocks) if read_not_run(folder, *block.split("."))}
    trials = zip(watch.trials, watch.blocks, strict=True)
    return [trial for trial, block in trials if block not in refused or (folder / trial.key / TRIAL_JSON).is_file()]


def _find_drifted(campaign: Campaign, sentinel: list[Trial], stretches: list[list[Trial]]) -> list[int]:
    read = []
    for trial in sentinel:
        folder = campaign.folder / trial.key
        outcome = read_outcome(folder / TRIAL_JSON)
        read.append((outcome.start, read_moment(folder, outcome, trial.case.implementation)))
    drift, most = Drift(moment for _, moment in read if moment), campaign.site.thresholds.drift
    # By their starts: trials that were added since have other places in the plan than those that ran.
    seen = sorted(
        (start, moment is not None and abs(drift.of(moment.figure) or 0) > most) for start, moment in read if start
    )
    off = [(one, other) for (one, is_off), (other, is_next_off) in pairwise(seen) if is_off and is_next_off]
    counts = Counter(
        trial.repetition for stretch in stretches if off
        for trial in stretch if _began_within(campaign.folder / trial.key / TRIAL_JSON, off)
    )  # fmt: skip
    study = sentinel[0].case.study
    allowed = next(one.sentinel.repeats for one in campaign.planned if one.study == study and one.sentinel)
    return sorted(sorted(counts, key=lambda number: (-counts[number], number))[:allowed])


def _began_within(path: Path, spans: list[tuple[str, str]]) -> bool:
    """Return whether the trial of a `trial.json` began between two moments of any pair; not if it never began."""
    start = read_outcome(path).start if path.is_file() else None
    return start is not None and any(one <= start < other for one, other in spans)
