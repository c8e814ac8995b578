"""The columns of the long table, gathered trial by trial, so that no record is in memory longer than its trial."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from coldcache.campaign.trials import CollectedTrial
from coldcache.core.outcome import Outcome
from coldcache.core.records import UNIT_OF_METRIC, Record, name_share
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS, METRIC_OF_OPERATION
from coldcache.dataset.table_io import TEXT

#: The columns that name a trial.
TRIAL = ("study", "sweep", "case", "repetition")

#: The columns of records, and the fields of a record that are such a column unchanged.
_TEXTS = ("operation", "metric", "statistic", "unit", "definition", "printed", "cold", "reached", "log", "caveats",
          "share")  # fmt: skip
_FLOATS, _WHOLE = ("value", "time"), ("offset", "length")
_FIELDS = {name: Record._fields.index(name) for name in (
    "operation", "statistic", "value", "unit", "definition", "offset", "length", "printed",
)}  # fmt: skip

#: Their order in the long table, after the columns that the records of a trial share.
_ORDER = (
    "operation", "metric", "statistic", "value", "unit", "definition", "offset", "length", "printed", "cold", "reached",
    "log", "caveats", "share", "time",
)  # fmt: skip


class RecordColumns:
    """The columns of some trials' records."""

    def __init__(self) -> None:
        self._columns: dict[str, list[str] | array[Any]] = {name: [] for name in _TEXTS}
        self._columns |= {name: array("d") for name in _FLOATS} | {name: array("q") for name in _WHOLE}
        self._shared: dict[str, list[Any]] = {}
        self._counts: list[int] = []

    def add(self, trial: CollectedTrial) -> None:
        """Add the records of a trial, and one with NaN for each of its operations without a record."""
        series = [(log, own, f"process={process}") for process, (log, own) in enumerate(trial.series)]
        records: list[Record] = []
        found: dict[str, list[Any]] = {"log": [], "share": []}
        for log, own, share in ((trial.log, trial.records, ""), *series, (trial.log, _lacking(trial), "")):
            there = list(own)
            records += there
            found["log"] += [log] * len(there)
            found["share"] += [share] * len(there) if share else [name_share(record) or "" for record in there]
        found |= {name: [record[place] for record in records] for name, place in _FIELDS.items()}
        named, judgement = found["operation"], trial.judgement
        kinds = {name: (judgement.cold_of(name), judgement.reached_by(name)) for name in set(named)}
        found["metric"] = _name_metrics(records)
        found["cold"], found["reached"] = [kinds[name][0] for name in named], [kinds[name][1] for name in named]
        found["caveats"] = [" ".join(record.caveats) for record in records]
        found["time"] = [record.factors.get("time", np.nan) for record in records]
        for name, values in found.items():
            self._columns[name].extend(values)
        self._add_shared({name: [level] for name, level in _share(trial).items()}, [len(records)])

    def extend(self, other: "RecordColumns") -> None:
        """Add the columns of further trials, whose records follow."""
        for name, values in other._columns.items():
            self._columns[name].extend(values)
        self._add_shared(other._shared, other._counts)

    def _add_shared(self, levels: Mapping[str, list[Any]], counts: Sequence[int]) -> None:
        """Add what the records of each of some trials share; a trial that lacks such a column has NaN there."""
        for name in levels:
            if name not in self._shared:
                self._shared[name] = [np.nan] * len(self._counts)
        for name, known in self._shared.items():
            known += levels.get(name, [np.nan] * len(counts))
        self._counts += counts

    def build(self) -> pd.DataFrame:
        """Return the long table, and give up the columns: both together would take twice the memory."""
        # Columns that the records of a trial share are built once per trial and then repeated.
        columns = _repeat_rows(pd.DataFrame(self._shared), self._counts)
        for name in _ORDER:
            columns[name] = _column(self._columns.pop(name))
        # In blocks of several columns each would be copied.
        return pd.DataFrame(columns, copy=False)


def identify(outcome: Outcome) -> dict[str, Any]:
    """Return what names a trial: its study, sweep, case and repetition."""
    return {name: getattr(outcome, name) for name in TRIAL}


def _column(values: "list[str] | array[Any]") -> Any:
    """Return values as a column, whose texts share one object where the values do; without any, one of texts."""
    if isinstance(values, array) and values:
        return np.frombuffer(values, dtype=values.typecode)
    return pd.array(list(values), dtype=TEXT)


def _repeat_rows(table: pd.DataFrame, counts: Sequence[int]) -> dict[str, Any]:
    """Return the columns of a table of trials, each row as often as its trial has records."""
    rows = np.repeat(np.arange(len(counts)), counts)
    # Most factors are those of other studies: one missing level is the whole column.
    missing = np.broadcast_to(np.array([None], dtype=object), len(rows))
    return {
        str(name): missing
        if _is_unstated(column)
        else (column.astype(TEXT) if isinstance(column.dtype, pd.StringDtype) else column).array.take(rows)
        for name, column in table.items()
    }


def _is_unstated(column: pd.Series) -> bool:
    return column.dtype == object and all(level is None for level in column)


def _name_metrics(records: Sequence[Record]) -> list[str]:
    """Return the metric of each record of a trial; ``throughput`` is all bytes from the first start to the last end.

    Where IOzone states that, as what its parent sees, the sum of the rates of its children is of another definition:
    ``throughput_children``.
    """
    parents = {record.operation for record in records if record.metric == "throughput_parent"}
    names = {"throughput_parent": "throughput", "throughput": "throughput_children"}
    return [
        names.get(record.metric, record.metric) if record.operation in parents else record.metric for record in records
    ]


def _share(trial: CollectedTrial) -> dict[str, Any]:
    """Return the columns that all records of a trial share."""
    outcome = trial.outcome
    # Some tools state their version only in the log.
    printed = (record.tool_version for record in trial.records if record.tool_version)
    return {
        **identify(outcome),
        "tool": outcome.tool, "tool_version": outcome.tool_version or next(printed, ""),
        "verdict": trial.judgement.verdict, "codes": " ".join(trial.judgement.codes),
        **{factor: outcome.factors.get(factor) for factor in FACTORS},
        **{factor: outcome.factors[factor] for factor in LEARNT_FACTORS if factor in outcome.factors},
    }  # fmt: skip


def _lacking(trial: CollectedTrial) -> list[Record]:
    """Return a record with NaN for each operation of a trial that has no record."""
    stated = {record.operation for record in trial.records}
    metrics = {
        operation: METRIC_OF_OPERATION.get(operation, "throughput")
        for operation in trial.outcome.operations
        if operation not in stated
    }
    return [
        Record("", None, operation, metric, "value", np.nan, UNIT_OF_METRIC[metric], None, "", -1, 0, "")
        for operation, metric in metrics.items()
    ]
