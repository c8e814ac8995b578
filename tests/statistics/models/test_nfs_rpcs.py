"""The arithmetic of the document on NFS: calls, requests under way, slots, and its mount line."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.statistics.models.nfs_rpcs import (
    bound_rate,
    most_in_flight,
    slot_table_entries,
    write_calls,
)

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


@pytest.mark.parametrize(
    ("operation", "levels", "rate"),
    [
        ("write", {}, None),
        ("write", {"network_delay": 0.001}, None),
        ("write", {"network_delay": 0.0, "write_mode": "sync", "transfer_size": 8 * KIB}, None),
        ("write", {"server_rate": 25e6}, 25e6),
        # One call of a transfer at a time and thread.
        ("write", {"network_delay": 0.001, "write_mode": "sync", "transfer_size": 8 * KIB}, 4_096_000),
        ("write", {"network_delay": 0.001, "write_mode": "sync", "transfer_size": 8 * KIB, "threads": 4}, 16_384_000),
        ("write", {"network_delay": 0.001, "write_mode": "sync", "transfer_size": 8 * KIB, "server_rate": 1e6}, 1e6),
        ("write", {"network_delay": 0.001, "write_mode": "async", "transfer_size": 8 * KIB, "server_rate": 1e7}, 1e7),
        # A file waits for each of its calls; version 4.1 opens and closes it.
        ("file-create", {"network_delay": 0.001, "nfs_version": "3"}, 500),
        ("file-create", {"network_delay": 0.001, "nfs_version": "4.1", "threads": 2}, 500),
        ("file-remove", {"network_delay": 0.001, "nfs_version": "4.1"}, 500),
        ("file-stat", {"network_delay": 0.001, "nfs_version": "3"}, None),
        # GETATTR and READ, or READ alone where the client keeps attributes.
        ("read", {"network_delay": 0.001, "mount_option": "defaults", "direct_io": True,
                  "transfer_size": 4096}, 1.024e6),
        ("read", {"network_delay": 0.001, "mount_option": "nocto-actimeo-600", "direct_io": True,
                  "transfer_size": 4096}, 2.048e6),
        ("read", {"network_delay": 0.001, "mount_option": "defaults", "transfer_size": 4096}, None),
        # As many calls as all clients have slots, or the files have.
        ("write", {"network_delay": 0.01, "nodes": 4, "nconnect": 8, "slot_table_entries": 2, "io_size": 4096,
                   "threads": 16, "file_size": 2**20}, 64 * 4096 / 0.02),
        ("write", {"network_delay": 0.05, "nconnect": 8, "slot_table_entries": 65_536, "io_size": 4096,
                   "threads": 1, "file_size": 16 * 2**20}, 16 * 2**20 / 0.1),
        # Buffers of the kernel over 200 ms.
        ("write", {"network_delay": 0.1, "sysctl": "defaults"}, 4 * 2**20 / 0.2),
        ("read", {"network_delay": 0.1, "sysctl": "recommended", "server_rate": 5e7}, 8 * 2**20 / 0.2),
        ("write", {"network_delay": 0.1, "sysctl": "recommended", "server_rate": 5e7}, 5e7),
    ],
)  # fmt: skip
def test_the_network_lets_through_what_is_under_way_over_the_round_trip_or_what_its_link_takes(operation, levels, rate):
    assert bound_rate(operation, levels) == (rate if rate is None else pytest.approx(rate))
