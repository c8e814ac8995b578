"""Bent lines through curves: exact lines are found, slopes between close levels are not tried, and NaN is missing."""

import numpy as np
import pytest

from coldcache.statistics.scaling.piecewise import GRID_STEPS, design_lines, fit_lines, read_levels, try_lines


def test_a_curve_is_read_as_logarithms_of_its_medians():
    x, y, (variance, freedom) = read_levels([1, 2, 4, 8], [[1, 2, 4], [2, 4, 8], [4, 8, 16], [8, 16, 32]])
    assert x.tolist() == [0, 1, 2, 3]
    assert y.tolist() == [1, 2, 3, 4]
    # Each level has logarithms -1, 0, 1 about its mean: variance 1 of a value, pi/6 of a median of three.
    assert (variance, freedom) == (pytest.approx(np.pi / 6), 8)


def test_levels_without_a_rate_are_left_out_and_single_runs_state_no_noise():
    x, y, (variance, freedom) = read_levels([1, 2, 4, 8, 16], [1, 2, np.nan, 8, 16])
    assert (x.tolist(), y.tolist()) == ([0, 1, 3, 4], [0, 1, 3, 4])
    assert np.isnan(variance) and freedom == 0


@pytest.mark.parametrize(
    ("threads", "rates", "message"),
    [
        ([1, 2, 4, 8], [1, 0, 4, 8], "a rate is zero or negative"),
        ([1, 4, 2, 8], [1, 2, 4, 8], "the thread counts do not rise"),
        ([1, 2, 4], [1, 2, 4], "rates at 1, 2, 4 threads: a knee needs at least 4 thread counts over two doublings"),
        ([4, 5, 6, 7], [1, 2, 4, 8], "rates at 4, 5, 6, 7 threads"),
        ([1, 2, 4, 8], [np.nan] * 4, "rates at no threads"),
    ],
)  # fmt: skip
def test_a_curve_without_a_knee_to_find_is_refused(threads, rates, message):
    with pytest.raises(ValueError, match=message):
        read_levels(threads, rates)


def test_a_sharp_bend_has_one_slope_before_and_one_after():
    (design,) = design_lines(np.array([2.0]), np.array([np.inf]), np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    assert design.tolist() == [[1, -2, 0], [1, -1, 0], [1, 0, 0], [1, 0, 1], [1, 0, 2]]


def test_a_round_bend_is_half_way_at_its_place():
    (design,) = design_lines(np.array([2.0]), np.array([1.0]), np.array([2.0]))
    assert design[0] == pytest.approx([1, -1, 1])


def test_bends_lie_between_the_second_and_the_last_but_one_level():
    lines = try_lines((0.0, 1.0, 2.0, 3.0, 4.0))
    assert (lines.bends[1:].min(), lines.bends.max()) == (1, 3)
    assert len(np.unique(lines.bends[1:])) == 2 * GRID_STEPS + 1
    # The first has no bend.
    assert (lines.bends[0], lines.sharpness[0]) == (0, np.inf)


def test_an_exact_break_is_found_where_it_is():
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    lines = try_lines(tuple(x))
    coefficients, squares = fit_lines(lines, np.minimum(x, 2.0)[None])
    best = int(squares[0].argmin())
    assert (lines.bends[best], lines.sharpness[best]) == (2.0, np.inf)
    assert squares[0, best] == pytest.approx(0, abs=1e-20)
    assert coefficients[0, best] == pytest.approx([2, 1, 0], abs=1e-9)


def test_a_line_that_bends_up_is_no_candidate_and_a_straight_one_is():
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    lines = try_lines(tuple(x))
    _, squares = fit_lines(lines, np.maximum(x, 2.0)[None])
    sharp = (lines.bends == 2) & (lines.sharpness == np.inf)
    assert np.isinf(squares[0, sharp]).all()
    assert np.isfinite(squares[0, 0])
