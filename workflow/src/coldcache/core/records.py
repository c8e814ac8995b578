"""One measured value of a log, with its unit and a pointer to the bytes that state it.

This is the contract between the logs and everything after them: parsers make records, and no later step opens a log
to read a number.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from json.encoder import encode_basestring as _quote
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS

if TYPE_CHECKING:
    import numpy as np

#: Units in which values are stored, by metric.
UNIT_OF_METRIC = {
    "throughput": "B/s",
    "throughput_per_process": "B/s",
    "throughput_per_core": "B/s",
    "throughput_parent": "B/s",
    "throughput_children": "B/s",
    "rate": "1/s",
    "elapsed": "s",
    "latency": "s",
    "count": "1",
}


#: Caveat of a figure whose time includes the comparison of the data with what was written.
VERIFIED = "includes-verification"


class Record(NamedTuple):
    """One value that a log states.

    Readers that make many use `_make`, which takes half of the time of a call with arguments.

    Attributes
    ----------
    tool : str
        Name of the tool that wrote the log, such as ``ior``.
    tool_version : str or None
        Version as the log states it; None if the banner is missing.
    operation : str
        What was measured, such as ``random-write`` or ``file-create``.
    metric : str
        A key of `UNIT_OF_METRIC`.
    statistic : str
        ``value`` for the figure of one repetition, else ``max``, ``min``, ``mean``, ``stddev`` or a percentile
        such as ``p99.9``.
    value : float
        In `unit`: B/s, 1/s, s or 1, converted once, by the parser.
    unit : str
        The unit that belongs to `metric`.
    repetition : int or None
        Counted from 0; None if the log does not separate repetitions.
    definition : str
        What the figure is, where versions or tools differ.
    offset, length : int
        ``log[offset:offset + length]`` is the number as printed.
    printed : str
        The number and its unit, as printed.
    caveats : tuple of str
        Codes of known defects of this figure.
    factors : mapping
        What the log says about the factors (``threads``, ``nodes``, ``transfer_size``, ``file_size``, ``file_layout``,
        ``direct_io``, ``queue_depth``; ``time`` in s for a point of a series), in stored units; ``moved``, the least
        and the most bytes that the operation moved, where rate and time do not say it.
    """

    tool: str
    tool_version: str | None
    operation: str
    metric: str
    statistic: str
    value: float
    unit: str
    repetition: int | None
    definition: str
    offset: int
    length: int
    printed: str
    caveats: tuple[str, ...] = ()
    factors: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True, eq=False)
class SeriesRecords(Sequence[Record]):
    """The records of a long series, stored as columns: each record is created on access.

    Attributes
    ----------
    forms : tuple of Record
        What records have in common; ``printed`` is the unit, as printed.
    text : str
        The log, one character per byte.
    form : ndarray of int
        Which of `forms` each record is of.
    value, time : ndarray of float
        Of each record: the value in the unit of its form, and ``time`` in s.
    size : ndarray of int
        ``transfer_size`` in B; 0 if a point does not describe a single call.
    offset, length : ndarray of int
        Where each number is in the log.
    """

    forms: tuple[Record, ...]
    text: str
    form: "np.ndarray"
    value: "np.ndarray"
    time: "np.ndarray"
    size: "np.ndarray"
    offset: "np.ndarray"
    length: "np.ndarray"

    def __len__(self) -> int:
        return len(self.value)

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> "SeriesRecords": ...
    def __getitem__(self, place: int | slice) -> "Record | SeriesRecords":
        if isinstance(place, slice):
            return SeriesRecords(self.forms, self.text, *(column[place] for column in self._columns()))
        return self._make(*(column[place].item() for column in self._columns()))

    def __iter__(self) -> Iterator[Record]:
        return map(self._make, *(column.tolist() for column in self._columns()))

    def _columns(self) -> "list[np.ndarray]":
        return [getattr(self, field.name) for field in fields(self)[2:]]

    def _make(self, form: int, value: float, time: float, size: int, offset: int, length: int) -> Record:
        shared = self.forms[form]
        return shared._replace(
            value=value, offset=offset, length=length,
            printed=f"{self.text[offset : offset + length]} {shared.printed}",
            factors={"time": time, "transfer_size": size} if size else {"time": time},
        )  # fmt: skip

    def to_json_lines(self, start: str) -> str:
        """Return the records as JSON lines that begin with `start`, without making them."""
        text = self.text
        parts = [
            (start + head, middle, f" {_quote(form.printed)[1:]}{tail}")
            for form in self.forms
            for head, middle, tail in [_write_shared(*form[:5], *form[6:9], form.caveats)]
        ]
        columns = (self.form.tolist(), self.value.tolist(), self.offset.tolist(), self.length.tolist())
        lines = []
        for form, value, offset, length in zip(*columns, strict=True):
            head, middle, tail = parts[form]
            printed = text[offset : offset + length]
            lines.append(f'{head}{value!r}{middle}{offset}, "length": {length}, "printed": "{printed}{tail}')
        return "".join(lines)


def find_impossible(records: Sequence[Record]) -> Record | None:
    """Return the first record with a negative, infinite or missing value, which no measurement gives; None if none."""
    if isinstance(records, SeriesRecords):
        places = (~((records.value >= 0) & (records.value < math.inf))).nonzero()[0]
        return records[int(places[0])] if len(places) else None
    return next((record for record in records if not 0.0 <= record.value < math.inf), None)


def to_json_lines(records: Iterable[Record], log: str) -> str:
    """Return the records of one log as lines of JSON.

    Parameters
    ----------
    records : iterable of Record
        What a parser made.
    log : str
        Name of the log, printed under ``log``.

    Returns
    -------
    str
        One object and a line end per record: ``log``, and each attribute of the record but ``factors``, in its order.
    """
    start = f'{{"log": {_quote(log)}, '
    if isinstance(records, SeriesRecords):
        return records.to_json_lines(start)
    lines = []
    for (
        tool, version, operation, metric, statistic, value, unit, repetition, definition, offset, length, printed,
        caveats, _,
    ) in records:  # fmt: skip
        head, middle, tail = _write_shared(
            tool, version, operation, metric, statistic, unit, repetition, definition, caveats
        )
        lines.append(f'{start}{head}{value!r}{middle}{offset}, "length": {length}, "printed": {_quote(printed)}{tail}')
    return "".join(lines)


@lru_cache(maxsize=8192)
def _write_shared(
    tool: str, version: str | None, operation: str, metric: str, statistic: str, unit: str, repetition: int | None,
    definition: str, caveats: tuple[str, ...],
) -> tuple[str, str, str]:  # fmt: skip
    """Return the parts of a record's line before its value, after it, and at its end: many lines share them.

    Joining such parts takes a third of the time of json.dumps.
    """
    return (
        f'"tool": {_quote(tool)}, "tool_version": {"null" if version is None else _quote(version)}, '
        f'"operation": {_quote(operation)}, "metric": {_quote(metric)}, "statistic": {_quote(statistic)}, "value": ',
        f', "unit": {_quote(unit)}, "repetition": {"null" if repetition is None else repetition}, '
        f'"definition": {_quote(definition)}, "offset": ',
        f', "caveats": {json.dumps(caveats, ensure_ascii=False)}}}\n',
    )


#: Keys of a record's factors that say which part or which moment of a trial the figure describes.
_SHARES = ("process", "rank", "client", "time")


#: The caveat of a time that rank 0 took for its own items.
RANK_0_ONLY = "rank-0-only"

#: Caveats of figures in which one of several processes describes only itself.
_ONE_RANK = {RANK_0_ONLY, "one-rank-only"}


class Part(NamedTuple):
    """What a log states of one trial.

    Attributes
    ----------
    factors : dict
        Levels of `FACTORS` and `LEARNT_FACTORS` that the log states, in stored units.
    repetition : int or None
        Which repetition of the log it is, from 0; None if the log does not separate them.
    operations : tuple of str
        In the order of the log.
    records : list of Record
        Statistics over all repetitions of a log belong to its first one.
    """

    factors: dict[str, Any]
    repetition: int | None
    operations: tuple[str, ...]
    records: list[Record]


def learn_factors(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the factors that a record states, under the names that studies use."""
    learnt = {name: told[name] for name in (*FACTORS, *LEARNT_FACTORS) if name in told}
    items, threads = told.get("items"), told.get("threads")
    if items and threads and items % threads == 0:
        learnt["files"] = items // threads
    return learnt


