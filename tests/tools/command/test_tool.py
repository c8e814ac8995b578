"""A command's log becomes records with the bytes of each figure; what cannot be trusted is refused with the reason."""

from dataclasses import replace
from pathlib import Path

import pytest

from coldcache.core.errors import LogError, ToolError
from coldcache.tools import TOOLS, find_tool
from coldcache.tools.command.form import KNOWN_UNITS, CommandForm, FigurePattern
from coldcache.tools.command.tool import CommandTool
from coldcache.tools.run import NO_INPUTS, Inputs, Run

SPECIMENS = Path(__file__).parents[2] / "specimens/command"
DD = (SPECIMENS / "dd-9.1-write.txt").read_bytes()
SYSBENCH = (SPECIMENS / "sysbench-1.0.20-rndrd.txt").read_bytes()
STRESS = (SPECIMENS / "stress-ng-0.15.06-hdd.txt").read_bytes()

SECONDS = FigurePattern(
    name="seconds", operations=("write",), metric="elapsed", unit="s", regex=r"copied, ([0-9.e-]+) s"
)
RATE = FigurePattern(
    name="rate", operations=("write",), metric="throughput", unit="printed",
    regex=r" s, (?P<value>[0-9.]+) (?P<unit>[kMGT]?B/s)$",
)  # fmt: skip
FORM = CommandForm(words=("dd", "of={file}"), patterns=(RATE, SECONDS), reads_inputs=True)


def read(log, *patterns, operations=("write",), **form):
    return CommandTool(replace(FORM, patterns=patterns, **form), "dd", operations).read(log)


def test_each_figure_has_the_bytes_that_state_it():
    seconds, rate = read(DD, RATE, SECONDS)
    assert (seconds.tool, seconds.operation, seconds.metric, seconds.unit) == ("dd", "write", "elapsed", "s")
    for record in (seconds, rate):
        assert DD[record.offset : record.offset + record.length].decode() == record.printed.split()[0]
    assert (rate.unit, rate.statistic, rate.repetition) == ("B/s", "value", 0)
    # dd prints three digits.
    assert rate.value * seconds.value == pytest.approx(2**24, rel=0.005)
    assert rate.value == float(rate.printed.split()[0]) * {"M": 1e6, "G": 1e9}[rate.printed.split()[1][0]]


def test_a_pattern_of_several_operations_is_of_the_one_that_ran():
    each = ("read", "random-read")
    patterns = (
        FigurePattern(
            name="calls", operations=("random-read",), metric="rate", unit="1/s", regex=r"reads/s: +([0-9.]+)"
        ),
        FigurePattern(
            name="bytes", operations=each, metric="throughput", unit="MiB/s", regex=r"read, MiB/s: +([0-9.]+)"
        ),
        FigurePattern(
            name="average", operations=each, metric="latency", unit="ms", statistic="mean", regex=r"avg: +([0-9.]+)"
        ),
        FigurePattern(
            name="writes", operations=("write",), metric="throughput", unit="MiB/s", regex="no such line (.)"
        ),
    )
    calls, rate, latency = read(SYSBENCH, *patterns, operations=("random-read",))
    assert {record.operation for record in (calls, rate, latency)} == {"random-read"}
    # Each call moved 16 KiB.
    assert rate.value == pytest.approx(calls.value * 16384, rel=1e-4)
    assert (latency.unit, latency.statistic, latency.repetition) == ("s", "mean", None)


def test_the_rate_of_stress_ng_is_found_among_its_three():
    rate = FigurePattern(
        name="rate", operations=("write",), metric="throughput", unit="MB/s", regex=r"([0-9.]+) MB/sec"
    )
    written = replace(rate, regex=r"([0-9.]+) MB/sec write rate")
    assert [record.value for record in read(STRESS, written)] == pytest.approx([128.70e6], rel=1e-12)
    assert [record.value for record in read(STRESS, replace(rate, take="first"))] == pytest.approx(
        [877.65e6], rel=1e-12
    )
    assert [record.value for record in read(STRESS, replace(rate, take="last"))] == pytest.approx([216.39e6], rel=1e-12)
    with pytest.raises(LogError, match="pattern rate finds 3 figures, in lines 7, 8, 9: let it find one, or state"):
        read(STRESS, rate)


