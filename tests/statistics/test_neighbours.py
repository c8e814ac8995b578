"""How alike neighbouring runs are, and the stored table of what correlated runs show of it."""

import numpy as np
import pytest

from coldcache.statistics import neighbours
from coldcache.statistics.neighbours import (
    CORRELATIONS,
    STORED,
    expected_products,
    neighbour_products,
    simulate_products,
    store_products,
)


def test_the_products_of_neighbours_are_a_share_of_the_squares():
    rows = np.array([[1.0, -1.0, 1.0, -1.0], [-3.0, -1.0, 1.0, 3.0], [0.0, 0.0, 0.0, 0.0]])
    assert neighbour_products(rows, ranked=False).tolist()[:2] == [-3 / 4, 5 / 20]
    assert np.isnan(neighbour_products(rows, ranked=False)[2])


def test_equal_values_share_the_mean_of_their_ranks():
    # The ranks are 0.5, 0.5, 2 and 3, their deviations -1, -1, 0.5 and 1.5.
    assert neighbour_products(np.array([[1.0, 1.0, 5.0, 900.0]]), ranked=True).tolist() == [(1 - 0.5 + 0.75) / 4.5]


def test_a_missing_run_is_no_neighbour():
    assert neighbour_products(np.array([[1.0, np.nan, 1.0, -1.0]]), ranked=False).tolist() == [-1 / 3]


@pytest.mark.parametrize("ranked", [False, True])
@pytest.mark.parametrize("n", [3, 4, 10, 40])
def test_what_is_stored_is_what_simulation_gives(n, ranked):
    for stored, simulated in zip(expected_products(n, ranked), simulate_products(n, ranked), strict=True):
        np.testing.assert_allclose(stored, simulated, rtol=0, atol=1e-11)


def test_more_rounds_than_are_stored_are_simulated():
    n = STORED[-1] + 1
    means, spreads = expected_products(n, False)
    assert len(means) == len(spreads) == len(CORRELATIONS)
    np.testing.assert_array_equal(means, simulate_products(n, False)[0])


def test_stored_again_the_table_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(neighbours, "STORED", range(3, 6))
    store_products(tmp_path / "products.csv")
    lines = (tmp_path / "products.csv").read_text().splitlines()
    assert len(lines) == 1 + 3 * 2 * len(CORRELATIONS)
    assert neighbours.PRODUCTS.read_text().splitlines()[: len(lines)] == lines


def test_of_independent_runs_neighbours_seem_contrary_since_their_mean_is_their_own():
    # The deviations sum to 0, so the mean product of two is -1 / (n - 1) of a mean square; n - 1 pairs, n squares.
    for n in (3, 10, 40):
        assert expected_products(n, False)[0][0] == pytest.approx(-1 / n, abs=0.005)
