"""Where the bytes of a read came from, at each edge of what is counted."""

import pytest
from observed import MIB, observe

from coldcache.verdicts.cold_proof import READS, judge_cold
from coldcache.verdicts.thresholds import Thresholds


def crossing_of(share, **more):
    counters = {"before": {"read_bytes": 10}, "after": {"read_bytes": 10 + round(share * 1000) * MIB}, **more}
    return {"counters": counters}


@pytest.mark.parametrize("operation", ["write", "random-write", "file-stat"])
def test_what_reads_nothing_is_not_asked(operation):
    assert judge_cold(observe(operation)).verdict == "not applicable"
    assert READS == ("read", "random-read")
    assert judge_cold(observe(operations=[])).verdict == "not applicable"


@pytest.mark.parametrize("operation", READS)
@pytest.mark.parametrize(
    ("share", "verdict"),
    [(1.0, "cold"), (0.9, "cold"), (0.899, "mixed"), (0.101, "mixed"), (0.099, "warm"), (0, "warm")],
)
def test_the_share_that_crossed_the_device_decides(operation, share, verdict):
    found = judge_cold(observe(operation, **crossing_of(share)))
    assert found.verdict == verdict
    assert (found.moved_bytes, found.crossed_bytes) == (1000 * MIB, round(share * 1000) * MIB)
    if share == 1:
        assert found.why == "1000 MiB of 1000 MiB crossed the device"
    assert found.method == "drop_caches"
    assert (found.file_bytes, found.resident_bytes) == (1000 * MIB, 0)


def test_the_site_says_which_share_is_cold():
    quarter = Thresholds(cold_share=0.75)
    assert judge_cold(observe(thresholds=quarter, **crossing_of(0.25))).verdict == "warm"
    assert judge_cold(observe(thresholds=quarter, **crossing_of(0.26))).verdict == "mixed"
    assert judge_cold(observe(thresholds=quarter, **crossing_of(0.75))).verdict == "cold"
    half_in_memory = {"method": "x", "bytes": 1000 * MIB, "resident_bytes": 250 * MIB}
    assert judge_cold(observe(thresholds=quarter, cold=half_in_memory)).verdict == "cold"
    assert judge_cold(observe(thresholds=Thresholds(cold_share=0.6), **crossing_of(0.5))).verdict == "mixed"


@pytest.mark.parametrize(
    ("resident", "factors", "verdict"),
    [
        (99, {"threads": 1}, "cold"), (101, {"threads": 1}, "unproved"), (101, {"direct_io": True}, "cold"),
        (101, {"direct_io": False}, "unproved"), (0, {"threads": 1}, "cold"),
    ],
)  # fmt: skip
def test_files_that_were_in_memory_before_prove_nothing(resident, factors, verdict):
    cold = {"method": "drop_caches", "bytes": 1000 * MIB, "resident_bytes": resident * MIB}
    found = judge_cold(observe(cold=cold, factors=factors))
    assert found.verdict == verdict
    if verdict == "unproved":
        assert found.why == ("1000 MiB of 1000 MiB crossed the device, but 101 MiB of 1000 MiB were in memory before")


def test_a_trial_without_a_method_is_judged_by_what_crossed():
    assert judge_cold(observe(cold=None)).verdict == "cold"
    assert judge_cold(observe(cold=None)).method == ""
    assert judge_cold(observe(cold={"method": "x", "bytes": None, "resident_bytes": 5})).verdict == "cold"


@pytest.mark.parametrize("filesystem", ["tmpfs", "ramfs", "hugetlbfs", "devtmpfs"])
def test_a_file_system_in_memory_is_never_cold(filesystem):
    found = judge_cold(observe(target={"filesystem": filesystem}))
    assert (found.verdict, found.why) == ("warm", f"{filesystem} is in memory, where nothing can be cold")
    assert judge_cold(observe(target={"filesystem": filesystem}, records=[])).verdict == "unproved"
    assert judge_cold(observe(target=None)).verdict == "cold"


def test_what_is_not_counted_is_unproved_and_says_why():
    found = judge_cold(observe(counters=None))
    assert (found.verdict, found.why) == ("unproved", "nothing counts the bytes that cross the device")
    assert judge_cold(observe(counters=None, uncounted="several devices")).why == "several devices"
    found = judge_cold(observe(records=[]))
    assert (found.verdict, found.why) == ("unproved", "the log does not state how many bytes were read")


def test_the_wire_proves_that_bytes_left_the_server_of_one_node():
    found = judge_cold(observe(**crossing_of(1, crossing="wire")))
    assert (found.verdict, found.why) == (
        "cold", "1000 MiB of 1000 MiB crossed the wire; how much the server held in memory is unknown",
    )  # fmt: skip
    for crossing in ("wire", "device"):
        found = judge_cold(observe(factors={"nodes": 2}, **crossing_of(1, crossing=crossing)))
        assert (found.verdict, found.why) == ("unproved", "the bytes were counted on one of 2 nodes")
    assert judge_cold(observe(factors={"nodes": 1}, **crossing_of(1, crossing="wire"))).verdict == "cold"
