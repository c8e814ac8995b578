"""IOzone's logs: every stated value of every specimen, what each figure means, physics, and refusals."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.iozone.parse import read, recognise
from coldcache.tools.iozone.runs import CHILD_TIME, CHILDREN, OVER_PROCESSES, PARENT, UNTIL_FIRST_DONE, WALL

SPECIMENS = Path(__file__).parents[2] / "specimens"

OPERATION = {
    "initial writers": "write", "rewriters": "rewrite", "readers": "read", "re-readers": "reread",
    "reverse readers": "reverse-read", "stride readers": "stride-read", "random readers": "random-read",
    "mixed workload": "random-mix", "random writers": "random-write", "pwrite writers": "pwrite",
    "pread readers": "pread", "fwriters": "fwrite", "freaders": "fread",
}  # fmt: skip
ALL = list(OPERATION.values())
WRITE, READ_TWICE, RANDOM = ["write", "rewrite"], ["read", "reread"], ["random-read", "random-write"]


def factors(threads, file_size, transfer_size, direct_io=False):
    return {
        "threads": threads, "file_size": file_size, "transfer_size": transfer_size, "direct_io": direct_io,
        "file_layout": "file-per-thread",
    }  # fmt: skip


KIB, MIB = 1024, 2**20

#: Each specimen that is read: the operations in the order of the log, and the factors of the first.
READ = {
    "3.489-dell-i0-t4": (["write"], factors(4, 64 * MIB, MIB, True)),
    "3.489-dell-i1-t4": (["read"], factors(4, 64 * MIB, MIB, True)),
    "3.489-dell-i2-O-t4": (RANDOM, factors(4, 64 * MIB, 4 * KIB, True)),
    "3.489-cluster-i0-t4": (["write"], factors(4, 32 * MIB, MIB, True)),
    "3.489-i0-t1": (WRITE, factors(1, 8 * MIB, MIB)),
    "3.489-i0-t2": (WRITE, factors(2, 8 * MIB, MIB)),
    "3.489-i1-t4-C": (READ_TWICE, factors(4, 8 * MIB, 128 * KIB)),
    "3.489-i2-O-t2-C": (RANDOM, factors(2, 4 * MIB, 4 * KIB)),
    "3.489-i2-O-plus-n-t2": (RANDOM, factors(2, 4 * MIB, 4 * KIB, True)),
    "3.489-R-t2": (WRITE + READ_TWICE, factors(2, 128 * MIB, 64 * KIB)),
    "3.489-u-t2": (WRITE + READ_TWICE, factors(2, 128 * MIB, 64 * KIB)),
    "3.489-T-t2": (WRITE, factors(2, 128 * MIB, 64 * KIB)),
    "3.489-x-t2": (WRITE, factors(2, 4 * MIB, 64 * KIB)),
    "3.489-all-t2": (ALL, factors(2, 128 * MIB, 16 * KIB)),
    "3.489-all-O-t2": (ALL, factors(2, 128 * MIB, 16 * KIB)),
    # -l and -u: one call, several numbers of processes.
    "3.489-range": ((WRITE + READ_TWICE) * 2, factors(1, 64 * MIB, 64 * KIB)),
    "3.308-i0-i1-C-t2": (WRITE + READ_TWICE, factors(2, 256 * MIB, 64 * KIB)),
    **{f"{version}-i0-i1-C-t2": (WRITE + READ_TWICE, factors(2, 64 * MIB, 64 * KIB))
       for version in ("3.398", "3.471", "3.508")},
    **{f"{version}-i2-O-u-t2": (RANDOM, factors(2, 64 * MIB, 16 * KIB))
       for version in ("3.308", "3.398", "3.471", "3.508")},
    **{f"{version}-i9-R-t2": (["pwrite", "pread"], factors(2, 64 * MIB, 64 * KIB))
       for version in ("3.308", "3.398", "3.471", "3.508")},
}  # fmt: skip

every_specimen = pytest.mark.parametrize("name", READ)


def load(name):
    return SPECIMENS.joinpath(f"iozone-{name}.log").read_bytes()


def expect(log):
    """Return what each line of results states: operation, metric, statistic, value as printed, unit, process."""
    operation = ""
    for line in log.decode().splitlines():
        words = line.split()
        if "throughput for" in line:
            operation = OPERATION[re.search(r"throughput for +\d+ ([a-z -]+?)[ \t]*=", line)[1]]
            metric = ("throughput", "throughput_parent")[words[0] == "Parent"]
            yield operation, metric, "value", words[-2], words[-1], None
        elif "throughput per" in line:
            statistic = {"Min": "min", "Max": "max", "Avg": "mean"}[words[0]]
            yield operation, "throughput_per_process", statistic, words[-2], words[-1], None
        elif line.startswith("\tMin xfer") and words[-1] == "ops":
            yield operation, "count", "min", words[-2], "ops", None
        elif words[:2] == ["CPU", "Utilization:"] or words[:2] == ["CPU", "utilization:"]:
            yield operation, "elapsed", "max", words[4], "", None
        elif line.startswith("\tChild["):
            process, count, rate, *times = re.findall(r"[\d.]+", line)
            unit = words[words.index("Throughput") - 1].rstrip(",")
            if unit == "ops":
                yield operation, "count", "value", count, "ops", int(process)
            yield operation, "throughput_per_process", "value", rate, f"{unit}/sec", int(process)
            if times:
                yield operation, "elapsed", "value", times[0], "", int(process)


@every_specimen
def test_every_stated_value_of_every_specimen(name):
    log = load(name)
    stated = []
    for operation, metric, statistic, printed, unit, process in expect(log):
        scale = 1
        if unit.lower() == "kb/sec":
            scale = 1024
        elif metric.startswith("throughput"):
            metric = "rate"
        stated.append((operation, metric, statistic, float(printed) * scale, f"{printed} {unit}".strip(), process))
    assert [
        (record.operation, record.metric, record.statistic, record.value, record.printed, record.factors.get("process"))
        for record in read(log)
    ] == stated  # fmt: skip


@every_specimen
def test_offsets_point_at_the_printed_number(name):
    log = load(name)
    for record in read(log):
        assert log[record.offset : record.offset + record.length].decode() == record.printed.split()[0]
        line = log[log.rfind(b"\n", 0, record.offset) + 1 : record.offset].decode()
        assert line.split()[0].rstrip("]0123456789") in {
            CHILDREN: ("Children",), PARENT: ("Parent",), OVER_PROCESSES: ("Min", "Max", "Avg"),
            UNTIL_FIRST_DONE: ("Min",), WALL: ("CPU",), CHILD_TIME: ("Child[",),
        }[record.definition]  # fmt: skip


@every_specimen
def test_version_operations_and_factors(name):
    operations, expected = READ[name]
    records = read(load(name))
    children = [record for record in records if record.definition == CHILDREN]
    assert [record.operation for record in children] == operations
    assert children[0].factors == expected
    assert {(record.tool, record.tool_version) for record in records} == {("iozone", name.partition("-")[0])}
    assert {record.repetition for record in records} == {None}


@every_specimen
def test_children_are_the_sum_of_the_processes(name):
    records = read(load(name))
    starts = [number for number, record in enumerate(records) if record.definition == CHILDREN]
    for start, end in zip(starts, [*starts[1:], len(records)], strict=True):
        total, *others = records[start:end]
        threads = total.factors["threads"]
        over = {record.statistic: record.value for record in others if record.definition == OVER_PROCESSES}
        each = [record.value for record in others if record.definition == CHILD_TIME and record.metric == "rate"]
        each += [record.value for record in others if record.metric == "throughput_per_process"
                 and record.definition == CHILD_TIME]  # fmt: skip
        assert over["mean"] * threads == pytest.approx(total.value, rel=1e-5)
        assert over["min"] <= over["mean"] <= over["max"]
        if each:
            assert sum(each) == pytest.approx(total.value, rel=1e-5)
            assert (min(each), max(each)) == (over["min"], over["max"])


def test_bytes_over_time_are_the_rate_of_each_process():
    """-C and -+u print transfers, rate and time of each process; times have three decimals."""
    log = load("3.489-u-t2").decode()
    lines = re.findall(r"xfer count = +([\d.]+) kB, Throughput = +([\d.]+) kB/sec, wall= *([\d.]+)", log)
    assert len(lines) == 8
    for moved, rate, wall in lines:
        assert float(moved) / float(rate) == pytest.approx(float(wall), abs=0.001)


def test_the_lines_of_one_block():
    records = read(load("3.489-u-t2"))
    assert [tuple(record[2:6]) + tuple(record[8:13]) for record in records[:10]] == [
        ("write", "throughput", "value", 2003377920.0, CHILDREN, 1350, 10, "1956423.75 kB/sec", ("stonewalled",)),
        ("write", "throughput_parent", "value", 1956798218.24, PARENT, 1418, 10, "1910935.76 kB/sec", ("stonewalled",)),
        *[tuple(record[2:6]) + tuple(record[8:13]) for record in records[2:10]],
    ]
    assert [record.printed for record in records[2:10]] == [
        "967464.69 kB/sec", "988959.06 kB/sec", "978211.88 kB/sec", "0.135", "988959.06 kB/sec", "0.133",
        "967464.69 kB/sec", "0.135",
    ]  # fmt: skip


def test_a_test_that_its_fastest_process_ended_is_marked():
    records = read(load("3.489-i1-t4-C"))
    marked = {record.operation: record.caveats for record in records}
    assert marked == {"read": ("stonewalled",), "reread": ()}


def test_a_cluster_sees_no_parent():
    assert {record.metric for record in read(load("3.489-cluster-i0-t4"))} == {"throughput", "throughput_per_process"}


@pytest.mark.parametrize("name", ["3.489-R-t2", "3.308-i9-R-t2", "3.508-i9-R-t2"])
def test_the_report_repeats_no_figure(name):
    log = load(name)
    assert b'"Throughput report' in log
    assert max(record.offset for record in read(log)) < log.index(b'"Throughput report')


def test_calls_of_the_same_test_are_repetitions():
    first, second = load("3.489-i0-t2"), load("3.489-i0-t2-again")
    records = read(first + b"slurm: next step\n" + second)
    assert [record.value for record in records] == [record.value for log in (first, second) for record in read(log)]
    assert [record.repetition for record in records] == [0] * 10 + [1] * 10


def test_calls_of_other_tests_are_no_repetitions():
    records = read(load("3.489-i0-t1") + load("3.489-i0-t2"))
    assert len(records) == 20
    assert {record.repetition for record in records} == {None}


def test_a_text_pasted_twice_counts_once():
    log = load("3.489-all-t2")
    assert read(log + log) == read(log)


KERNEL = b"[12345.678901] nfs: server fileserver not responding, still trying\n"


@pytest.mark.parametrize("name", ["3.489-u-t2", "3.308-i0-i1-C-t2", "3.489-cluster-i0-t4"])
def test_a_foreign_line_after_every_line_changes_no_value(name):
    log = load(name)
    torn = KERNEL.join(log.splitlines(keepends=True))
    found = read(torn)
    assert [(*record[:9], *record[11:]) for record in found] == [(*record[:9], *record[11:]) for record in read(log)]
    assert all(torn[record.offset :].startswith(record.printed.split()[0].encode()) for record in found)


@pytest.mark.parametrize("mark", [b"> ", b">> ", b"| ", b"0: "])
def test_quotation_marks_and_labels_of_ranks_change_no_value(mark):
    log = load("3.489-all-t2")
    quoted = b"".join(mark + line for line in log.splitlines(keepends=True))
    assert [record.value for record in read(quoted)] == [record.value for record in read(log)]


def test_results_that_are_quoted_without_their_head():
    log = load("3.489-i0-t2")
    start, end = log.index(b"\tChildren"), log.index(b"iozone test complete")
    records = read(b"We measured\n" + log[start:end] + b"which is not much.\n")
    assert [record.value for record in records] == [record.value for record in read(log)]
    assert {record.tool_version for record in records} == {None}
    assert records[0].factors == {"threads": 2}


@pytest.mark.parametrize(
    ("files", "layout"),
    [
        ("-F /mnt/target/t1 /mnt/target/t1", "shared-file"),
        ("-F /mnt/target/t1 -w", None),
        ("-w", "file-per-thread"),
    ],
)
def test_the_command_line_tells_the_layout(files, layout):
    """The command line of a real log is changed, as one machine's IOzone refuses to share a file."""
    log = load("3.489-i0-t2").replace(b"-F /mnt/target/t1 /mnt/target/t2", files.encode())
    assert read(log)[0].factors.get("file_layout") == layout


