"""fio's JSON: every stated value of every specimen, what each figure means, and physics."""

import json
from collections import Counter
from pathlib import Path

import pytest

from coldcache.tools.fio.directions import CALLS, LATENCIES, LONGEST, MOVED, TOTAL
from coldcache.tools.fio.parse import read, recognise

SPECIMENS = Path(__file__).parents[2] / "specimens"
SIDES = ("read", "write", "trim", "mixed")

#: Each specimen that is read: version, and per side in the order of the log: operation, metric of its bandwidth (None
#: where it has none), threads, transfer size, caveats of its bandwidth or rate.
READ = {
    "2.1-jobs": ("2.1", [
        ("write", "throughput", None, None, ("pattern-unknown", "rounded")),
        ("read", "throughput_per_process", 2, None, ("pattern-unknown", "rounded")),
        ("write", "throughput_per_process", 2, None, ("pattern-unknown", "rounded")),
        ("read", "throughput_per_process", 2, None, ("pattern-unknown", "rounded")),
        ("write", "throughput_per_process", 2, None, ("pattern-unknown", "rounded")),
    ]),
    "2.1.11-jobs": ("2.1.11", [
        ("write", "throughput", None, None, ("pattern-unknown", "rounded")),
        ("read", "throughput_per_process", 2, None, ("pattern-unknown", "rounded")),
        ("write", "throughput_per_process", 2, None, ("pattern-unknown", "rounded")),
        ("read", "throughput_per_process", 2, None, ("pattern-unknown", "rounded")),
        ("write", "throughput_per_process", 2, None, ("pattern-unknown", "rounded")),
    ]),
    # A client's text about a job supplies the options that its JSON lacks.
    "2.1.11-client": ("2.1.11", [
        ("write", "throughput", None, None, ("rounded",)),
        ("random-read", "throughput", None, None, ("rounded",)),
    ]),
    **{f"{version}-jobs": (version, [
        ("write", "throughput", 2, 65536, caveats),
        ("random-read", "throughput_per_process", 2, 65536, caveats),
        ("random-write", "throughput_per_process", 2, 65536, caveats),
        ("random-read", "throughput_per_process", 2, 65536, caveats),
        ("random-write", "throughput_per_process", 2, 65536, caveats),
    ]) for version, caveats in (
        ("2.16", ("rounded",)), ("2.99", ("rounded",)), ("3.1", ("rounded",)), ("3.7", ()), ("3.19", ()), ("3.38", ()),
        ("3.42", ()),
    )},
    "2.16-plus": ("2.16", [("random-read", "throughput", 1, 4096, ("rounded",))]),
    "2.16-status": ("2.16", [("random-read", "throughput", 1, 4096, ("rounded",))]),
    "2.16-client": ("2.16", [
        ("write", "throughput", 2, 65536, ("rounded",)), ("random-read", "throughput", None, None, ("rounded",)),
    ]),
    "3.33-client": ("3.33", [("write", "throughput", 2, 65536, ()), ("random-read", "throughput", None, None, ())]),
    "3.33-clients": ("3.33", [
        ("write", "throughput", 2, 65536, ()), ("random-read", "throughput", None, None, ()),
        ("write", "throughput", 2, 65536, ()), ("random-read", "throughput", None, None, ()),
    ]),
    "3.42-client": ("3.42", [("write", "throughput", 2, 65536, ()), ("random-read", "throughput", None, None, ())]),
    # From 3.39 on each client's global options are separate.
    "3.42-two-globals": ("3.42", [
        ("random-write", "throughput", 1, 4096, ()), ("write", "throughput", 1, 65536, ()),
    ]),
    "3.33-seq-write": ("3.33", [("write", "throughput", 1, 2**20, ())]),
    "3.33-json-plus": ("3.33", [
        ("random-read", "throughput_per_process", 2, 4096, ()), ("random-read", "throughput_per_process", 2, 4096, ()),
    ]),
    "3.33-jobs": ("3.33", [
        ("write", "throughput", 1, 131072, ()), ("random-read", "throughput_per_process", 3, 16384, ()),
        ("random-read", "throughput_per_process", 3, 16384, ()),
        ("stride-read", "throughput_per_process", 3, 131072, ()),
    ]),
    "3.33-group": ("3.33", [("random-write", "throughput", 4, 65536, ())]),
    "3.33-bare": ("3.33", [("read", "throughput_per_process", 2, 65536, ())] * 2),
    "3.33-shared": ("3.33", [("random-read", "throughput", 3, 4096, ())]),
    "3.33-mixed": ("3.33", [("random-read", "throughput", 1, 8192, ()), ("random-write", "throughput", 1, 4096, ())]),
    "3.33-ramp": ("3.33", [("random-read", "throughput", 1, 4096, ()), ("random-write", "throughput", 1, 4096, ())]),
    "3.33-unified": ("3.33", [("random-mix", "throughput", 1, 4096, ())]),
    # The sum of a job that reads and another that writes, with the options of the latter.
    "3.33-unified-merged": ("3.33", [("random-mix", "throughput", 1, 4096, ())]),
    "3.33-unified-both": ("3.33", [
        ("random-read", "throughput", 1, 4096, ()), ("random-write", "throughput", 1, 4096, ()),
        ("random-mix", "throughput", 1, 4096, ()),
    ]),
    # Jobs that share a reporting group under the name and the options of one of them.
    "3.33-merged": ("3.33", [
        ("read", "throughput", None, None, ("pattern-unknown",)),
        ("write", "throughput", None, None, ("pattern-unknown",)),
    ]),
    "3.33-lay-verify": ("3.33", [
        ("read", "throughput", 1, 4096, ("pattern-unknown", "includes-verification")),
        ("write", "throughput", 1, 4096, ()),
    ]),
    "3.33-note": ("3.33", [("write", "throughput", 1, 262144, ())]),
    "3.33-normal-json": ("3.33", [("write", "throughput", 1, 262144, ())]),
    "3.33-status": ("3.33", [("random-read", "throughput", 1, 4096, ())]),
    "3.42-status": ("3.42", [("random-read", "throughput", 1, 4096, ())]),
    "3.33-steady": ("3.33", [("random-read", "throughput", 1, 4096, ())]),
    "3.33-cpu": ("3.33", [("write", "throughput_per_process", 2, 65536, ())]),
    "3.33-two-files": ("3.33", [("write", "throughput_per_process", 2, 512, ())] * 2),
    "3.33-nbd": ("3.33", [("random-write", "throughput", 1, 16384, ())]),
    "3.33-trim": ("3.33", [("write", "throughput", 1, 65536, ()), ("trim", "throughput", 1, 65536, ())]),
    "3.33-trim-only": ("3.33", [("random-trim", "throughput", 1, 65536, ())]),
    "3.33-filecreate": ("3.33", [("file-create", None, 2, None, ())]),
    "3.33-filestat": ("3.33", [("file-stat", None, 2, None, ())]),
    "3.33-filedelete": ("3.33", [("file-remove", None, 2, None, ())]),
    "3.42-dircreate": ("3.42", [("directory-create", None, 1, None, ())]),
    "3.42-dirstat": ("3.42", [("directory-stat", None, 1, None, ())]),
    "3.42-dirdelete": ("3.42", [("directory-remove", None, 1, None, ())]),
    # Before its only transfers, a job with each of the engines null, falloc and ftruncate.
    "3.33-engines": ("3.33", [("write", "throughput", 1, 4096, ())]),
    "3.33-alike": ("3.33", [("random-read", "throughput", 1, 4096, ())] * 2),
    **{f"3.33-again-{run}": ("3.33", [("write", "throughput", 1, 65536, ())]) for run in (1, 2, 3)},
    **{f"2.1-again-{run}": ("2.1", [("write", "throughput", None, None, ("pattern-unknown", "rounded"))])
       for run in (1, 2)},
}  # fmt: skip

