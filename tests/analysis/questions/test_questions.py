"""What calls, cores, directories, provisioned IOPS and pairs of nodes say, by exact numbers."""

import math

import pandas as pd
import pytest

from coldcache.analysis.questions.directories import compare_directories, describe_directories, tabulate_design
from coldcache.analysis.questions.metadata_iops import model, published_iops, rate_per_iops
from coldcache.analysis.questions.nfs_calls import (
    caption_bars,
    describe_calls,
    list_bars,
    tabulate_calls,
    tabulate_slots,
)
from coldcache.analysis.questions.per_core import describe_cores, per_core, tabulate_cores, thresholds
from coldcache.analysis.questions.select import choose, choose_settings
from coldcache.analysis.questions.sizing import describe_sizes, estimate_sizes, tabulate_peaks

METADATA = ["file-create", "file-stat", "file-remove"]


def test_write_calls_stand_beside_the_formula_and_the_document(invent):
    found, _ = choose_settings(invent("anf-nfs"), "anf-nfs", ["write_mode"], "count")
    rows = tabulate_calls(found).set_index("level")
    assert rows.counted.to_dict() == {"async": 16384, "sync": 131072}
    assert rows.expected.to_dict() == {"async": 16384, "sync": 131072}
    # The document counts calls and replies of sync, and calls alone of async.
    assert rows.published.to_dict() == {"async": 16384, "sync": 262144}
    assert describe_calls(found) == (
        "A file of 1 GiB in writes of 8 KiB, sync and async, WRITE calls: 16,384 with async, 131,072 with sync; "
        "2 of 2 as the formula has it."
    )
    bars = list_bars(tabulate_calls(found))
    assert (bars.name.tolist(), bars.row.tolist()) == (["async", "sync"], [0, 1])
    assert caption_bars(found, bars).startswith(
        "Bars: median of the trials; upright lines: the formula; stars: published. Tool: "
    )


def test_write_calls_follow_wsize(invent):
    by_sweep = {
        found.question.sweep: found for found in choose_settings(invent("anf-nfs"), "anf-nfs", ["io_size"], "count")
    }
    rows = tabulate_calls(by_sweep["wsize"]).set_index("level")
    assert rows.counted.to_dict() == {
        "64 KiB": 16384, "128 KiB": 8192, "256 KiB": 4096, "512 KiB": 2048, "1 MiB": 1024,
    }  # fmt: skip
    assert rows.published.dropna().to_dict() == {"64 KiB": 16384, "256 KiB": 4096}


def test_no_call_reaches_over_two_of_the_files_that_were_made(invent):
    by_sweep = {
        found.question.sweep: found for found in choose_settings(invent("anf-nfs"), "anf-nfs", ["io_size"], "count")
    }
    rows = tabulate_calls(by_sweep["small-files"]).query("call == 'WRITE'").set_index("level")
    assert rows.expected.to_dict() == {"64 KiB": 2048, "256 KiB": 2048, "1 MiB": 2048}
    assert rows.counted.to_dict() == rows.expected.to_dict()
    assert by_sweep["small-files"].path == "anf-nfs/small-files"


def test_calls_are_told_at_every_other_level(invent):
    _, found = choose_settings(invent("anf-nfs"), "anf-nfs", ["write_mode"], "count")
    rows = tabulate_calls(found)
    assert rows["at"].tolist() == [f"network delay each way {delay} ms" for delay in (0, 1, 2)] * 2
    assert rows.counted.tolist() == rows.expected.tolist() == [64] * 3 + [512] * 3
    assert describe_calls(found) == (
        "512 writes of 8 KiB over a network that delays each packet, WRITE calls: 64 with async, 512 with sync; "
        "6 of 6 as the formula has it."
    )
    assert list_bars(rows).name.tolist()[-1] == "sync, network delay each way 2 ms"
    by_sweep = {one.question.sweep: one for one in choose_settings(invent("anf-nfs"), "anf-nfs", ["nconnect"], "count")}
    assert "1,024 to 16,384" not in describe_calls(by_sweep["nconnect"])


def test_slots_are_those_of_the_document():
    table = tabulate_slots().set_index("nconnect (1)")
    assert table["tcp_max_slot_table_entries (1)"].to_dict() == {
        1: "128", 2: "256", 4: "256", 8: "512", 16: "not changed",
    }  # fmt: skip
    assert table["requests in flight (1)"][8] == 1024


