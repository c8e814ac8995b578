"""Match the cases of two campaigns: the values of both if they are comparable, else the reason why not."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS, METRIC_OF_OPERATION
from coldcache.dataset.cubes import choose_figures
from coldcache.dataset.reader import COUNTED
from coldcache.report.comparison.campaigns import ComparedCampaign

#: Metrics for which lower is better, and all compared metrics; counts are no speed.
LOWER_IS_BETTER = ("elapsed", "latency")
COMPARED_METRICS = tuple(metric for metric in UNIT_OF_METRIC if metric != "count")

#: The metric of a case is that of its operation, else the first of these that both campaigns state.
_LEADING = (
    "throughput", "throughput_per_core", "throughput_per_process", "throughput_children", "rate", "elapsed", "latency",
)  # fmt: skip

#: The number of files per thread depends on the time to lay them out, so it varies between trials.
_MATCHED = [factor for factor in (*FACTORS, *LEARNT_FACTORS) if factor != "files"]

#: Caveats that do not affect comparability: the same number with fewer digits.
_HARMLESS = {"rounded"}

Key = tuple[str, str, str, str]


class MatchedCase(NamedTuple):
    """One operation of one case that two campaigns measured in the same way.

    Attributes
    ----------
    study, sweep, case, operation : str
        The case and its operation.
    metric, unit : str
        The compared metric and its stored unit.
    base, other : array of float, shape (trials,)
        The values of the trials that count, in `unit`.
    note : str
        A caveat for the reader; empty if there is none.
    """

    study: str
    sweep: str
    case: str
    operation: str
    metric: str
    unit: str
    base: npt.NDArray[np.float64]
    other: npt.NDArray[np.float64]
    note: str

    @property
    def name(self) -> str:
        """Study, sweep and levels, and the operation unless the levels name it."""
        stated = f"operation={self.operation}" in self.case.split(",")
        return f"{self.study}/{self.sweep} {self.case}" + ("" if stated else f" {self.operation}")


class UnmatchedCase(NamedTuple):
    """One operation of one case that cannot be compared.

    Attributes
    ----------
    name : str
        As `MatchedCase.name`.
    reason : str
        Why it cannot be compared.
    lost : bool
        Whether the first campaign has values and each trial of the second is void.
    """

    name: str
    reason: str
    lost: bool = False


def match_cases(
    base: ComparedCampaign, other: ComparedCampaign, metric: str = ""
) -> tuple[list[MatchedCase], list[UnmatchedCase]]:
    """Return the cases of two campaigns that can be compared, and those that cannot.

    Parameters
    ----------
    base, other : ComparedCampaign
        The campaigns.
    metric : str
        The metric to compare; by default the leading one of each operation.
    """
    tables = [_group(side) for side in (base, other)]
    cases, unmatched = [], []
    for key in dict.fromkeys(key for table in tables for key in table):
        found = _match(key, [table.get(key) for table in tables], (base.name, other.name), metric)
        if isinstance(found, MatchedCase):
            cases.append(found)
        else:
            unmatched.append(found)
    return cases, unmatched


def _group(side: ComparedCampaign) -> dict[Key, pd.DataFrame]:
    """Return the rows of each operation of each case, without those of shares and moments of a trial."""
    keys = ["study", "sweep", "case", "operation"]
    rows = side.records[side.records.time.isna() & (side.records["share"] == "")]
    return {tuple(map(str, key)): group for key, group in rows.groupby(keys, sort=False)}  # type: ignore[misc]


def _match(
    key: Key, tables: Sequence[pd.DataFrame | None], names: tuple[str, str], metric: str
) -> MatchedCase | UnmatchedCase:
    blank = MatchedCase(*key, "", "", np.array([]), np.array([]), "")

    def refuse(reason: str, lost: bool = False) -> UnmatchedCase:
        return UnmatchedCase(blank.name, reason, lost)

    there = [(name, table) for name, table in zip(names, tables, strict=True) if table is not None]
    if len(there) == 1:
        return refuse(f"only in {there[0][0]}")
    counted = [table[table.verdict.isin(COUNTED) & table["value"].notna()] for _, table in there]
    empty = [name for name, table in zip(names, counted, strict=True) if table.empty]
    if empty:
        ran = [set(table.verdict) != {"missing"} for _, table in there]
        lost = empty == [names[1]] and ran[1]
        return refuse(f"no trial of {' and '.join(empty)} counts" + (f", those of {names[0]} do" if lost else ""), lost)
    for column in ["tool", *_MATCHED]:
        if difference := _differ(counted, column):
            return refuse(difference)
    chosen = _choose(blank.operation, counted, metric)
    if chosen is None:
        return refuse(f"both state no {metric}" if metric else "they have no metric in common")
    name, figures = chosen
    for column in ("definition", "caveats"):
        if difference := _differ(figures, column):
            return refuse(difference)
    colds = [set(figure.cold) for figure in figures]
    if colds[0].isdisjoint(colds[1]):
        return refuse(f"reads are {_list(colds[0])} in {names[0]} and {_list(colds[1])} in {names[1]}")
    values = [figure["value"].to_numpy(dtype=float) for figure in figures]
    if zeros := "; ".join(_name_zeros(values, names, name)):
        return refuse(zeros)
    note = "; ".join(_notes(figures, names))
    return blank._replace(metric=name, unit=UNIT_OF_METRIC[name], base=values[0], other=values[1], note=note)


def _choose(operation: str, tables: Sequence[pd.DataFrame], metric: str) -> tuple[str, list[pd.DataFrame]] | None:
    """Return the metric of a case with the values of both campaigns; None if they have no metric in common."""
    leading = METRIC_OF_OPERATION.get(operation, "throughput")
    for name in [metric] if metric else dict.fromkeys([leading, *_LEADING]):
        figures = [
            choose_figures(table[table.metric == name], name).drop_duplicates("repetition").sort_values("repetition")
            for table in tables
        ]
        if all(len(figure) for figure in figures):
            return name, figures
    return None


def _differ(tables: Sequence[pd.DataFrame], column: str) -> str | None:
    """Return how the values of a column differ between two tables; None if they are the same."""
    stated = []
    for table in tables:
        values = table[column].map(_show) if column in table else pd.Series(["not stated"])
        stated.append(sorted(set(values)))
    if stated[0] == stated[1]:
        return None
    return f"{column.replace('_', ' ')} differs: {_list(stated[0])} against {_list(stated[1])}"


def _show(value: object) -> str:
    if value is None or value != value or value == "":
        return "not stated"
    words = [word for word in str(value).split() if word not in _HARMLESS]
    return f"{value:g}" if isinstance(value, float) else " ".join(words) or "not stated"


def _name_zeros(values: Sequence[npt.NDArray[np.float64]], names: tuple[str, str], metric: str) -> Iterator[str]:
    """Yield where values are zero: they have no ratio to others."""
    for side, name in zip(values, names, strict=True):
        if zeros := int((side <= 0).sum()):
            said = f"{metric.replace('_', ' ')} is zero in {zeros} of {side.size} trials of {name}"
            yield f"{said}, below the resolution that the log prints"


def _notes(figures: Sequence[pd.DataFrame], names: tuple[str, str]) -> Iterator[str]:
    for name, figure in zip(names, figures, strict=True):
        if suspect := int((figure.verdict == "suspect").sum()):
            yield f"{suspect} of {len(figure)} suspect in {name}"
    colds = [set(figure.cold) for figure in figures]
    if colds[0] != colds[1]:
        yield f"reads {_list(colds[0])} in {names[0]}, {_list(colds[1])} in {names[1]}"
    files = [figure["files"].astype(float).median() if "files" in figure else np.nan for figure in figures]
    if abs(np.log(files[0] / files[1])) > np.log(1.1):
        yield f"{files[0]:.0f} files per thread in {names[0]}, {files[1]:.0f} in {names[1]}"


def _list(words: Sequence[str] | set[str]) -> str:
    return " and ".join(sorted(words))
