"""The arithmetic of the document on NFS: calls, requests under way, slots, and its mount line."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.statistics.models.nfs_rpcs import Mount, most_in_flight, slot_table_entries, write_calls

KIB, GIB = 2**10, 2**30


@pytest.mark.parametrize(
    ("size", "wsize", "transfer_size", "calls"),
    [
        (GIB, 64 * KIB, 8 * KIB, 131_072),
        (GIB, 64 * KIB, 0, 16_384),
        (GIB, 256 * KIB, 0, 4_096),
        (GIB, 1024 * KIB, 0, 1_024),
        (GIB, 4 * KIB, 8 * KIB, 262_144),
        (32 * KIB, 64 * KIB, 0, 1),
        (32 * KIB, 1024 * KIB, 0, 1),
        (10_000, 4 * KIB, 8 * KIB, 3),
        (0, 64 * KIB, 0, 0),
    ],
)
def test_a_file_takes_as_many_calls_as_its_size_and_mode_say(size, wsize, transfer_size, calls):
    assert write_calls(size, wsize, transfer_size) == calls


@pytest.mark.parametrize("wsize", [0, 1000, 2 * 2**20])
def test_a_wsize_that_cannot_be_is_refused(wsize):
    with pytest.raises(DesignError, match="is no multiple of 1,024 between 1,024 and 1,048,576"):
        write_calls(GIB, wsize)


def test_a_negative_size_is_refused():
    with pytest.raises(DesignError, match="sizes are not negative"):
        write_calls(-1, 64 * KIB)


@pytest.mark.parametrize(("nconnect", "requests"), [(1, 128), (8, 1024), (16, 2048)])
def test_each_connection_has_128_requests_in_flight(nconnect, requests):
    assert most_in_flight(nconnect) == requests


@pytest.mark.parametrize("nconnect", [0, 17])
def test_connections_that_a_mount_cannot_have_are_refused(nconnect):
    with pytest.raises(DesignError, match=f"nconnect {nconnect} is not between 1 and 16"):
        most_in_flight(nconnect)


def test_the_slot_table_is_that_of_the_document():
    found = {nconnect: slot_table_entries(nconnect) for nconnect in (0, 1, 2, 3, 4, 6, 7, 8, 9, 16)}
    assert found == {0: 128, 1: 128, 2: 256, 3: 256, 4: 256, 6: 512, 7: 512, 8: 512, 9: None, 16: None}


def test_the_slot_table_has_a_gap_at_5_which_is_told_and_not_filled():
    with pytest.raises(DesignError) as refused:
        slot_table_entries(5)
    assert str(refused.value) == ("the document's table has no row for nconnect 5; it has 0-1, 2-4, 6-8 and above 8")


def test_the_mount_line_is_that_of_the_document():
    assert Mount().options() == "rw,nconnect=16,nocto,actimeo=600,hard,intr,rsize=262144,wsize=262144,vers=3,tcp"
    assert Mount(1, "", "soft", 65_536, "4.1").options() == "rw,nconnect=1,soft,rsize=65536,wsize=65536,vers=4.1,tcp"
