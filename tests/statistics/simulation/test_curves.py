"""Intervals of knees cover at 5 % noise, and knees are found within one level, or the table says where not."""

import pytest

from coldcache.statistics.simulation.curves import (
    CURVE_SHAPES,
    FOUND_TOO_SELDOM,
    LEAST_COVERED,
    LEAST_FOUND,
    LEVELS,
    anomaly_table,
    knee_table,
    scalability_table,
)
from coldcache.statistics.simulation.labels import NONE_GIVEN, TOO_NARROW
from coldcache.statistics.simulation.stored_tables import read_stored_table

#: Shapes of which a knee is sharp and the rate grows by at least 1.41 per doubling before it.
CLEAR = (
    "linear, then level",
    "x 1.41 per doubling, then level",
    "linear, then falling 10 % per doubling",
    "linear, level, last one falls 10 %",
    "round bend",
)
LONG = ("1 to 1024 by doubling", "1 to 256 in 17 steps")


@pytest.fixture(scope="module")
def knees():
    return read_stored_table("knees")


def test_every_knee_s_interval_covers_93_percent_and_spans_a_step(knees):
    assert len(knees) == len(LEVELS) * len(CURVE_SHAPES) * 3
    given = knees[knees.given > 0]
    assert (given.covered.astype(float) >= LEAST_COVERED).all(), given
    assert (given.narrowest >= 1).all()
    alone = knees[(knees.threads == "1 to 32 by doubling") & (knees.repetitions == 1)]
    assert (alone.label == NONE_GIVEN).all()
    assert len(given) == len(knees) - len(alone)


def test_clear_knees_are_found_within_one_level(knees):
    clear = knees[knees.threads.isin(LONG) & knees["shape"].isin(CLEAR)]
    assert len(clear) == 2 * 5 * 3
    assert (clear.within_one_level >= LEAST_FOUND).all(), clear
    short = knees[(knees.threads == "1 to 32 by doubling") & knees["shape"].isin(CLEAR)]
    assert (short[(short.repetitions == 6) & (short.correlation == 0)].within_one_level >= LEAST_FOUND).all()


def test_knees_that_are_not_found_are_labelled(knees):
    lost = knees[(knees.within_one_level < LEAST_FOUND) & (knees.given > 0)]
    assert (lost.label == FOUND_TOO_SELDOM).all()
    assert set(lost["shape"]) > {"hyperbola"}


@pytest.mark.slow
def test_a_few_curves_simulated_again_agree_with_the_stored_ones(knees):
    again = knee_table(60)
    given = again.given > 0
    assert (given == (knees.given > 0)).all()
    assert again[given].covered.mean() == pytest.approx(knees[given].covered.astype(float).mean(), abs=0.015)


@pytest.mark.slow
def test_anomalies_keep_their_error_rate_and_find_a_fifth():
    table = anomaly_table(200)
    assert (table.false_alarms <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5).all(), table
    assert (table.found >= 0.4).all(), table


@pytest.mark.slow
def test_intervals_of_the_law_cover_or_are_labelled():
    table = scalability_table(100)
    shares = table[["contention", "coherency", "at_twice", "at_four_times"]]
    assert (shares.min(axis=1) >= 0.84).all(), table
    assert (table.label[table.at_four_times < 0.87] == TOO_NARROW).all()
    both = table[(table.true_contention > 0.01) & (table.true_coherency > 0)]
    assert (both.label != TOO_NARROW).all(), both
