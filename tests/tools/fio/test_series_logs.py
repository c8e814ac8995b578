"""fio's series: every point of every specimen, what the columns prove, and what is refused."""

from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools import read_file, read_log
from coldcache.tools.fio.series_logs import (
    BYTES_OVER_LATENCY,
    INTERVAL,
    OF_ALL,
    OF_KIND,
    ONE_CALL,
    WINDOW,
    read_named,
    read_processes,
    recognise,
)

SPECIMENS = Path(__file__).parents[2] / "specimens"
UNKNOWN = ("pattern-unknown",)
OPERATION = {"0": "read", "1": "write", "2": "trim"}

#: Each series that is read: metric, what a printed 1 is in the stored unit, the printed unit, definition, caveats.
READ = {
    "2.1-window_bw.log": ("throughput_per_process", 1024, "KiB/s", WINDOW + OF_KIND["bw"], UNKNOWN),
    "2.8-window_bw.1.log": ("throughput_per_process", 1024, "KiB/s", WINDOW + OF_KIND["bw"], UNKNOWN),
    "3.7-window_bw.1.log": ("throughput_per_process", 1024, "KiB/s", WINDOW + OF_KIND["bw"], UNKNOWN),
    "3.33-window_bw.1.log": ("throughput_per_process", 1024, "KiB/s", WINDOW + OF_KIND["bw"], UNKNOWN),
    "3.33-epoch_bw.1.log": ("throughput_per_process", 1024, "KiB/s", WINDOW + OF_KIND["bw"], UNKNOWN),
    "3.42-both_bw.1.log": ("throughput_per_process", 1024, "KiB/s", WINDOW + OF_KIND["bw"], UNKNOWN),
    "3.33-agg-read_bw.log": ("throughput", 1024, "KiB/s", INTERVAL + OF_ALL, UNKNOWN),
    "3.33-each_bw.1.log": ("throughput_per_process", 1000, "kB/s", ONE_CALL + BYTES_OVER_LATENCY, UNKNOWN),
    "3.33-window_iops.1.log": ("rate", 1, "IOPS", WINDOW + OF_KIND["iops"], UNKNOWN),
    "2.8-interval_iops.1.log": ("rate", 1, "IOPS", INTERVAL + OF_KIND["iops"], UNKNOWN),
    "3.33-window_lat.1.log": ("latency", 1e-9, "ns", WINDOW + OF_KIND["lat"], (*UNKNOWN, "version-from-columns")),
    "3.33-window_clat.1.log": ("latency", 1e-9, "ns", WINDOW + OF_KIND["clat"], (*UNKNOWN, "version-from-columns")),
    "3.42-both_clat.1.log": ("latency", 1e-9, "ns", WINDOW + OF_KIND["clat"], UNKNOWN),
    "3.33-each_clat.1.log": ("latency", 1e-9, "ns", ONE_CALL + OF_KIND["clat"], UNKNOWN),
    "3.33-offset_clat.1.log": ("latency", 1e-9, "ns", ONE_CALL + OF_KIND["clat"], UNKNOWN),
    "3.33-prio_clat.1.log": ("latency", 1e-9, "ns", ONE_CALL + OF_KIND["clat"], UNKNOWN),
    "3.42-issue_clat.1.log": ("latency", 1e-9, "ns", ONE_CALL + OF_KIND["clat"], UNKNOWN),
}  # fmt: skip


def load(name):
    return SPECIMENS.joinpath(f"fio-{name}").read_bytes()


def refusal(log, name):
    with pytest.raises(LogError) as caught:
        read_named(log, name)
    return str(caught.value)


@pytest.mark.parametrize("name", READ)
def test_every_point_of_every_specimen(name):
    metric, scale, unit, definition, caveats = READ[name]
    log = load(name)
    stated = []
    for line in log.decode().splitlines():
        columns = line.split(", ")
        if "both" in name:
            del columns[2]
            stated.append((columns, "mean", line.split(", ")[1]))
            stated.append((columns, "max", line.split(", ")[2]))
        else:
            stated.append((columns, "value", columns[1]))
    records = read_file(SPECIMENS / f"fio-{name}")
    assert len(records) == len(stated)
    for record, (columns, statistic, value) in zip(records, stated, strict=True):
        assert record.value == pytest.approx(int(value) * scale, rel=1e-15)
        assert (record.tool, record.tool_version, record.repetition) == ("fio", None, None)
        assert (record.metric, record.statistic, record.definition) == (metric, statistic, definition)
        assert (record.operation, record.caveats) == (OPERATION[columns[2]], caveats)
        assert record.printed == f"{value} {unit}"
        assert log[record.offset : record.offset + record.length].decode() == value
        size = int(columns[3])
        assert record.factors == {"time": int(columns[0]) / 1000, **({"transfer_size": size} if size else {})}


