"""One measured value of a log, with its unit and a pointer to the bytes that state it.

This is the contract between the logs and everything after them: parsers make records, and nothing behind them ever
opens a log to learn a number.
"""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from json.encoder import encode_basestring as _quote
from typing import Any, NamedTuple

#: Units in which values are stored, by metric.
UNIT_OF_METRIC = {
    "throughput": "B/s",
    "throughput_per_process": "B/s",
    "throughput_per_core": "B/s",
    "throughput_parent": "B/s",
    "rate": "1/s",
    "elapsed": "s",
    "latency": "s",
    "count": "1",
}


class Record(NamedTuple):
    """One value that a log states.

    Attributes
    ----------
    tool : str
        Name of the tool that wrote the log, such as ``ior``.
    tool_version : str or None
        Version as the log states it; None where the banner is missing.
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
        Counted from 0 where the log tells repetitions apart.
    definition : str
        What the figure is, where versions or tools differ.
    offset, length : int
        ``log[offset:offset + length]`` is the number as printed.
    printed : str
        The number and its unit, as printed.
    caveats : tuple of str
        Codes of known defects of this figure.
    factors : mapping
        What the log tells of the factors (``threads``, ``nodes``, ``transfer_size``, ``file_size``, ``file_layout``,
        ``direct_io``, ``queue_depth``; ``time`` in s for a point of a series), in stored units.
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


def to_json(record: Record, log: str) -> str:
    """Return the record as one line of JSON.

    Parameters
    ----------
    record : Record
        What a parser made.
    log : str
        Name of the log, printed under ``log``.

    Returns
    -------
    str
        One JSON object without a line end: ``log``, and each attribute of the record but ``factors``, in its order.
    """
    return to_json_lines((record,), log).removesuffix("\n")


def to_json_lines(records: Iterable[Record], log: str) -> str:
    """Return the records of one log as JSON lines, each ended by a line end."""
    start = f'{{"log": {_quote(log)}, '
    lines = []
    for (
        tool, version, operation, metric, statistic, value, unit, repetition, definition, offset, length, printed,
        caveats, _,
    ) in records:  # fmt: skip
        # To write the line piece by piece takes half the time of json.dumps.
        lines.append(
            f'{start}"tool": {_quote(tool)}, "tool_version": {"null" if version is None else _quote(version)}, '
            f'"operation": {_quote(operation)}, "metric": {_quote(metric)}, "statistic": {_quote(statistic)}, '
            f'"value": {value!r}, "unit": {_quote(unit)}, '
            f'"repetition": {"null" if repetition is None else repetition}, "definition": {_quote(definition)}, '
            f'"offset": {offset}, "length": {length}, "printed": {_quote(printed)}, '
            f'"caveats": {_write_list(caveats)}}}\n'
        )
    return "".join(lines)


@lru_cache(maxsize=256)
def _write_list(values: tuple[str, ...]) -> str:
    return json.dumps(values, ensure_ascii=False)
