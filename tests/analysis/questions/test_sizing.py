"""Peaks of the document beside measured ones, and what pairs of nodes would give."""

import numpy as np
import pytest
import xarray as xr

from coldcache.analysis.estimates import Estimates, median_interval
from coldcache.analysis.questions.select import choose
from coldcache.analysis.questions.sizing import describe_sizes, estimate_sizes, tabulate_peaks, title_sustained

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


def curve(*rates):
    """Return the estimates of writes at 1, 2, 4 … threads, each of five runs within 1 % of a rate."""
    runs = np.array([[[rate * noise for noise in (0.99, 1, 1.01, 1, 1)] for rate in rates]])
    dims = ("operation", "threads", "repetition")
    threads = [2**power for power in range(len(rates))]
    labels = {
        name: (dims, np.full(runs.shape, label, dtype=object)) for name, label in (("verdict", "valid"), ("case", ""))
    }
    coords = {"operation": ["write"], "threads": threads}
    cube = xr.Dataset({"throughput": (dims, runs), **labels}, coords, {"study": "s", "sweep": "w"})
    return Estimates(cube, "throughput", "B/s", median_interval(cube.throughput))


def test_the_title_states_the_share_of_its_peak_that_a_plateau_sustains():
    assert title_sustained(curve(1e8, 2e8, 4e8, 4e8, 3.8e8)) == "Of their peak the plateaus sustain: writes 95 %"
    assert title_sustained(curve(1e8, 2e8, 4e8)) == "No plateau: writes reach 400 MB/s"
    assert title_sustained(curve(1e8, 4e8, 2e8)) == "No plateau: writes peak at 400 MB/s"
    assert title_sustained(curve(1e8)) == "Writes reach 100 MB/s"
