"""What fio prints as text and in its terse form is what its JSON of the same run states, but for the rounding."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.fio.parse import read, recognise
from coldcache.tools.fio.printed import GROUP_DEFINITION

SPECIMENS = Path(__file__).parents[2] / "specimens"
NORMAL, TERSE = "3.33-thrice-normal.txt", "3.33-groups-terse.txt"

#: A line that ends with the number of errors, the first error, and a description.
TOLD = "3.33-told-terse.txt"


def load(name):
    return (SPECIMENS / f"fio-{name}").read_bytes()


def refusal(log):
    with pytest.raises(LogError) as caught:
        read(log)
    return str(caught.value)


def figures(records):
    return [(one.operation, one.metric, one.value, one.repetition, one.factors) for one in records]


def group(records):
    """Return the values by what they are, in their order; the terse form does not state whether a pattern is random."""
    found = {}
    for one in records:
        key = (one.operation.removeprefix("random-"), one.metric, one.statistic, one.definition)
        found.setdefault(key, []).append(one.value)
    return found


@pytest.mark.parametrize("name", [NORMAL, TERSE, "3.33-normal.txt", "3.33-terse.txt", TOLD, "2.1-client.txt"])
def test_each_figure_is_where_its_record_points(name):
    log = load(name)
    assert recognise(log)
    records = read(log)
    for one in records:
        assert log[one.offset : one.offset + one.length].decode() == one.printed.split()[0]


@pytest.mark.parametrize(("name", "other", "shared"), [(NORMAL, "3.33-thrice", 20), (TERSE, "3.33-groups", 100)])
def test_the_figures_are_those_of_the_json_of_the_same_run(name, other, shared):
    exact, printed = group(read(load(f"{other}.json"))), group(read(load(name)))
    compared = 0
    for key, values in printed.items():
        if key[3] == GROUP_DEFINITION or key not in exact:
            continue
        assert len(values) == len(exact[key])
        # Text has three digits or more; percentiles are cut to whole microseconds.
        for value, true in zip(values, exact[key], strict=True):
            assert value == pytest.approx(true, rel=0.006, abs=1e-6 if key[1] == "latency" else 1)
        compared += len(values)
    assert compared == shared
    kinds = {key[1:3] for key in printed}
    assert {("throughput", "value"), ("rate", "value"), ("elapsed", "value")} <= kinds
    # No other figure of the text confirms a latency; a terse line holds all figures of its job.
    assert (("throughput_per_process", "value") in kinds) == (("latency", "p99") not in kinds) == (name == NORMAL)


def test_text_states_pattern_depth_size_and_threads_and_the_total_of_a_group():
    records = read(load(NORMAL))
    by_operation = {one.operation: one.factors for one in records}
    mixed = {"threads": 2, "queue_depth": 4, "transfer_size": 4096}
    assert by_operation == {
        "random-read": mixed, "random-write": mixed, "write": {"threads": 2, "queue_depth": 1, "transfer_size": 262144},
    }  # fmt: skip
    totals = [(one.operation, one.metric, one.value) for one in records if one.definition == GROUP_DEFINITION]
    assert totals == [("random-read", "throughput", 27.6 * 2**20), ("random-write", "throughput", 30.0 * 2**20)]
    assert {one.caveats for one in records if one.metric == "throughput"} == {("rounded",)}


def test_terse_lines_state_neither_pattern_nor_options_nor_how_many_there_are():
    records = read(load(TERSE))
    assert [one.factors for one in records if one.metric == "elapsed"] == [{}, {}, {}]
    assert {one.caveats[:2] for one in records} == {
        ("no-end-marker", "pattern-unknown"), ("no-end-marker", "pattern-from-name"),
    }  # fmt: skip


def test_terse_lines_that_may_be_processes_of_one_run_are_refused():
    first, second = load(TERSE).splitlines(keepends=True)
    assert "line 2: a second line of job 'mix' or of its run" in refusal(load("3.33-thrice-terse.txt"))
    # Two jobs at once share the statistics of the disks; two runs do not.
    assert "line 2: a second line of job 'other' or of its run" in refusal(first + first.replace(b";mix;", b";other;"))
    assert len(read(first + load("3.33-terse.txt"))) == len(read(first)) + len(read(load("3.33-terse.txt")))
    # The mean of the samples is the stated share of the rate of the group.
    share = re.search(rb"(\d+\.\d+)(?=%;\d+\.\d+;\d+\.\d+;\d+\.\d+%;\d+\.\d+%;\d+;)", second)
    assert 50 < float(share[1]) < 100
    half = second[: share.start()] + f"{float(share[1]) / 2:f}".encode() + second[share.end() :]
    assert refusal(half) == ("line 1: this is one of several processes of its group; use --group_reporting, or JSON")


def test_the_text_of_version_2_has_kb_for_kib():
    records = [one for one in read(load("2.1-client.txt")) if one.statistic == "value"]
    assert [(one.operation, one.metric, one.value, one.factors["threads"]) for one in records] == [
        ("write", "throughput", 8000 * 2**20, 2), ("write", "rate", 128000, 2), ("write", "elapsed", 0.001, 2),
        ("write", "count", 128, 2), ("random-read", "throughput", 4000 * 2**20, 1), ("random-read", "rate", 64000, 1),
        ("random-read", "elapsed", 0.001, 1), ("random-read", "count", 64, 1),
    ]  # fmt: skip


def test_json_goes_before_the_text_of_the_same_run():
    records, alone = read(load("3.33-thrice-all.txt")), read(load("3.33-thrice.json"))
    assert [one.value for one in records] == [one.value for one in alone]


def test_json_and_the_text_of_another_run_are_refused():
    assert refusal(load("3.33-thrice.json") + load("3.33-normal.txt")) == (
        "holds JSON, and the text of another job, 'plain': put each into a file of its own"
    )


@pytest.mark.parametrize("name", [NORMAL, TERSE])
def test_a_text_that_was_pasted_twice_counts_once(name):
    log = load(name)
    assert figures(read(log + log)) == figures(read(log))
    assert figures(read(log + b"srun: job 2 queued\n" + log)) == figures(read(log))


def test_runs_in_one_file_are_repetitions():
    log = load(NORMAL)
    other = re.sub(rb"pid=18", rb"pid=28", log.replace(b"2008", b"2009"))
    found = read(b"slurm: job 1\n" + log + b"srun: Job 2 step creation disabled, retrying\n" + other + b"srun: done\n")
    assert {one.repetition for one in found} == {0, 1}
    assert len(found) == 2 * len(read(log))


def test_jobs_of_one_run_with_the_same_factors_are_repetitions():
    found = [one for one in read(load("3.33-alike-normal.txt")) if one.metric == "throughput"]
    assert [(one.repetition, one.printed) for one in found] == [(0, "3765 KiB/s"), (1, "83.3 MiB/s")]


def test_a_status_is_no_repetition():
    log = load(NORMAL)
    assert "a second result of process 1818: lines are there twice, or the first is a status" in refusal(
        log + log.replace(b"2008", b"2009")
    )


def test_text_that_ends_early_is_refused_wherever_it_ends():
    log = load(NORMAL)
    last = log.rindex(b"  WRITE: bw=")
    for match in re.finditer(rb"\n", log):
        if match.end() <= last:
            refusal(log[: match.end()])


def test_terse_lines_that_end_early_are_refused_wherever_they_end():
    line = load("3.33-terse.txt")
    for place in range(20, len(line)):
        assert "cut short" in refusal(line[:place]) or place == len(line)


def test_a_disk_of_which_fields_are_missing_is_no_description():
    line, disk = load("3.33-terse.txt"), re.search(rb"(?<=%;)[a-z]+(;[0-9]+){7};[0-9.]+%\n", load("3.33-terse.txt"))
    fields = disk[0].removesuffix(b"\n").split(b";")
    for kept in range(2, len(fields)):
        assert "cut short" in refusal(line[: disk.start()] + b";".join(fields[:kept]) + b"\n")


@pytest.mark.parametrize(
    ("name", "old", "new", "cause"),
    [
        (NORMAL, rb"err= 0", rb"err=28", "line 12: job 'mix' ended with error 28: its figures are void"),
        (NORMAL, rb"(BW=)13\.9", rb"\g<1>3.9", "bandwidth, run time and bytes contradict each other"),
        (NORMAL, rb"IOPS=3568", rb"IOPS=356", "IOPS, run time and calls contradict each other"),
        (NORMAL, rb"READ: bw=27\.6", rb"READ: bw=7.6", "the total of group 0 contradicts its jobs"),
        (NORMAL, rb"IOPS=3568", rb"IOPS=3567", "IOPS, run time and calls contradict each other"),
        (NORMAL, rb"BW=13\.9", rb"BW=14.1", "bandwidth, run time and bytes contradict each other"),
        (NORMAL, rb"run=136-139", rb"run=136-138", "the total of group 0 contradicts its jobs"),
        (NORMAL, rb"io=3928KiB", rb"io=3920KiB", "the total of group 0 contradicts its jobs"),
        (NORMAL, rb"   READ: bw.*\n", rb"", "group 0 has no total of read (Run status group)"),
        (NORMAL, rb"(   READ: bw.*\n)", rb"\1\1", "the total of group 0 is there twice"),
        (NORMAL, rb"  read: IOPS.*\n", rb"", "job 'mix' lacks a line of totals, or has one twice"),
        (NORMAL, rb"(  read: IOPS.*\n)", rb"\1\1", "job 'mix' lacks a line of totals, or has one twice"),
        (NORMAL, rb" +issued rwts.*\n", rb"", "line 12: the result of job 'mix' is cut short"),
        (NORMAL, rb"( +issued rwts.*\n)", rb"\1\1", "line 12: the result of job 'mix' holds lines of another"),
        (NORMAL, rb"mix(: \(groupid=0.*1819)", rb"mix2\1", "the results of group 0 are not those of the jobs"),
        (NORMAL, rb"mix: \(g=0.*\n", rb"", "the results of group 0 are not those of the jobs"),
        (NORMAL, rb"pid=1819", rb"pid=1818", "a second result of process 1818"),
        (
            NORMAL,
            rb"\Z",
            rb"late: (g=0): rw=read, bs=4K, ioengine=sync, iodepth=1\n",
            "the results of group 0 are not those of the jobs",
        ),
        (NORMAL, rb"fio-3\.33", rb"fio-3,33", "'fio-3,33' is not known"),
        (NORMAL, rb"BW=13\.9MiB", rb"BW=13.9", "the line of a job's totals is broken"),
        (NORMAL, rb"mix: \(groupid", rb"All clients: (groupid", "text of several clients does not say what each ran"),
        (NORMAL, rb"\A", b"fio: terminating on signal 15\n", "fio says 'fio: terminating on signal 15'"),
        (TERSE, rb"^3;", rb"5;", "terse output of version 5: only version 3 is read"),
        (TERSE, rb"mix;0;0;", rb"mix;0;28;", "line 1: job 'mix' ended with error 28: its figures are void"),
        (TERSE, rb";77019;", rb";7019;", "bandwidth, run time and bytes contradict each other"),
        (TOLD, rb";0;0;a;b$", rb";3;5;a;b", "line 1: job 'told' went on over 3 errors: its figures are void"),
        (TERSE, rb";77019;", rb";x;", "a field of terse output is no number: 'x'"),
    ],
)
def test_damage_is_refused(name, old, new, cause):
    changed = re.sub(old, new, load(name), count=1)
    assert changed != load(name)
    assert cause in refusal(changed)
