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
