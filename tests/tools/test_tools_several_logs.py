"""A file with the logs of several tools gives the values of all of them, or is refused by name; none is passed over."""

from collections import Counter

import pytest

from coldcache.core.errors import LogError
from coldcache.tools import find_readers, read_log

#: A log of each form of each reader.
FORMS = [
    "fio-3.33-jobs.json", "fio-3.33-normal.txt", "fio-3.33-terse.txt", "fio-3.33-window_bw.1.log",
    "iozone-3.489-all-t2.log", "iozone-3.489-auto-a.log", "ior-4.0.0-rep3.txt", "ior-4.0.0.json", "ior-4.0.0.csv",
    "mdtest-400-dellF.txt", "mdtest-193-dellF.txt", "rhel_iotest-iotest.sh.txt", "rhel_iotest-k8s-0.1.00-en_US.log",
    "rhel_iotest-viya-4.0.0.log", "io500-02091cf-stdout.txt", "io500-02091cf-extended-result.txt",
    "elbencho-3.0-37.csv", "elbencho-3.0-37.json", "mountstats-6.1-after.txt", "cloudwatch-data.json",
    "cloudwatch-statistics-write.json", "nfs-guest-6.1-write.txt",
]  # fmt: skip


@pytest.fixture(scope="module")
def logs(root):
    return {name: (root / "tests/specimens" / name).read_bytes() for name in FORMS}


def values(records):
    """Return what records state, without their places and repetitions."""
    return Counter((one.tool, one.operation, one.metric, one.statistic, one.value) for one in records)


@pytest.mark.parametrize("first", FORMS)
def test_no_log_is_passed_over_because_of_another(logs, first):
    own, refused = values(read_log(logs[first], first)), []
    for second in (name for name in FORMS if name != first):
        log = logs[first] + b"\nsrun: job 42 has ended\n" + logs[second]
        try:
            found = read_log(log, first)
        except LogError:
            refused.append(second)
            continue
        assert values(found) == own + values(read_log(logs[second], second)), second
        assert [one.offset for one in found] == sorted(one.offset for one in found)
        for one in found:
            assert one.printed.startswith(log[one.offset : one.offset + one.length].decode())
    # A series of fio and a snapshot of mountstats end where their file ends.
    if not first.startswith(("fio-3.33-window", "mountstats")):
        assert len(refused) <= 6, refused


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["ior-4.0.0-rep3.txt", "mdtest-400-dellF.txt"],
         {("ior", "write", "throughput", "max"): 2078560747.52, ("mdtest", "file-create", "rate", "max"): 6881.746}),
        (["iozone-3.489-all-t2.log", "fio-3.33-normal.txt"],
         {("iozone", "write", "throughput", "value"): 3288668160.0,
          ("fio", "write", "throughput", "value"): 419430400.0}),
        (["ior-4.0.0-rep3.txt", "iozone-3.489-all-t2.log"],
         {("ior", "read", "throughput", "max"): 12013440860.16,
          ("iozone", "read", "throughput", "value"): 12542117376.0}),
        (["fio-3.33-jobs.json", "ior-4.0.0-rep3.txt"],
         {("fio", "write", "throughput", "value"): 1198372571.0,
          ("ior", "write", "throughput", "max"): 2078560747.52}),
    ],
    ids=lambda value: " + ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
@pytest.mark.parametrize("is_turned", [False, True])
def test_each_tool_of_a_file_is_read(logs, names, expected, is_turned):
    log = b"".join(logs[name] for name in (names[::-1] if is_turned else names))
    found = {}
    for one in read_log(log):
        found.setdefault((one.tool, one.operation, one.metric, one.statistic), one.value)
    assert {key: found[key] for key in expected} == expected
    assert {reader.TOOL for reader in find_readers(log)} == {key[0] for key in expected}
    for key in expected:
        assert {one.tool for one in read_log(log, tool=key[0])} == {key[0]}


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (["ior-4.0.0-rep3.txt", "ior-4.0.0.csv"], "holds CSV and text of IOR: put each into a file of its own"),
        (["ior-4.0.0.json", "ior-4.0.0.csv"], "holds JSON and CSV of IOR: put each into a file of its own"),
        (["ior-4.0.0-rep3.txt", "ior-4.0.0.json"], "holds JSON and text of IOR: put each into a file of its own"),
        (["elbencho-3.0-37.json", "elbencho-3.0-37.csv"],
         "holds elbencho's CSV and its JSON: put each into a file of its own"),
        (["io500-02091cf-stdout.txt", "io500-02091cf-extended-result.txt"],
         "holds result.txt and the summary of a run: put each into a file of its own"),
        (["rhel_iotest-viya-4.0.0.log", "rhel_iotest-iotest.sh.txt"],
         "holds logs of viya_perf_tool.sh and of another script: put each into a file of its own"),
        (["nfs-guest-6.1-write.txt", "fio-3.33-jobs.json"],
         "holds a guest's log and another one: put each into a file of its own"),
        (["fio-3.33-jobs.json", "fio-3.33-normal.txt"],
         "holds JSON, and the text of another job, 'plain': put each into a file of its own"),
        (["fio-3.33-jobs.json", "fio-3.33-terse.txt"],
         "holds JSON, and a terse line of another job, 'plain': put each into a file of its own"),
        (["fio-3.33-terse.txt", "fio-3.33-normal.txt"],
         "holds terse lines, and the text of another run of job, 'plain': put each into a file of its own"),
    ],
    ids=lambda value: " + ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_forms_that_cannot_be_told_apart_are_refused_by_name(logs, names, line):
    # What comes before a guest's sections is read with them.
    for order in (names, names[::-1]) if "nfs-guest-6.1-write.txt" not in names else (names,):
        log = b"\n".join(logs[name] for name in order)
        with pytest.raises(LogError) as refused:
            read_log(log)
        assert str(refused.value) == line


def test_a_refused_log_names_the_tool_of_several(logs, root):
    killed = (root / "tests/specimens/mdtest-400-ENOSPC.txt").read_bytes()
    with pytest.raises(LogError) as refused:
        read_log(logs["ior-4.0.0-rep3.txt"] + killed)
    assert str(refused.value).startswith("holds logs of several tools, and that of mdtest is refused: ")
    assert len(read_log(logs["ior-4.0.0-rep3.txt"] + killed, tool="ior")) == len(read_log(logs["ior-4.0.0-rep3.txt"]))
