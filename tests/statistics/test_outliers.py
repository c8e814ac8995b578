"""Outliers are marked and stay; clean, short and constant cases have no marks."""

import numpy as np
import xarray as xr

from coldcache.statistics.outliers import mark_outliers


def marks(*cases):
    return mark_outliers(xr.DataArray(list(cases), dims=("threads", "repetition"), name="rate"))


def test_a_rate_of_half_the_others_is_marked_and_stays():
    rate = xr.DataArray([[1.0, 1.01, 0.99, 1.02, 0.5]], dims=("threads", "repetition"))
    before = rate.copy()
    assert mark_outliers(rate).values.tolist() == [[False, False, False, False, True]]
    xr.testing.assert_identical(rate, before)


def test_a_rate_is_marked_on_either_side_by_ratio():
    low, high = marks([1.0, 1.01, 0.99, 1.02, 1 / 1.9], [1.0, 1.01, 0.99, 1.02, 1.9]).values
    assert low.tolist() == high.tolist() == [False, False, False, False, True]


def test_ordinary_scatter_has_no_marks():
    assert not marks([1.0, 1.1, 0.9, 1.2, 0.8]).any()


def test_fewer_than_five_repetitions_have_no_marks():
    assert not marks([1.0, 1.01, 0.99, np.nan, 9.0]).any()


def test_mostly_equal_repetitions_have_no_marks():
    assert not marks([1.0, 1.0, 1.0, 1.0, 5.0]).any()


def test_missing_repetitions_are_not_marked():
    assert not marks([1.0, np.nan, 1.01, 1.02, 0.99, 0.98])[0, 1]
