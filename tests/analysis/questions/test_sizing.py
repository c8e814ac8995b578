"""Peaks of the document beside measured ones, and what pairs of nodes would give."""

import pytest

from coldcache.analysis.questions.select import choose
from coldcache.analysis.questions.sizing import describe_sizes, estimate_sizes, tabulate_peaks

METADATA = ["file-create", "file-stat", "file-remove"]


def test_a_pair_of_nodes_gives_half_of_table_4(invent):
    sizes = estimate_sizes(invent("pixstor-nvme"), "pixstor-nvme", [1, 2, 4]).numbers
    first = sizes.iloc[0]
    assert (first.workload, first.operation) == ("sequential N-N", "write")
    assert [first["1 pair"], first["2 pairs"], first["4 pairs"]] == [20e9, 40e9, 80e9]
    # Metadata came from one array, whatever the pairs.
    assert not sizes.workload.str.startswith("file metadata").any()
    assert describe_sizes(invent("pixstor-nvme"), "pixstor-nvme").startswith(
        "By the document each pair of nodes sustains sequential N-N write 20.0 GB/s"
    )


def test_table_4_stands_beside_the_measured_peaks(invent):
    path = invent("pixstor-nvme")
    found = list(choose(path, "pixstor-nvme", "throughput", ["write", "read"], over="threads"))
    peaks = tabulate_peaks(path, "pixstor-nvme", found).numbers
    assert len(peaks) == 20
    row = peaks[(peaks.workload == "sequential N-1") & (peaks.operation == "read") & (peaks.statistic == "peak")].iloc[
        0
    ]
    assert (row.published, row.grade) == (51.6e9, "table")
    assert row.measured == pytest.approx(16 * 2.01e9)
    assert peaks[peaks.workload == "random N-N"].measured.isna().all()
