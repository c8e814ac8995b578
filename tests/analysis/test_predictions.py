"""The rates of a sweep are compared with those that the limits of its model predict."""

import json
from dataclasses import replace

import h5netcdf
import numpy as np
import pytest

from coldcache.analysis.predictions import describe_distance, predict_sweep, tabulate_predictions
from coldcache.analysis.question import Question

#: Two targets of 100 MB/s each.
MODEL = {
    "specification": {"targets": 2, "target_rate": 1e8},
    "settings": {"targets": {"kind": "model", "of": "targets"}},
}


@pytest.fixture
def measured(sweep):
    return replace(sweep, question=Question("s", "w", "Two targets"))


@pytest.fixture
def dataset(tmp_path):
    path = tmp_path / "dataset.nc"
    with h5netcdf.File(path, "w") as file:
        file.create_group("s").attrs["model"] = json.dumps(MODEL)
        file.create_group("other").attrs["read_rate"] = 1e8
    return path


def test_every_case_has_the_rate_that_the_limits_let_expect(dataset, measured):
    found = predict_sweep(dataset, measured)
    assert found.dims == measured.cells.estimate.dims
    assert found.sel(operation="read").values.tolist() == [1e8, 2e8, 2e8]


def test_the_table_states_the_ratio(dataset, measured):
    numbers = tabulate_predictions(dataset, measured).numbers
    reads = numbers[numbers.operation == "read"]
    assert reads.measured.tolist() == [1e8, 2e8, 4e8]
    assert reads.predicted.tolist() == [1e8, 2e8, 2e8]
    assert reads.ratio.tolist() == [1.0, 1.0, 2.0]


def test_the_sentence_states_the_range_of_each_operation(dataset, measured):
    assert describe_distance(dataset, measured) == (
        "Two targets: reads reach 1.000 to 2.000 times the prediction, "
        "writes reach 0.350 to 0.500 times the prediction in 6 cases."
    )


def test_other_metrics_and_other_storage_have_no_prediction(dataset, measured):
    assert predict_sweep(dataset, replace(measured, metric="rate")) is None
    elsewhere = replace(measured, question=Question("other", "w"))
    assert predict_sweep(dataset, elsewhere) is None
    assert tabulate_predictions(dataset, elsewhere) is None
    assert describe_distance(dataset, elsewhere) is None


def test_a_case_without_limits_has_no_prediction(dataset, measured):
    free = {**MODEL, "specification": {"targets": 2, "target_rate": None}}
    with h5netcdf.File(dataset, "w") as file:
        file.create_group("s").attrs["model"] = json.dumps(free)
    assert predict_sweep(dataset, measured) is None
    assert np.isfinite(measured.cells.estimate.values).all()


@pytest.mark.parametrize(("direct_io", "rate"), [("false", 8e8), ("true", 1e8)])
def test_a_thread_has_one_transfer_under_way_only_past_the_caches(dataset, measured, direct_io, rate):
    striped = {**MODEL, "specification": {"targets": 8, "target_rate": 1e8},
               "settings": {"stripe_count": {"kind": "model", "of": "stripe_count"}}}  # fmt: skip
    with h5netcdf.File(dataset, "w") as file:
        file.create_group("s").attrs["model"] = json.dumps(striped)
    cube = measured.cube.assign_attrs(threads=1, stripe_count=8, transfer_size=2**20, direct_io=direct_io)
    found = predict_sweep(dataset, replace(measured, cube=cube))
    one = found.sel(operation="read", threads=1) if "threads" in found.dims else found.sel(operation="read")
    assert one.values.tolist() == rate


def test_the_table_says_where_no_limit_bounds_a_case(dataset, measured):
    limited = {"kind": "model", "of": "target_rate", "values": {"1": "50 MB/s", "2": "none", "4": "20 MB/s"}}
    with h5netcdf.File(dataset, "w") as file:
        file.create_group("s").attrs["model"] = json.dumps({**MODEL, "settings": {"threads": limited}})
    shown = tabulate_predictions(dataset, measured).shown
    reads = shown[shown["case"].str.startswith("read")]
    assert reads["predicted"].tolist() == ["50.0 MB/s", "no limit", "40.0 MB/s"]
    assert reads["case"].tolist() == ["read, threads 1", "read, threads 2", "read, threads 4"]
    assert reads["measured over predicted"].tolist() == ["2.000", "–", "10.000"]


def test_a_setting_that_the_model_does_not_put_in_force_is_bounded_by_the_network(dataset, measured):
    linked = replace(measured, cube=measured.cube.assign_attrs(server_rate=5e7))
    assert predict_sweep(dataset, linked).values.ravel().tolist() == [5e7] * 6
