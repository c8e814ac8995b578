r"""Read CloudWatch's answers to `get-metric-statistics` and `get-metric-data`, in the JSON that the AWS CLI prints.

Specimens::

    {"Label": "DataWriteBytes", "Datapoints": [{"Timestamp": "2026-11-21T08:33:00+00:00", "Sum": 3062890496.0,
                                                "Unit": "Bytes"}, ...]}
    {"MetricDataResults": [{"Id": "w", "Label": "DataWriteBytes Sum", "Timestamps": [...], "Values": [...],
                            "StatusCode": "Complete"}]}

The sum over a period, divided by the period, is a rate (AWS, "FSx for Lustre metrics and dimensions"). Neither answer
states the period: it is the shortest distance between two time stamps. `get-metric-data` states the statistic only in
the label, if at all. Averages, minima and maxima are over storage targets and are not rates of the file system.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from math import gcd
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.tools.json_offsets import Member, scan_array, scan_document

#: Name of the tool in campaigns that import its logs.
TOOL = "cloudwatch"

#: Metrics of FSx, EFS and EBS whose sums are bytes, and whose sums are operations; what each counts.
BYTES = {
    "DataReadBytes": "read", "DataWriteBytes": "write", "DataReadIOBytes": "read", "DataWriteIOBytes": "write",
    "VolumeReadBytes": "read", "VolumeWriteBytes": "write",
    "DiskReadBytes": "disk-read", "DiskWriteBytes": "disk-write",
}  # fmt: skip
METRIC_OPERATIONS = {
    "DataReadOperations": "read", "DataWriteOperations": "write", "VolumeReadOps": "read", "VolumeWriteOps": "write",
    "DiskReadOperations": "disk-read", "DiskWriteOperations": "disk-write", "MetadataOperations": "metadata",
    "FileCreateOperations": "file-create", "FileOpenOperations": "file-open", "FileDeleteOperations": "file-remove",
    "StatOperations": "file-stat", "RenameOperations": "file-rename",
}  # fmt: skip

#: Metrics of standard resolution, such as these, have periods of whole minutes; in s.
_MINUTE = 60

_ROOT = re.compile(
    r'\{\s*"(?:MetricDataResults|Messages|Label|Datapoints|NextToken|ResponseMetadata)"\s*:', re.MULTILINE
)
_LISTS = ("MetricDataResults", "Datapoints")
_LABEL = re.compile(r"([A-Za-z]{1,60})(?:[ .:/_-]+([A-Za-z]+(?:[0-9.]+)?))?")
_STATISTICS = ("Sum", "Average", "Minimum", "Maximum", "SampleCount")


class _Place(NamedTuple):
    """A byte of a log; as text the line that holds it, which is only counted for a message."""

    text: str
    offset: int

    def __str__(self) -> str:
        return f"line {self.text.count(chr(10), 0, self.offset) + 1}"


class _Point(NamedTuple):
    """One value of a series, with its time and its place in the log."""

    time: float
    value: float
    start: int
    end: int


class _Series(NamedTuple):
    """One metric's values over time, with its first line, the id of its query, and caveats."""

    where: _Place
    metric: str
    id: str
    points: list[_Point]
    caveats: tuple[str, ...]


#: Words of which every log of this kind holds one.
WORDS = (b'"MetricDataResults"', b'"Datapoints"')


def recognise(log: bytes) -> bool:
    """Return whether the log looks like an answer of CloudWatch, by its keys."""
    return b'"MetricDataResults"' in log or (b'"Datapoints"' in log and b'"Label"' in log)