@pytest.mark.parametrize(
    ("log", "pattern", "message"),
    [
        (b"dd: failed\n", RATE, f"pattern rate finds nothing in output: {RATE.regex}"),
        (b"x\n1 s, 0 B/s\n", RATE, "line 2: pattern rate finds a throughput of 0: nothing was measured"),
        (b"1 s, 3 kB/s", replace(RATE, regex=r"(?P<value>3) (?P<unit>k)"),
         'line 1: pattern rate finds the unit "k"; known are B/s, kB/s, MB/s'),
        (b"rate nan", replace(RATE, unit="B/s", regex="rate (.*)"),
         'line 1: pattern rate finds "nan", which is no number'),
    ],
)  # fmt: skip
def test_what_cannot_be_trusted_is_refused(log, pattern, message):
    with pytest.raises(LogError) as refused:
        read(log, pattern)
    assert str(refused.value).startswith(message)


def test_a_text_of_success_must_be_in_the_log():
    assert len(read(DD, SECONDS, text=("copied",))) == 1
    with pytest.raises(LogError, match='"all good" is not in output, which a success states'):
        read(DD, SECONDS, text=("copied", "all good"))


@pytest.mark.parametrize(
    ("unit", "value"), [("MB/s", 1e6), ("MiB/s", 2**20), ("Gbit/s", 125e6), ("us", 1e-6), ("kIOPS", 1e3), ("ops/s", 1)]
)
def test_units_are_converted_to_the_stored_one(unit, value):
    assert [known[unit] for known in KNOWN_UNITS.values() if unit in known] == [value]


def test_inputs_are_there_before_a_command_reads_and_never_before_it_writes():
    run = Run(("read",), "work", 2, file_size=8)
    tool = CommandTool(replace(FORM, inputs="test_file.{thread}"), "dd")
    assert tool.inputs(run) == Inputs((("test_file.0",), ("test_file.1",)), 8)
    assert CommandTool(replace(FORM, inputs="all"), "dd").inputs(run) == Inputs((("all",),), 16)
    assert tool.inputs(run._replace(operations=("write",))) == NO_INPUTS
    assert CommandTool(replace(FORM, reads_inputs=False), "dd").inputs(run) == NO_INPUTS


def test_a_command_runs_on_one_node_and_on_files():
    tool = CommandTool(FORM, "dd")
    assert tool.unfit(Run(("write",), "", 1)) is None
    assert tool.unfit(Run(("write",), "", 1, nodes=2)).endswith("let factors.nodes be [1]")
    assert "block device" in tool.unfit(Run(("write",), "", 1, device="nbd:"))


def test_operations_run_apart_if_the_command_names_them():
    both = ("read", "write")
    assert CommandTool(FORM, "dd").separate(both) == [("read",), ("write",)]
    assert CommandTool(replace(FORM, runs_each=False), "dd").separate(both) == [both]


def test_the_version_is_what_the_named_argument_prints():
    assert CommandTool(replace(FORM, version="--version"), "dd").version()[0].isdigit()
    assert CommandTool(FORM, "dd").version() is None
    with pytest.raises(ToolError, match="nothing-like-it is not on PATH"):
        CommandTool(replace(FORM, words=("nothing-like-it",)), "x").version()


def test_a_command_is_found_by_its_form_and_is_none_of_the_known_tools():
    assert "command" not in TOOLS
    assert find_tool("dd", FORM, ("write",)).TRAITS.program.name == "dd"
    assert find_tool("dd", replace(FORM, log="result.json", keep=("*.csv",))).TRAITS.keeps == ("result.json", "*.csv")
