"""Calls that the client counted are shown beside the formula's and the document's."""

import math
from dataclasses import replace

from coldcache.analysis.questions.nfs_calls import (
    _expected,
    caption_bars,
    describe_calls,
    list_bars,
    tabulate_calls,
    tabulate_slots,
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


def test_what_a_sweep_does_not_fix_has_no_formula_and_one_thread_writes_one_file(invent):
    found, _ = choose_settings(invent("anf-nfs"), "anf-nfs", ["write_mode"], "count")
    fixed = {"file_size": 2**20, "io_size": 2**16}
    plain = replace(found, cube=found.cube.drop_attrs())
    assert math.isnan(_expected(plain, {}, 0))
    assert math.isnan(_expected(plain, {"file_size": 2**20}, 0))
    assert _expected(plain, fixed, 0) == _expected(plain, {**fixed, "threads": 1}, 1) == 16
    assert _expected(plain, {**fixed, "threads": 3}, 0) == 48
    assert _expected(plain, fixed, 4) == 16
    assert _expected(plain, {**fixed, "transfer_size": 8192}, 0) == 16
    assert _expected(plain, {**fixed, "transfer_size": 8192, "write_mode": "sync"}, 0) == 128