def refusal(log):
    with pytest.raises(LogError) as caught:
        read(log)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("3.489-ENOSPC-rc0",
         "line 33: IOzone says 'Error writing block 13, fd= 3': the test failed, whatever it exits with"),
        ("3.489-EROFS-hang",
         "line 33: IOzone says 'Can not open temp file: iozone.DUMMY.0': the test failed, whatever it exits with"),
        ("3.489-killed", "line 39: IOzone says 'iozone: interrupted': the test failed, whatever it exits with"),
        ("3.489-missing", "line 29: IOzone says 'iozone: interrupted': the test failed, whatever it exits with"),
        ("3.489-sigkill", "IOzone did not print 'iozone test complete.': the run was cut short or is still going"),
        ("3.489-too-short-R-t2",
         "line 37: a rate is zero: a process moved nothing, so the test failed or was too short"),
        ("3.489-too-short-all-t2",
         "line 37: children, min, max and avg disagree: a process moved nothing, or a digit is lost"),
        # Two of four processes moved nothing, and are passed over in the line of the least.
        ("3.489-i0-t4",
         "line 32: min, max and the sum disagree: a process moved nothing, or a line is of another test"),
    ],
)  # fmt: skip
def test_runs_that_failed_or_did_not_end(name, cause):
    assert refusal(load(name)) == cause


