"""Records as CSV and as a table state the same as their JSON lines."""

import csv
import io
import json

from observed import record

from coldcache.core.record_formats import write_head, write_records

RECORDS = [
    record(factors={"threads": 4, "transfer_size": 65536}, printed="100 MiB/s", caveats=("rounded",)),
    record("latency", 0.002, statistic="mean", repetition=1, factors={"threads": 4, "process": 2}),
]


def test_csv_has_one_head_and_every_column_of_each_record():
    rows = list(csv.DictReader(io.StringIO(write_head("csv") + write_records(RECORDS, "a.log", "csv"))))
    assert [row["metric"] for row in rows] == ["throughput", "latency"]
    first = rows[0]
    assert (first["log"], first["value"], first["unit"], first["repetition"]) == ("a.log", "104857600.0", "B/s", "")
    assert (first["factors"], first["caveats"], first["printed"]) == (
        "threads=4;transfer_size=65536", "rounded", "100 MiB/s",
    )  # fmt: skip
    assert (rows[1]["statistic"], rows[1]["repetition"]) == ("mean", "1")


def test_other_formats_have_no_head():
    assert write_head("jsonl") == write_head("table") == ""


def test_json_lines_hold_one_object_per_record():
    lines = write_records(RECORDS, "a.log", "jsonl").splitlines()
    assert [json.loads(line)["value"] for line in lines] == [104857600.0, 0.002]


def test_a_table_says_once_what_all_records_share():
    assert write_records(RECORDS, "a.log", "table").splitlines() == [
        "a.log (fio 3.33; threads=4)",
        "  operation  figure        value     printed    of                    caveats",
        "  read       throughput    105 MB/s  100 MiB/s  transfer_size=64 KiB  rounded",
        "  read #1    latency mean  2.00 ms              process=2",
        "",
    ]


def test_a_log_without_records_has_no_table():
    assert write_records([], "a.log", "table") == ""
