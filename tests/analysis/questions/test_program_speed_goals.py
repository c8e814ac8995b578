"""Each figure of the bench has its goal in one place; what it takes of it, and why it misses it, follow from there."""

import math

import pytest

from coldcache.analysis.questions.program_speed_goals import FIGURES, SpeedFigure, format_speed

AT_MOST, AT_LEAST = SpeedFigure("a", "a", "s", None, 5), SpeedFigure("b", "b", "1/s", 10_000, None)
BETWEEN, NONE = SpeedFigure("c", "c", "", 0.98, 1.02), SpeedFigure("d", "d", "B", None, 0)


@pytest.mark.parametrize(
    ("figure", "value", "share"),
    [
        (AT_MOST, 2.5, 0.5), (AT_MOST, 10, 2), (AT_MOST, 0, 0), (AT_LEAST, 20_000, 0.5), (AT_LEAST, 2500, 4),
        (AT_LEAST, 0, math.inf), (BETWEEN, 1, 0), (BETWEEN, 1.02, 1), (BETWEEN, 0.97, 1.5), (NONE, 0, 0),
        (NONE, 1, math.inf),
    ],
)  # fmt: skip
def test_a_value_takes_all_of_a_goal_that_it_just_keeps(figure, value, share):
    assert figure.share(value) == pytest.approx(share)
    if abs(share - 1) > 1e-9:
        assert figure.is_met(value) == (share < 1)


def test_why_a_goal_is_missed_is_told_only_while_it_is():
    figure = FIGURES["logs-rate"]
    assert figure.describe_miss(10_000, 8000.0) is None
    assert "which makes nothing of any, reads 8,543 1/s on both cores" in figure.describe_miss(2913, 8543.0)
    assert AT_MOST.describe_miss(6, None) == "missed"


def test_every_figure_has_a_goal():
    assert all(figure.least is not None or figure.most is not None for figure in FIGURES.values())
    assert [figure.name for figure in FIGURES.values()] == list(FIGURES)


def test_a_goal_is_shown_with_its_bounds_and_may_have_no_floor_and_no_reason():
    assert [figure.format_goal() for figure in (AT_MOST, AT_LEAST, BETWEEN, NONE)] == [
        "≤ 5", "≥ 10,000", "0.98 to 1.02", "≤ 0",
    ]  # fmt: skip
    assert (AT_MOST.floor, AT_MOST.why_missed) == ("", "")


def test_values_have_three_digits_or_are_whole():
    assert [format_speed(value, "s") for value in (0.12345, 12.345, 99.96, 100, 1234.5)] == [
        "0.123 s", "12.3 s", "100 s", "100 s", "1,234 s",
    ]  # fmt: skip
    assert format_speed(-250.4, "") == "-250"
