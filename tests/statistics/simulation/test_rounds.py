"""Correlated rounds: intervals cover as stated, or the stored table says where they do not."""

import numpy as np
import pytest
from scipy import special

from coldcache.statistics.simulation.rounds import CORRELATIONS, DRIFT, MODE_OF_MEDIAN, ROUNDS, SHAPES, rounds_table
from coldcache.statistics.simulation.stored_tables import read_table


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_rise_with_the_share_and_have_the_median_of_one_half(name):
    share = special.ndtr(np.linspace(-4, 4, 1001))
    rates = SHAPES[name](share)
    assert len(set(np.sign(np.diff(rates)))) == 1
    assert np.median(rates) == pytest.approx(float(SHAPES[name](np.array([0.5]))[0]))


def test_the_stored_table_has_every_noise_correlation_and_number_of_rounds():
    table = read_table("rounds")
    assert len(table) == (len(SHAPES) + 1) * len(CORRELATIONS) * len(ROUNDS)
    usual = table[table.noise.isin(["skewed", "slow tail"])]
    ordinary = usual[usual.correlation < 0.8]
    assert ordinary[["median", "ratio"]].min().min() >= 0.935
    assert ordinary[["median", "ratio"]].max().max() <= 0.97
    # Neighbours that resemble each other by 0.8 leave six rounds with little to know their scatter by.
    assert usual[["median", "ratio"]].min().min() >= 0.93
    assert table[table.noise == DRIFT].ratio.min() >= 0.92
    modes = table[table.noise.isin(list(MODE_OF_MEDIAN))].set_index(["correlation", "rounds"])
    assert modes.drop((0.8, 6))[["median", "ratio"]].min().min() >= 0.93
    # In 7 % of campaigns all six rounds lie in the slower mode, so that nothing of the median is seen.
    assert modes.loc[(0.8, 6)].seen == pytest.approx(0.928, abs=0.01)
    assert modes.loc[(0.8, 6)]["median"] == pytest.approx(0.9, abs=0.02)


@pytest.mark.slow
def test_correlated_rounds_are_measured_and_covered():
    table = rounds_table(60).set_index(["noise", "correlation", "rounds"])
    strong = table.loc["skewed", 0.8]
    assert strong.measured.values == pytest.approx([0.8] * 3, abs=0.06)
    assert (strong[["median", "ratio"]] >= 0.90).all().all(), strong