every_specimen = pytest.mark.parametrize("name", READ)


def load(name):
    path = SPECIMENS / f"fio-{name}.json"
    return (path if path.exists() else path.with_suffix(".txt")).read_bytes()


def parse(log):
    """Return the last document of a log as plain JSON, by the standard library alone."""
    text = log.decode()
    start = text.rfind('{\n  "fio version"')
    return json.JSONDecoder().raw_decode(text, start)[0]


def list_sides(log):
    """Return name and content of each side that moved something, of the jobs that are no sum of others."""
    document = parse(log)
    for job in document.get("jobs") or document["client_stats"]:
        is_idle = job.get("job options", {}).get("ioengine") in ("cpuio", "null", "falloc", "ftruncate")
        if job["jobname"] == "All clients" or is_idle:
            continue
        for name in SIDES:
            side = job.get(name, {})
            if side.get("io_bytes") or side.get("total_ios"):
                yield name, side


def expect(side, is_names_only):
    """Return every value that a side states, in stored units, by the meaning of each key."""
    yield "elapsed", "value", side["runtime"] / 1000
    yield "rate", "value", side["iops"]
    if not is_names_only:
        yield "bandwidth", "value", side["bw_bytes"] if "bw_bytes" in side else side["bw"] * 1024
    if "total_ios" in side:
        yield "count", "value", side["total_ios"]
    for kind in ("slat", "clat", "lat"):
        latency = side.get(f"{kind}_ns", side.get(kind, {}))
        unit = 1e9 if f"{kind}_ns" in side else 1e6
        if latency.get("N", latency.get("max")):
            for statistic in ("min", "max", "mean", "stddev"):
                yield kind, statistic, latency[statistic] / unit
            for percentile, value in latency.get("percentile", {}).items():
                if percentile != "0.00":
                    yield kind, f"p{float(percentile):g}", value / unit
    for metric, keys, unit in (("bandwidth", ("bw_min", "bw_max", "bw_mean", "bw_dev"), 1024),
                               ("rate", ("iops_min", "iops_max", "iops_mean", "iops_stddev"), 1)):  # fmt: skip
        taken = side.get(f"{keys[0][:-4]}_samples", side.get(keys[1]))
        if taken and not (is_names_only and metric == "bandwidth"):
            for statistic, key in zip(("min", "max", "mean", "stddev"), keys, strict=True):
                yield metric, statistic, side[key] * unit


