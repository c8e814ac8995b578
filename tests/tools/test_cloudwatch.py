"""CloudWatch's answers become rates per period, where they are sums and the period can be told."""

import json
import re
from datetime import datetime
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools import read_file, read_log
from coldcache.tools.cloudwatch import recognise

SPECIMENS = Path(__file__).parents[1] / "specimens"
SOUND = ["statistics-write", "statistics-create", "data", "data-label"]


def content(name):
    return (SPECIMENS / f"cloudwatch-{name}.json").read_bytes()


def plain(name):
    return json.loads(content(name))


def test_sums_of_bytes_become_throughput_per_minute():
    records = read_file(SPECIMENS / "cloudwatch-statistics-write.json")
    points = plain("statistics-write")["Datapoints"]
    assert [(record.value, record.factors["time"]) for record in records] == [
        (point["Sum"] / 60, datetime.fromisoformat(point["Timestamp"]).timestamp()) for point in points
    ]
    assert records[0][:9] == (
        "cloudwatch", None, "write", "throughput", "value", 3062890496 / 60, "B/s", None,
        "DataWriteBytes: sum over 60 s, divided by it",
    )  # fmt: skip
    assert (records[0].printed, records[0].caveats) == ("3062890496.0 Bytes", ())
    assert records[0].factors == {"period": 60.0, "series": "DataWriteBytes", "time": 1795249980.0}
    assert len(records) == 30


def test_sums_of_operations_become_rates():
    records = read_file(SPECIMENS / "cloudwatch-statistics-create.json")
    assert [(record.operation, record.metric, record.value, record.unit) for record in records[:2]] == [
        ("file-create", "rate", 8387 / 60, "1/s"), ("file-create", "rate", 6850 / 60, "1/s"),
    ]  # fmt: skip
    assert len(records) == 10


@pytest.mark.parametrize(("name", "caveats"), [("data", set()), ("data-label", {"statistic-unstated"})])
def test_every_series_of_metric_data_is_read(name, caveats):
    records = read_file(SPECIMENS / f"cloudwatch-{name}.json")
    for result, metric in zip(plain(name)["MetricDataResults"], ("throughput", "rate"), strict=True):
        own = [record for record in records if record.factors["series"] == result["Id"]]
        assert [record.value for record in own] == [value / 60 for value in result["Values"]]
        assert {(record.metric, record.operation) for record in own} == {(metric, "write")}
        times = [datetime.fromisoformat(time).timestamp() for time in result["Timestamps"]]
        assert [record.factors["time"] for record in own] == times
    told = {record.caveats for record in records if record.metric == "throughput"}
    assert told == ({()} if not caveats else {tuple(caveats)})


def test_both_answers_state_the_same():
    statistics = {record.factors["time"]: record.value for record in read_log(content("statistics-write"))}
    series = {
        record.factors["time"]: record.value for record in read_log(content("data")) if record.metric == "throughput"
    }
    assert statistics == series


def test_times_may_be_seconds_since_1970():
    log = re.sub(
        rb'"(2026-[^"]+)"', lambda match: str(datetime.fromisoformat(match[1].decode()).timestamp()).encode(),
        content("statistics-write"),
    )  # fmt: skip
    assert [record.value for record in read_log(log)] == [
        record.value for record in read_log(content("statistics-write"))
    ]
    assert read_log(log)[0].factors["time"] == 1795249980.0


def test_a_minute_without_values_is_a_gap_and_an_idle_one_is_zero():
    answer = plain("statistics-create")
    del answer["Datapoints"][4]
    answer["Datapoints"][3]["Sum"] = 0.0
    records = read_log(json.dumps(answer, indent=4).encode())
    assert len(records) == 9
    assert records[3].value == 0
    assert {record.factors["period"] for record in records} == {60.0}


@pytest.mark.parametrize("name", SOUND)
def test_every_record_points_to_its_number(name):
    log = content(name)
    for record in read_log(log):
        assert record.printed.split()[0] == log[record.offset : record.offset + record.length].decode()


@pytest.mark.parametrize("name", SOUND)
def test_an_answer_cut_at_any_line_is_refused(name):
    log = content(name)
    whole = [record[:6] for record in read_log(log)]
    for end in list(re.finditer(rb"\n", log))[:-1]:
        try:
            assert [record[:6] for record in read_log(log[: end.end()])] == whole
        except LogError:
            continue
        assert not log[end.end() :].strip()


def test_text_around_an_answer_does_not_matter():
    log = b"$ aws cloudwatch get-metric-data\n" + content("data") + b"\n$ exit\n"
    assert len(read_log(log)) == 60


@pytest.mark.parametrize("name", SOUND)
def test_an_answer_that_stands_twice_counts_once(name):
    assert read_log(content(name) * 2) == read_log(content(name))