def edit(name, *changes):
    """Return a specimen with the first place of each text changed."""
    log = load(name)
    for old, new in changes:
        assert old in log
        log = log.replace(old, new, 1)
    return log


CHILDREN_LINES = (
    b"\tChild[0] xfer count =  130688.00 kB, Throughput =  988959.06 kB/sec, wall= 0.133, cpu= 0.039, %= 29.16\n",
    b"\tChild[1] xfer count =  131072.00 kB, Throughput =  967464.69 kB/sec, wall= 0.135, cpu= 0.039, %= 28.56\n",
)


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ([(b"\niozone test complete.\n", b"\n")],
         "IOzone did not print 'iozone test complete.': the run was cut short or is still going"),
        ([(b"$Revision: 3.489 $", b"$Revision: 4.1 $")],
         "line 1: IOzone states no version 3.x: the banner is broken or unknown"),
        ([(b"\tParent sees throughput for  2 initial writers \t= 1910935.76 kB/sec\n", b"")],
         "line 32: the line of what the parent sees is missing"),
        ([(b"= 1956423.75 kB/sec", b"= 1956423.7 kB/sec")],
         "line 32: a line of results is broken:"
         " 'Children see throughput for  2 initial writers \\t= 1956423.7 kB/sec'"),
        ([(b"= 1956423.75", b"= 1956,423.75")],
         "line 32: a line of results is broken:"
         " 'Children see throughput for  2 initial writers \\t= 1956,423.75 kB/sec'"),
        ([(b"initial writers", b"initial waiters")], "line 32: no test of IOzone is called 'initial waiters'"),
        ([(b"= 1956423.75", b"= 1956424.75")],
         "line 32: children, min, max and avg disagree: a process moved nothing, or a digit is lost"),
        ([(b"  967464.69 kB/sec \n", b"  967464.70 kB/sec \n")],
         "line 32: the child lines disagree with the sum, min or max above them"),
        ([(b"Min xfer \t\t\t\t\t=  130688.00", b"Min xfer \t\t\t\t\t=  130624.00")],
         "line 32: the child lines disagree with the min xfer above them"),
        ([(b"Wall time    0.135", b"Wall time    0.153")],
         "line 32: the child lines disagree with the wall time above them"),
        ([(CHILDREN_LINES[0], b"")],
         "line 40: this line does not belong here: the block of results is jumbled or cut"),
        ([(b"\tMax throughput per process \t\t\t=  988959.06 kB/sec\n", b"")],
         "line 35: this line does not belong here: the block of results is jumbled or cut"),
        ([(b"\tChildren see throughput for  2 initial writers \t= 1956423.75 kB/sec\n", b"")],
         "line 32: the block of results that ends here has lost its first line"),
        ([(b"\tMin xfer \t\t\t\t\t=  130688.00 kB\n", b"")],
         "line 37: this line does not belong here: the block of results is jumbled or cut"),
        ([(CHILDREN_LINES[1], b"")],
         "line 32: 1 of 2 child lines are there: the block is cut short"),
        ([(b"\tCPU Utilization: Wall time    0.135    CPU time    0.077    CPU utilization  57.10 %\n", b"")],
         "line 32: the block lacks lines that other blocks have (-C, -+u): it is cut short"),
    ],
)  # fmt: skip
def test_damaged_blocks(changes, cause):
    assert refusal(edit("3.489-u-t2", *changes)) == cause


