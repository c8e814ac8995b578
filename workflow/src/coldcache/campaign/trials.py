"""Read the trials of a campaign: the outcome, the records of the log, and the verdict of each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign.baselines import Baselines
from coldcache.campaign.campaign import Campaign, site_of
from coldcache.campaign.not_run import why_missing
from coldcache.campaign.observe import observe
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

#: Parts of an outcome that many trials of a campaign have in common, three quarters of its memory.
_SHARED_PARTS = ("study", "sweep", "case", "operations", "factors", "tool", "tool_version", "argv", "target", "system")


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
    reader = TrialReader(campaign)
    for case in reader.cases:
        yield from reader.read(case)


class TrialReader:
    """Reads the trials of a campaign, case by case, in any order and in any number of processes.

    Parameters
    ----------
    campaign : Campaign
        Its planned and its imported trials are read.

    Attributes
    ----------
    cases : list of list of str
        The keys of the trials of each case, sorted.

    Raises
    ------
    CampaignError
        If a `trial.json` cannot be read.
    """

    def __init__(self, campaign: Campaign):
        self._campaign, self._logs = campaign, ForeignLogs(campaign.folder)
        self._planned = {
            trial.key: (trial, block.name)
            for block in campaign.blocks()
            for trial in block.trials
            if is_done(campaign.folder, trial) or is_missing(campaign, trial)
        }
        self._imported = {
            str(path.parent.relative_to(campaign.folder)): study
            for study in campaign.foreign
            for path in list_trial_files(campaign.folder, [study])
        }
        keys = sorted({*self._planned, *self._imported})
        self.cases = [list(case) for _, case in groupby(keys, key=lambda key: key.rpartition("/")[0])]
        known: dict[str, Any] = {}
        self._outcomes = {
            key: _share_parts(_read_outcome(key, path), known)
            for key in keys
            if (path := campaign.folder / key / TRIAL_JSON).is_file()
        }
        self._baselines = Baselines(list(self._outcomes.values()), _read_drifts(campaign, self._outcomes))

    def read(self, case: Sequence[str]) -> Iterator[CollectedTrial]:
        """Yield the trials of a case: one of `cases`."""
        there = [key for key in case if key in self._outcomes and key not in self._imported]
        measured = _read_case({key: self._outcomes[key] for key in there}, self._campaign, self._baselines)
        for key in case:
            if key in measured:
                yield measured[key]
            elif key in self._imported:
                yield _read_foreign_trial(key, self._outcomes[key], self._imported[key], self._logs)
            else:
                yield _describe_missing(*self._planned[key], self._campaign)

    def adopt(self, trial: CollectedTrial) -> CollectedTrial:
        """Return a trial that another process read, with the outcome that is in memory here in place of its copy."""
        return trial._replace(outcome=self._outcomes.get(trial.key, trial.outcome))


def _share_parts(outcome: Outcome, known: dict[str, Any]) -> Outcome:
    """Return an outcome that shares its larger parts with earlier ones where they are the same: most are."""
    parts = {name: getattr(outcome, name) for name in _SHARED_PARTS}
    return outcome._replace(**{name: known.setdefault(repr(part), part) for name, part in parts.items()})


def _describe_missing(trial: Trial, block: str, campaign: Campaign) -> CollectedTrial:
    """Return a planned trial that has not run."""
    case = trial.case
    reason = why_missing(campaign.folder, trial, block) or "not measured yet"
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
