"""Check claims that follow from a source's own numbers, without any measurement."""

import csv
from collections.abc import Callable
from math import ceil
from pathlib import Path

from coldcache.claims.evidence import ComparisonResult
from coldcache.core.errors import DesignError, NoData
from coldcache.core.program_files import find_file
from coldcache.core.vocabulary import nearest
from coldcache.design.claim_tests import ArithmeticTest
from coldcache.statistics.models.fsx_metadata_iops import check_provisioned

#: The mdtest parameters that two documents list.
MDTEST_TABLES = Path("config/published/mdtest-parameters.csv")


def _check_table(source: str, total: int, files: int) -> ComparisonResult:
    """Check that each row of a table splits the directories evenly, rounded up, and states the resulting files."""
    path = find_file(MDTEST_TABLES)
    if not path.is_file():
        raise NoData(f"{path} is missing")
    with path.open(newline="", encoding="utf-8") as file:
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
    return ComparisonResult(says, kept / len(rows), decided=kept == len(rows))


def _check_provisionable() -> ComparisonResult:
    """Check that the rule for metadata IOPS accepts exactly the values that the document lists."""
    stated = {1_500, 3_000, 6_000, *range(12_000, 192_001, 12_000)}
    taken = {iops for iops in range(500, 205_000, 500) if _is_taken(iops)}
    says = f"{len(taken)} values from {min(taken):,} to {max(taken):,} IOPS are taken, {len(stated)} are listed"
    return ComparisonResult(says, float(len(taken)), decided=taken == stated)


def _is_taken(iops: int) -> bool:
    try:
        return check_provisioned(iops) == iops
    except DesignError:
        return False


CHECKS: dict[str, Callable[[], ComparisonResult]] = {
    "dell-directories": lambda: _check_table("dell-lustre", 320, 3125),
    "pixstor-directories": lambda: _check_table("pixstor-nvme", 2048, 1024),
    "provisionable": _check_provisionable,
}


def weigh_arithmetic(_context: object, _source: str, test: ArithmeticTest) -> ComparisonResult:
    """Run a check of a source's own numbers.

    Raises
    ------
    DesignError
        If there is no such check.
    """
    if test.check not in CHECKS:
        raise DesignError(f'claims: unknown check "{test.check}"; {nearest(test.check, list(CHECKS))}')
    return CHECKS[test.check]()
