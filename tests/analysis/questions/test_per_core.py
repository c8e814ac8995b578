"""Throughput for each core, and what of the demand it meets."""

import math

import pandas as pd
import pytest

from coldcache.analysis.questions.per_core import describe_cores, per_core, show_cores, tabulate_cores, thresholds
from coldcache.analysis.questions.select import choose

METADATA = ["file-create", "file-stat", "file-remove"]


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
    rows = table[table["of"] == "2 threads"].set_index("operation")
    assert rows["median per core (MB/s)"]["write"] == pytest.approx(110)
    assert rows.meets.to_dict() == {"write": "the least", "read": "no data"}
    words = show_cores(table)
    words = words[words["at"] == "2 threads"].set_index("operation")
    assert words["median per core"].to_dict() == {"write": "110 MB/s", "read": "none"}


def test_bounds_are_shown_where_a_row_has_an_interval():
    numbers = pd.DataFrame({
        "operation": ["read", "write"], "of": ["1 thread"] * 2, "median per core (MB/s)": [110.0, 90.0],
        "low (MB/s)": [math.nan] * 2, "high (MB/s)": [math.nan] * 2, "n (1)": [3, 3], "meets": ["all", "no"],
    })  # fmt: skip
    assert [*show_cores(numbers)] == ["operation", "at", "median per core", "n", "meets"]
    numbers.loc[0, ["low (MB/s)", "high (MB/s)"]] = 100.0, 120.0
    shown = show_cores(numbers)
    assert shown[["low", "high"]].values.tolist() == [["100 MB/s", "120 MB/s"], ["none", "none"]]
