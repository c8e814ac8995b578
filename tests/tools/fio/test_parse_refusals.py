"""Damaged, failed and unfinished logs of fio: what is refused, and by which words."""

import json
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.fio.parse import read

SPECIMENS = Path(__file__).parents[2] / "specimens"


def load(name):
    return SPECIMENS.joinpath(f"fio-{name}").read_bytes()


def refusal(log):
    with pytest.raises(LogError) as caught:
        read(log)
    return str(caught.value)


def edit(name, *changes):
    """Return a specimen with the first place of each text changed."""
    log = load(name)
    for old, new in changes:
        assert old.encode() in log
        log = log.replace(old.encode(), new.encode(), 1)
    return log


def split_documents(log):
    """Return a log cut behind each of its documents."""
    text, end, parts = log.decode(), 0, []
    while (start := text.find("{\n", end)) >= 0:
        _, end = json.JSONDecoder().raw_decode(text, start)
        parts.append(log[: end + 1])
    return parts


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("3.33-ENOSPC.json", "fio: pid=16607, err=28/file:io_u.c:1876, func=io_u error, error=No space left on device"),
        ("3.33-sigterm.json", "fio: terminating on signal 15"),
        ("3.33-sigint.json", "fio: terminating on signal 2"),
        ("3.33-killed-child.json", "fio: pid=29813, got signal=9"),
        ("3.33-missing.json", "fio: pid=662, err=2/file:filesetup.c:805,"
                              " func=open(/mnt/target//mnt/target/no/such/file), error=No such file or directory"),
        ("3.33-verify-bad.json", "fio: pid=3759, err=84/file:io_u.c:2152, func=io_u_sync_complete,"
                                 " error=Invalid or incomplete multibyte or wide character"),
        ("3.33-rate-min.json", "slow: rate_min=52428800B/s not met, got 406349B/s"),
    ],
)  # fmt: skip
def test_what_fio_says_of_a_failure_is_the_cause(name, cause):
    assert refusal(load(name)) == f"fio says {cause!r}: the run failed or was cut short"


