"""Tests keep their error rates, percentiles cover, marks are rare and the stop rule costs what it says."""

import numpy as np
import pytest

from coldcache.statistics.simulation.stored_tables import read_stored_table
from coldcache.statistics.simulation.tests import (
    correction_table,
    mark_table,
    power_table,
    series_table,
    stopping_table,
)


def most(rate, campaigns):
    """Return what a share of campaigns may reach where the true one is `rate`: two standard errors above."""
    return rate + 2 * np.sqrt(rate * (1 - rate) / campaigns)


@pytest.mark.slow
def test_the_smallest_ratio_is_found_in_four_of_five_campaigns():
    table = power_table(2000)
    assert table.found.values == pytest.approx(0.8, abs=0.03)
    assert table.smallest_ratio.is_monotonic_decreasing


def test_corrections_keep_what_they_bound():
    table = correction_table(2000).set_index("correction")
    assert table.any_false["none"] > 0.35
    assert table.any_false["holm"] <= most(0.05, 2000)
    assert table.false_share["benjamini-hochberg"] <= most(0.05, 2000)
    assert table.found["none"] > table.found["benjamini-hochberg"] > table.found["holm"] > 0.15


def test_intervals_at_which_the_stop_rule_ends_cover_as_stated():
    stored = read_stored_table("stopping")
    assert len(stored) == 15
    assert stored.coverage.min() >= 0.935
    assert stored.repetitions.min() >= 9


@pytest.mark.slow
def test_the_stop_rule_costs_more_repetitions_the_narrower_the_interval():
    table = stopping_table(300)
    assert (table.coverage >= 0.92).all(), table
    by_noise = table.pivot(index="noise", columns="wanted", values="repetitions")
    assert (by_noise[0.1] > by_noise[0.3]).all()
    assert (by_noise[0.3] >= by_noise[0.5]).all()


@pytest.mark.slow
def test_percentiles_of_series_cover_or_warn():
    table = series_table(100)
    assert (table.coverage >= 0.88).all(), table
    short = table[(table.n == 180)]
    assert (short.no_upper == 1).all()
    assert (short.warned == 1).all()
    long = table[(table.n == 10_800) & (table.correlation == 0)]
    assert (long.no_upper == 0).all()
    assert (long.warned == 0).all()


def test_one_clean_case_in_a_hundred_is_marked():
    table = mark_table(4000)
    assert (table.false_marks <= most(0.01, 4000)).all(), table
    assert table.found.is_monotonic_increasing