def name_metric(record):
    """Return what a record is about: the kind of a latency, and one name for all bandwidths."""
    if record.metric == "latency":
        return next(kind for kind, definition in LATENCIES.items() if record.definition.endswith(definition))
    return "bandwidth" if record.metric.startswith("throughput") else record.metric


@every_specimen
def test_every_stated_value_is_given(name):
    log = load(name)
    sides = list(list_sides(log))
    stated = [value for _, side in sides for value in expect(side, READ[name][1][0][1] is None)]
    found = [(name_metric(record), record.statistic, record.value) for record in read(log)]
    assert Counter(key[:2] for key in found) == Counter(key[:2] for key in stated)
    assert sorted(found) == [(*key, pytest.approx(value, rel=1e-15)) for *key, value in sorted(stated)]


@every_specimen
def test_version_operation_scope_and_factors(name):
    version, sides = READ[name]
    records = read(load(name))
    assert {record.tool for record in records} == {"fio"}
    assert {record.tool_version for record in records} == {version}
    keys = [record for record in records if (record.metric, record.statistic) == ("rate", "value")]
    bandwidths = [
        record for record in records if record.metric.startswith("throughput") and record.statistic == "value"
    ]
    assert [
        (
            record.operation, (bandwidths[number].metric if bandwidths else None), record.factors.get("threads"),
            record.factors.get("transfer_size"), (bandwidths or keys)[number].caveats,
        )
        for number, record in enumerate(keys)
    ] == sides  # fmt: skip


@every_specimen
def test_offsets_point_at_the_printed_number(name):
    log = load(name)
    for record in read(log):
        number = log[record.offset : record.offset + record.length].decode()
        assert record.printed.split()[0] == number
        line = log[log.rfind(b"\n", 0, record.offset) + 1 : record.offset].decode().strip()
        key = {"elapsed": "runtime", "count": "total_ios"}.get(record.metric)
        if key:
            assert line == f'"{key}" :'
        elif record.statistic.startswith("p"):
            assert f"{float(line.split(chr(34))[1]):g}" == record.statistic[1:]
        elif record.statistic != "value":
            assert record.statistic in line.replace("_dev", "_stddev")