def test_throughput_is_divided_by_the_cores_of_each_instance_type(invent):
    path = invent("sas-grid")
    needed = thresholds(path)
    assert needed == {"100 MB/s": 100e6, "125 MB/s": 125e6}
    types = per_core(choose(path, "sas-grid", "throughput", ["write", "read"], by=["instance_type"]), needed, path)
    (found,) = (one for one in types if one.question.sweep == "instance-types")
    assert set(found.cells.estimate.dims) == {"operation", "instance_type"}
    cells = found.cells.estimate.sel(operation="write")
    # 1e9 B/s for each of up to 16 threads, one thread per core, 1 % more in the second trial.
    assert cells.values == pytest.approx([1.005e9] * 10)
    assert describe_cores(found, needed) == (
        "One stream for each physical core of an instance: at least 100 MB/s for each core: reads in 10 of 10 "
        "cases, writes in 10 of 10 cases."
    )
    assert set(tabulate_cores(found, needed).meets) == {"all"}


def test_streams_that_a_log_states_alone_count_by_their_mean_time(invent, monkeypatch):
    path = invent("sas-grid")
    needed = thresholds(path)
    choice = choose(path, "sas-grid", "throughput", ["write", "read"], over="threads")
    (found,) = (one for one in choice if one.question.sweep == "per-core")
    found.runs.loc[{"threads": 2}] = math.nan
    streams = [
        {"sweep": "per-core", "operation": "write", "threads": 2, "repetition": number, "by_mean_elapsed": 110e6}
        for number in found.runs.repetition.values.tolist()
    ]
    monkeypatch.setattr("coldcache.analysis.questions.per_core.tabulate_core_rates", lambda _: pd.DataFrame(streams))
    (divided,) = (one for one in per_core(choice, needed, path) if one.question.sweep == "per-core")
    table = tabulate_cores(divided, needed)
    rows = table[table["of"] == "threads 2"].set_index("operation")
    assert rows["median per core (MB/s)"]["write"] == pytest.approx(110)
    assert rows.meets.to_dict() == {"write": "the least", "read": "no data"}


def test_files_at_full_scale_are_those_of_the_documents_table_3(invent):
    dell = tabulate_design(invent("dell-lustre"), "dell-lustre")["files"].set_index("threads (1)")
    assert dell["directories per thread (1)"].to_dict() == {
        1: 320, 2: 160, 4: 80, 8: 40, 12: 27, 16: 20, 24: 14, 32: 10, 48: 7, 64: 5, 72: 5, 96: 4, 120: 3, 128: 3,
        144: 3, 168: 2, 192: 2, 216: 2, 240: 2,
    }  # fmt: skip
    assert dell["files (1)"][240] == 1_500_000
    pixstor = tabulate_design(invent("pixstor-nvme"), "pixstor-nvme")["metadata"]
    assert set(pixstor["files (1)"]) == {2**21}


def test_rates_are_compared_by_files_per_directory(invent):
    choice = choose(invent("dell-lustre"), "dell-lustre", "rate", METADATA, item="files per directory")
    table = compare_directories(choice)
    assert sorted(set(table["files per directory (1)"])) == [624, 3125]
    assert set(table["threads (1)"]) == {64}
    told = describe_directories(choice)
    assert told.startswith("For the same number of threads: ")
    assert "with 3,125 files per directory, " in told and "with 624 files per directory" in told


def test_one_layout_alone_is_compared_with_nothing(invent):
    choice = choose(
        invent("dell-lustre", "few-directories"), "dell-lustre", "rate", METADATA, item="files per directory"
    )
    assert describe_directories(choice) == "Each directory holds 3,125 files: there is nothing to compare it with."


def test_the_provisioning_model_meets_what_the_document_states(invent):
    rules = model([1200, 12000])
    assert rules.automatic == [1500, 12000]
    assert published_iops(invent("fsx-metadata"), "fsx-metadata") == {1200: 1500, 12000: 12000}


def test_rates_are_divided_by_the_provisioned_iops(invent):
    path = invent("fsx-metadata")
    (found,) = choose(
        path, "fsx-metadata", "rate", ["file-create", "file-stat", "file-read", "file-remove"], by=["metadata_iops"]
    )
    rows = rate_per_iops(found)
    create = rows[(rows.operation == "file-create") & (rows["metadata IOPS (1/s)"] == 12000)]
    assert len(create) == 2
    # 1,000 for each of 16 threads, 1 % more in the second trial, over 12,000; twice that on the larger tier.
    assert sorted(create["per IOPS (1)"]) == pytest.approx([16080 / 12000, 2 * 16080 / 12000])
    assert set(create["model per IOPS (1)"]) == {"2"}
    assert set(rows[rows.operation == "file-stat"]["model per IOPS (1)"]) == {"not stated"}


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
