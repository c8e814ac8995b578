"""Operations of a sweep are split into parts that one figure can show, and those without a figure say why."""

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.analysis.questions.sweep_parts import Part, drop_levels, name_reason


def test_an_operation_belongs_to_a_part_by_its_metric_and_its_kind():
    names = ("read", "random-read", "file-create", "an operation of a command")
    for part, expected in (
        (Part("throughput", "sequential", {"write"}, "sequential"), [True, False, False, False]),
        (Part("rate", "random", {"random-write"}, "rate-random"), [False, True, False, False]),
        (Part("rate", "", {"file-remove"}, "rate"), [False, True, True, False]),
    ):
        assert [part.is_for(name) for name in names] == expected


def test_the_commonest_reason_is_named_and_of_several_the_first():
    void = pd.DataFrame({"reasons": ["the disk is full; the log is cut", "no log", "the disk is full"]})
    assert name_reason(void) == "none of 3 runs counts: the disk is full"
    assert name_reason(void[1:2]) == "its only run does not count: no log"


def test_levels_without_a_case_are_dropped_and_those_of_void_trials_stay():
    verdicts = np.array([[["valid", ""], ["", ""], ["void", ""]], [["", ""], ["", ""], ["", ""]]], dtype=object)
    rates = np.where(verdicts == "valid", 1.0, np.nan)
    dims = ("transfer_size", "threads", "repetition")
    cube = xr.Dataset(
        {"throughput": (dims, rates), "verdict": (dims, verdicts)},
        {"transfer_size": [4096, 65536], "threads": [1, 2, 4]},
    )
    found = drop_levels(cube, "throughput")
    assert found.throughput.dims == ("threads", "repetition")
    assert found.threads.values.tolist() == [1, 4]
    assert found.attrs == {"transfer_size": 4096}
    # A trial that counts and states another metric is no case of this one.
    other = drop_levels(cube.assign(verdict=cube.verdict.where(cube.verdict != "void", "valid")), "throughput")
    assert other.throughput.dims == ("repetition",)
    assert other.attrs == {"transfer_size": 4096, "threads": 1}
