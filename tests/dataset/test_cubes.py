"""The dataset holds what the logs state, to the last digit; what is void or missing is NaN and never zero."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from coldcache.core.records import UNIT_OF_METRIC
from coldcache.dataset import cubes
from coldcache.dataset.cubes import build_cube
from coldcache.dataset.reader import COUNTED, list_sweeps, open_records, open_sweep
from coldcache.verdicts.thresholds import Thresholds

RAW, RESULTS = Path("raw/tiny"), Path("results/tiny")
READ = "tiny/transfers/operation=read,threads=2/r0"
STAT = "tiny/files/operation=file-stat/r1"
CACHE = "tiny/cache/write_cache=writeback/r1"


def alter(key, **fields):
    path = RAW / key / "trial.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def log_of(key):
    text = (RAW / key / "stdout.txt").read_text()
    return json.loads(text[text.index("{") :])


def test_the_value_of_a_log_is_the_value_of_its_cell(collected):
    path = collected()
    for threads in (1, 2):
        for repetition in (0, 1):
            side = log_of(f"tiny/transfers/operation=read,threads={threads}/r{repetition}")["jobs"][0]["read"]
            cell = open_sweep(path, "tiny", "transfers").sel(operation="read", threads=threads, repetition=repetition)
            assert cell.throughput.item() == side["bw_bytes"]
            assert cell.rate.item() == side["iops"]
            assert cell.elapsed.item() == side["runtime"] / 1000
            assert cell.latency.item() == pytest.approx(side["lat_ns"]["mean"] / 1e9, rel=1e-15)
    rate = open_sweep(path, "tiny", "files").rate.sel(operation="file-stat", repetition=1).item()
    assert rate == log_of(STAT)["jobs"][0]["read"]["iops"]
    cell = open_sweep(path, "tiny", "cache").sel(write_cache="writeback", repetition=1)
    side = log_of(CACHE)["jobs"][0]["write"]
    assert cell.rate.item() == side["iops"]
    # Where transfers are submitted apart from their completion, the latency is that of both.
    assert side["lat_ns"]["mean"] > side["slat_ns"]["mean"] > 0
    assert cell.latency.item() == pytest.approx(side["lat_ns"]["mean"] / 1e9, rel=1e-15)


def test_a_cube_has_the_dims_units_and_attributes_of_its_sweep(collected):
    path = collected()
    assert set(list_sweeps(path, "tiny")) == {"transfers", "files", "cache"}
    cube = open_sweep(path, "tiny", "transfers")
    assert dict(cube.sizes) == {"operation": 2, "threads": 2, "repetition": 2}
    assert (cube.threads.attrs["long_name"], cube.threads.attrs["units"]) == ("threads", "1")
    units = {name: cube[name].attrs["units"] for name in ("throughput", "rate", "elapsed", "latency")}
    assert units == {name: UNIT_OF_METRIC[name] for name in units}
    assert cube.attrs["transfer_size"] == 65536
    assert cube.attrs["file_size"] == 16 * 2**20
    assert cube.attrs["direct_io"] in ("true", "false")
    assert cube.attrs["tool"] == "fio"
    assert f"fio-{cube.attrs['tool_version']}" == log_of(READ)["fio version"]
    assert "threads" not in cube.attrs
    assert dict(open_sweep(path, "tiny", "cache").sizes) == {"operation": 1, "write_cache": 2, "repetition": 2}
    assert dict(open_sweep(path, "tiny", "files").sizes) == {"operation": 3, "repetition": 2}


def test_every_counted_value_of_the_long_table_is_in_its_cube(collected):
    path = collected()
    table = open_records(path)
    seen = 0
    for sweep in list_sweeps(path, "tiny"):
        cube = open_sweep(path, "tiny", sweep)
        rows = table[(table.sweep == sweep) & (table.statistic == "value") & (table.share == "")]
        for row in rows.itertuples():
            if row.metric in cube and row.metric != "count":
                place = {dim: getattr(row, dim) for dim in cube[row.metric].dims}
                assert cube[row.metric].sel(place).item() == row.value
                seen += 1
    assert seen >= 18 * 2


def test_a_cube_is_the_same_if_the_rows_of_its_trials_lie_apart(collected):
    records = open_records(collected(), "tiny")
    records = records[records.sweep == "transfers"]
    # Each trial's rows keep their order.
    turns = records.groupby(["operation", "case", "repetition"]).cumcount().sort_values(kind="stable").index
    assert (records.case.loc[turns] != records.case.loc[turns].shift()).sum() > 2 * records.case.nunique()
    assert build_cube(records.loc[turns]).identical(build_cube(records))


def test_void_and_missing_trials_are_nan_in_the_cube_and_rows_in_the_table(collected):
    alter(READ, exit_status=1)
    shutil.rmtree(RAW / STAT)
    (RAW / CACHE / "stdout.txt").write_bytes(b"")
    path = collected()
    cube = open_sweep(path, "tiny", "transfers").sel(operation="read", threads=2)
    assert cube.verdict.values.tolist() == ["void", "valid"]
    assert math.isnan(cube.throughput.values[0]) and cube.throughput.values[1] > 0
    files = open_sweep(path, "tiny", "files").sel(operation="file-stat")
    assert files.verdict.values.tolist() == ["valid", "missing"]
    assert math.isnan(files.rate.values[1])
    cache = open_sweep(path, "tiny", "cache").sel(operation="random-write", write_cache="writeback")
    assert cache.verdict.values.tolist() == ["valid", "void"]
    assert math.isnan(cache.rate.values[1])
    table = open_records(path)
    keys = table.drop_duplicates(["sweep", "case", "repetition"])
    assert len(keys) == 18
    empty = table[table.value.isna()]
    assert empty[["sweep", "case", "repetition", "verdict", "codes", "metric", "unit"]].values.tolist() == [
        ["cache", "write_cache=writeback", 1, "void", "log-refused", "rate", "1/s"],
        ["files", "operation=file-stat", 1, "missing", "not-run", "rate", "1/s"],
    ]
    # The figures of a void trial stay in the table, marked; they never reach the cube.
    void = table[(table.verdict == "void") & (table.sweep == "transfers")]
    assert (void["value"] > 0).any()
    assert not (table[table.metric.isin(["throughput", "rate"]) & (table.statistic == "value")]["value"] == 0).any()


def test_suspect_trials_are_counted_and_marked(collected):
    outcome = json.loads((RAW / READ / "trial.json").read_text())
    alter(READ, seconds=outcome["seconds"] + 5)
    cube = open_sweep(collected(), "tiny", "transfers").sel(operation="read", threads=2, repetition=0)
    assert cube.verdict.item() == "suspect"
    assert cube.throughput.item() == log_of(READ)["jobs"][0]["read"]["bw_bytes"]
    assert COUNTED == ("valid", "suspect")


def make_rows(cases):
    """Return rows as the long table holds them, one per (threads, file_size, repetition, value)."""
    return pd.DataFrame([
        {
            "study": "s", "sweep": "a", "case": f"threads={threads},file_size={size}", "repetition": repetition,
            "operation": "write", "metric": "throughput", "statistic": "value", "value": value, "unit": "B/s",
            "tool": "fio", "tool_version": "3.33", "verdict": "valid", "cold": "not applicable", "share": "",
            "caveats": "", "threads": threads, "file_size": size,
        }
        for threads, size, repetition, value in cases
    ])  # fmt: skip


def test_a_file_size_that_is_a_factor_of_its_own_is_a_dim():
    cube = build_cube(make_rows([(1, 10, 0, 1.0), (1, 20, 0, 2.0), (2, 10, 0, 3.0), (2, 20, 0, 4.0)]))
    assert set(cube.throughput.dims) == {"operation", "threads", "file_size", "repetition"}
    assert cube.throughput.sel(threads=2, file_size=20).item() == 4.0
    assert sorted(cube.throughput.values.ravel()) == [1.0, 2.0, 3.0, 4.0]


def test_a_file_size_that_follows_from_the_threads_is_none():
    cube = build_cube(make_rows([(1, 20, 0, 1.0), (2, 10, 0, 2.0), (2, 10, 1, 3.0)]))
    assert cube.throughput.dims == ("operation", "threads", "repetition")
    assert cube.throughput.sel(threads=2).values.tolist() == [[2.0, 3.0]]
    assert np.isnan(cube.throughput.sel(threads=1, repetition=1).item())


def test_two_modes_are_marked_at_the_operation_that_has_them():
    creations, look_ups = (
        make_rows([(2, 10, repetition, value) for repetition, value in enumerate(values)]).assign(
            operation=operation, metric="rate", unit="1/s", verdict="suspect", codes="drift two-modes"
        )
        for operation, values in (("file-create", [1.0, 1.1, 2.0, 2.1]), ("file-stat", [7.0, 7.1, 7.2, 7.3]))
    )
    records = pd.concat([creations, look_ups], ignore_index=True)
    codes = build_cube(records).codes
    assert codes.sel(operation="file-create").values.tolist() == ["drift two-modes"] * 4
    assert codes.sel(operation="file-stat").values.tolist() == ["drift"] * 4
    # A site may call modes what lies closer, or nothing so.
    assert build_cube(records, thresholds=Thresholds(gap=3)).codes.values.tolist() == [["drift"] * 4] * 2
    assert build_cube(records, thresholds=Thresholds(modes=1.01)).codes.values.tolist() == [["drift two-modes"] * 4] * 2


def test_imported_cases_that_differ_only_in_their_operations_keep_each_value():
    alone = make_rows([(1, 10, 0, 1.0), (1, 10, 1, 2.0)]).assign(case="operation=write,threads=1")
    mixed = make_rows([(1, 10, 0, 3.0)]).assign(case="operation=write+read,threads=1")
    records = pd.concat([alone, mixed], ignore_index=True)
    cube = build_cube(records, is_foreign=True)
    assert cube.throughput.dims == ("operation", "operations", "repetition")
    assert cube.throughput.sel(operation="write", operations="write").values.tolist() == [1.0, 2.0]
    assert cube.throughput.sel(operation="write", operations="write+read", repetition=0).item() == 3.0
    assert build_cube(alone, is_foreign=True).throughput.dims == ("operation", "repetition")


def make_calls():
    """Return rows of a write and a read of each number of threads, which both counted calls: 11 to 22."""
    rows = []
    for side, (operation, own) in enumerate((("write", "rpc-write"), ("read", "rpc-read")), 1):
        for threads in (1, 2):
            case, calls = f"operation={operation},threads={threads}", 10.0 * threads + side
            made = [(operation, "throughput", 100 * calls), ("rpc-access", "count", calls), (own, "count", 3 * calls)]
            rows += [
                make_rows([(threads, 10, repetition, value)]).assign(case=case, operation=name, metric=metric)
                for repetition in (0, 1) for name, metric, value in [*made, (operation, "elapsed", 1 / calls)]
            ]  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def test_cases_that_count_the_same_calls_keep_each_count_and_their_rates_have_no_further_dim():
    cube = build_cube(make_calls())
    assert cube["count"].dims == cube.case.dims == ("operation", "threads", "operations", "repetition")
    calls = cube["count"].sel(operation="rpc-access", repetition=1)
    assert calls.sel(operations="write").values.tolist() == [11.0, 21.0]
    assert calls.sel(operations="read").values.tolist() == [12.0, 22.0]
    assert cube.case.sel(operation="rpc-access", threads=2, repetition=0).values.tolist() == [
        "operation=read,threads=2", "operation=write,threads=2",
    ]  # fmt: skip
    assert cube.throughput.dims == cube.elapsed.dims == ("operation", "threads", "repetition")
    assert cube.throughput.sel(operation="read", repetition=0).values.tolist() == [1200.0, 2200.0]
    # Without a call that both count, nothing is shared.
    records = make_calls()
    own = build_cube(records[records.operation != "rpc-access"])
    assert own["count"].dims == own.case.dims == ("operation", "threads", "repetition")


def test_each_figure_of_cases_that_share_calls_is_in_one_cell():
    records = make_calls()
    cube = build_cube(records)
    for metric in ("throughput", "count", "elapsed"):
        values = cube[metric].values
        assert sorted(values[~np.isnan(values)]) == sorted(records[records.metric == metric].value)


def test_two_modes_of_a_rate_are_marked_where_its_cases_share_calls():
    modes = {"write": [1.0, 1.1, 2.0, 2.1], "read": [7.0, 7.1, 7.2, 7.3]}
    rows = [
        make_rows([(1, 10, repetition, value)]).assign(
            case=f"operation={operation},threads=1", operation=name, metric=metric, codes="drift two-modes"
        )
        for operation, values in modes.items() for repetition, value in enumerate(values)
        for name, metric in ((operation, "throughput"), ("rpc-access", "count"))
    ]  # fmt: skip
    codes = build_cube(pd.concat(rows, ignore_index=True)).codes
    assert codes.sel(operation="write", operations="write").values.tolist() == ["drift two-modes"] * 4
    assert codes.sel(operation="read", operations="read").values.tolist() == ["drift"] * 4
    assert codes.sel(operation="read", operations="write").values.tolist() == [""] * 4


def test_a_cell_of_two_trials_is_an_error_and_no_value_is_lost(monkeypatch):
    monkeypatch.setattr(cubes, "_count_mixed", lambda *_: 0)
    with pytest.raises(ValueError) as caught:
        build_cube(make_calls())
    assert str(caught.value) == (
        "s/a: operation=read,threads=1, operation=write,threads=1 share the cell of rpc-access at threads 1, "
        "repetition 0"
    )


@pytest.mark.parametrize("is_foreign", [False, True])
def test_cases_that_nothing_else_tells_apart_lie_along_their_names(is_foreign):
    rows = [make_rows([(1, 10, 0, value)]).assign(case=name) for name, value in (("a", 1.0), ("b", 2.0))]
    cube = build_cube(pd.concat(rows, ignore_index=True), is_foreign=is_foreign)
    assert cube.throughput.dims == ("operation", "levels", "repetition")
    assert cube.throughput.sel(operation="write", repetition=0).values.tolist() == [1.0, 2.0]


def test_cases_of_many_systems_lie_along_one_dim_and_keep_each_value():
    cases = [(threads, 1000 * size + threads, 0, float(size * threads)) for threads in range(1, 461) for size in (1, 2)]
    cube = build_cube(make_rows([*cases, (460, 2460, 1, 5.0)]))
    assert cube.throughput.dims == ("operation", "levels", "repetition")
    assert cube.sizes == {"operation": 1, "levels": 920, "repetition": 2}
    found = cube.throughput.sel(operation="write", levels="threads=460,file_size=2460").values.tolist()
    assert found == [920.0, 5.0]
    assert (cube.case.sel(operation="write", repetition=0) == cube.levels).all()
    assert float(cube.throughput.sum()) == sum(value for *_, value in cases) + 5.0