def test_what_a_client_says_of_a_failure_is_the_cause():
    log = b"<vm> fio: io_u error on file /mnt/target/x: No space left on device: write offset=0\n" + load(
        "3.33-client.json"
    )
    assert refusal(log) == (
        "fio says 'fio: io_u error on file /mnt/target/x: No space left on device: write offset=0':"
        " the run failed or was cut short"
    )


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (load("3.33-verify-went-on.json"),
         "line 10: job 'v' ended with error 84 (Invalid or incomplete multibyte or wide character):"
         " its figures are void"),
        (edit("3.33-verify-went-on.json", ('"error" : 84', '"error" : 0')),
         "line 10: job 'v' went on over 1 errors: its figures are void"),
        (edit("3.33-group.json", ('"error" : 0', '"error" : 12345')),
         "line 10: job 'grp' ended with error 12345: its figures are void"),
        (edit("3.33-group.json", ('"eta" : 2147483647', '"eta" : 12')),
         "line 10: job 'grp' had 12 s to go: this is a status (--status-interval) and the result is missing"),
        (load("3.33-cpu-only.json"), "fio's jobs moved nothing"),
        (edit("3.33-seq-write.json", ('"rw" : "write"', '"rw" : "read"')), "line 10: job 'seq' did no read: it failed"),
        (edit("3.33-missing.json", ("fio: pid=662", "pid=662"), ('"error" : 2', '"error" : 0')),
         "line 12: job 'absent' did no read: it failed"),
        (edit("2.1-again-1.json", ('"io_bytes" : 1024', '"io_bytes" : 0'), ('"bw" : 1024000', '"bw" : 0'),
              ('"iops" : 16000', '"iops" : 0')),
         "line 4: job 'again' did no I/O: it failed"),
        (edit("3.33-json-plus.json", ('"numjobs" : "2"', '"numjobs" : "3"'), ('"numjobs" : "2"', '"numjobs" : "3"')),
         "2 of 3 processes of job 'rnd' are there: the log is cut"),
        (load("3.33-two-globals.json"),
         "line 12: the clients' global options contradict each other (fio before 3.39 joins them), so it is unknown"
         " what each of them ran"),
    ],
    ids=["error", "total_err", "unknown error", "eta", "idle engine", "other side", "error hidden", "no I/O",
         "process missing", "global options"],
)  # fmt: skip
def test_jobs_that_failed(log, cause):
    assert refusal(log) == cause


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (load("3.33-group.json")[:-20], "line 1: the JSON that starts here is cut short or broken"),
        (b"\n\n" + load("3.33-group.json")[:3000], "line 3: the JSON that starts here is cut short or broken"),
        (edit("3.33-group.json", ('"fio-3.33"', '"fio-4.0"')),
         "fio version 'fio-4.0' is not known: 2.1 to 3.x are read"),
        (edit("3.33-group.json", ('"fio-3.33"', '"fio-1.59"')),
         "fio version 'fio-1.59' is not known: 2.1 to 3.x are read"),
        (edit("3.33-group.json", ('"jobs" :', '"jobz" :')), "line 1: the result holds no jobs"),
        (edit("3.33-group.json", ('"jobname"', '"jobnam"')), "line 10: a job without a name"),
        (edit("3.33-seq-write.json", ('"iops" : 1391.304348', '"iops" : 1391[  12.345678] nvme0: timeout\n.304348')),
         "line 1: the JSON that starts here is cut short or broken"),
        (edit("3.33-seq-write.json", ('"20.000000" : ', '"20.000000" ')),
         "line 1: the JSON that starts here is cut short or broken"),
    ],
    ids=["cut at its end", "cut in the middle", "too new", "too old", "no jobs", "no name", "message in a number",
         "torn line"],
)  # fmt: skip
def test_documents_that_are_broken(log, cause):
    assert refusal(log) == cause


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (('"iops" : 1391.304348', '"iops" : -nan'), "line 71: job 'seq', write: 'null' is no figure"),
        (('"iops" : 1391.304348', '"iops" : -1391.304348'), "line 71: job 'seq', write: '-1391.304348' is no figure"),
        (('"iops" : 1391.304348', '"iops" : "1391"'), "line 71: job 'seq', write: '\"1391\"' is no figure"),
        (('"runtime" : 46', '"run" : 46'), "line 66: job 'seq', write: runtime is missing"),
        (('"bw_bytes" : 1458888347', '"bw_bytes" : 0'),
         "line 66: job 'seq', write: a rate is zero although something was moved: the job failed or was too short"),
        (('"bw_bytes" : 1458888347', '"bw_bytes" : 1458898347'),
         "line 66: job 'seq', write: bandwidth, runtime and io_bytes contradict each other: a digit is lost"),
        (('"bw_bytes" : 1458888347', '"bw_bytes" : 1458888297'),
         "line 66: job 'seq', write: bandwidth, runtime and io_bytes contradict each other: a digit is lost"),
        (('"iops" : 1391.304348', '"iops" : 1391.304448'),
         "line 66: job 'seq', write: iops, runtime and total_ios contradict each other: a digit is lost"),
        (('"total_ios" : 64', '"total_ios" : 46'),
         "line 66: job 'seq', write: iops, runtime and total_ios contradict each other: a digit is lost"),
        (('"runtime" : 46,', '"runtime" : 46,\n        "runtime" : 64,'),
         "line 66: job 'seq' gives two values for one figure"),
        (('"30.000000" : ', '"max" : '),
         "line 66: job 'seq', write: clat_ns gives two values for one statistic: lines are mixed up"),
        (('"percentile" : {', '"jobname" : "seq",\n          "percentile" : {'),
         "line 66: job 'seq', write: it holds parts of another job: lines are mixed up"),
        (('"write" : {', '"write" : {\n        "groupid" : 0,'),
         "line 66: job 'seq', write: it holds parts of another job: lines are mixed up"),
        (('"20.000000" : ', '".000" : '),
         "line 66: job 'seq', write: clat_ns has a percentile without a number: a line is broken"),
        (('"percentile" : {', '"percentile" : { "99.000000" : 1,'),
         "line 89: job 'seq' gives two values for one figure"),
    ],
)  # fmt: skip
def test_figures_that_are_missing_or_contradict_each_other(change, cause):
    assert refusal(edit("3.33-seq-write.json", change)) == cause


def test_an_entry_that_stands_twice():
    log = load("3.33-jobs.json")
    start, end = log.index(b'    {\n      "jobname" : "check"'), log.rindex(b'    {\n      "jobname" : "check"')
    assert refusal(log[:end] + log[start:]) == (
        "line 520: job 'check' states the same latencies as a job before it: lines appear twice"
    )


def test_an_entry_without_latencies_that_stands_twice():
    log = load("3.33-bare.json")
    start, end = log.index(b'    {\n      "jobname"'), log.rindex(b'    {\n      "jobname"')
    assert refusal(log[:end] + log[start:end] + log[end:]) == (
        "line 239: job 'bare' states what a job before it states, to the last figure: lines appear twice"
    )


@pytest.mark.parametrize("version", ["2.16", "3.33", "3.42"])
def test_the_state_of_a_run_is_not_its_result(version):
    log = load(f"{version}-status.json")
    *states, whole = split_documents(log)
    assert len(states) >= 2 and whole.rstrip() == log.rstrip()
    for state in states:
        line = state.count(b"\n", 0, state.rindex(b'"jobname"'))
        assert refusal(state) == (
            f"line {line}: job 'status' had reached neither its size nor its runtime:"
            " this is a status (--status-interval) and the result is missing"
        )


def test_results_of_the_same_jobs_without_a_time():
    log = load("2.1-again-1.json") + load("2.1-again-2.json")
    assert refusal(log) == "line 217: a second result of the same jobs without a time: a status or a repetition?"
