"""What a guest prints is read whole: fio's figures, the calls between two snapshots, and the mount's transports."""

from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools import read_file
from coldcache.tools.nfs_guest_log import count_bytes, read, recognise, split

SPECIMENS = Path(__file__).parents[1] / "specimens"


def content(name):
    return (SPECIMENS / f"nfs-guest-6.1-{name}.txt").read_bytes()


def counts(records):
    return {
        record.operation: record.value
        for record in records
        if record.metric == "count" and record.definition.startswith(("operations,", "connections"))
    }


def test_calls_and_transports_stand_beside_what_fio_states():
    records = read_file(SPECIMENS / "nfs-guest-6.1-write.txt")
    # 16 MiB in writes of 8 KiB, gathered into calls of 64 KiB.
    assert counts(records) == {
        "rpc-write": 256, "rpc-getattr": 1, "rpc-lookup": 1, "rpc-access": 2, "rpc-create": 1, "rpc-commit": 1,
        "transports": 4,
    }  # fmt: skip
    (throughput,) = [record for record in records if record.metric == "throughput" and record.statistic == "value"]
    assert (throughput.operation, throughput.tool, throughput.value) == ("write", "fio", 36393093.0)


def test_each_number_points_to_its_bytes_in_the_one_log():
    log = content("write")
    for record in read(log):
        assert record.printed.startswith(log[record.offset : record.offset + record.length].decode())


def test_bytes_over_the_mount_are_those_of_its_calls():
    counted = count_bytes(split(content("read")))
    assert counted.before == {"read_bytes": 0, "written_bytes": 0, "calls": 14}
    assert counted.after == {"read_bytes": 4 * 2**20, "written_bytes": 0, "calls": 83}
    assert (counted.of, counted.crossing) == ("nfs", "wire")
    assert count_bytes({}) is None


def test_a_guest_that_ended_before_its_tool_is_refused():
    assert not recognise(content("refused"))
    log = content("write")
    cut = log[: log.index(b"== mountstats after")]
    assert recognise(cut)
    with pytest.raises(LogError) as refused:
        read(cut)
    message = "the guest's log has no section 'mountstats after': the guest ended before the tool did"
    assert str(refused.value) == message


def test_a_snapshot_that_is_cut_short_is_refused():
    log = content("write").replace(b"       WRITE: 256 256 0", b"       WRITE: 256", 1)
    with pytest.raises(LogError, match="a line of an operation is broken"):
        read(log)