@every_specimen
def test_bandwidth_times_run_time_is_what_was_moved(name):
    log = load(name)
    records = read(log)
    values = {
        metric: [record.value for record in records if name_metric(record) == metric and record.statistic == "value"]
        for metric in ("elapsed", "bandwidth", "rate", "count")
    }
    for number, (_, side) in enumerate(list_sides(log)):
        seconds = values["elapsed"][number]
        if values["bandwidth"]:
            moved = side["io_bytes"] * (1 if "io_kbytes" in side else 1024)
            # fio cuts its figures to whole units.
            unit = 1 if "bw_bytes" in side else 1024
            assert abs(values["bandwidth"][number] * seconds - moved) <= unit * seconds + 1024 * (unit > 1)
        if values["count"]:
            whole = 1 if isinstance(side["iops"], int) else 1e-6
            assert values["rate"][number] * seconds == pytest.approx(values["count"][number], abs=whole * seconds)


def test_each_value_of_a_plain_job():
    records = read(load("3.33-seq-write"))
    latencies = [record for record in records if record.metric == "latency"]
    assert [tuple(record[3:12]) for record in records if record.metric != "latency"] == [
        ("throughput", "value", 1458888347.0, "B/s", None, MOVED, 1573, 10, "1458888347 B/s"),
        ("rate", "value", 1391.304348, "1/s", None, CALLS, 1626, 11, "1391.304348 IOPS"),
        ("elapsed", "value", 0.046, "s", None, LONGEST, 1659, 2, "46 ms"),
        ("count", "value", 64.0, "1", None, TOTAL, 1685, 2, "64 I/Os"),
    ]
    clat, lat = LATENCIES["clat"], LATENCIES["lat"]
    assert [(record.statistic, record.value, record.definition, record.printed) for record in latencies] == [
        ("min", 0.000136363, clat, "136363 ns"),
        ("max", 0.004196755, clat, "4196755 ns"),
        ("mean", 0.00022725471875, clat, "227254.718750 ns"),
        ("stddev", 0.000506410237783, clat, "506410.237783 ns"),
        ("p1", 0.000136192, clat, "136192 ns"),
        ("p5", 0.00013824, clat, "138240 ns"),
        ("p10", 0.000140288, clat, "140288 ns"),
        ("p20", 0.000142336, clat, "142336 ns"),
        ("p30", 0.00014848, clat, "148480 ns"),
        ("p40", 0.000150528, clat, "150528 ns"),
        ("p50", 0.000154624, clat, "154624 ns"),
        ("p60", 0.000156672, clat, "156672 ns"),
        ("p70", 0.00015872, clat, "158720 ns"),
        ("p80", 0.000160768, clat, "160768 ns"),
        ("p90", 0.000181248, clat, "181248 ns"),
        ("p95", 0.000272384, clat, "272384 ns"),
        ("p99", 0.004227072, clat, "4227072 ns"),
        ("p99.5", 0.004227072, clat, "4227072 ns"),
        ("p99.9", 0.004227072, clat, "4227072 ns"),
        ("p99.95", 0.004227072, clat, "4227072 ns"),
        ("p99.99", 0.004227072, clat, "4227072 ns"),
        ("min", 0.000140279, lat, "140279 ns"),
        ("max", 0.004199669, lat, "4199669 ns"),
        ("mean", 0.000231754515625, lat, "231754.515625 ns"),
        ("stddev", 0.000506205678888, lat, "506205.678888 ns"),
    ]
    assert {record.operation for record in records} == {"write"}
    assert {record.caveats for record in records} == {()}


@pytest.mark.parametrize(
    ("name", "factors"),
    [
        ("3.33-seq-write", {
            "threads": 1, "queue_depth": 1, "transfer_size": 2**20, "direct_io": False, "file_size": 64 * 2**20,
            "file_layout": "file-per-thread",
        }),
        ("3.33-shared", {
            "threads": 3, "queue_depth": 1, "transfer_size": 4096, "direct_io": True, "file_size": 2**20,
            "file_layout": "shared-file",
        }),
        ("3.33-nbd", {
            "threads": 1, "queue_depth": 4, "transfer_size": 16384, "file_layout": "file-per-thread",
        }),
        ("3.33-two-files", {
            "threads": 2, "queue_depth": 1, "transfer_size": 512, "direct_io": False, "file_size": 10240,
            "file_layout": "file-per-thread",
        }),
        ("3.33-filecreate", {"threads": 2, "files": 200, "file_size": 1, "file_layout": "file-per-thread"}),
        ("3.33-merged", {}),
        ("2.1-jobs", {}),
        ("2.1.11-client", {"queue_depth": 1, "clients": 1}),
    ],
)  # fmt: skip
def test_factors(name, factors):
    assert read(load(name))[0].factors == factors


