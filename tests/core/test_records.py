"""A record is printed as other programs rely on it: these keys, in this order, one object per line."""

import json
from pathlib import Path

import pytest

from coldcache.core.records import UNIT_OF_METRIC, Record, to_json_lines
from coldcache.tools import read_file

RECORD = Record(
    "ior", "3.3.0", "write", "throughput", "max", 2262199664.64, "B/s", None, "fastest", 2113, 7, "2157.41 MiB/sec"
)


def test_a_record_is_printed_with_the_keys_of_the_contract():
    printed = json.loads(to_json_lines([RECORD], "ior.txt"))
    assert list(printed) == [
        "log", "tool", "tool_version", "operation", "metric", "statistic", "value", "unit", "repetition",
        "definition", "offset", "length", "printed", "caveats",
    ]  # fmt: skip
    assert printed == {
        "log": "ior.txt", "tool": "ior", "tool_version": "3.3.0", "operation": "write", "metric": "throughput",
        "statistic": "max", "value": 2262199664.64, "unit": "B/s", "repetition": None, "definition": "fastest",
        "offset": 2113, "length": 7, "printed": "2157.41 MiB/sec", "caveats": [],
    }  # fmt: skip
    assert tuple(printed)[1:] == Record._fields[:-1]


def test_a_value_is_printed_to_its_last_digit_and_text_as_it_is():
    record = RECORD._replace(value=0.1 + 0.2, printed="größe\n", caveats=("rounded", "stonewalled"))
    line = to_json_lines([record], "ü.txt")
    assert line.count("\n") == 1
    assert json.loads(line)["value"] == 0.1 + 0.2
    assert json.loads(line)["caveats"] == ["rounded", "stonewalled"]
    assert "ü.txt" in line


def test_records_are_printed_one_per_line():
    assert to_json_lines([RECORD, RECORD], "x") == to_json_lines([RECORD], "x") * 2
    assert to_json_lines([], "x") == ""


@pytest.mark.parametrize(
    "name", ["iozone-3.489-dell-i0-t4.log", "ior-3.3.0.json", "ior-4.0.0.csv", "mdtest-400-dellF.txt"]
)
def test_what_a_real_log_states_is_printed_with_its_place(root, name):
    log = Path(root / "tests/specimens" / name).read_bytes()
    for line in to_json_lines(read_file(root / "tests/specimens" / name), name).splitlines():
        printed = json.loads(line)
        number = log[printed["offset"] : printed["offset"] + printed["length"]].decode()
        assert printed["printed"].startswith(number)
        float(number)
        assert printed["unit"] == UNIT_OF_METRIC[printed["metric"]]


@pytest.mark.parametrize("name", ["fio-3.33-window_bw.1.log", "fio-3.42-both_clat.1.log", "fio-3.33-each_clat.1.log"])
def test_a_series_is_a_sequence_of_the_records_that_it_prints(root, name):
    series = read_file(root / "tests/specimens" / name)
    records = list(series)
    assert [series[place] for place in range(len(series))] == records
    assert list(series[1:3]) == records[1:3]
    assert series[-1] == records[-1]
    assert to_json_lines(series, name) == to_json_lines(records, name)
    assert to_json_lines(series[2:5], name) == to_json_lines(records[2:5], name)
    assert {type(value) for value in (records[0].value, records[0].factors["time"])} == {float}