def read(log: bytes) -> list[Record]:
    """Return the rate of every period.

    Parameters
    ----------
    log : bytes
        One or more answers, with any text around them. A repeated answer counts once.

    Returns
    -------
    list of Record
        ``throughput`` (B/s) or ``rate`` (1/s) in the order of the log, with the factors ``time`` (s since 1970),
        ``period`` (s) and ``series`` (the query's id). If `get-metric-data` does not say that values are sums, they
        count as sums, with the caveat ``statistic-unstated``. A series without two neighbouring periods carries
        ``period-from-times``: its period is the greatest that fits all of its times, and the real one may be a part of
        that.

    Raises
    ------
    LogError
        If the JSON is broken, the answer is incomplete, a metric or statistic has no rate, or there are too few points
        to derive the period.
    """
    text = log.decode("latin-1")
    found: list[Record] = []
    end, answers = 0, set()
    for root in _ROOT.finditer(text):
        if root.start() < end:
            continue
        members, end, clean = scan_document(text, root.start(), _LISTS)
        if not members.keys() & set(_LISTS):
            continue
        answer = text[root.start() : end]
        if answer in answers:
            continue
        answers.add(answer)
        token = members.get("NextToken")
        if token is not None and token.value:
            raise LogError(f"{_Place(text, token.start)}: the answer goes on (NextToken): ask for all of its pages")
        read_series = _read_data if "MetricDataResults" in members else _read_statistics
        for series in read_series(clean, members):
            found += _records(clean, series)
    if not answers:
        raise LogError("no answer of CloudWatch is whole: the JSON is cut short or broken")
    if not found:
        raise LogError("CloudWatch's answer holds no values: no such metric in that time")
    return found


def _read_statistics(text: str, members: dict[str, Member]) -> Iterator[_Series]:
    """Yield the series of an answer to `get-metric-statistics`."""
    label, points = members.get("Label"), members["Datapoints"].value
    where = _Place(text, members["Datapoints"].start)
    if label is None or not isinstance(label.value, str) or not isinstance(points, list):
        raise LogError(f"{where}: the label or the points of this answer are missing: the JSON is damaged")
    metric = _known_metric(label.value, where)
    found = []
    for point in points:
        fields = point.value if isinstance(point.value, dict) else {}
        if "Sum" not in fields:
            names = ", ".join(sorted(fields.keys() & set(_STATISTICS))) or "no statistic"
            where = _Place(text, point.start)
            raise LogError(f"{where}: {names} of {metric}: only sums over a period can be turned into rates")
        unit = fields["Unit"].value if "Unit" in fields else None
        if unit != ("Bytes" if metric in BYTES else "Count") or "Timestamp" not in fields:
            where = _Place(text, point.start)
            raise LogError(f"{where}: a point of {metric} in {unit!r}, or without its time: the JSON is damaged")
        found.append(_point(text, fields["Timestamp"], fields["Sum"]))
    yield _Series(where, metric, metric, found, ())


def _read_data(text: str, members: dict[str, Member]) -> Iterator[_Series]:
    """Yield every series of an answer to `get-metric-data`, whose time stamps all run in one direction."""
    ids = set()
    for result in members["MetricDataResults"].value:
        where = _Place(text, result.start)
        fields = result.value if isinstance(result.value, dict) else {}
        if not {"Id", "Label", "Timestamps", "Values", "StatusCode"} <= fields.keys():
            raise LogError(f"{where}: this result is not whole: the JSON is damaged")
        if not isinstance(fields["Id"].value, str):
            raise LogError(f"{where}: the query's id is no text: the JSON is damaged")
        if fields["StatusCode"].value != "Complete":
            raise LogError(f"{where}: CloudWatch calls this result {fields['StatusCode'].value!r}: ask for it again")
        label = str(fields["Label"].value)
        metric, statistic = _known_metric(label, where), (_LABEL.fullmatch(label) or [label, None, None])[2]
        if statistic not in (None, "Sum"):
            raise LogError(f"{where}: {statistic} of {metric}: only sums over a period can be turned into rates")
        try:
            times, _ = scan_array(text, fields["Timestamps"].start)
            values, _ = scan_array(text, fields["Values"].start)
        except ValueError as error:
            raise LogError(f"{where}: the time stamps or values of {metric} are no list of such") from error
        if len(times) != len(values):
            raise LogError(f"{where}: {len(times)} time stamps and {len(values)} values: the JSON is damaged")
        points = [_point(text, time, value) for time, value in zip(times, values, strict=True)]
        moments = [point.time for point in points]
        if moments != sorted(moments) and moments != sorted(moments, reverse=True):
            raise LogError(f"{where}: the time stamps of {metric} are out of order: lines of the JSON are mixed up")
        if fields["Id"].value in ids:
            raise LogError(f"{where}: the query {fields['Id'].value[:40]!r} is answered twice")
        ids.add(fields["Id"].value)
        if statistic is None and any(point.value % 1 for point in points):
            raise LogError(f"{where}: values of {metric} are no whole numbers, so they are no sums; ask for Sum")
        yield _Series(where, metric, fields["Id"].value, points, ("statistic-unstated",) if not statistic else ())