def test_a_synchronous_engine_has_a_queue_depth_of_1_although_another_is_asked_for():
    log = load("3.33-note")
    assert b"queue depth will be capped at 1" in log
    assert b'"iodepth" : "4"' in log
    assert {record.factors["queue_depth"] for record in read(log)} == {1}


def test_each_client_of_several_states_its_own_share():
    records = [record for record in read(load("3.33-clients")) if record.metric == "throughput"]
    assert {record.definition for record in records} == {f"one client of several: {MOVED}"}
    assert {record.factors["clients"] for record in records} == {2}


def test_each_process_of_a_group_states_its_own_share():
    records = [record for record in read(load("3.33-json-plus")) if record.statistic == "value"]
    assert [record.definition for record in records[:4]] == [
        f"one process of several: {what}" for what in (MOVED, CALLS, LONGEST, TOTAL)
    ]


@pytest.mark.parametrize("version", ["3.33", "2.16", "3.42"])
def test_states_on_the_way_count_as_the_run_that_they_belong_to(version):
    log = load(f"{version}-status")
    assert log.count(b'"fio version"') > 2
    assert {record.repetition for record in read(log)} == {None}
    assert min(record.offset for record in read(log)) > log.rfind(b'"fio version"')


def test_runs_one_after_the_other_are_repetitions():
    log = b"".join(load(f"3.33-again-{run}") for run in (1, 2, 3))
    runs = [read(load(f"3.33-again-{run}")) for run in (1, 2, 3)]
    found = read(log)
    assert [record.value for record in found] == [record.value for run in runs for record in run]
    assert [record.repetition for record in found] == [number for number in (0, 1, 2) for _ in runs[0]]


def test_jobs_of_one_run_with_the_same_factors_are_repetitions():
    log = load("3.33-alike")
    found = [record for record in read(log) if record.metric == "throughput"]
    rates = [job["read"]["bw_bytes"] for job in parse(log)["jobs"]]
    assert [(record.repetition, record.value) for record in found] == list(enumerate(rates))
    assert len(rates) == 2


def test_runs_of_different_jobs_are_no_repetitions():
    found = read(load("3.33-again-1") + load("3.33-seq-write"))
    assert {record.repetition for record in found} == {None}


def test_a_text_pasted_twice_counts_once():
    log = load("3.33-mixed")
    assert read(log + log) == read(log)


KERNEL = b"[12345.678901] nvme nvme0: I/O 13 QID 1 timeout, completion polled\n"


@pytest.mark.parametrize("name", ["3.33-mixed", "2.1-jobs", "3.42-client"])
def test_a_foreign_line_after_every_line_changes_no_value(name):
    """All but the first: a document is known by its brace and the key after it."""
    log = load(name)
    start = log.find(b'  "fio version"')
    torn = log[:start] + KERNEL.join(log[start:].splitlines(keepends=True))
    found = read(torn)
    assert [(*record[:9], *record[11:]) for record in found] == [(*record[:9], *record[11:]) for record in read(log)]
    assert all(torn[record.offset :].startswith(record.printed.split()[0].encode()) for record in found)


@pytest.mark.parametrize("mark", [b"> ", b">> ", b"| "])
def test_quotation_marks_change_no_value(mark):
    log = load("3.33-mixed")
    quoted = b"".join(mark + line for line in log.splitlines(keepends=True))
    assert [record.value for record in read(quoted)] == [record.value for record in read(log)]


@pytest.mark.parametrize(
    ("log", "is_fio"),
    [
        (load("3.33-normal"), True),
        (load("3.33-terse"), True),
        (load("2.1-jobs"), True),
        (b'{"jobs": [{"jobname": "x", "groupid": 0}]}', True),
        (b'{"jobs": []}', False),
        (b"fio was run on this machine\n", False),
    ],
    ids=["text", "terse", "JSON", "JSON without its head", "other JSON", "prose"],
)
def test_recognise(log, is_fio):
    assert recognise(log) is is_fio
