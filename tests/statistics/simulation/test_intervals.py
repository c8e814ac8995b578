"""95 % intervals cover 93.5 to 96.5 % of simulated campaigns, or are labelled as not to be trusted."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from coldcache.statistics.intervals import TRUSTED_FROM, caveat
from coldcache.statistics.simulation.intervals import (
    NOISES,
    TOO_NARROW,
    TOO_WIDE,
    autocorrelated,
    coverage_table,
    label,
    pivot,
    true_value,
)

#: Noises in which each trial of a campaign is independent of the others.
INDEPENDENT = ("skewed", "slow tail", "drift, random times", "two modes, 7 to 3", "two modes, even")

#: Where intervals are wider than stated: the median lies in the gap between two modes, or each block its own trial.
SAFE = ("two modes, even", "drift, one per block")


@pytest.fixture(scope="module")
def usual():
    """Coverage of every statistic, over 2,000 campaigns each."""
    return coverage_table(2000)


@pytest.mark.slow
def test_median_intervals_cover_what_they_say(usual):
    kept = usual[(usual.statistic == "median") & (usual.n >= 6) & usual.noise.isin(INDEPENDENT[:4])]
    assert len(kept) == 4 * 7
    assert kept.coverage.between(0.935, 0.965).all(), kept[~kept.coverage.between(0.935, 0.965)]


@pytest.mark.slow
def test_the_range_of_five_covers_fifteen_of_sixteen(usual):
    """Whatever the distribution, so 93.75 %: two standard errors of 2,000 campaigns are 1.1 points."""
    five = usual[(usual.statistic == "median") & (usual.n == 5) & usual.noise.isin(INDEPENDENT)]
    assert five.coverage.values == pytest.approx(15 / 16, abs=0.011)


@pytest.mark.slow
def test_what_covers_less_is_labelled_and_has_a_caveat(usual):
    independent = usual[usual.noise.isin([*INDEPENDENT, "drift, one per block"])]
    for row in independent[independent.label == TOO_NARROW].itertuples():
        assert caveat(row.n, row.statistic), row
    assert (independent.label == TOO_NARROW).sum() > 30
    assert set(usual[(usual.coverage - 0.95).abs() > 0.0265].label) <= {TOO_NARROW, TOO_WIDE}


@pytest.mark.slow
def test_what_covers_more_is_labelled_and_known(usual):
    wide = usual[usual.label == TOO_WIDE]
    assert set(wide.noise) == set(SAFE)
    assert (usual[usual.noise == "drift, one per block"].query("n >= 5").label == TOO_WIDE).all()


@pytest.mark.slow
@pytest.mark.parametrize("statistic", TRUSTED_FROM)
def test_intervals_are_trusted_from_the_count_on_that_simulation_gives(statistic):
    table = coverage_table(10_000, (TRUSTED_FROM[statistic],), (statistic,), INDEPENDENT)
    assert table.coverage.min() >= 0.935 - 2 * np.sqrt(0.935 * 0.065 / 10_000)


def test_the_same_seed_gives_the_same_table():
    one, other, another = (coverage_table(50, (5,), ("median",), seed=seed) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(one, other)
    assert (one.coverage != another.coverage).any()


def test_a_noise_gives_the_same_row_alone_and_among_others():
    among = coverage_table(50, (5,), ("median",)).query("noise == 'two modes, even'")
    alone = coverage_table(50, (5,), ("median",), ("two modes, even",))
    pd.testing.assert_frame_equal(among.reset_index(drop=True), alone)


@pytest.mark.parametrize(
    ("coverage", "campaigns", "expected"),
    [
        (0.95, 2000, "as stated"),
        (0.935, 2000, "as stated"),
        (0.965, 2000, "as stated"),
        (0.930, 2000, "at the bound"),
        (0.930, 20_000, TOO_NARROW),
        (0.972, 2000, "at the bound"),
        (0.99, 2000, TOO_WIDE),
        (0.70, 2000, TOO_NARROW),
        (1.0, 2000, TOO_WIDE),
    ],
)
def test_label(coverage, campaigns, expected):
    assert label(coverage, campaigns) == expected


@pytest.mark.parametrize(
    ("noise", "statistic", "expected"),
    [
        ("skewed", "median", 1.0),
        ("skewed", "mean", np.exp(0.3**2 / 2)),
        ("skewed", "harmonic", np.exp(-(0.3**2) / 2)),
        ("skewed", "geometric", 1.0),
        ("slow tail", "median", 1 / (1 + 0.3 * np.log(2))),
        ("slow tail", "harmonic", 1 / 1.3),
        ("drift, random times", "median", np.exp(0.1)),
        ("drift, random times", "geometric", np.exp(0.1)),
        ("drift, one per block", "geometric", np.exp(0.1)),
        ("two modes, 7 to 3", "mean", (0.7 + 0.3 * 0.7) * np.exp(0.03**2 / 2)),
        ("two modes, 7 to 3", "median", np.exp(0.03 * stats.norm.ppf(0.2 / 0.7))),
        ("two modes, even", "geometric", 0.7**0.5),
    ],
)
def test_true_values_are_those_of_the_distribution(noise, statistic, expected):
    assert true_value(noise, statistic) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("name", NOISES)
def test_noises_are_positive_and_of_the_shape_asked_for(name):
    values = NOISES[name](np.random.default_rng(1), 300, 7)
    assert values.shape == (300, 7)
    assert (values > 0).all()


def test_series_have_the_correlation_and_the_median_asked_for():
    series = np.log(autocorrelated(np.random.default_rng(2), 20, 5000, 0.9))
    neighbours = np.corrcoef(series[:, 1:].ravel(), series[:, :-1].ravel())[0, 1]
    assert neighbours == pytest.approx(0.9, abs=0.01)
    assert (series.mean(), series.std()) == (pytest.approx(0, abs=0.03), pytest.approx(0.5, abs=0.02))


def test_table_to_be_read_has_noises_down_and_counts_across():
    table = coverage_table(100, (5, 10), ("median",), ("two modes, even", "skewed"))
    read = pivot(table, statistic="median")
    assert read.index.tolist() == ["two modes, even", "skewed"]
    assert read.columns.tolist() == [5, 10]
    assert read.loc["skewed", 10] == pytest.approx(100 * table.coverage[3])