def test_the_points_of_one_series():
    records = read_file(SPECIMENS / "fio-3.33-window_bw.1.log")
    assert [(record.factors["time"], record.operation, record.value / 1024) for record in records] == [
        (0.2, "read", 20640.0),
        (0.2, "write", 21880.0),
        (0.4, "read", 19658.0),
        (0.4, "write", 20703.0),
        *[(record.factors["time"], record.operation, record.value / 1024) for record in records[4:]],
    ]
    assert [(record.offset, record.length) for record in records[:3]] == [(5, 5), (25, 5), (45, 5)]


def test_the_bandwidth_of_a_call_is_its_bytes_over_its_latency_in_powers_of_ten():
    """Both logs are of one run."""
    bandwidths, latencies = (read_file(SPECIMENS / f"fio-3.33-each_{kind}.1.log") for kind in ("bw", "clat"))
    assert len(bandwidths) == len(latencies) == 32
    for bandwidth, latency in zip(bandwidths, latencies, strict=True):
        assert 0 <= 4096 / latency.value - bandwidth.value < 1000


def test_windows_of_bandwidth_are_windows_of_calls_of_4_kib():
    """Both logs are of one run with calls of 4 KiB."""
    bandwidths, rates = (read_file(SPECIMENS / f"fio-3.33-window_{kind}.1.log") for kind in ("bw", "iops"))
    for bandwidth, rate in zip(bandwidths, rates, strict=True):
        assert bandwidth.value == pytest.approx(4096 * rate.value, abs=2 * 4096)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("3.33-each_iops.1.log", "the log notes each call as 1, which is no rate: run fio with --log_avg_msec"),
        ("3.33-clat_hist.1.log", "a series of histograms (--write_hist_log) is not read: use --write_lat_log"),
        ("3.33-one-file_bw.log",
         "line 5: time goes back: several processes in one file (per_job_logs=0), or lines out of order"),
        ("3.33-agg-trim_bw.log", "every value is zero: nothing was moved"),
        ("2.8-interval_bw.1.log",
         "a bandwidth log without --log_avg_msec holds 1000 B/s of each call or, before fio 2.10, KiB/s over time, and"
         " nothing in it states the version"),
        ("3.7-each_bw.1.log",
         "a bandwidth log without --log_avg_msec holds 1000 B/s of each call or, before fio 2.10, KiB/s over time, and"
         " nothing in it states the version"),
        ("3.7-each_clat.1.log",
         "a latency log of fio before 3.18 does not say whether it is in ns or, before 2.99, in us"),
        ("2.16-offset_clat.1.log",
         "a latency log of fio before 3.18 does not say whether it is in ns or, before 2.99, in us"),
    ],
)  # fmt: skip
def test_series_that_do_not_say_what_they_mean(name, cause):
    assert refusal(load(name), name) == cause


def test_one_call_at_offset_0_proves_no_priorities():
    first = load("2.16-offset_clat.1.log").splitlines(keepends=True)[0]
    assert first.endswith(b", 0\n")
    assert refusal(first, "x_clat.1.log").startswith("a latency log of fio before 3.18 ")


@pytest.mark.parametrize("name", ["", "log.txt", "series.log", "abw.log", "latin.log", "bw-and-iops.txt"])
def test_a_name_that_does_not_tell_what_the_values_are(name):
    assert refusal(load("3.33-window_bw.1.log"), name) == (
        "fio's series do not say what they hold: keep fio's own name (..._bw.1.log, ..._iops.1.log, ..._clat.1.log)"
    )


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("x_bw.log", "throughput_per_process"),
        ("x_bw.12.log.10.0.0.1", "throughput_per_process"),
        ("max-iops_bw.3.log", "throughput_per_process"),
        ("lat_iops.1.log", "rate"),
        ("bw.txt", "throughput_per_process"),
        ("Write-Bandwidth.log", "throughput_per_process"),
        ("job1.iops", "rate"),
        ("x_slat.1.log", "latency"),
        ("agg-write_bw.log", "throughput"),
    ],
)
def test_a_name_that_tells_what_the_values_are(name, metric):
    assert {record.metric for record in read_named(load("3.33-window_bw.1.log"), name)} == {metric}


