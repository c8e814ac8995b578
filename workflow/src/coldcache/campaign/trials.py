"""Read the trials of a campaign: the outcome, the records of the log, and the verdict of each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from coldcache.campaign.baselines import Baselines
from coldcache.campaign.campaign import Campaign, site_of
from coldcache.campaign.observe import observe
from coldcache.campaign.progress import read_not_run
from coldcache.campaign.repeats import read_moment
from coldcache.campaign.stop_rule import is_done, is_missing
from coldcache.campaign.trial_json import TRIAL_JSON, list_trial_files, read_outcome
from coldcache.core.errors import CampaignError, LogError
from coldcache.core.outcome import LogPart, Outcome
from coldcache.core.records import Part, Record, split_records
from coldcache.core.trial_figure import choose_figure
from coldcache.core.vocabulary import METRIC_OF_OPERATION
from coldcache.design.cases import Trial
from coldcache.design.imported_study import ForeignStudy
from coldcache.tools import TOOLS, find_tool, read_file
from coldcache.tools.protocols import Tool
from coldcache.verdicts.drift import Drift, Moment
from coldcache.verdicts.judge import Judgement, judge
from coldcache.verdicts.observation import Observation
from coldcache.verdicts.suspect_rules import two_modes


class CollectedTrial(NamedTuple):
    """One trial of a campaign: its outcome, the figures of its log, and its verdict.

    Attributes
    ----------
    key : str
        ``study/sweep/case/r<k>``.
    outcome : Outcome
        What happened in it; for a missing trial only the plan.
    records : sequence of Record
        The figures of the log; empty if it was refused or the trial is missing.
    judgement : Judgement
        The verdict; ``missing`` for a trial without a folder.
    series : sequence of (str, sequence of Record)
        The rates over time of each process, with the log that has them, relative to the campaign's folder.
    log_name : str
        The file in the trial's folder that states its figures.
    """

    key: str
    outcome: Outcome
    records: Sequence[Record]
    judgement: Judgement
    series: Sequence[tuple[str, Sequence[Record]]] = ()
    log_name: str = "stdout.txt"

    @property
    def log(self) -> str:
        """Path of the log that the records point into, relative to the campaign's folder."""
        return self.outcome.log.file if self.outcome.log else f"{self.key}/{self.log_name}"


def collect_trials(campaign: Campaign) -> Iterator[CollectedTrial]:
    """Yield every planned and every imported trial of a campaign, sorted by key.

    Raises
    ------
    CampaignError
        If a `trial.json` cannot be read.
    """
    planned = {
        trial.key: trial
        for block in campaign.blocks()
        for trial in block.trials
        if is_done(campaign.folder, trial) or is_missing(campaign, trial)
    }
    imported = {
        str(path.parent.relative_to(campaign.folder)): study
        for study in campaign.foreign
        for path in list_trial_files(campaign.folder, [study])
    }
    logs = ForeignLogs(campaign.folder)
    keys = sorted({*planned, *imported})
    paths = {key: campaign.folder / key / TRIAL_JSON for key in keys}
    outcomes = {key: _read_outcome(key, path) for key, path in paths.items() if path.is_file()}
    drifts = _read_drifts(campaign, outcomes)
    baselines = Baselines(list(outcomes.values()), drifts)
    for _, group in groupby(keys, key=lambda key: key.rpartition("/")[0]):
        own = list(group)
        there = [key for key in own if key in outcomes and key not in imported]
        measured = _read_case({key: outcomes[key] for key in there}, campaign, baselines)
        for key in own:
            if key in measured:
                yield measured[key]
            elif key in imported:
                yield _read_foreign_trial(key, outcomes[key], imported[key], logs)
            else:
                yield _describe_missing(planned[key], campaign)


def _describe_missing(trial: Trial, campaign: Campaign) -> CollectedTrial:
    """Return a planned trial that has not run."""
    case = trial.case
    reason = read_not_run(campaign.folder, case.study, case.sweep) or "not measured yet"
    outcome = Outcome(
        case.study, case.sweep, case.name, trial.repetition, tuple(case.operations), case.factors, case.tool,
        sentinel=bool(case.sentinel_every),
    )  # fmt: skip
    return CollectedTrial(trial.key, outcome, [], Judgement("missing", ("not-run",), (reason,), "not applicable"))