def name_share(record: Record) -> str | None:
    """Return which share of its trial a figure covers, such as ``rank=3``; None if it covers the whole trial."""
    for key in _SHARES:
        if key in record.factors:
            return f"{key}={record.factors[key]}"
    if record.definition.startswith(("one process", "one client")) or not _ONE_RANK.isdisjoint(record.caveats):
        return "one of several"
    return None


def split_records(records: Iterable[Record]) -> list[Part]:
    """Return the trials that a log states, in its order.

    Parameters
    ----------
    records : iterable of Record
        All records of one log.

    Returns
    -------
    list of Part
        One for each combination of factors and, if the log states single repetitions, for each of these.
    """
    groups: dict[tuple[tuple[str, Any], ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(learn_factors(record.factors).items()), []).append(record)
    return [part for factors, group in groups.items() for part in _split_repetitions(dict(factors), group)]


def _split_repetitions(factors: dict[str, Any], records: list[Record]) -> list[Part]:
    repeated = {record.operation for record in records if record.repetition is not None and not name_share(record)}
    parts: dict[int | None, list[Record]] = {}
    for record in records:
        repetition = (record.repetition or 0) if repeated else None
        parts.setdefault(repetition if record.operation in repeated or not repeated else 0, []).append(record)
    return [
        Part(factors, repetition, tuple(dict.fromkeys(record.operation for record in part)), part)
        for repetition, part in sorted(parts.items(), key=lambda item: item[0] or 0)
    ]
