"""elbencho's CSV and JSON state the same phases, and are compared with their own times and amounts."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.core.records import split_records
from coldcache.tools import read_file, read_log
from coldcache.tools.elbencho import recognise

SPECIMENS = Path(__file__).parents[1] / "specimens"
SOUND = ["elbencho-3.0-37.csv", "elbencho-3.0-37.json", "elbencho-1.9-1.csv"]
MIB = 2**20


def content(name):
    return (SPECIMENS / name).read_bytes()


def figures(name, metric, caveat=""):
    """Return the figures until the last thread was done, or with a caveat."""
    return [
        (record.operation, record.repetition, record.value, record.printed) for record in read_log(content(name))
        if record.metric == metric and (caveat in record.caveats if caveat else "stonewalled" not in record.caveats)
    ]  # fmt: skip


def test_csv_states_throughput_in_whole_mebibytes():
    assert figures("elbencho-3.0-37.csv", "throughput") == [
        ("write", None, 253 * MIB, "253 MiB/s"),
        ("read", None, 684 * MIB, "684 MiB/s"),
        ("write", None, 497 * MIB, "497 MiB/s"),
        ("read", 0, 3512 * MIB, "3512 MiB/s"),
        ("random-write", None, 385 * MIB, "385 MiB/s"),
        ("random-read", None, 743 * MIB, "743 MiB/s"),
        ("write", None, 719 * MIB, "719 MiB/s"),
        ("read", None, 332 * MIB, "332 MiB/s"),
        ("read", 1, 3244 * MIB, "3244 MiB/s"),
        ("read", 2, 4099 * MIB, "4099 MiB/s"),
    ]
    rates = [record for record in read_log(content("elbencho-3.0-37.csv")) if record.metric == "throughput"]
    assert all("rounded" in record.caveats for record in rates)


def test_json_states_throughput_in_bytes():
    assert figures("elbencho-3.0-37.json", "throughput") == [
        ("write", None, 265848869.0, "265848869 B/s"),
        ("read", None, 717809419.0, "717809419 B/s"),
        ("write", None, 521744495.0, "521744495 B/s"),
        ("read", 0, 3683050546.0, "3683050546 B/s"),
        ("random-write", None, 404260523.0, "404260523 B/s"),
        ("random-read", None, 779592295.0, "779592295 B/s"),
        ("write", None, 754346414.0, "754346414 B/s"),
        ("read", None, 349154625.0, "349154625 B/s"),
        ("read", 1, 3402051302.0, "3402051302 B/s"),
        ("read", 2, 4298406020.0, "4298406020 B/s"),
    ]


@pytest.mark.parametrize("metric", ["rate", "elapsed", "count"])
def test_csv_and_json_agree(metric):
    csv, json = figures("elbencho-3.0-37.csv", metric), figures("elbencho-3.0-37.json", metric)
    assert csv == json
    assert figures("elbencho-3.0-37.csv", metric, "stonewalled") == figures(
        "elbencho-3.0-37.json", metric, "stonewalled"
    )


def test_transfers_and_files_have_rates_of_their_own():
    assert figures("elbencho-1.9-1.csv", "rate") == [
        ("directory-create", None, 10928.0, "10928 entries/s"),
        ("file-create", None, 54851.0, "54851 entries/s"),
        ("write", None, 219406.0, "219406 IOPS"),
        ("file-stat", None, 552638.0, "552638 entries/s"),
        ("file-read", None, 105163.0, "105163 entries/s"),
        ("read", None, 420654.0, "420654 IOPS"),
        ("file-remove", None, 134879.0, "134879 entries/s"),
        ("directory-remove", None, 11730.0, "11730 entries/s"),
        ("write", None, 2318.0, "2318 IOPS"),
        ("read", None, 2203.0, "2203 IOPS"),
    ]


def test_latencies_are_of_transfers_and_of_files():
    phase = [record for record in read_log(content("elbencho-3.0-37.json")) if record.metric == "latency"][3:9]
    assert [(found.operation, found.statistic, found.value, found.printed) for found in phase] == [
        ("file-create", "min", 22e-6, "22 us"), ("file-create", "mean", 112e-6, "112 us"),
        ("file-create", "max", 32123e-6, "32123 us"), ("write", "min", 3e-6, "3 us"),
        ("write", "mean", 21e-6, "21 us"), ("write", "max", 24068e-6, "24068 us"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_what_was_done_until_the_first_thread_ended_is_marked(name):
    records = [record for record in read_log(content(name)) if record.metric == "throughput"]
    assert [("stonewalled" in record.caveats, record.definition) for record in records[:2]] == [
        (True, "until the first thread was done"), (False, "until the last thread was done"),
    ]  # fmt: skip


def test_random_transfers_are_no_repetition_of_sequential_ones():
    log = content("elbencho-3.0-37.csv")
    row = next(line for line in log.splitlines(keepends=True) if b",WRITE," in line)
    # The column `random` follows `direct IO`.
    random = row.replace(b",0,0,,1,,0,WRITE,", b",0,1,,1,,0,WRITE,")
    heads = log.splitlines(keepends=True)[0]
    found = {(record.operation, record.repetition) for record in read_log(heads + row + random)}
    assert {("write", None), ("random-write", None)} <= found
    assert not {("write", 0), ("random-write", 1)} & found


def test_factors_are_in_stored_units():
    parts = split_records(read_log(content("elbencho-3.0-37.csv")))
    assert [part.factors for part in parts if part.repetition in (None, 0)] == [
        {"threads": 2, "nodes": 1, "transfer_size": 4096, "file_body": 16384, "file_layout": "file-per-thread",
         "queue_depth": 1, "direct_io": False, "files": 1000},
        {"threads": 2, "nodes": 1, "transfer_size": MIB, "file_size": 64 * MIB, "file_layout": "shared-file",
         "queue_depth": 1, "direct_io": False},
        {"threads": 2, "nodes": 1, "transfer_size": 4096, "file_size": 64 * MIB, "file_layout": "shared-file",
         "queue_depth": 4, "direct_io": False},
        {"threads": 2, "nodes": 1, "transfer_size": 65536, "file_size": 64 * MIB, "file_layout": "shared-file",
         "queue_depth": 1, "direct_io": False, "mix": 30},
    ]  # fmt: skip
    assert {record.tool_version for record in read_log(content("elbencho-3.0-37.csv"))} == {"3.0-37"}
    assert {record.tool_version for record in read_log(content("elbencho-1.9-1.csv"))} == {None}


@pytest.mark.parametrize(
    ("paths", "threads", "size"), [(1, 1, 128 * MIB), (1, 2, 64 * MIB), (3, 3, 128 * MIB), (1, 3, None)]
)
def test_threads_share_the_bytes_of_all_files_if_they_can(paths, threads, size):
    heads, *rows = content("elbencho-3.0-37.csv").splitlines(keepends=True)
    row = next(row for row in rows if b",file,1,1,2," in row)
    first = read_log(heads + row.replace(b",file,1,1,2,", b",file,%d,1,%d," % (paths, threads)))[0]
    assert first.factors.get("file_size") == size


def test_threads_are_counted_over_all_hosts():
    log = content("elbencho-3.0-37.csv").replace(b",1,1,2,2,500,", b",1,8,2,2,500,")
    assert {k: v for k, v in read_log(log)[0].factors.items() if k in ("threads", "nodes")} == {
        "threads": 16,
        "nodes": 8,
    }


@pytest.mark.parametrize("name", SOUND)
def test_every_record_points_to_its_number(name):
    log = content(name)
    for record in read_log(log):
        assert record.printed.split()[0] == log[record.offset : record.offset + record.length].decode()


@pytest.mark.parametrize("name", SOUND)
def test_a_file_cut_inside_a_line_is_refused_and_between_lines_says_that_it_has_no_end(name):
    log = content(name)
    whole = [record[:6] for record in read_log(log)]
    for end in re.finditer(rb"\n", log):
        with pytest.raises(LogError):
            read_log(log[: end.start() - 5])
    records = read_log(log[: log.rindex(b"\n", 0, -1) + 1])
    assert [record[:6] for record in records] == whole[: len(records)]
    assert all("no-end-marker" in record.caveats for record in records)


@pytest.mark.parametrize("name", SOUND)
def test_a_file_that_stands_twice_counts_once(name):
    assert len(read_log(content(name) * 2)) == len(read_log(content(name)))


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", SOUND)
def test_thousands_of_phases_are_read_in_linear_time(name):
    log = content(name)
    runs = [log, *(log.replace(b"2026-11-21", b"%d-11-21" % year) for year in range(3000, 3200))]
    assert len(read_log(b"".join(runs))) == 201 * len(read_log(log))


CSV, JSON = SOUND[:2]


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (CSV, b",497,525,497,", b",497,525,597,", "line 8: MiB/s, MiB and time [last] contradict each other"),
        (CSV, b",525,497,525,497,", b",525,497,525,", "line 8: 54 of 55 columns, or no line end: cut, or of another"),
        (CSV, b",SYNC,", b",SINK,", "line 12: no phase of elbencho is known as 'SINK'"),
        (
            CSV,
            b"RMDIRS,0,0,8720,10582",
            b"RMDIRS,0,0,0,0",
            "line 7: entries/s, entries and time [first] contradict each other",
        ),
        (CSV, b"WRITE,220,257,", b"WRITE,220,2x7,", "line 8: the time of the phase is missing: the line is broken"),
        (
            CSV,
            b"RMDIRS,0,0,8720,10582,,,,,0,0,3,4,",
            b"RMDIRS,0,0,0,0,,,,,0,0,0,0,",
            "line 7: phase RMDIRS has no rate",
        ),
        (
            CSV,
            b"\n2026-11-21T09:45:31.007",
            b"\nx26-11-21T09:45:31.007",
            "line 9: a row without its date: the line is br",
        ),
        (JSON, b'{"phase_type":"STAT"', b'"phase_type":"STAT"', "a line of elbencho's JSON has lost its start"),
        (JSON, b"521744495", b"621744495", "line 7: B/s, B and time [last] contradict each other"),
        (JSON, b'"elapsed_time_ms":"220"', b'"elapsed":"220"', "line 7: the JSON of this phase is cut short or broken"),
        (JSON, b'"phase_type":"STAT"', b'"phase_type":"STARE"', "line 3: no phase of elbencho is known as 'STARE'"),
        (JSON, b'"version":"3.0-37"', b'"version":"3,0-37"', "line 1: '3,0-37' is no version of elbencho"),
        (JSON, b'"first_done":{', b'"first_done":', "line 1: the JSON of this phase is cut short or broken"),
    ],
)
def test_damage_is_refused_by_name(name, old, new, message):
    log = content(name)
    assert old in log
    with pytest.raises(LogError, match=re.escape(message)):
        read_log(log.replace(old, new))


def test_the_table_for_people_is_refused_by_name():
    with pytest.raises(LogError, match="elbencho's table for people is not read: run it with --csvfile or --jsonfile"):
        read_file(SPECIMENS / "elbencho-3.0-37.txt")


def test_heads_without_phases_are_refused():
    with pytest.raises(LogError, match="elbencho's file states no phase"):
        read_log(content(CSV).splitlines(keepends=True)[0])


def test_other_csv_is_not_elbenchos():
    assert not recognise(b"ISO date,value\n2026-01-01,3\n")
