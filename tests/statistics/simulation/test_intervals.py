"""Intervals of independent medians cover 93.5 to 96.5 %, or are labelled."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from coldcache.statistics.simulation.intervals import COUNTS, SAMPLES, coverage_table, true_median
from coldcache.statistics.simulation.labels import AS_STATED, TOO_WIDE
from coldcache.statistics.simulation.stored_tables import read_stored_table


def test_stored_intervals_cover_what_they_state_but_where_the_median_lies_in_a_gap():
    table = read_stored_table("coverage")
    assert len(table) == len(SAMPLES) * len(COUNTS)
    even = table.noise == "two modes, even"
    assert (table[~even].label == AS_STATED).all()
    assert ((table[~even].coverage - table[~even].level).abs() <= 0.015).all()
    assert set(table[even].label) <= {AS_STATED, TOO_WIDE}


def test_the_range_of_five_covers_fifteen_of_sixteen():
    table = read_stored_table("coverage")
    five = table[table.n == 5]
    assert (five.level == 15 / 16).all()
    assert five.coverage.values == pytest.approx(15 / 16, abs=0.005)


def test_the_same_seed_gives_the_same_table():
    one, other, another = (coverage_table(50, seed=seed) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(one, other)
    assert (one.coverage != another.coverage).any()


@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        ("skewed", 1.0),
        ("slow tail", 1 / (1 + 0.3 * np.log(2))),
        ("drift, random times", np.exp(0.1)),
        ("two modes, 7 to 3", np.exp(0.03 * stats.norm.ppf(0.2 / 0.7))),
    ],
)
def test_true_medians_are_those_of_the_distribution(noise, expected):
    assert true_median(noise) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_positive_and_of_the_shape_asked_for(name):
    values = SAMPLES[name](np.random.default_rng(1), (300, 7))
    assert values.shape == (300, 7)
    assert (values > 0).all()
