"""Check claims that follow from a source's own numbers, without any measurement."""

import csv
from collections.abc import Callable
from math import ceil
from pathlib import Path

from coldcache.claims.evidence import Evidence
from coldcache.core.errors import DesignError, NoData
from coldcache.core.vocabulary import nearest
from coldcache.design.claim import Arithmetic
from coldcache.statistics.models.fsx_metadata_iops import check_provisioned, largest_increase
from coldcache.statistics.models.nfs_rpcs import most_in_flight, write_calls

#: The mdtest parameters that two documents list.
MDTEST_TABLES = Path("raw/published/mdtest-parameters.csv")


def _check_table(source: str, total: int, files: int) -> Evidence:
    """Check that each row of a table splits the directories evenly, rounded up, and states the resulting files."""
    if not MDTEST_TABLES.is_file():
        raise NoData(f"{MDTEST_TABLES} is missing")
    with MDTEST_TABLES.open(newline="", encoding="utf-8") as file:
        rows = [
            {key: int(value) for key, value in row.items() if key not in ("source", "item")}
            for row in csv.DictReader(file)
            if row["source"] == source
        ]
    kept = 0
    for row in rows:
        directories = ceil(total / row["threads"])
        made = row["threads"] * directories * files
        kept += (directories, files, made) == (row["directories_per_thread"], row["items_per_directory"], row["files"])
    says = f"{kept} of {len(rows)} rows of the table are ceil({total:,} / threads) directories of {files:,} files each"
    return Evidence(says, kept / len(rows), decided=kept == len(rows))


def _check_provisionable() -> Evidence:
    """Check that the rule for metadata IOPS accepts exactly the values that the document lists."""
    stated = {1_500, 3_000, 6_000, *range(12_000, 192_001, 12_000)}
    taken = {iops for iops in range(500, 205_000, 500) if _is_taken(iops)}
    says = f"{len(taken)} values from {min(taken):,} to {max(taken):,} IOPS are taken, {len(stated)} are listed"
    return Evidence(says, float(len(taken)), decided=taken == stated)


def _is_taken(iops: int) -> bool:
    try:
        return check_provisioned(iops) == iops
    except DesignError:
        return False


def _check_increase() -> Evidence:
    """Check that the largest value is at most 15 times the default of the measured system."""
    times = largest_increase(12_000)
    says = f"192,000 metadata IOPS are {times:g} times the 12,000 that automatic mode gives at 12,000 GiB"
    return Evidence(says, times, decided=times <= 15)


def _check_in_flight() -> Evidence:
    """Check that 8 connections allow 1,024 requests in flight."""
    requests = most_in_flight(8)
    return Evidence(f"8 connections of 128 requests take {requests:,}", float(requests), decided=requests == 1024)


def _check_calls() -> Evidence:
    """Check the numbers of calls that the document states for 1 GiB and two call sizes."""
    calls = write_calls(2**30, 2**16), write_calls(2**30, 2**18)
    says = f"1 GiB takes {calls[0]:,} calls of 64 KiB and {calls[1]:,} of 256 KiB"
    return Evidence(says, float(calls[0]), decided=calls == (16_384, 4_096))


CHECKS: dict[str, Callable[[], Evidence]] = {
    "dell-directories": lambda: _check_table("dell-lustre", 320, 3125),
    "pixstor-directories": lambda: _check_table("pixstor-nvme", 2048, 1024),
    "provisionable": _check_provisionable,
    "increase": _check_increase,
    "in-flight": _check_in_flight,
    "calls": _check_calls,
}


def weigh_arithmetic(_material: object, _source: str, test: Arithmetic) -> Evidence:
    """Run a check of a source's own numbers.

    Raises
    ------
    DesignError
        If there is no such check.
    """
    if test.check not in CHECKS:
        raise DesignError(f'claims: unknown check "{test.check}"; {nearest(test.check, list(CHECKS))}')
    return CHECKS[test.check]()