def swap(name, start, nth):
    """Return a specimen in which a line that begins so in one block has changed places with the next block's."""
    lines = load(name).splitlines(keepends=True)
    first, second = [number for number, line in enumerate(lines) if line.startswith(start)][nth : nth + 2]
    lines[first], lines[second] = lines[second], lines[first]
    return b"".join(lines)


@pytest.mark.parametrize(
    ("name", "start", "nth", "cause"),
    [
        ("3.489-T-t2", b"\tMax throughput", 0,
         "line 30: min, max and the sum disagree: a process moved nothing, or a line is of another test"),
        ("3.489-all-t2", b"\tMax throughput", 9,
         "line 93: min, max and the sum disagree: a process moved nothing, or a line is of another test"),
        ("3.308-i2-O-u-t2", b"\tCPU utilization: ", 0,
         "line 29: min xfer, min throughput and wall time disagree: a line is of another test"),
        ("3.489-all-O-t2", b"\tMin xfer", 0,
         "line 29: min xfer, min throughput and the parent's time disagree: a line is of another test"),
    ],
)  # fmt: skip
def test_lines_of_another_test(name, start, nth, cause):
    assert refusal(swap(name, start, nth)) == cause


def test_a_block_that_is_cut_short():
    log = load("3.489-i0-t2")
    start, end = log.rindex(b"\tMin xfer"), log.index(b"iozone test complete")
    assert refusal(log[:start] + log[end:]) == "line 39: the block of results that starts here is cut short"


def test_a_block_that_begins_like_one_before_it():
    log = load("3.489-i0-t2")
    other = log.replace(b"Min xfer \t\t\t\t\t=    8192.00", b"Min xfer \t\t\t\t\t=    7168.00")
    assert other != log
    assert refusal(log + other).endswith(
        ": the block starts like a previous one and ends differently: lines appear twice"
    )


@pytest.mark.parametrize(
    ("log", "is_iozone"),
    [
        (load("3.489-auto"), True),
        (b"Children see throughput for  1 readers", True),
        (b"iozone was run on this machine\n", False),
    ],
    ids=["table", "line of results", "prose"],
)
def test_recognise(log, is_iozone):
    assert recognise(log) is is_iozone
