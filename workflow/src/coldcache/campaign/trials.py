"""Read the trials of a campaign: the outcome, the records of the log, and the verdict of each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from coldcache.campaign.baselines import Baselines
from coldcache.campaign.campaign import Campaign, site_of
from coldcache.campaign.progress import read_not_run
from coldcache.campaign.stop_rule import is_done, is_missing
from coldcache.campaign.trial_json import TRIAL_JSON, list_trial_files, read_outcome
from coldcache.core.errors import CampaignError, LogError
from coldcache.core.outcome import LogPart, Outcome
from coldcache.core.records import Part, Record, split_records
from coldcache.core.stamp import Stamp
from coldcache.core.trial_figure import choose_figure
from coldcache.core.vocabulary import METRIC_OF_OPERATION
from coldcache.design.cases import Trial
from coldcache.design.imported_study import ForeignStudy
from coldcache.tools import TOOLS, find_tool, read_by, read_file
from coldcache.tools import nfs_guest_log as nfs_guest
from coldcache.tools.protocols import Tool
from coldcache.verdicts.drift import Drift, Moment
from coldcache.verdicts.judge import Judgement, judge
from coldcache.verdicts.observation import Observation
from coldcache.verdicts.suspect_rules import two_modes
from coldcache.verdicts.windows import sum_windows


class Collected(NamedTuple):
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
    series : mapping of str to list of Record
        The records of each log of rates over time, by the log's path relative to the campaign's folder.
    log_name : str
        The file in the trial's folder that states its figures.
    """

    key: str
    outcome: Outcome
    records: Sequence[Record]
    judgement: Judgement
    series: Mapping[str, Sequence[Record]] = {}
    log_name: str = "stdout.txt"

    @property
    def log(self) -> str:
        """Path of the log that the records point into, relative to the campaign's folder."""
        return self.outcome.log.file if self.outcome.log else f"{self.key}/{self.log_name}"


def collect_trials(campaign: Campaign) -> Iterator[Collected]:
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
        if is_done(campaign.folder, trial) or is_missing(campaign.folder, campaign.site, trial)
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


def _describe_missing(trial: Trial, campaign: Campaign) -> Collected:
    """Return a planned trial that has not run."""
    case = trial.case
    reason = read_not_run(campaign.folder, case.study, case.sweep) or "not measured yet"
    outcome = Outcome(
        case.study, case.sweep, case.name, trial.repetition, tuple(case.operations), case.factors, case.tool,
        sentinel=bool(case.sentinel_every),
    )  # fmt: skip
    return Collected(trial.key, outcome, [], Judgement("missing", ("not-run",), (reason,), "not applicable"))


def _read_case(outcomes: Mapping[str, Outcome], campaign: Campaign, baselines: Baselines) -> dict[str, Collected]:
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


def _gather_figures(trials: Iterable[Collected]) -> dict[str, tuple[float, ...]]:
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
        if not outcome.sentinel or outcome.start is None or outcome.failure:
            continue
        tool = _find_tool(campaign, key, outcome)
        if outcome.exit_status not in tool.TRAITS.exit_codes:
            continue
        try:
            records = read_by(tool, _read_log(campaign.folder / key / tool.TRAITS.log))
        except LogError:
            continue
        figure = choose_figure(outcome.operations[0], records) if outcome.operations else None
        if figure:
            moments.setdefault(outcome.study, []).append(Moment(outcome.start, figure))
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
        self._parts: dict[str, list[Part] | LogError] = {}

    def read(self, log: LogPart) -> list[Record]:
        """Return the records of one part of a log.

        Raises
        ------
        LogError
            If the log is refused, or has no such part.
        """
        if log.file not in self._parts:
            try:
                self._parts[log.file] = split_records(read_file(self._folder / log.file))
            except LogError as error:
                self._parts[log.file] = error
        parts = self._parts[log.file]
        if isinstance(parts, LogError):
            raise parts
        for part in parts:
            if part.factors == log.factors and part.repetition == log.repetition:
                return part.records
        raise LogError("the log is read in another way than when it was imported: import it again")


def _read_foreign_trial(key: str, outcome: Outcome, study: ForeignStudy, logs: ForeignLogs) -> Collected:
    """Return an imported trial, judged without a baseline: no other trial was measured on its system."""
    records: Sequence[Record] = []
    refusal: str | None = None
    try:
        if outcome.log is None:
            raise LogError("trial.json names no log: import it again")
        records = logs.read(outcome.log)
    except LogError as error:
        refusal = str(error)
    site = site_of(study.origin)
    return Collected(key, outcome, records, judge(Observation(outcome, records, refusal, site.thresholds, site.target)))


def _read_trial(key: str, outcome: Outcome, campaign: Campaign, baselines: Baselines) -> tuple[Collected, Observation]:
    folder = campaign.folder / key
    tool = _find_tool(campaign, key, outcome)
    records: Sequence[Record] = []
    refusal: str | None = None
    stamp = Stamp()
    try:
        log = _read_log(folder / tool.TRAITS.log)
        stamp = tool.read_stamp(log)
        records = read_by(nfs_guest if outcome.guest else tool, log)
    except LogError as error:
        refusal = str(error)
    series: dict[str, Sequence[Record]] = {}
    for path in sorted(folder.glob(tool.TRAITS.series_logs)) if tool.TRAITS.series_logs else ():
        try:
            series[f"{key}/{path.name}"] = read_file(path)
        except LogError as error:
            refusal = refusal or f"{path.name}: {error}"
    site = campaign.site
    trial = Observation(
        outcome, records, refusal, site.thresholds, site.target, baselines.of(outcome),
        tool.TRAITS.states_version, stamp, tool.TRAITS.exit_codes, tool.TRAITS.durable_words,
        tool.TRAITS.tick_seconds, sum_windows(list(series.values()), outcome.operations),
    )  # fmt: skip
    return Collected(key, outcome, records, judge(trial), series, tool.TRAITS.log), trial


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


def _read_log(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LogError(f"{path.name} cannot be read: {error.strerror}") from error
