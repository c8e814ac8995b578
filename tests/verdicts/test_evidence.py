"""An operation reached the storage, or memory: what crossed lies between both bounds of what the tool moved, or not."""

import pytest
from observed import MIB, observe, record

from coldcache.verdicts.evidence import direction_of, find_evidence
from coldcache.verdicts.judge import judge
from coldcache.verdicts.thresholds import Thresholds


def counted(read=0, written=0, **more):
    """Return counters that grew by these bytes, and by further counts."""
    after = {"read_bytes": read, "written_bytes": written, **more}
    return {"before": dict.fromkeys(after, 0), "after": after}


def over(counters, crossing="wire", of="nfs"):
    return {**counters, "crossing": crossing, "of": of}


def names(operation, count, **fields):
    """Return a trial that handled so many names."""
    return observe(operation, [record("rate", 1.0, operation), record("count", count, operation)], **fields)


@pytest.mark.parametrize(
    ("operation", "crossed", "reached", "why"),
    [
        ("write", counted(written=1000 * MIB), "storage", "1000 MiB of 1000 MiB crossed the device"),
        ("write", counted(written=1020 * MIB), "storage", "1020 MiB for 1000 MiB crossed the device"),
        ("write", counted(written=900 * MIB), "storage", "900 MiB of 1000 MiB crossed the device"),
        ("write", counted(written=899 * MIB), "unknown", "899 MiB of 1000 MiB crossed the device"),
        ("write", counted(written=101 * MIB), "unknown", "101 MiB of 1000 MiB crossed the device"),
        ("write", counted(read=1000 * MIB, written=99 * MIB), "memory", "99 MiB of 1000 MiB crossed the device"),
        ("random-write", counted(read=1000 * MIB), "memory", "0 B of 1000 MiB crossed the device"),
        ("random-read", counted(read=1000 * MIB), "storage", "1000 MiB of 1000 MiB crossed the device"),
        ("read", counted(written=1000 * MIB), "memory", "0 B of 1000 MiB crossed the device"),
    ],
)
def test_the_bytes_of_an_operation_cross_in_its_own_direction(operation, crossed, reached, why):
    found = find_evidence(observe(operation, counters=crossed), operation)
    assert (found.reached, found.why, found.moved_bytes) == (reached, why, 1000 * MIB)


@pytest.mark.parametrize("operation", ["read", "write"])
def test_much_more_than_was_moved_proves_nothing(operation):
    side = "read" if operation == "read" else "written"
    most = find_evidence(observe(operation, counters=counted(**{side: 1108 * MIB})), operation)
    more = find_evidence(observe(operation, counters=counted(**{side: 1109 * MIB})), operation)
    assert (most.reached, more.reached) == ("storage", "unknown")
    assert more.why == "1.1 GiB for 1000 MiB crossed the device, more than the tool moved, which proves nothing"
    assert judge(observe("read", counters=counted(read=1109 * MIB))).cold == "unproved"


def test_a_test_that_was_ended_for_some_processes_moved_between_two_bounds():
    rows = [record("throughput_per_process", 1.0, statistic="min")._replace(factors={"moved": (400 * MIB, 1000 * MIB)})]
    for crossed, reached in ((39, "memory"), (40, "unknown"), (899, "unknown"), (900, "storage")):
        trial = observe(records=[record(), *rows], counters=counted(read=crossed * MIB))
        assert find_evidence(trial, "read").reached == reached, crossed
    # Nobody knows whether 500 MiB are all that it read, so they are no mixture either.
    assert judge(observe(records=[record(), *rows], counters=counted(read=500 * MIB))).cold == "unproved"


@pytest.mark.parametrize(
    ("operation", "crossed", "reached"),
    [
        ("file-stat", counted(read=0), "memory"),
        ("file-stat", counted(read=25_599), "memory"),
        ("file-stat", counted(read=25_600), "unknown"),
        ("file-stat", counted(read=230_400), "storage"),
        ("directory-stat", counted(written=10**9), "memory"),
        ("file-create", counted(written=25_599), "memory"),
        # The inodes of files that were made before may be written back meanwhile.
        ("file-remove", counted(written=256_000), "unknown"),
        ("file-remove", counted(written=3_686_400), "storage"),
        ("directory-create", counted(written=10**9), "unknown"),
        ("file-read", counted(read=0), "memory"),
    ],
)
def test_a_name_makes_an_inode_or_a_block_of_the_journal_cross(operation, crossed, reached):
    found = find_evidence(names(operation, 1000, counters=crossed), operation)
    assert (found.reached, found.names, found.moved_bytes) == (reached, 1000, None)