def _known_metric(label: str, where: _Place) -> str:
    """Return the metric that a label starts with; raise `LogError` for one that has no rate."""
    match = _LABEL.fullmatch(label)
    if match is None or (match[1] not in BYTES and match[1] not in METRIC_OPERATIONS):
        raise LogError(f"{where}: metric {label[:60]!r} is none whose sums are known to be bytes or operations")
    return match[1]


def _point(text: str, time: Member, value: Member) -> _Point:
    """Return one value with its time, which the CLI prints as ISO 8601 or as seconds since 1970."""
    if type(value.value) not in (int, float) or not 0 <= value.value < 1e18:
        raise LogError(f"{_Place(text, value.start)}: {text[value.start : value.end][:40]!r} is no sum")
    if type(time.value) in (int, float):
        if not 0 <= time.value < 1e18:
            raise LogError(f"{_Place(text, time.start)}: {text[time.start : time.end][:40]!r} is no time")
        return _Point(float(time.value), float(value.value), value.start, value.end)
    try:
        moment = datetime.fromisoformat(str(time.value))
    except ValueError as error:
        raise LogError(f"{_Place(text, time.start)}: {str(time.value)[:40]!r} is no time") from error
    return _Point(
        (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp(), value.value, value.start, value.end
    )


def _derive_period(gaps: list[float]) -> float:
    """Return the period of a series: the greatest common divisor of its gaps if that is in minutes, else the least."""
    least = min(gaps, default=0.0)
    common = float(gcd(*map(int, gaps))) if all(gap.is_integer() for gap in gaps) else least
    return least if common % _MINUTE else common


def _records(text: str, series: _Series) -> Iterator[Record]:
    """Yield the rate of every period of a series."""
    times = sorted({point.time for point in series.points})
    if len(times) < len(series.points):
        raise LogError(f"{series.where}: a time of {series.metric} appears twice")
    if series.points and len(times) < 2:
        raise LogError(f"{series.where}: one value of {series.metric} alone has no period")
    gaps = [after - before for before, after in pairwise(times)]
    period = _derive_period(gaps)
    if any(gap % period for gap in gaps):
        raise LogError(f"{series.where}: the times of {series.metric} are not whole periods of {min(gaps):g} s apart")
    caveats = series.caveats if period in gaps else (*series.caveats, "period-from-times")
    is_bytes = series.metric in BYTES
    metric, names = ("throughput", BYTES) if is_bytes else ("rate", METRIC_OPERATIONS)
    operation, counted = names[series.metric], "Bytes" if is_bytes else "Count"
    definition = f"{series.metric}: sum over {period:g} s, divided by it"
    factors: dict[str, Any] = {"period": period, "series": series.id}
    for point in series.points:
        yield Record(
            "cloudwatch", None, operation, metric, "value", point.value / period, UNIT_OF_METRIC[metric], None,
            definition, point.start, point.end - point.start, f"{text[point.start : point.end]} {counted}",
            caveats, {**factors, "time": point.time},
        )  # fmt: skip