def _read_case(outcomes: Mapping[str, Outcome], campaign: Campaign, baselines: Baselines) -> dict[str, CollectedTrial]:
    """Return the measured trials of one case; those that count are judged again if they have two modes."""
    pairs = {key: _read_trial(key, outcome, campaign, baselines) for key, outcome in outcomes.items()}
    counted = {key: trial for key, (trial, _) in pairs.items() if trial.judgement.verdict != "void"}
    figures = _gather_figures(counted.values())
    found = {key: trial for key, (trial, _) in pairs.items()}
    for key, trial in counted.items():
        observed = pairs[key][1]
        observed = observed._replace(baseline=observed.baseline._replace(figures=figures))
        if two_modes(observed):
            found[key] = trial._replace(judgement=judge(observed))
    return found


def _gather_figures(trials: Iterable[CollectedTrial]) -> dict[str, tuple[float, ...]]:
    """Return the figures of the trials of one case, by operation."""
    figures: dict[str, list[float]] = {}
    for trial in trials:
        for operation in trial.outcome.operations:
            if operation in METRIC_OF_OPERATION and (figure := choose_figure(operation, trial.records)):
                figures.setdefault(operation, []).append(figure)
    return {operation: tuple(of_trials) for operation, of_trials in figures.items()}


def _read_drifts(campaign: Campaign, outcomes: dict[str, Outcome]) -> dict[str, Drift]:
    """Return the drift of each study's sentinel, from those of its trials that succeeded."""
    moments: dict[str, list[Moment]] = {}
    for key, outcome in outcomes.items():
        if not outcome.sentinel:
            continue
        if moment := read_moment(campaign.folder / key, outcome, _find_tool(campaign, key, outcome)):
            moments.setdefault(outcome.study, []).append(moment)
    return {study: Drift(found) for study, found in moments.items()}


class ForeignLogs:
    """The imported logs of a campaign. Each is parsed once, although it may state several trials.

    Parameters
    ----------
    folder : Path
        The campaign's folder.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._parts: dict[tuple[str, str], list[Part] | LogError] = {}

    def read(self, log: LogPart, tool: str) -> list[Record]:
        """Return the records of one part of what a tool wrote in a log.

        Raises
        ------
        LogError
            If the log is refused, or has no such part.
        """
        key = (log.file, tool)
        if key not in self._parts:
            try:
                self._parts[key] = split_records(read_file(self._folder / log.file, tool))
            except LogError as error:
                self._parts[key] = error
        parts = self._parts[key]
        if isinstance(parts, LogError):
            raise parts
        for part in parts:
            if part.factors == log.factors and part.repetition == log.repetition:
                return part.records
        raise LogError("the log is read in another way than when it was imported: import it again")


def _read_foreign_trial(key: str, outcome: Outcome, study: ForeignStudy, logs: ForeignLogs) -> CollectedTrial:
    """Return an imported trial, judged without a baseline: no other trial was measured on its system."""
    records: Sequence[Record] = []
    refusal: str | None = None
    try:
        if outcome.log is None:
            raise LogError("trial.json names no log: import it again")
        records = logs.read(outcome.log, outcome.tool)
    except LogError as error:
        refusal = str(error)
    site = site_of(study.origin)
    return CollectedTrial(
        key, outcome, records, judge(Observation(outcome, records, refusal, site.thresholds, site.target))
    )


def _read_trial(
    key: str, outcome: Outcome, campaign: Campaign, baselines: Baselines
) -> tuple[CollectedTrial, Observation]:
    tool = _find_tool(campaign, key, outcome)
    baseline = baselines.of(outcome)
    trial, series = observe(campaign.folder / key, outcome, tool, campaign.site, baseline, campaign.ceilings)
    return CollectedTrial(key, outcome, trial.records, judge(trial), series, tool.TRAITS.log), trial


def _read_outcome(key: str, path: Path) -> Outcome:
    """Return the outcome in a `trial.json`; raises `CampaignError` if it belongs to another folder."""
    outcome = read_outcome(path)
    if outcome.key != key:
        raise CampaignError(f"{path}: not the outcome of this trial (it is that of {outcome.key})")
    return outcome


def _find_tool(campaign: Campaign, key: str, outcome: Outcome) -> Tool:
    """Return the tool that a trial ran; raises `CampaignError` if its sweep has no such tool."""
    study = next((study for study in campaign.planned if study.study == outcome.study), None)
    sweep = study.sweeps.get(outcome.sweep) if study else None
    form = sweep.form if sweep else None
    if outcome.tool not in (sweep.tool_names if sweep and form else TOOLS):
        path = campaign.folder / key / TRIAL_JSON
        raise CampaignError(f'{path}: not the outcome of a trial (unknown tool "{outcome.tool}")')
    return find_tool(outcome.tool, form, outcome.operations)