def test_names_that_were_looked_up_say_what_crossed_and_what_was_in_memory():
    cold = {"method": "drop-caches", "bytes": 0, "resident_bytes": 0, "names": "dropped"}
    trial = names("file-stat", 1000, counters=counted(read=230_400), cold=cold)
    assert find_evidence(trial, "file-stat").why == (
        "225 KiB for 1,000 names crossed the device; dentries and inodes were dropped before"
    )


def test_the_names_come_from_the_log_or_else_from_the_plan():
    trial = observe("file-create", [record("rate", 5.0, "file-create")], factors={"threads": 2, "files": 30},
                    counters=counted(written=0))  # fmt: skip
    assert find_evidence(trial, "file-create").why == "0 B for 60 names crossed the device"
    trial = observe("file-create", [record("rate", 5.0, "file-create")], factors={"threads": 2})
    assert find_evidence(trial, "file-create").why == "the log does not state how many names were handled"


@pytest.mark.parametrize(
    ("calls", "reached"), [(99, "memory"), (100, "unknown"), (900, "storage"), (10_000, "storage")]
)
def test_names_of_a_server_are_proved_by_calls_and_not_by_bytes(calls, reached):
    found = find_evidence(names("file-stat", 1000, counters=over(counted(calls=calls))), "file-stat")
    assert (found.reached, found.requests) == (reached, calls)
    assert found.why.startswith(f"{calls:,} calls for 1,000 names reached the server")
    unknown = find_evidence(names("file-stat", 1000, counters=over(counted())), "file-stat")
    assert (unknown.reached, unknown.why) == ("unknown", "the calls to the server were not counted")


def test_names_of_a_model_are_proved_by_the_requests_of_its_metadata_servers():
    counters = {**counted(**{"mds0.requests": 600, "mds1.requests": 500}), "of": "model"}
    found = find_evidence(names("file-create", 1000, counters=counters), "file-create")
    assert (found.reached, found.requests) == ("storage", 1100)
    assert found.why == "1,100 calls for 1,000 names reached the server"


def test_operations_of_one_trial_share_what_crossed_and_each_is_bounded_by_the_other():
    def trial(read, written):
        rows = [record(operation=name) for name in ("random-write", "random-read")]
        rows += [record("elapsed", 10.0, name) for name in ("random-write", "random-read")]
        return observe(operations=["random-write", "random-read"], records=rows, counters=counted(read, written))

    found = judge(trial(1000 * MIB, 0))
    assert (found.reached_by("random-read"), found.reached_by("random-write")) == ("storage", "memory")
    both = [record(operation=name) for name in ("write", "rewrite")]
    both += [record("elapsed", 10.0, name) for name in ("write", "rewrite")]
    for crossed, reached in ((2000, "storage"), (1999, "unknown"), (99, "memory"), (0, "memory")):
        found = judge(observe("write", both, counters=counted(written=crossed * MIB)))
        assert (found.reached_by("write"), found.reached_by("rewrite")) == (reached, reached), crossed


def test_requests_flushes_and_discards_stand_beside_the_bytes():
    counters = counted(written=1000 * MIB, writes=8, reads=3, flushes=2, discarded_bytes=4096)
    found = find_evidence(observe("write", counters=counters), "write")
    assert (found.crossed_bytes, found.requests, found.flushes, found.discarded_bytes) == (1000 * MIB, 8, 2, 4096)
    assert find_evidence(observe("write"), "write").flushes is None
    counters = counted(read=1000 * MIB, writes=8, reads=3)
    assert find_evidence(observe("read", counters=counters), "read").requests == 3


def test_what_is_not_counted_is_unknown_and_says_why():
    assert find_evidence(observe("write", counters=None, uncounted="no counter"), "write").why == "no counter"
    assert (
        find_evidence(observe("write", records=[]), "write").why == "the log does not state how many bytes were written"
    )
    assert find_evidence(observe(records=[]), "read").why == "the log does not state how many bytes were read"
    on_two = observe("write", factors={"nodes": 2}, counters=over(counted(written=1000 * MIB)))
    assert find_evidence(on_two, "write").why == "the bytes were counted on one of 2 nodes"
    in_memory = find_evidence(observe("write", target={"filesystem": "tmpfs"}), "write")
    assert (in_memory.reached, in_memory.crossed_bytes) == ("memory", 1000 * MIB)
    assert (
        find_evidence(observe("random-mix", records=[record(operation="random-mix")]), "random-mix").reached
        == "unknown"
    )


