"""Damaged and foreign logs of mdtest: what is refused, by which words, and what does no harm."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.mdtest.parse import read, recognise

SPECIMENS = Path(__file__).parents[2] / "specimens"


def load(name):
    return SPECIMENS.joinpath(f"mdtest-{name}.txt").read_bytes()


def meaning(records):
    return [(*record[:9], record.printed, record.caveats) for record in records]


def edit(name, *changes):
    """Return a specimen with the first place of each text changed."""
    log = load(name)
    for old, new in changes:
        assert old in log
        log = log.replace(old, new, 1)
    return log


def refusal(log):
    with pytest.raises(LogError) as caught:
        read(log)
    return str(caught.value)


CUT = "mdtest at byte 70 has no end marker '-- finished at' (%s): run it again"

DAMAGED = {
    "the end is missing": (
        lambda: load("400-fsx").split(b"-- finished")[0], CUT % "the log was cut short"),
    "a scheduler ended it": (
        lambda: load("400-fsx")[:3000] + b"\nslurmstepd: error: *** STEP 7.0 CANCELLED DUE TO TIME LIMIT\n",
        CUT % "slurmstepd: error: *** STEP 7.0 CANCELLED DUE TO TIME LIMIT"),
    "an unknown version": (
        lambda: edit("400-fsx", (b"mdtest-4.0.0 was", b"mdtest-5.1.0 was")),
        "mdtest 5.1.0 is none of the versions read here (1.9.3, 1.9.4, 3.2 to 4.1)"),
    "a second run without its banner": (
        lambda: load("400-fsx") + b"-- started at 11/20/2026 10:24:00 --\n",
        "2 runs of mdtest started and 1 have a banner: the log is cut"),
    "no table": (
        lambda: re.sub(rb"\nSUMMARY.*?(?=\nV-1: Entering Print)", b"", load("400-fsx"), flags=re.DOTALL),
        "the run of mdtest has no table SUMMARY: the log is cut short"),
    "a row is missing": (
        lambda: edit("1.9.3-shared-file", (b"   File read         :     510099.980     430862.695     470481.337"
                                           b"      39618.642\n", b"")),
        "the SUMMARY at byte 259 lacks rows (file-read) or has others (none)"),
    "the last row is missing": (
        lambda: edit("1.9.3-shared-file", (b"   Tree removal      :         82.750", b"   Tree removed      :")),
        "the SUMMARY ends before its row 'Tree removal': the log is cut short"),
    "a row appears twice": (
        lambda: edit("1.9.3-shared-file", (b"   File read ", b"   File stat ")),
        "the SUMMARY has its row file-stat twice or out of order at byte 621: keep one run"),
    "a number is cut by a message": (
        lambda: edit("1.9.3-shared-file", (b"510099.980", b"5100[ 12.5] nfs: server\n99.980")),
        "a row of the SUMMARY is broken at byte 621: 'File read         :     5100[ 12.5] nfs: server': take the log"
        " from the machine that wrote it"),
    "a rate of zero": (
        lambda: edit("1.9.3-shared-file", (b"430862.695", b"     0.000")),
        "the row file-read of the SUMMARY has a rate of zero: a rank or iteration did nothing"),
    "a mean above the maximum": (
        lambda: edit("1.9.3-shared-file", (b"470481.337", b"910099.981")),
        "the row file-read of the SUMMARY has a mean outside of its extremes: it is broken"),
    "a row outside of its table": (
        lambda: edit("1.9.3-shared-file", (b"\n-- finished", b"   File read         :  1.000  1.000  1.000  0.000\n"
                                           b"\n-- finished")),
        "rows of a SUMMARY are outside of it: the log is mixed up"),
    "a row behind the end": (
        lambda: load("1.9.3-shared-file") + b"   File read         :  1.000  1.000  1.000  0.000\n",
        "rows of mdtest follow the end of its run at byte 988: the log is mixed up"),
    "a row before the banner": (
        lambda: b"\nV-1: Rank   0 Line  1400   File read :  0.001 sec,  1.000 ops/sec\n" + load("1.9.3-shared-file"),
        "rows of mdtest precede its banner: the log is mixed up"),
    "other iterations than asked for": (
        lambda: edit("1.9.3-shared-file", (b"(of 2 iter", b"(of 3 iter")),
        "mdtest was asked for 2 iterations, its SUMMARY is of 3"),
    "a test is missing": (
        lambda: edit("1.9.3-shared-file", (b" -i 2", b" -i 2 -f 1 -l 2")),
        "the command line of mdtest asks for other tests than those with [2] tasks: the log is cut"),
    "the table of times is missing": (
        lambda: re.sub(rb"\nSUMMARY time.*?(?=\nV-1: Entering Print)", b"", load("4.0.0-rate-and-time"),
                       flags=re.DOTALL),
        "mdtest was asked for the tables ['rate', 'time'], and the log has ['rate']: it is cut or mixed up"),
    "tables of other iterations": (
        lambda: re.sub(rb"(SUMMARY time: \(of )2", rb"\g<1>3", load("4.0.0-rate-and-time")),
        "mdtest was asked for 2 iterations, its SUMMARY is of 3"),
    "a row in the first line of the log": (
        lambda: b"V-1: Rank   0 Line  1400   File read :  0.001 sec,  1.000 ops/sec\n" + load("1.9.3-shared-file"),
        "rows of mdtest precede its banner: the log is mixed up"),
    "a row of -v behind the table": (
        lambda: edit("193-dellF", (b"\n-- finished", b"\nV-1:   File stat  :   0.001 sec,    1.000 ops/sec\n"
                                                     b"\n-- finished")),
        "rows of an iteration follow its SUMMARY: the log is mixed up"),
    "a row of -v is missing": (
        lambda: edit("193-dellF", (b"V-1:   File stat         :          0.001 sec,    1011954.556 ops/sec\n", b"")),
        "file-stat has rows for the iterations [1, 2], not for [0, 1, 2]"),
    "all rows of -v are missing": (
        lambda: re.sub(rb"V-1:[^\n]* ops/sec\n", b"", load("193-dellF")),
        "file-create has rows for the iterations [], not for [0, 1, 2]"),
    "rows of -v contradict the table": (
        lambda: edit("193-dellF", (b"17943.519 ops/sec", b"97943.519 ops/sec")),
        "file-create has other rates in the rows of -v than the SUMMARY allows: it is mixed up"),
    "iterations are out of order": (
        lambda: edit("193-dellF", (b"main: * iteration 2 ", b"main: * iteration 3 ")),
        "the count of iterations is broken at byte 3377: 'main: * iteration 3 11/20/2026 10:23:00 *': take the log from"
        " the machine that wrote it"),
    "the first iteration is missing": (
        lambda: re.sub(rb"V-1: main: \* iteration [^\n]*\n", b"", load("193-dellF")),
        "the row of an iteration at byte 1692 precedes the first iteration: the log is cut"),
    "a process is missing": (
        lambda: edit("4.0.0-processes", (b",5.275854e+05,", b",")),
        "directory-stat has not one result for each process and iteration: the log is cut short"),
    "an iteration of the processes is missing": (
        lambda: edit("4.0.0-processes", (b"\niteration: 1\n", b"\n")),
        "directory-create has not one result for each process and iteration: the log is cut short"),
    "the processes are missing": (
        lambda: re.sub(rb"\nPer process result.*?(?=\n\nSUMMARY)", b"", load("4.0.0-processes"), flags=re.DOTALL),
        "the result of each process lacks an operation or an iteration: the log is cut short"),
    "a process was too fast for its clock": (
        lambda: edit("4.0.0-processes", (b"5.412005e+05,", b"inf,")),
        "a process did directory-stat in less time than its clock resolves: measure more items"),
    "a phase longer than the run": (
        lambda: edit("4.0.0-time", (b"   File read                       0.000          0.000          0.000",
                                    b"   File read                      99.000         99.000         99.000")),
        "a phase of 99.0 s is longer than the whole run of mdtest: lines of the log are mixed up"),
    "wrong data": (
        lambda: edit("400-fsx", (b"-- finished", b"\nERROR: verifying the data on read (3 errors)! Take the performance"
                                 b" values with care!\n\n-- finished")),
        "mdtest failed: 'ERROR: verifying the data on read (3 errors)! Take the performance values with care!': its"
        " figures cannot be trusted, run it again"),
    "a file that could not be removed": (
        lambda: edit("330-fsx", (b"\nSUMMARY", b'\nior WARNING: [RANK 000]: unlink() of file "/mnt/target/d/f" failed,'
                                 b" errno 13, Permission denied \n\nSUMMARY")),
        "mdtest failed: 'ior WARNING: [RANK 000]: unlink() of file \"/mnt/target/d/f\" failed, errno 13, Permission"
        " denied': its figures cannot be trusted, run it again"),
    "a backend without storage": (
        lambda: edit("400-fsx", (b"mdtest '-F'", b"mdtest '-a' 'DUMMY' '-F'")),
        "mdtest moved nothing: the backend DUMMY"),
    "an option that is none": (
        lambda: b"Error invalid argument: -Q\nInvalid options\n" + load("400-fsx"),
        "mdtest failed: 'Invalid options': its figures cannot be trusted, run it again"),
    "nothing ran": (
        lambda: re.sub(rb"(Tree (?:creation|removal) ).*", rb"\1          0.000   0.000   0.000   0.000",
                       load("4.0.0-no-items")),
        "no phase of mdtest ran: nothing was measured"),
    "columns of another form": (
        lambda: edit("4.0.0-rank-statistics", (b"per Rank:", b"per rank:")),
        "the SUMMARY at byte 500 has rows of [7] numbers: it is broken"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_refused_by_its_own_words(name):
    make, message = DAMAGED[name]
    assert refusal(make()) == message


def test_two_runs_in_one_log_are_both_read():
    runs = [read(load("400-fsx")), read(load("330-fsx"))]
    both = read(load("400-fsx") + load("330-fsx"))
    assert [(record.operation, record.value) for record in both] == [
        (record.operation, record.value) for run in runs for record in run
    ]
    # They have the same factors, so the second run is the next repetition of what both measured.
    means = [one.repetition for one in both if (one.operation, one.statistic) == ("file-create", "mean")]
    assert means == [0, 1 + max(record.repetition or 0 for record in runs[0])]


def test_runs_without_repetitions_are_those_of_one_another():
    log = load("1.9.3-shared-file")
    again = log.replace(b"510099.980", b"510099.981")
    found = [one.repetition for one in read(log + again) if one.operation == "file-read" and one.statistic == "max"]
    assert found == [0, 1]


def test_a_run_that_is_there_twice_counts_once():
    assert read(load("400-fsx") * 2) == read(load("400-fsx"))


def test_a_quoted_mail_is_read():
    quoted = b"".join(b"> " + line for line in load("1.9.3-shared-file").splitlines(keepends=True))
    assert meaning(read(quoted)) == meaning(read(load("1.9.3-shared-file")))


@pytest.mark.parametrize("label", [b"[1,0]<stdout>:", b"0: "], ids=["Open MPI", "srun"])
@pytest.mark.parametrize("name", ["400-fsx", "4.0.0-processes"])
def test_labels_of_the_launcher_do_no_harm(name, label):
    labelled = b"".join(label + line for line in load(name).splitlines(keepends=True))
    assert meaning(read(labelled)) == meaning(read(load(name)))


def test_a_wrapped_mail_goes_on_behind_its_mark():
    wrapped = re.sub(rb"(\d\.\d{3}) +(\S+)\n(?=   )", rb"\1\n> \2\n", load("1.9.3-shared-file"))
    assert wrapped.count(b"\n> ") == 5
    assert meaning(read(wrapped)) == meaning(read(load("1.9.3-shared-file")))


def test_a_table_alone_has_no_version():
    log = load("1.9.3-shared-file")
    table = log[log.index(b"SUMMARY") : log.index(b"\n-- finished")]
    records = read(b"The new server does this:\n\n" + table)
    assert {record.tool_version for record in records} == {None}
    assert [record.value for record in records] == [record.value for record in read(log)]
    assert records[0].factors == {}


def test_half_a_table_alone_is_refused():
    log = load("1.9.3-shared-file")
    table = log[log.index(b"SUMMARY") : log.index(b"   File removal")]
    assert refusal(table) == "the SUMMARY ends before its row 'Tree removal': the log is cut short"


def test_a_backend_without_rename_states_no_rate_of_it():
    log = edit("4.0.0-one-rank", (b"\nSUMMARY", b"\nWARNING: Backend doesn't support rename\n\n\nSUMMARY"))
    assert {r.operation for r in read(load("4.0.0-one-rank"))} - {r.operation for r in read(log)} == {
        "directory-rename"
    }


def test_clocks_that_are_set_back_at_night_do_no_harm():
    log = load("4.0.0-time")
    started, finished = re.findall(rb"(?:started|finished) at (\d\d/\d\d/\d{4} \d\d:\d\d:\d\d)", log)
    night = log.replace(started, b"10/25/2026 02:59:00").replace(finished, b"10/25/2026 02:05:00")
    assert meaning(read(night)) == meaning(read(log))
    by_day = log.replace(started, b"10/25/2026 12:59:00").replace(finished, b"10/25/2026 12:05:00")
    assert "is longer than the whole run of mdtest" in refusal(by_day)


def test_stamps_that_are_no_dates_do_no_harm():
    log = load("4.0.0-time")
    assert meaning(read(re.sub(rb"started at \d\d/", b"started at 99/", log))) == meaning(read(log))


@pytest.mark.parametrize(
    "warning",
    [
        b"WARNING: Read bytes is 0, thus, a read test will actually just open/close",
        b"WARNING: unable to use realpath() on file system",
        b"WARNING: gpfs_fcntl(5, ...) release all locks hint failed.",
        b"WARNING: Backend returned error during statfs",
    ],
)
def test_warnings_that_concern_no_figure_do_no_harm(warning):
    log = edit("400-fsx", (b"\nSUMMARY", b"\n" + warning + b"\n\nSUMMARY"))
    assert meaning(read(log)) == meaning(read(load("400-fsx")))


@pytest.mark.parametrize("text", [b"mdtest", b"SUMMARY: 3 tests", b"File creation : 1.000", b""])
def test_other_text_is_not_recognised(text):
    assert not recognise(text)


def removed_in(name, slowest, fastest):
    """Return a specimen whose tree took so long to remove, in s with three decimals, that its rates are zero."""
    log = load(name)
    rates, times = re.findall(rb"\n(   Tree removal [^\n]+)", log)
    none, mean = b"%15.3f" % 0, (slowest + fastest) / 2
    log = log.replace(rates, b"   Tree removal        " + 4 * none)
    log = log.replace(
        times, b"   Tree removal        " + b"".join(b"%15.3f" % time for time in (slowest, fastest, mean, 0))
    )
    return log.replace(b"finished at 11/21/2026 08:", b"finished at 11/21/2026 10:")


def test_a_tree_whose_removal_took_longer_than_its_rate_has_decimals_has_a_time():
    """mdtest on DAOS: a rate of 0.000 and a time of 3626.219."""
    found = read(removed_in("4.0.0-processes", 3626.219, 2000.5))
    whole = read(load("4.0.0-processes"))
    removed = [record for record in found if record.operation == "tree-remove"]
    assert {(record.metric, record.statistic, record.value) for record in removed} == {
        ("elapsed", "max", 3626.219), ("elapsed", "min", 2000.5), ("elapsed", "mean", 2813.36),
        ("elapsed", "stddev", 0.0),
    }  # fmt: skip
    rest = [record for record in meaning(whole) if "tree-remove" not in record]
    assert [record for record in meaning(found) if "tree-remove" not in record] == rest


def test_a_rate_of_zero_that_its_time_contradicts_is_refused():
    why = refusal(removed_in("4.0.0-processes", 3626.219, 1999.5))
    assert why == "the row tree-remove of the SUMMARY has a rate of zero: a rank or iteration did nothing"
