"""Figures are found by expression, path and column, at the bytes that state them; real logs and the readers agree."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools import elbencho
from coldcache.tools.command import locate
from coldcache.tools.command.form import FigurePattern
from coldcache.tools.command.locate import find_places, parse_number, split_path
from coldcache.tools.fio import parse as fio

SPECIMENS = Path(__file__).parents[2] / "specimens"


def found(log, **where):
    pattern = FigurePattern(name="figure", operations=("write",), metric="throughput", unit="MB/s", **where)
    places = find_places(pattern, log.decode("latin-1"))
    return [(log[place.offset : place.offset + place.length].decode(), place.unit) for place in places]


@pytest.mark.parametrize(
    ("log", "regex", "places"),
    [
        (b"rate 12.5 MB/s\nrate 7 MB/s\n", r"rate ([0-9.]+) MB/s", [("12.5", ""), ("7", "")]),
        (b"a 3\r\nb 4\r\n", r"^b ([0-9])", [("4", "")]),
        (b"in 3 s, 7.9 GB/s\n", r"in (\d+) s, (?P<value>[\d.]+) (?P<unit>[kMGT]?B/s)$", [("7.9", "GB/s")]),
        (b"took 12 \xc2\xb5s", r"took (?P<value>\d+) (?P<unit>µs)", [("12", "µs")]),
        (b"x", r"x(\d)?", []),
        (b"", r"(\d)", []),
    ],
)
def test_an_expression_finds_its_group_on_every_line(log, regex, places):
    assert found(log, regex=regex) == places


def test_an_expression_that_searches_for_ever_refuses_the_log(monkeypatch):
    monkeypatch.setattr(locate, "REGEX_SECONDS", 0.2)
    with pytest.raises(LogError) as refused:
        found(b"a" * 60, regex="((?:a+)+)b")
    assert str(refused.value) == "patterns.figure: regex takes more than 0.2 s of computing time"


@pytest.mark.parametrize(
    ("log", "path", "places"),
    [
        (b'{"a": {"b": [1, 2.5]}}', "a.b[1]", ["2.5"]),
        (b'{"a": {"b": [1, 2.5]}}', "$.a.b[-2]", ["1"]),
        (b'starts\n{"a": 1}\nwarns\n{"a":\n 2}\n{"b": 3}\n', "a", ["1", "2"]),
        (b'{"results": {"p.99": "7.25"}}', 'results["p.99"]', ["7.25"]),
        (b'[{"bw": 7}]', "[0].bw", ["7"]),
        (b'{"a": 1, "a": 2}', "a", []),
        (b'{"a": [1]}', "a.b", []),
        (b'{"a": [1]}', "a[1]", []),
        (b'{"a": [1]}', "a[0][0]", []),
        (b'{"a": 1', "a", []),
        # A cut document says nothing, nor does an object inside it.
        (b'{"s":\n{"a": 1},\n"a": 2', "a", []),
        (b'{\n  "s":\n  {"a": 1},\nwarns\n  "t":\n  {"a": 2}\n}\n', "a", []),
        (b'[INFO] starts\n[2026-11-21] runs\n  {"a": 1}\n', "a", ["1"]),
        (b'{"b": 1,\n{"a": 2}\n', "a", ["2"]),
    ],
)
def test_a_path_finds_one_value_in_each_document(log, path, places):
    assert [word for word, _ in found(log, path=path)] == places


@pytest.mark.parametrize("path", ["", "$", "a..b", "a[x]", "a b", "a[0", "*"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ValueError, match=r"as jobs\[0\]\.read\.bw"):
        split_path(path)


@pytest.mark.parametrize(
    ("log", "column", "rows", "places"),
    [
        (b"op,MB/s\nWRITE,12\nREAD,13\n", "MB/s", {"op": "READ"}, ["13"]),
        (b"hello, world\nop;MB/s\nWRITE;1.5\nREAD;2\n\nend\n", "MB/s", {}, ["1.5", "2"]),
        (b'op\t"MB/s"\n"a ""b"""\t "3"\n', "MB/s", {"op": 'a "b"'}, ["3"]),
        (b"op,MB/s\nWRITE,\n", "MB/s", {}, []),
        (b"op,MB/s\nend\n7,8\n", "MB/s", {}, []),
        (b"op,MB/s,command\na,8,run x,y\n", "MB/s", {}, ["8"]),
    ],
)
def test_a_column_finds_a_cell_of_each_row_that_is_meant(log, column, rows, places):
    assert [word for word, _ in found(log, column=column, rows=rows)] == places


def test_a_table_cut_inside_its_last_line_is_refused():
    cause = "pattern figure: the last line has 1 of 2 cells and no end: the log is cut short"
    with pytest.raises(LogError, match=cause):
        found(b"op,MB/s\nWRITE,12\nREAD", column="MB/s", rows={"op": "WRITE"})


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(LogError, match='pattern figure: several columns are called "MB/s"'):
        found(b"MB/s,MB/s\n1,2\n", column="MB/s")


@pytest.mark.parametrize(
    ("text", "number"),
    [("12,345.6", 12345.6), ("1e-3", 0.001), (".5", 0.5), ("-2", -2.0), ("1,5", None), ("", None), (".", None),
     ("nan", None), ("12 MB", None), ("1,2345", None)],
)  # fmt: skip
def test_numbers_are_read_as_programs_print_them(text, number):
    assert parse_number(text) == number


def test_a_path_finds_what_the_reader_of_fio_finds():
    log = (SPECIMENS / "fio-3.33-seq-write.json").read_bytes()
    record = next(record for record in fio.read(log) if record.metric == "throughput" and record.statistic == "value")
    (place,) = find_places(
        FigurePattern(name="bw", operations=("write",), metric="throughput", unit="B/s", path="jobs[0].write.bw_bytes"),
        log.decode("latin-1"),
    )
    assert float(log[place.offset : place.offset + place.length]) == record.value
    assert (place.offset, place.length) == (record.offset, record.length)


def test_a_column_finds_what_the_reader_of_elbencho_finds():
    log = (SPECIMENS / "elbencho-3.0-37.csv").read_bytes()
    rates = {
        (record.offset, record.length)
        for record in elbencho.read(log)
        if (record.metric, record.definition) == ("throughput", "until the last thread was done")
        and b",WRITE," in log[log.rfind(b"\n", 0, record.offset) : record.offset]
    }
    pattern = FigurePattern(
        name="rate", operations=("write",), metric="throughput", unit="MiB/s", column="MiB/s [last]",
        rows={"operation": "WRITE"},
    )  # fmt: skip
    places = [(place.offset, place.length) for place in find_places(pattern, log.decode("latin-1"))]
    assert len(places) == len(re.findall(rb",WRITE,", log))
    assert len(rates) > 1
    assert rates <= set(places)