@pytest.mark.parametrize(
    ("of", "crossing", "guest", "reached", "crossed"),
    [
        ("device", "device", None, "unknown", None),
        ("network", "wire", None, "unknown", None),
        ("model", "device", None, "storage", 1000 * MIB),
        ("nfs", "wire", {"kind": "user-mode-linux", "kernel": "6.1"}, "storage", 1000 * MIB),
    ],
)
def test_the_counters_of_one_of_several_nodes_prove_nothing_whatever_they_count(of, crossing, guest, reached, crossed):
    counters = over(counted(read=1000 * MIB), crossing, of)
    found = find_evidence(observe("read", factors={"nodes": 4}, counters=counters, guest=guest), "read")
    assert (found.reached, found.crossed_bytes) == (reached, crossed)
    assert (found.why == "the bytes were counted on one of 4 nodes") == (reached == "unknown")


@pytest.mark.parametrize(
    ("operation", "name", "of"),
    [
        ("read", "read_bytes", "device"), ("read", "written_bytes", "device"), ("read", "calls", "nfs"),
        ("write", "read_bytes", "network"), ("file-stat", "mds0.requests", "model"),
    ],
)  # fmt: skip
def test_counters_that_went_backwards_prove_nothing(operation, name, of):
    counters = counted(read=1000 * MIB, written=1000 * MIB, flushes=3, **{"mds0.requests": 1000})
    counters["before"][name], counters["after"][name] = 2**34, 0
    rows = [record("rate", 1.0, operation), record("count", 1000, operation)] if "stat" in operation else None
    trial = observe(operation, rows, counters={**counters, "of": of})
    found = find_evidence(trial, operation)
    assert (found.reached, found.why) == (
        "unknown", f"the counters were reset meanwhile: {name} went backwards",
    )  # fmt: skip
    assert found[4:8] == (None,) * 4
    if operation == "read":
        assert judge(trial).cold == "unproved"


def test_a_metadata_server_of_a_model_that_began_anew_takes_no_bytes_away():
    counters = counted(read=1000 * MIB, **{"mds0.requests": 0})
    counters["before"]["mds0.requests"] = 7
    assert find_evidence(observe("read", counters={**counters, "of": "model"}), "read").reached == "storage"


@pytest.mark.parametrize(
    ("dio", "operation", "flushes", "reached"),
    [
        (False, "read", 0, "unknown"),
        (True, "read", 0, "storage"),
        (False, "write", 0, "unknown"),
        (False, "write", 1, "storage"),
    ],
)
def test_a_loop_device_without_direct_io_is_a_file_in_memory(dio, operation, flushes, reached):
    target = {"filesystem": "ext4", "layers": {"loop": {"name": "loop7", "direct_io": dio}}}
    counters = counted(1000 * MIB, 1000 * MIB, flushes=flushes)
    found = find_evidence(observe(operation, target=target, counters=counters, thresholds=Thresholds()), operation)
    assert found.reached == reached
    hidden = "but loop7 is a loop device without direct I/O, which reads and writes a file in memory"
    assert (hidden in found.why) == (reached == "unknown")
    if operation == "read":
        assert judge(observe("read", target=target, counters=counters)).cold == ("cold" if dio else "unproved")


def test_cold_says_where():
    guest = observe(system={"cores": 2, "kernel": "6.1", "hypervisor": True})
    assert judge(guest).colds[0].why.endswith("device of this guest; how much its host held in memory is unknown")
    assert judge(observe()).colds[0].why.endswith("device")


def test_directions():
    names = ("reread", "pwrite", "file-read", "directory-rename", "random-mix")
    assert [direction_of(name) for name in names] == ["read", "written", "read", "written", None]


def held(operation="read", below=None, resident=0, direct=False, **target):
    """Return a trial of which so many of 1000 B of its files were in memory before."""
    moved = {"read": 1000 * MIB} if operation == "read" else {"written": 1000 * MIB}
    cold = {"method": "drop_caches", "bytes": 1000, "resident_bytes": resident}
    cold |= {} if below is None else {"below_bytes": below}
    factors = {"threads": 1, "direct_io": direct}
    return find_evidence(observe(operation, counters=counted(**moved), cold=cold, factors=factors, **target), operation)


def test_a_read_of_files_that_were_in_memory_reached_it_by_a_tenth_at_most():
    assert (held(resident=99).reached, held(resident=101).reached) == ("storage", "unknown")
    assert "101 B of 1000 B were in memory before" in held(resident=101).why
    assert held(resident=900, direct=True).reached == "storage"
    assert held("write", resident=900).reached == "storage"


def test_a_file_behind_the_device_that_was_not_in_memory_hides_nothing():
    cached = {"filesystem": "ext4", "layers": {"loop": {"name": "loop3", "direct_io": False}}}
    assert (held(below=99, target=cached).reached, held(below=101, target=cached).reached) == ("storage", "unknown")
    assert held(target=cached).reached == "unknown"