NO_POINT = "this is no point of fio's series: the log is broken or cut"


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        (b"400, 20703, 1, 0, 0\n", b"400, 20703, 1, 0, 0", f"line 4: {NO_POINT}"),
        (b"400, 19658, 0, 0, 0\n", b"400, 19658, 0, 0\n", f"line 3: {NO_POINT}"),
        (b"400, 19658, 0", b"400, 19658, 7", f"line 3: {NO_POINT}"),
        (b"400, 19658", b"400, -19658", f"line 3: {NO_POINT}"),
        (b"400, 19658", b"400, 196 nvme0: timeout\n58", f"line 3: {NO_POINT}"),
        (b"400, 19658", b"100, 19658",
         "line 3: time goes back: several processes in one file (per_job_logs=0), or lines out of order"),
        (b"400, 19658, 0, 0", b"400, 19658, 0, 4096",
         "line 3: windows and calls are mixed: the log is put together from several"),
        (b"400, 19658, 0, 0, 0\n", b"400, 19658, 0, 0, 0\n" * 2,
         "line 4: a previous line says the same: lines appear twice"),
    ],
)  # fmt: skip
def test_lines_that_are_broken_or_out_of_order(old, new, cause):
    log = load("3.33-window_bw.1.log")
    log = log[: log.index(b"400, 20703") + len(b"400, 20703, 1, 0, 0\n")]
    assert old in log
    assert refusal(log.replace(old, new), "x_bw.1.log") == cause


def test_columns_that_fit_two_forms():
    log = b"100, 1, 1, 0, 0, 0\n"
    assert refusal(log, "x_iops.1.log") == (
        "the columns fit log_window_value=both as well as log_offset: their meaning is ambiguous"
    )


def test_line_ends_of_windows():
    log = load("3.33-window_bw.1.log")
    ends = log.replace(b"\n", b"\r\n")
    assert [record.value for record in read_named(ends, "x_bw.log")] == [
        record.value for record in read_named(log, "x_bw.log")
    ]


@pytest.mark.parametrize(
    ("log", "is_series"),
    [
        (load("3.33-window_bw.1.log"), True),
        (load("3.33-clat_hist.1.log"), True),
        (load("3.33-prio_clat.1.log"), True),
        (b"", False),
        (b"1, 2, 3\n", False),
        (b"1,2,3,4\n", False),
        (b"time, value, direction, size\n1, 2, 0, 0\n", False),
        (load("3.33-terse.txt"), False),
    ],
    ids=["windows", "histogram", "priorities", "empty", "three columns", "no blanks", "a head", "terse"],
)
def test_recognise(log, is_series):
    assert recognise(log) is is_series


def test_without_a_name_a_series_is_refused():
    with pytest.raises(LogError, match=r"^fio's series do not say what they hold: "):
        read_log(load("3.33-window_bw.1.log"))


def test_a_log_of_several_processes_has_a_series_of_each_and_says_where_its_points_are():
    """The log is of two processes: each notes its whole series when it is done."""
    log = (SPECIMENS / "fio-3.33-one-file_bw.log").read_bytes()
    first, second = read_processes(log, "one-file_bw.log")
    lines = log.splitlines(keepends=True)
    assert len(first) + len(second) == len(lines)
    for series in (first, second):
        times = [record.factors["time"] for record in series]
        assert times == sorted(times)
    for record, line in zip([*first, *second], lines, strict=True):
        time, value = (part.strip() for part in line.split(b",")[:2])
        assert record.factors["time"] == int(time) / 1000
        assert log[record.offset : record.offset + record.length] == value


def test_a_log_of_one_process_is_read_alike_by_both():
    log = (SPECIMENS / "fio-3.33-window_bw.1.log").read_bytes()
    (series,) = read_processes(log, "window_bw.1.log")
    assert list(series) == list(read_named(log, "window_bw.1.log"))
