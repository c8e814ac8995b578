"""Calls that the client counted are shown beside the formula's and the document's."""

import math
from dataclasses import replace

import pandas as pd
import pytest
import xarray as xr

from coldcache.analysis.questions import select
from coldcache.analysis.questions.nfs_calls import (
    _expected,
    caption_bars,
    choose_telling,
    describe_calls,
    does_same_work,
    list_bars,
    main_call,
    summarise_calls,
    tabulate_calls,
    tabulate_slots,
    title_calls,
)
from coldcache.analysis.questions.select import choose_settings

METADATA = ["file-create", "file-stat", "file-remove"]


def test_write_calls_stand_beside_the_formula_and_the_document(invent):
    found, _ = choose_settings(invent("anf-nfs"), "anf-nfs", ["write_mode"], "count")
    rows = tabulate_calls(found).set_index("level")
    assert rows.counted.to_dict() == {"async": 16384, "sync": 131072}
    assert rows.expected.to_dict() == {"async": 16384, "sync": 131072}
    # The document counts calls and replies of sync, and calls alone of async.
    assert rows.published.to_dict() == {"async": 16384, "sync": 262144}
    assert describe_calls(found) == (
        "A file of 1 GiB in writes of 8 KiB, sync and async: 16,384 WRITE calls with async, 131,072 with sync, as "
        "predicted."
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
    assert rows.expected.to_dict() == {"64 KiB": 128, "256 KiB": 128, "1 MiB": 128}
    assert rows.counted.to_dict() == rows.expected.to_dict()
    assert by_sweep["small-files"].path == "anf-nfs/small-files"


def test_calls_are_stated_at_every_other_level(invent):
    _, found = choose_settings(invent("anf-nfs"), "anf-nfs", ["write_mode"], "count")
    rows = tabulate_calls(found)
    assert rows["at"].tolist() == [f"network delay each way {delay} ms" for delay in (0, 1)] * 2
    assert rows.counted.tolist() == rows.expected.tolist() == [512] * 2 + [4096] * 2
    assert describe_calls(found) == (
        "4,096 writes of 8 KiB over a link of 25 MB/s that delays each packet: 512 WRITE calls with async, 4,096 with "
        "sync, as predicted."
    )
    assert list_bars(rows).name.tolist()[-1] == "sync, network delay each way 1 ms"


@pytest.mark.parametrize(
    ("counts", "call"),
    [
        ({"GETATTR": (952, 2), "READ": (1000, 1000)}, "GETATTR"),
        ({"GETATTR": (952, 0), "READ": (1000, 1)}, "GETATTR"),
        ({"GETATTR": (50, 50), "READ": (1000, 1000)}, "READ"),
        ({"GETATTR": (0, 0), "READ": (10, 10)}, "READ"),
    ],
)
def test_the_main_call_is_the_one_that_the_factor_changes_most(counts, call):
    rows = [(name, count, math.nan) for name, both in counts.items() for count in both]
    assert main_call(pd.DataFrame(rows, columns=["call", "counted", "expected"])) == call


def test_the_main_call_is_write_only_where_the_formula_holds():
    rows = [("WRITE", 4, math.nan), ("WRITE", 4, math.nan), ("COMMIT", 1, math.nan), ("COMMIT", 3, math.nan)]
    table = pd.DataFrame(rows, columns=["call", "counted", "expected"])
    assert main_call(table) == "COMMIT"
    assert main_call(table.assign(expected=[4, 4, math.nan, math.nan])) == "WRITE"


def test_requests_in_flight_are_no_calls_and_are_counted_with_the_requests_of_the_document(invent):
    found = choose_settings(invent("anf-nfs"), "anf-nfs", ["slot_table_entries"], "count")
    (sweep,) = found
    assert tabulate_calls(sweep).call.unique().tolist() == ["WRITE"]
    counted = tabulate_slots(found).set_index("nconnect (1)")["counted (1)"]
    assert counted.to_dict() == {1: "128", 2: "–", 4: "–", 8: "1,024", 16: "–"}


def test_sweeps_whose_levels_change_the_calls_are_told_first_and_the_others_have_a_row(invent):
    factors = ["write_mode", "io_size", "nconnect"]
    found = choose_settings(invent("anf-nfs"), "anf-nfs", factors, "count")
    telling = choose_telling(found)
    assert [one.question.sweep for one in telling] == ["wsize", "rsize-wsize", "write-mode", "network-delay"]
    assert title_calls(telling[0]) == "16,384 WRITE calls with 64 KiB, 1,024 with 1 MiB, as predicted"
    table = summarise_calls(found)
    rows = table.shown[table.shown.sweep == "write-mode"]
    assert rows.to_dict("records") == [
        {"sweep": "write-mode", "level": "async", "call": "WRITE", "published": "16,384", "formula": "16,384",
         "counted": "16,384"},
        {"sweep": "write-mode", "level": "sync", "call": "WRITE", "published": "262,144", "formula": "131,072",
         "counted": "131,072"},
    ]  # fmt: skip
    assert set(table.shown.sweep) == {one.question.sweep for one in found}


def test_calls_of_runs_that_end_by_time_are_not_compared(reference_report):
    dataset = reference_report.parent / "dataset.nc"
    found = choose_settings(dataset, "anf-nfs", ["write_mode", "server_cache"], "count")
    same = {sweep.question.sweep: does_same_work(sweep, dataset) for sweep in found}
    # Both levels write the same bytes; the others write for a time, which the server's cache makes worth more.
    assert (same["write-mode"], same["server-cache"]) == (True, False)


@pytest.fixture
def shared(invent, shared_calls, monkeypatch):
    """The counts of a sweep whose writes and reads share a call."""
    monkeypatch.setattr(select, "open_sweep", lambda *_: shared_calls)
    (found,) = choose_settings(invent("anf-nfs", "rsize-wsize"), "anf-nfs", ["io_size"], "count")
    return found


def test_calls_that_writes_and_reads_share_have_a_row_for_each(shared):
    rows = tabulate_calls(shared)
    assert rows[["level", "at", "call", "counted"]].values.tolist() == [
        row
        for level, calls in (("64 KiB", 3072), ("256 KiB", 768), ("1 MiB", 192))
        for row in (
            [level, "read", "ACCESS", 7.0], [level, "write", "ACCESS", 5.0], [level, "write", "WRITE", float(calls)],
        )
    ]  # fmt: skip
    assert rows[rows.call == "WRITE"].expected.tolist() == [3072, 768, 192]
    assert title_calls(shared) == "3,072 WRITE calls with 64 KiB, 768 with 256 KiB, 192 with 1 MiB, as predicted"
    assert list_bars(rows).name.tolist() == ["64 KiB, write", "256 KiB, write", "1 MiB, write"]


def test_the_main_call_is_none_that_only_other_levels_change():
    rows = [
        ("3", "write", "ACCESS", 2), ("4.1", "write", "ACCESS", 2), ("3", "read", "ACCESS", 600),
        ("4.1", "read", "ACCESS", 600), ("3", "write", "COMMIT", 2), ("4.1", "write", "COMMIT", 3),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["level", "at", "call", "counted"]).assign(expected=math.nan)
    assert main_call(table) == "COMMIT"
    assert main_call(table.drop(columns="at")) == "ACCESS"


def test_the_most_requests_in_flight_are_those_of_any_operation(invent):
    (found,) = choose_settings(invent("anf-nfs"), "anf-nfs", ["slot_table_entries"], "count")
    both = xr.concat([found.cells * 0.5, found.cells], pd.Index(["read", "write"], name="operations"))
    counted = tabulate_slots([replace(found, cells=both)]).set_index("nconnect (1)")["counted (1)"]
    assert counted.to_dict() == {1: "128", 2: "–", 4: "–", 8: "1,024", 16: "–"}


def test_slots_are_those_of_the_document():
    table = tabulate_slots().set_index("nconnect (1)")
    assert table["tcp_max_slot_table_entries (1)"].to_dict() == {
        1: "128", 2: "256", 4: "256", 8: "512", 16: "not changed",
    }  # fmt: skip
    assert table["requests in flight (1)"][8] == 1024


def test_what_a_sweep_does_not_fix_has_no_formula_and_one_thread_writes_one_file(invent):
    found, _ = choose_settings(invent("anf-nfs"), "anf-nfs", ["write_mode"], "count")
    fixed = {"file_size": 2**20, "io_size": 2**16}
    plain = replace(found, cube=found.cube.drop_attrs())
    assert math.isnan(_expected(plain, {}, 0))
    assert math.isnan(_expected(plain, {"file_size": 2**20}, 0))
    assert _expected(plain, fixed, 0) == _expected(plain, {**fixed, "threads": 1}, 1) == 16
    assert _expected(plain, {**fixed, "threads": 3}, 0) == 48
    assert _expected(plain, {**fixed, "threads": 6, "nodes": 2}, 0) == 48
    assert _expected(plain, fixed, 4) == 16
    assert _expected(plain, {**fixed, "transfer_size": 8192}, 0) == 16
    assert _expected(plain, {**fixed, "transfer_size": 8192, "write_mode": "sync"}, 0) == 128
