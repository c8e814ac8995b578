"""Damaged and foreign logs of IOR: what is refused, by which words, and what does no harm."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.ior.columns import command_size, parse_size
from coldcache.tools.ior.parse import read, recognise

SPECIMENS = Path(__file__).parents[2] / "specimens"


def load(name):
    return SPECIMENS.joinpath(f"ior-{name}").read_bytes()


def meaning(records):
    return [(*record[:9], record.printed, record.caveats) for record in records]


def edit(name, *changes):
    """Return a specimen with the first place of each pattern changed."""
    log = load(name)
    for pattern, new in changes:
        log, count = re.subn(pattern, new, log, count=1)
        assert count == 1
    return log


def refusal(log):
    with pytest.raises(LogError) as caught:
        read(log)
    return str(caught.value)


TEXT, JSON, CSV = "4.0.0-rep3.txt", "4.0.0.json", "4.0.0.csv"

UNFLUSHED = "IOR could not flush what it wrote: %s: its figures cannot be trusted, run it again"

DAMAGED = {
    "the end is missing": (
        lambda: edit(TEXT, (rb"Finished .*\n", b"")),
        "cut short: IOR's line 'Finished' is missing after 6 result rows, so the run ended early"),
    "an unknown version": (
        lambda: edit(TEXT, (rb"IOR-4\.0\.0", b"IOR-4.2.0")),
        "IOR 4.2.0 is none of the versions read here (3.0 to 4.1)"),
    "a row is missing": (
        lambda: edit(TEXT, (rb"read .* 1 *\n", b"")), "cut short or damaged: 2 of 3 repetitions of read in test 0"),
    "all reads are missing": (
        lambda: re.sub(rb"\nread [^\n]*", b"", load(TEXT)),
        "cut short or damaged: the read rows of test 0 are missing"),
    "a row appears twice": (
        lambda: edit(TEXT, (rb"(write .* 1 *\n)", rb"\1\1")), "damaged: repetitions of write in test 0 appear twice"),
    "a number is cut by a message": (
        lambda: edit(TEXT, (rb"(write +\d\d)(\d\d)", rb"\1[ 12.5] nfs: server\n\2")),
        "line 32 is damaged: 'write     13[ 12.5] nfs: server'"),
    "a rate of zero": (
        lambda: edit("4.0.0-check.txt", (rb"write     [\d.]+ ", b"write     0.00 ")),
        "the write of repetition 0 ran at a rate of zero"),
    "the summary lacks an access": (
        lambda: edit(TEXT, (rb"\nread [^\n]*POSIX[^\n]*", b"")),
        "cut short or damaged: the summary lacks the read of test 0"),
    "summary and rows contradict each other": (
        lambda: edit(TEXT, (rb"11456\.91", b"21456.91")),
        "IOR's summary and its result rows contradict each other on read"),
    "summary and maximum contradict each other": (
        lambda: edit("4.0.0-delay.txt", (rb"\nMax Write: [^(]*\([\d.]+", b"\nMax Write: 1000.00 MiB/sec (1048.58")),
        "IOR's summary and its line 'Max' contradict each other on write"),
    "a maximum whose units contradict each other": (
        lambda: edit("4.0.0-delay.txt", (rb"(Max Write: [\d.]+ MiB/sec \()\d+", rb"\g<1>1")),
        "line 42 is damaged: IOR states a maximum that cannot be read"),
    "the heads are missing": (
        lambda: edit(TEXT, (rb"\naccess +bw[^\n]*", b"")), "line 31 is a result row without column heads above it"),
    "an unknown column": (
        lambda: edit(TEXT, (rb"Latency\(s\)", b"Latency(ms)")),
        "the column 'Latency(ms)' of IOR's results is unknown here"),
    "the heads appear twice": (
        lambda: edit(TEXT, (rb"(\naccess +bw[^\n]*)", rb"\1\1")), "line 31: the column heads of test 0 appear twice"),
    "rows behind the end": (
        lambda: load(TEXT) + b"\nwrite 1 1 1 1 1 1 1 1 1 0\n",
        "line 45 states results after the line 'Finished': lines are out of order"),
    "the options are missing": (
        lambda: edit(TEXT, (rb"\nordering in a file[^\n]*", b"")),
        "damaged: test 0 lacks its options or the heads of its result rows"),
    "the repetitions are not told": (
        lambda: edit("4.0.0-killed.txt", (rb"\nrepetitions[^\n]*", b""), (rb"\Z", b"\nFinished            : today\n")),
        "damaged: the options of test 0 do not state its repetitions"),
    "a test is missing": (
        lambda: edit("4.0.0-two.txt", (rb"(?s)\nTestID +: 1.*?(?=\n\nSummary)", b"")),
        "the summary names test 1, whose results are missing"),
    "wrong data": (
        lambda: edit(TEXT, (rb"\nSummary", b"\nWARNING: Incorrect data on write (4 errors found).\n\nSummary")),
        "IOR read back incorrect data: the file system or the test is faulty"),
    "a failed fsync before 3.2": (
        lambda: edit("3.0.1-shared.txt", (rb"\nMax W", b"\nior WARNING: fsync() failed, errno 5, I/O error\nMax W")),
        UNFLUSHED % "fsync() failed"),
    "a failed fsync": (
        lambda: edit(TEXT, (rb"\nSummary", b"\nWARNING: fsync(10) failed, (aiori-POSIX.c:848).\n\nSummary")),
        UNFLUSHED % "fsync(10) failed"),
    "a failed fsync in IOR 3.2": (
        lambda: edit("3.2.1-both.txt", (rb"\nSummary", b"\nior WARNING: fsync(10) failed\n\nSummary")),
        UNFLUSHED % "fsync(10) failed"),
    "a dry run": (
        lambda: edit(TEXT, (rb"\n(aggregate filesize[^\n]*)", rb"\n\1\ndryRun              : 1")),
        "IOR moved nothing: a dry run"),
    "a backend without storage": (
        lambda: edit(TEXT, (rb"\napi +: POSIX", b"\napi                 : DUMMY")),
        "IOR moved nothing: the backend DUMMY"),
    "JSON: a dry run": (
        lambda: edit(JSON, (rb"\"dryRun\": 0", b"\"dryRun\": 1")), "IOR moved nothing: a dry run"),
    "JSON: a backend without storage": (
        lambda: load(JSON).replace(b"\"api\": \"POSIX\"", b"\"api\": \"dummy\""),
        "IOR moved nothing: the backend DUMMY"),
    "JSON: wrong data": (
        lambda: edit(JSON, (rb"\n( *\"Results\")", rb"\nWARNING: Incorrect data on read (4 errors found).\n\n\1")),
        "IOR read back incorrect data: the file system or the test is faulty"),
    "CSV: wrong data": (
        lambda: edit(CSV, (rb"\nread,", b"\nWARNING: Incorrect data on read (4 errors found).\n\nread,")),
        "IOR read back incorrect data: the file system or the test is faulty"),
    "JSON: a failed fsync": (
        lambda: edit(JSON, (rb"\n( *\"Results\")", rb"\nWARNING: fsync(10) failed\n\1")),
        UNFLUSHED % "fsync(10) failed"),
    "CSV: a failed fsync": (
        lambda: edit(CSV, (rb"\nread,", b"\nWARNING: fsync() failed\nread,")), UNFLUSHED % "fsync() failed"),
    "CSV: a failed msync": (
        lambda: edit(CSV, (rb"\nread,", b"\nWARNING: msync() failed\nread,")), UNFLUSHED % "msync() failed"),
    "JSON: the end is missing": (
        lambda: edit(JSON, (rb',\s*"Finished"[^}]*', b"")),
        "cut short: IOR's JSON lacks the key 'Finished', so the run ended early"),
    "JSON: a figure of a result is missing": (
        lambda: edit(JSON, (rb' *"openTime"[^\n]*\n', b"")),
        "IOR's JSON is damaged: a result lacks its access, rate or time"),
    "JSON: a figure of the summary is missing": (
        lambda: edit(JSON, (rb' *"OPsMean"[^\n]*\n', b"")), "IOR's JSON is damaged: its summary lacks a figure"),
    "JSON: an access appears twice in the summary": (
        lambda: edit(JSON, (rb'"operation": "read"', b'"operation": "write"')),
        "IOR's JSON is damaged: its summary states an operation of one test twice"),
    "JSON: a result is missing": (
        lambda: edit(JSON, (rb'(?s)("Results": \[).*?\}\s*,', rb"\1")),
        "cut short or damaged: IOR's JSON lacks repetitions of write, or states one twice"),
    "JSON: a figure is no number": (
        lambda: edit(JSON, (rb'("iops": )[\d.]+', rb'\1"inf"')),
        "IOR's JSON is damaged, or states no number, at the key 'iops': 'inf'"),
    "JSON: an unknown version": (
        lambda: edit(JSON, (rb"4\.0\.0", b"5.0.0")), "IOR 5.0.0 is none of the versions read here (3.0 to 4.1)"),
    "CSV: a repetition of one access is missing": (
        lambda: edit(CSV, (rb"read,.*,0\n", b"")),
        "cut short or damaged: IOR's CSV lacks repetitions of write or read"),
    "CSV: a line is cut": (
        lambda: load(CSV)[:-5], "a result line of IOR's CSV is damaged: 'read,5584.6101,5588.0978,0.0001,16384.0000,"
        "1024.0000,0.0096,0.0115,0.0096,0.0115'"),
    "CSV: the last line end is missing": (
        lambda: load(CSV)[:-1], "cut short: the last line of IOR's CSV is not ended"),
    "CSV: the heads alone": (lambda: load(CSV).split(b"\n")[0] + b"\n", "IOR's CSV states no results"),
    "CSV: a table appears twice": (
        lambda: load(CSV) * 2, "a result line appears twice in IOR's CSV: 'write,1975.7368,1985.3519,0.0020,16384.0000,"
        "1024.0000,0.0028,0.0322,0.0003,0.032'"),
    "CSV: another repetition appears twice": (
        lambda: load(CSV) + b"read,1.0000,1.0000,1.0000,1.0000,1.0000,1.0000,1.0000,1.0000,1.0000,4,1\n",
        "repetition 1 of read appears twice in IOR's CSV"),
    "CSV: a rate of zero": (
        lambda: edit(CSV, (rb"1975\.7368", b"0.0000")), "the write of repetition 0 ran at a rate of zero"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_refused_by_its_own_words(name):
    make, message = DAMAGED[name]
    assert refusal(make()) == message


@pytest.mark.parametrize(
    "warning", [b"WARNING: gpfs_fcntl(5, ...) release all locks hint failed.", b"WARNING: BeeGFS tuning failed"]
)
@pytest.mark.parametrize("name", [TEXT, JSON, CSV])
def test_hints_that_fail_do_no_harm(name, warning):
    log = edit(name, (rb"\n(?=Results: | *\"Results\"|read,)", b"\n" + warning + b"\n"))
    assert meaning(read(log)) == meaning(read(load(name)))


def test_two_runs_in_one_log_are_both_read():
    runs = [read(load(TEXT)), read(load("3.3.0-rep3.txt"))]
    found = read(load(TEXT) + load("3.3.0-rep3.txt"))
    assert [record._replace(repetition=None, offset=0) for record in found] == [
        record._replace(repetition=None, offset=0) for run in runs for record in run
    ]
    # The second run has the same factors, so it is the repetitions 3 to 5; what covers it whole has its first number.
    whole = [record.repetition for record in found if record.operation == "write" and record.statistic == "mean"]
    rows = [record.repetition for record in found if record.operation == "write" and record.metric == "latency"]
    assert (sorted(set(whole)), rows) == ([0, 3], [0, 1, 2, 3, 4, 5])


def test_documents_of_json_in_one_file_are_repetitions():
    log = load("4.0.0.json")
    count = 1 + max(record.repetition for record in read(log) if record.repetition is not None)
    again = re.sub(rb'"Began": "... Nov 20', b'"Began": "Sat Nov 21', log)
    rows = [record.repetition for record in read(log + again) if record.metric == "latency"]
    assert sorted(set(rows)) == list(range(2 * count))


def test_tests_with_other_factors_stay_as_they_are():
    two, other = load("4.0.0-two.txt"), load("4.0.0-rep3.txt")
    assert meaning(read(two + other)) == meaning(read(two)) + meaning(read(other))


def test_a_quoted_mail_is_read():
    quoted = b"".join(b"> " + line for line in load(TEXT).splitlines(keepends=True))
    assert meaning(read(quoted)) == meaning(read(load(TEXT)))


@pytest.mark.parametrize("label", [b"[1,0]<stdout>:", b"0: "], ids=["Open MPI", "srun"])
def test_labels_of_the_launcher_do_no_harm(label):
    labelled = b"".join(label + line for line in load(TEXT).splitlines(keepends=True))
    assert meaning(read(labelled)) == meaning(read(load(TEXT)))


def test_results_without_their_banner_have_no_version():
    log = load(TEXT)
    records = read(log[log.index(b"access    bw") :])
    assert {record.tool_version for record in records} == {None}
    assert [record.value for record in records] == [record.value for record in read(log)]


def test_a_stonewall_shows_on_the_command_line_too():
    log = edit("4.0.0-stonewall.txt", (rb"\nstonewallingTime[^\n]*", b""))
    assert meaning(read(log)) == meaning(read(load("4.0.0-stonewall.txt")))


def test_the_delay_between_phases_is_no_stonewall():
    assert b" -d 1 " in load("4.0.0-delay.txt")
    assert not any("stonewalled" in record.caveats for record in read(load("4.0.0-delay.txt")))


@pytest.mark.parametrize(
    ("command", "flag", "size"),
    [
        (b"ior -t 1m -T 30", b"-t", 1 << 20),
        (b"ior -T 30", b"-t", None),
        (b"ior -t=64K", b"-t", 64 << 10),
        (b"ior -d 3 -D 60", b"-D", 60),
        (b"ior -b 2G", b"-b", 2 << 30),
    ],
)
def test_sizes_on_the_command_line(command, flag, size):
    assert command_size(command, flag) == size


@pytest.mark.parametrize(
    ("text", "size"), [(b"47008 bytes", 47008), (b"1 MiB", 1 << 20), (b"400 GiB", 400 << 30), (b"1.50 GiB", None)]
)
def test_sizes_among_the_options(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", [b"ior", b"write 1 2 3", b'{"Version": "4.0.0"}', b""])
def test_other_text_is_not_recognised(text):
    assert not recognise(text)


@pytest.mark.parametrize("name", [TEXT, JSON, "4.0.0-two.txt", "3.0.1-two.txt", "4.0.0-two.json"])
def test_a_run_that_was_pasted_twice_counts_once(name):
    once = read(load(name))
    assert meaning(read(load(name) + b"srun: job 42 has ended\n" + load(name))) == meaning(once)
