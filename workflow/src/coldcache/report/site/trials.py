"""The sweeps, cases and trials of a campaign, with the figures that were taken from each log."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from coldcache.analysis.report_links import mark_of
from coldcache.campaign.campaign import Campaign
from coldcache.campaign.trial_json import read_story
from coldcache.core.units import show_rate
from coldcache.dataset.cubes import choose_figures
from coldcache.dataset.reader import open_records
from coldcache.report.site.annotated_logs import LogMark
from coldcache.report.site.validity import read_rows


class LoggedValue(NamedTuple):
    """A number that a log states of a trial.

    Attributes
    ----------
    operation, metric, statistic, unit, definition, printed : str
        As its record says.
    value : float
        In `unit`.
    log : str
        The log, below the campaign's folder.
    place : LogMark
        Where in the log it stands.
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


class ReportedTrial(NamedTuple):
    """A trial as its page tells it.

    Attributes
    ----------
    study, sweep, case : str
        Which case it is of.
    repetition : int
        Which of its repetitions.
    verdict, cold : str
        What it is worth, and where the bytes of its read came from.
    codes, reasons : str
        The rules that objected, and why; empty where none did.
    proof : dict of str to str
        Its row of `cold.csv`; empty for what is no read.
    story : dict
        What `trial.json` holds; empty where the trial is missing.
    figures : list of LoggedValue
        What its log states, those first that tables and figures are made of.
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
    story: dict[str, Any]
    figures: list[LoggedValue]

    @property
    def key(self) -> str:
        """Its folder below that of the campaign."""
        return f"{self.study}/{self.sweep}/{self.case}/r{self.repetition}"

    @property
    def foremost(self) -> list[LoggedValue]:
        """The figures that tables and drawings are made of, one for each operation and metric."""
        return [figure for figure in self.figures if figure.place.foremost]


#: The trials of each case, by study and sweep and by case.
Cases = dict[tuple[str, str], dict[str, list[ReportedTrial]]]


def read_trials(campaign: Campaign, results: Path) -> Cases:
    """Return every trial of a campaign with what is known of it, in the order of `verdicts.csv`.

    Raises
    ------
    CampaignError
        If a `trial.json`, `verdicts.csv`, `reasons.csv` or `cold.csv` cannot be read.
    """
    keys = ["study", "sweep", "case", "repetition"]
    reasons = {_key(row): row["reasons"] for row in read_rows(results / "reasons.csv", {*keys, "reasons"})}
    proofs = {_key(row): row for row in read_rows(results / "cold.csv", {*keys, "why"})}
    figures = _read_figures(open_records(results / "dataset.nc"))
    cases: Cases = {}
    for row in read_rows(results / "verdicts.csv", {*keys, "verdict", "codes", "cold"}):
        key = _key(row)
        trial = ReportedTrial(
            row["study"], row["sweep"], row["case"], int(row["repetition"]), row["verdict"], row["cold"], row["codes"],
            reasons.get(key, ""), proofs.get(key, {}), _read_story(campaign.folder / key / "trial.json"),
            figures.get(key, []),
        )  # fmt: skip
        cases.setdefault((trial.study, trial.sweep), {}).setdefault(trial.case, []).append(trial)
    return cases


def count_verdicts(trials: Iterable[ReportedTrial]) -> Counter[str]:
    """Return how many trials have each verdict."""
    return Counter(trial.verdict for trial in trials)


def _key(row: dict[str, str]) -> str:
    return f"{row['study']}/{row['sweep']}/{row['case']}/r{row['repetition']}"


def _read_story(path: Path) -> dict[str, Any]:
    return read_story(path) if path.exists() else {}


def _read_figures(records: pd.DataFrame) -> dict[str, list[LoggedValue]]:
    """Return the figures of each trial, by its key."""
    stated = records[records.offset >= 0]
    keys = ["study", "sweep", "case", "repetition", "operation", "metric"]
    foremost: set[int] = set()
    for metric, rows in stated.groupby("metric"):
        foremost.update(choose_figures(rows, str(metric)).drop_duplicates(keys).index)
    # Of streams that a log states one by one, the first is where a number made of all of them leads.
    summed = stated[keys].assign(metric=stated.metric.str.removesuffix("_per_process"))
    whole = pd.MultiIndex.from_frame(summed.loc[sorted(foremost)])
    apart = summed[~pd.MultiIndex.from_frame(summed).isin(whole)].drop_duplicates()
    leading = {index: mark_of(operation, metric) for index, operation, metric in apart[keys[-2:]].itertuples()}
    found: dict[str, list[LoggedValue]] = {}
    # Text comes out of a column of pandas one by one only slowly.
    texts = stated.select_dtypes(exclude=["number", "bool"]).columns
    for row in stated.astype(dict.fromkeys(texts, object)).itertuples():
        first = row.Index in foremost
        name = mark_of(row.operation, row.metric) if first else leading.get(row.Index, f"byte-{row.offset}")
        title = f"{row.operation}, {row.metric}, {row.statistic}: {show_rate(row.value, row.unit)}"
        place = LogMark(int(row.offset), int(row.length), name, title, first)
        figure = LoggedValue(
            row.operation, row.metric, row.statistic, row.unit, row.definition, row.printed, row.value, row.log, place
        )
        found.setdefault(f"{row.study}/{row.sweep}/{row.case}/r{row.repetition}", []).append(figure)
    return {key: sorted(figures, key=lambda figure: not figure.place.foremost) for key, figures in found.items()}
