"""What an NFS client counted is read per mount and operation, and two snapshots are subtracted or refused."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools import read_file, read_log
from coldcache.tools.mountstats import difference, recognise

SPECIMENS = Path(__file__).parents[1] / "specimens"


def content(name):
    return (SPECIMENS / f"mountstats-6.1-{name}.txt").read_bytes()


def counts(records, mount, definition="operations"):
    return {
        record.operation: record.value for record in records
        if record.factors["mount"] == mount and record.definition == definition
    }  # fmt: skip


def test_operations_of_each_mount_are_counted_apart():
    records = read_file(SPECIMENS / "mountstats-6.1-after.txt")
    assert counts(records, "/mnt/a") == {
        "rpc-null": 1, "rpc-getattr": 2, "rpc-lookup": 1, "rpc-access": 1, "rpc-write": 256, "rpc-create": 1,
        "rpc-fsinfo": 2, "rpc-pathconf": 1, "rpc-commit": 1,
    }  # fmt: skip
    assert counts(records, "/mnt/with blank") == {
        "rpc-null": 1, "rpc-read": 32, "rpc-write": 32, "rpc-commit": 1, "rpc-open": 1, "rpc-open-noattr": 5,
        "rpc-close": 6, "rpc-fsinfo": 2, "rpc-access": 2, "rpc-getattr": 1, "rpc-lookup-root": 1, "rpc-pathconf": 1,
        "rpc-server-caps": 3, "rpc-exchange-id": 2, "rpc-create-session": 1, "rpc-reclaim-complete": 1,
        "rpc-secinfo-no-name": 1,
    }  # fmt: skip
    assert {(record.tool, record.tool_version) for record in records} == {("mountstats", "1.1")}


def test_every_column_but_the_bytes_is_a_record():
    log = content("after")
    found = [record for record in read_log(log) if record.operation == "rpc-write" and record.factors["vers"] == "3"]
    assert [(record.metric, record.value, record.unit, record.printed, record.definition) for record in found] == [
        ("count", 256.0, "1", "256", "operations"),
        ("count", 256.0, "1", "256", "transmissions, of which some repeat others"),
        ("elapsed", 1.015, "s", "1015 ms", "waiting to be sent, summed over the operations"),
        ("elapsed", 6.87, "s", "6870 ms", "round trips, summed over the operations"),
        ("elapsed", 8.045, "s", "8045 ms", "from the request to the end, summed over the operations"),
    ]
    assert counts(read_log(log), "/mnt/a", "operations that ended with an error") == {"rpc-lookup": 1}


def test_mount_options_are_factors():
    records = read_file(SPECIMENS / "mountstats-6.1-after.txt")
    assert records[0].factors == {
        "mount": "/mnt/a", "vers": "3", "proto": "tcp", "rsize": 65536, "wsize": 65536, "nconnect": 4,
    }  # fmt: skip
    assert records[-1].factors == {
        "mount": "/mnt/with blank", "vers": "4.2", "proto": "tcp", "rsize": 1048576, "wsize": 262144,
    }  # fmt: skip


def test_writes_between_two_snapshots_follow_from_bytes_and_wsize():
    records = difference(content("before"), content("after"))
    name = "operations, between two snapshots"
    assert counts(records, "/mnt/a", name) == {
        "rpc-lookup": 1, "rpc-access": 1, "rpc-write": 16 * 2**20 / 65536, "rpc-create": 1, "rpc-commit": 1,
        # Sent before; that none was needed is the most telling count of all.
        "rpc-getattr": 0,
    }  # fmt: skip
    written = counts(records, "/mnt/with blank", name)
    assert (written["rpc-write"], written["rpc-read"]) == (8 * 2**20 / 262144, 32)
    assert "rpc-null" not in written
    assert {record.caveats for record in records} == {("difference",)}
    log = content("after")
    for record in records:
        assert record.printed.startswith(log[record.offset : record.offset + record.length].decode())


def test_a_mount_that_came_between_counts_from_zero():
    records = difference(content("none"), content("before"))
    assert counts(records, "/mnt/a", "operations, between two snapshots") == counts(
        read_log(content("before")), "/mnt/a"
    )


def test_equal_snapshots_differ_by_zeros_of_the_operations_in_use():
    records = difference(content("after"), content("after"))
    assert {record.value for record in records} == {0.0}
    assert {record.metric for record in records} == {"count"}
    used = {record.operation for record in read_log(content("after")) if record.definition == "operations"}
    of_mounting = {"rpc-null", "rpc-fsinfo", "rpc-pathconf"}
    ends = ("-id", "session", "sequence", "-time", "-complete", "-name", "-caps", "-root")
    session = {name for name in used if name.endswith(ends)}
    assert {record.operation for record in records} == used - of_mounting - session


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("after", "remounted", "/mnt/a was remounted between the snapshots (4 s old, then 0 s)"),
        ("after", "before", "/mnt/a was remounted between the snapshots (4 s old, then"),
    ],
)
def test_counters_that_began_again_are_refused(before, after, message):
    with pytest.raises(LogError, match=re.escape(message)):
        difference(content(before), content(after))


def test_counters_that_run_backwards_are_refused():
    later = content("after").replace(b"WRITE: 256 256", b"WRITE: 255 256")
    with pytest.raises(LogError, match="/mnt/a: WRITE counted backwards: the snapshots are not of one mount, in order"):
        difference(content("after"), later)


@pytest.mark.parametrize("place", ["first", "second"])
def test_a_difference_is_of_single_snapshots(place):
    before, after = content("before"), content("after")
    pair = (before * 2, after) if place == "first" else (before, after * 2)
    with pytest.raises(LogError, match=f"/mnt/a appears twice in the {place} snapshot: give one snapshot at a time"):
        difference(*pair)


def test_snapshots_in_one_file_are_told_apart():
    records = read_log(content("before") + content("after"))
    writes = [(found.repetition, found.value) for found in records if found.operation == "rpc-write"]
    assert (1, 256.0) in writes
    assert {record.repetition for record in records} == {0, 1}


def test_statistics_before_linux_5_3_have_no_errors():
    log = re.sub(rb"(?m)^(\s+[A-Z_]+:(?: \d+){8}) \d+$", rb"\1", content("after")).replace(
        b"RPC iostats version: 1.1", b"RPC iostats version: 1.0"
    )
    assert counts(read_log(log), "/mnt/a") == counts(read_log(content("after")), "/mnt/a")
    assert counts(read_log(log), "/mnt/a", "operations that ended with an error") == {}


@pytest.mark.parametrize("name", ["before", "after", "remounted"])
def test_every_record_points_to_its_number(name):
    log = content(name)
    for record in read_log(log):
        assert record.printed.startswith(log[record.offset : record.offset + record.length].decode())


@pytest.mark.parametrize("name", ["before", "after"])
def test_a_snapshot_cut_at_any_line_gives_whole_mounts_or_nothing(name):
    log = content(name)
    whole = [record[:8] for record in read_log(log)]
    first = [record[:8] for record in read_log(log) if record.factors["mount"] == "/mnt/a"]
    refused = 0
    for end in re.finditer(rb"\n", log):
        try:
            assert [record[:8] for record in read_log(log[: end.end()])] in (whole, first)
        except LogError:
            refused += 1
    assert refused > 50


def test_a_snapshot_cut_inside_its_last_number_is_refused():
    log = content("after")
    last = re.search(rb"\t +COMMIT: [0-9 ]+\n", log)
    assert read_log(log[: last.end()])
    for cut in (log[: last.end() - 1], log[: last.end() - 1] + b"2"):
        with pytest.raises(LogError, match="line 45: a line of an operation has no end: the log is cut short"):
            read_log(cut)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"version: 1.1", b"version: 2.0", "line 11: /mnt/a: iostats version '2.0' is not known: 1.0 and 1.1 are read"),
        (b"WRITE: 256 256 0", b"WRITE: 256 2x6 0", "line 31: a line of an operation is broken: 'WRITE: 256 2x6 0"),
        (b"WRITE: 256 256 0", b"WRITE: 256 0", "line 31: a line of an operation is broken: 'WRITE: 256 0"),
        (b"\tage:\t4", b"\tage:\t", "line 11: /mnt/a: the statistics of this mount are not all there: the log is cut"),
        (b"\tage:\t4", b"\tage:\t" + b"9" * 5000, "line 11: /mnt/a: the statistics of this mount are not all there"),
        (b"\tper-op statistics", b"\tper-op", "line 11: /mnt/a: the statistics of this mount are not all there"),
    ],
)
def test_damage_is_refused_by_name(old, new, message):
    log = content("after")
    assert old in log
    with pytest.raises(LogError, match=re.escape(message)):
        read_log(log.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "mount"),
    [
        (rb"with\040blank", rb"with\777blank", "/mnt/with\\777blank"),
        (b"wsize=262144", "wsize=\u00b2".encode(), "/mnt/with blank"),
        (b"wsize=262144", b"wsize=" + b"9" * 5000, "/mnt/with blank"),
    ],
)
def test_an_option_or_escape_that_is_none_is_no_factor(old, new, mount):
    log = content("after")
    assert old in log
    found = [record.factors for record in read_log(log.replace(old, new)) if record.factors["mount"] == mount]
    assert found and ("wsize" in found[0]) == (b"wsize" not in new)


def test_snapshots_without_mounts_differ_by_nothing():
    assert difference(b"", b"") == []


def test_a_machine_without_nfs_is_told():
    with pytest.raises(LogError, match="no NFS mount is there, or none has sent anything"):
        read_log(content("none"))


def test_a_table_of_mounts_is_no_mountstats():
    assert not recognise(b"127.0.0.1:/ /mnt nfs4 rw,relatime,vers=4.2 0 0\n")
