"""Read the trials of a campaign with their verdicts and the values in their logs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from coldcache.analysis.report_links import mark_of
from coldcache.campaign.trial_json import TRIAL_JSON, read_outcome
from coldcache.core.outcome import Outcome
from coldcache.core.units import show_rate
from coldcache.dataset.cubes import choose_figures
from coldcache.dataset.reader import open_rows
from coldcache.report.site.annotated_logs import LogMark
from coldcache.report.site.validity import read_rows

#: The columns of the long table that pages of trials show, or choose their values by.
_COLUMNS = (
    "study", "sweep", "case", "repetition", "operation", "metric", "statistic", "value", "unit", "definition", "log",
    "offset", "length", "printed", "caveats", "share",
)  # fmt: skip

#: Those that are fields of `LoggedValue`.
_SHOWN = ("operation", "metric", "statistic", "unit", "definition", "printed", "value", "log")


class LoggedValue(NamedTuple):
    """A value of a trial, with its place in the log.

    Attributes
    ----------
    operation, metric, statistic, unit, definition, printed : str
        As in its record.
    value : float
        In `unit`.
    log : str
        Path of the log below the campaign's folder.
    place : LogMark
        Its bytes in the log.
    """

    operation: str
    metric: str
    statistic: str
    unit: str
    definition: str
    printed: str
    value: float
    log: str
    place: LogMark


@dataclass(frozen=True, slots=True)
class JudgedTrial:
    """A trial with its verdict.

    Attributes
    ----------
    study, sweep, case : str
        The case.
    repetition : int
        Number of the repetition, from 0.
    verdict, cold : str
        Its verdict, and where the bytes of its read came from.
    codes, reasons : str
        The rules that flagged it, and why; empty for a valid trial.
    proof : dict of str to str
        Its row of `cold.csv`; empty if it did not read.
    """

    study: str
    sweep: str
    case: str
    repetition: int
    verdict: str
    cold: str
    codes: str
    reasons: str
    proof: dict[str, str]

    @property
    def key(self) -> str:
        """Its folder, below that of the campaign."""
        return f"{self.study}/{self.sweep}/{self.case}/r{self.repetition}"


@dataclass(frozen=True, slots=True)
class ReportedTrial(JudgedTrial):
    """A trial with everything that its page shows.

    Attributes
    ----------
    outcome : Outcome or None
        What happened in it; None if the trial is missing.
    figures : list of LoggedValue
        The values in its log; those that tables and figures use come first.
    """

    outcome: Outcome | None
    figures: list[LoggedValue]

    @property
    def foremost(self) -> list[LoggedValue]:
        """The values that tables and figures use, one per operation and metric."""
        return [figure for figure in self.figures if figure.place.foremost]


#: The trials of each case, by study and sweep and by case.
Cases = dict[tuple[str, str], dict[str, list[JudgedTrial]]]


def read_trials(results: Path) -> Cases:
    """Return every trial of a campaign, in the order of `verdicts.csv`.

    Raises
    ------
    CampaignError
        If `verdicts.csv`, `reasons.csv` or `cold.csv` cannot be read.
    """
    keys = ["study", "sweep", "case", "repetition"]
    reasons = {_key(row): row["reasons"] for row in read_rows(results / "reasons.csv", {*keys, "reasons"})}
    proofs = {_key(row): row for row in read_rows(results / "cold.csv", {*keys, "why"})}
    cases: Cases = {}
    for row in read_rows(results / "verdicts.csv", {*keys, "verdict", "codes", "cold"}):
        key = _key(row)
        trial = JudgedTrial(
            row["study"], row["sweep"], row["case"], int(row["repetition"]), row["verdict"], row["cold"], row["codes"],
            reasons.get(key, ""), proofs.get(key, {}),
        )  # fmt: skip
        cases.setdefault((trial.study, trial.sweep), {}).setdefault(trial.case, []).append(trial)
    return cases


def read_details(
    trials: Sequence[JudgedTrial], folder: Path, dataset: Path, rows: Mapping[str, slice]
) -> list[ReportedTrial]:
    """Return some trials with their outcomes and the values in their logs.

    Parameters
    ----------
    trials : sequence of JudgedTrial
        Trials that follow each other in the dataset.
    folder : Path
        The campaign's folder of raw logs.
    dataset : Path
        Its `dataset.nc`.
    rows : mapping of str to slice
        The rows of each trial in the long table, by its key.

    Raises
    ------
    CampaignError
        If a `trial.json` cannot be read.
    """
    places = [rows[trial.key] for trial in trials if trial.key in rows]
    wanted = slice(places[0].start, places[-1].stop) if places else slice(0, 0)
    figures = _read_figures(open_rows(dataset, wanted, _COLUMNS))
    return [
        ReportedTrial(
            trial.study, trial.sweep, trial.case, trial.repetition, trial.verdict, trial.cold, trial.codes,
            trial.reasons, trial.proof, _read_outcome(folder / trial.key / TRIAL_JSON), figures.get(trial.key, []),
        )
        for trial in trials
    ]  # fmt: skip


def count_verdicts(trials: Iterable[JudgedTrial]) -> Counter[str]:
    """Return the number of trials by verdict."""
    return Counter(trial.verdict for trial in trials)


def _key(row: dict[str, str]) -> str:
    return f"{row['study']}/{row['sweep']}/{row['case']}/r{row['repetition']}"


def _read_outcome(path: Path) -> Outcome | None:
    return read_outcome(path) if path.exists() else None


def _read_figures(records: pd.DataFrame) -> dict[str, list[LoggedValue]]:
    """Return the values of each trial, by its key."""
    stated = records[records.offset >= 0]
    keys = ["study", "sweep", "case", "repetition", "operation", "metric"]
    foremost: set[int] = set()
    for metric, rows in stated.groupby("metric"):
        foremost.update(choose_figures(rows, str(metric)).drop_duplicates(keys).index)
    # A value summed over streams that a log states one by one links to the first of them.
    summed = stated[keys].assign(metric=stated.metric.str.removesuffix("_per_process"))
    whole = pd.MultiIndex.from_frame(summed.loc[sorted(foremost)])
    apart = summed[~pd.MultiIndex.from_frame(summed).isin(whole)].drop_duplicates()
    leading = {index: mark_of(operation, metric) for index, operation, metric in apart[keys[-2:]].itertuples()}
    found: dict[str, list[LoggedValue]] = {}
    # Rows of the frame itself would take five times as long.
    names = stated[["study", "sweep", "case", "repetition"]].itertuples(index=False, name=None)
    places = zip(*(stated[name].tolist() for name in ("offset", "length")), strict=True)
    texts = zip(*(stated[name].tolist() for name in _SHOWN), strict=True)
    for index, trial, (offset, length), shown in zip(stated.index, names, places, texts, strict=True):
        operation, metric, statistic, unit, definition, printed, value, log = shown
        first = index in foremost
        name = mark_of(operation, metric) if first else leading.get(index, f"byte-{offset}")
        title = f"{operation}, {metric}, {statistic}: {show_rate(value, unit)}"
        place = LogMark(int(offset), int(length), name, title, first)
        figure = LoggedValue(operation, metric, statistic, unit, definition, printed, value, log, place)
        found.setdefault("{}/{}/{}/r{}".format(*trial), []).append(figure)
    return {key: sorted(figures, key=lambda figure: not figure.place.foremost) for key, figures in found.items()}
