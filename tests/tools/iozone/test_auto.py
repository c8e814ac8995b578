"""The tables of IOzone's single-process mode are read cell by cell, and refused as a whole where one is damaged."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.iozone.auto import COLUMN_OPERATIONS
from coldcache.tools.iozone.parse import read, recognise

SPECIMENS = Path(__file__).parents[2] / "specimens"


def load(name):
    return (SPECIMENS / f"iozone-3.489-auto{name}.log").read_bytes()


def refusal(log):
    with pytest.raises(LogError) as caught:
        read(log)
    return str(caught.value)


def rows(log):
    """Return the numbers of each row by the naive reading: split on white space."""
    return [line.split() for line in log.splitlines() if re.fullmatch(rb"[ \d]*\d[ \d]*", line)]


@pytest.mark.parametrize("name", ["-a", "-R"])
def test_each_cell_is_a_figure_with_its_sizes_and_its_place(name):
    log = load(name)
    assert recognise(log)
    records = read(log)
    expected = [
        (operation, int(size) * 1024, int(record) * 1024, int(figure) * 1024.0)
        for size, record, *figures in rows(log)
        for operation, figure in zip(COLUMN_OPERATIONS[:13], figures, strict=True)
    ]
    found = [(one.operation, one.factors["file_size"], one.factors["transfer_size"], one.value) for one in records]
    assert found == expected
    assert len(found) == 11 * 13
    for one in records:
        assert one.printed == f"{log[one.offset : one.offset + one.length].decode()} kB/sec"
    assert {(one.tool_version, one.metric, one.unit, one.statistic, one.repetition) for one in records} == {
        ("3.489", "throughput", "B/s", "value", None)
    }
    assert {(one.factors["threads"], one.factors["direct_io"]) for one in records} == {(1, False)}


def test_columns_are_told_by_their_place_where_tests_were_left_out():
    log = load("-O")
    records = read(log)
    assert [one.operation for one in records[:4]] == ["write", "rewrite", "random-read", "random-write"]
    assert {(one.metric, one.unit, one.factors["direct_io"]) for one in records} == {("rate", "1/s", True)}
    assert [f"{one.value:.0f}".encode() for one in records] == [figure for row in rows(log) for figure in row[2:]]


@pytest.mark.parametrize(
    ("name", "operations"), [("-B", COLUMN_OPERATIONS[:9]), ("-E", COLUMN_OPERATIONS)], ids=["-B", "-E"]
)
def test_a_table_with_fewer_or_more_columns_is_read(name, operations):
    log = load(name)
    assert recognise(log)
    records = read(log)
    assert [one.operation for one in records] == [*operations] * 11
    assert [one.value / 1024 for one in records] == [int(figure) for row in rows(log) for figure in row[2:]]


def test_tests_that_were_done_once_have_no_figure_of_a_second_time():
    log = load("-plus-n")
    records = read(log)
    assert [one.operation for one in records] == ["write", "read", "random-read", "random-write"] * 11
    figures = [int(row[place]) for row in rows(log) for place in (2, 4, 6, 7)]
    assert [one.value / 1024 for one in records] == figures
    assert refusal(log.replace(b"No retest option selected", b"Include fsync in write timing")) == (
        "line 30: a rate is zero: the test failed, whatever IOzone exits with"
    )
    assert refusal(log.replace(b" 1013707 ", b"       0 ")) == (
        "line 30: a rate is zero: the test failed, whatever IOzone exits with"
    )


def test_a_table_of_one_row_is_read():
    assert [(one.operation, one.value) for one in read(load(""))] == [
        ("write", 4211554 * 1024), ("rewrite", 2197132 * 1024), ("read", 13102174 * 1024), ("reread", 11249091 * 1024),
    ]  # fmt: skip


def test_times_per_operation_are_no_rates():
    assert refusal(load("-N")) == "line 28: the table states no rates: only those of IOzone without -N are read"


def test_runs_after_each_other_count_each_and_a_text_that_was_pasted_twice_once():
    log = load("-a")
    assert len(read(log + log)) == len(read(log))
    other = re.sub(rb"(?m)^( +64 +4 +)\d", rb"\g<1>9", log)
    both = read(b"srun: job 7 queued\n" + log + b"slurmstepd: done\n" + other)
    assert [one.repetition for one in both] == [0] * 143 + [1] * 143
    assert both[143].value != both[0].value
    assert len(read(log + load("-O"))) == 143 + 44


def test_a_table_beside_throughput_mode_is_read_with_it():
    other = (SPECIMENS / "iozone-3.489-i0-t2.log").read_bytes()
    found = read(other + load("-a"))
    assert found == sorted(found, key=lambda one: one.offset)
    assert len(found) == len(read(other)) + 143


def test_quoted_lines_are_read_with_their_places():
    log = load("-a")
    quoted = b"".join(b"> " + line + b"\n" for line in log.splitlines())
    found = read(quoted)
    assert [one.value for one in found] == [one.value for one in read(log)]
    assert all(quoted[one.offset : one.offset + one.length].decode() in one.printed for one in found)


def test_a_log_that_ends_early_is_refused_wherever_it_ends():
    log = load("-R")
    end = log.index(b"iozone test complete.")
    lines = [match.end() for match in re.finditer(rb"\n", log) if log.index(b"reclen") < match.end() <= end]
    for place in lines:
        assert "iozone test complete" in refusal(log[:place])


def test_each_cell_that_is_lost_is_missed():
    log = load("-R")
    table = log[: log.index(b"iozone test complete.")]
    for cell in read(log)[:40]:
        blank = log[: cell.offset] + b" " * cell.length + log[cell.offset + cell.length :]
        assert "the row has figures of" in refusal(blank) or "contradicts" in refusal(blank)
    assert len(table) < len(log)


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        (rb"(?m)^( +64 +4 +)\d+", rb"\g<1>     0", "a rate is zero"),
        (rb"(?m)^( +64 +4 +)\d", rb"\g<1>9", "the report of -R contradicts the table above it"),
        (rb"(?m)^( +64 +8)  ", rb"\g<1>", "a figure is in no column"),
        (rb"(?m)^( +64 +8 +\d+) ", rb"\1 what", "no row of IOzone's table"),
        (rb"(?m)^ +64 +8 .*$", rb"     64     8 what", "lacks the row: records of 8 KiB in a file of 64 KiB"),
        (rb"(?m)^ +128 +128 .*\n", rb"", "lacks the row: records of 128 KiB in a file of 128 KiB"),
        (rb"(?m)^( +64 +4 .*\n)", rb"\1\1", "it is cut, or twice"),
        (rb"(?m)^( +)64( +)64 ", rb"\g<1>32\g<2>64 ", "records of 64 KiB in a file of 32 KiB"),
        (rb"iozone test complete", rb"", "the run was cut short or is still going"),
        (rb"Error|$(?![\s\S])", rb"\nError writing block 3, fd= 3\n", "IOzone says 'Error writing block"),
    ],
)
def test_damage_is_refused(old, new, cause):
    changed = re.sub(old, new, load("-R"), count=1)
    assert changed != load("-R")
    assert re.search(cause, refusal(changed))