@pytest.mark.timeout(30)
def test_a_month_of_minutes_is_read_in_linear_time():
    log = content("statistics-write").rpartition(b"]")[0]
    point = log[log.rindex(b"{") : log.rindex(b"}") + 1]
    minutes = (1795260000 + 60 * minute for minute in range(44640))
    points = b",\n".join(re.sub(rb'"Timestamp": "[^"]+"', b'"Timestamp": %d' % time, point) for time in minutes)
    assert len(read_log(log + b",\n" + points + b"]}")) == 30 + 44640


DATA, WRITE = "data", "statistics-write"


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (DATA, b'"Complete"', b'"PartialData"', "line 3: CloudWatch calls this result 'PartialData': ask for it again"),
        (DATA, b'"DataWriteBytes Sum"', b'"CPUUtilization"', "line 3: metric 'CPUUtilization' is none whose sums are"),
        (
            DATA,
            b'"DataWriteBytes Sum"',
            b'"DataWriteBytes Average"',
            "line 3: Average of DataWriteBytes: only sums over",
        ),
        (DATA, b"3044016128.0,", b"", "line 3: 30 time stamps and 29 values: the JSON is damaged"),
        (DATA, b"3044016128.0,", b'"x",', "line 39: '\"x\"' is no sum"),
        (DATA, b'"Label": "DataWriteBytes Sum",', b"", "line 3: this result is not whole: the JSON is damaged"),
        (
            DATA,
            b'"2026-11-21T09:01:00+00:00"',
            b'"2026-11-21T09:02:00+00:00"',
            "a time of DataWriteBytes appears twice",
        ),
        (DATA, b'"2026-11-21T09:01:00+00:00"', b'"2026-11-21T09:01:20+00:00"', "are not whole periods of 40 s apart"),
        (DATA, b'"2026-11-21T09:01:00+00:00"', b'"2026-11-21T09:03:00+00:00"', "of DataWriteBytes are out of order"),
        (DATA, b"3044016128.0", b'{"a": 1, "a": 2}', "time stamps or values of DataWriteBytes are no list of such"),
        (DATA, b'"Id": "o"', b'"Id": [1]', "line 72: the query's id is no text: the JSON is damaged"),
        (WRITE, b'"2026-11-21T08:33:00+00:00"', b"9" * 401, f"{'9' * 40!r} is no time"),
        (DATA, b'"Id": "o"', b'"Id": "w"', "line 72: the query 'w' is answered twice"),
        (DATA, b'"2026-11-21T09:01:00+00:00"', b'"noon"', "line 8: 'noon' is no time"),
        (
            "data-label",
            b"3044016128.0",
            b"3044016128.5",
            "values of DataWriteBytes are no whole numbers, so they are no",
        ),
        (WRITE, b'"Unit": "Bytes"', b'"Unit": "Count"', "a point of DataWriteBytes in 'Count', or without its time"),
        (WRITE, b'"Label": "DataWriteBytes"', b'"Label": 3', "the label or the points of this answer are missing"),
    ],
)
def test_damage_and_other_metrics_are_refused_by_name(name, old, new, message):
    log = content(name)
    assert old in log
    with pytest.raises(LogError, match=re.escape(message)):
        read_log(log.replace(old, new, 1))


def test_the_period_of_a_sparse_series_divides_all_of_its_gaps():
    answer = plain("statistics-create")
    points = {point["Timestamp"][11:16]: point for point in answer["Datapoints"]}
    minutes = sorted(points)
    answer["Datapoints"] = [points[minutes[number]] for number in (0, 2, 5)]
    records = read_log(json.dumps(answer).encode())
    assert [record.value for record in records] == [point["Sum"] / 60 for point in answer["Datapoints"]]
    assert {record.factors["period"] for record in records} == {60.0}
    assert {record.caveats for record in records} == {("period-from-times",)}


def test_averages_are_refused():
    with pytest.raises(LogError, match="line 4: Average of DataWriteBytes: only sums over a period can be turned into"):
        read_file(SPECIMENS / "cloudwatch-statistics-average.json")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {"Label": "DataWriteBytes", "Datapoints": []},
            "CloudWatch's answer holds no values: no such metric in that time",
        ),
        ({"MetricDataResults": [], "NextToken": "x"}, "the answer goes on (NextToken): ask for all of its pages"),
    ],
)
def test_empty_and_partial_answers_are_refused(answer, message):
    with pytest.raises(LogError, match=re.escape(message)):
        read_log(json.dumps(answer).encode())


def test_one_point_does_not_tell_its_period():
    answer = plain("statistics-create")
    answer["Datapoints"] = answer["Datapoints"][:1]
    with pytest.raises(LogError, match="one value of FileCreateOperations alone has no period"):
        read_log(json.dumps(answer).encode())


def test_other_json_is_no_answer():
    assert not recognise(b'{"Label": "x", "values": []}')
