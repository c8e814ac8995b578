"""A phrase says which difference some runs show; statsmodels agrees on how many it takes."""

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from coldcache.statistics.dependence import Rounds
from coldcache.statistics.power import describe_power, smallest_difference


@pytest.mark.parametrize("spread", [0.03, 0.05, 0.1, 0.13])
def test_runs_are_as_many_as_statsmodels_finds(spread):
    wanted = TTestPower().solve_power(np.log(1.05) / spread, alpha=0.05, power=0.8, alternative="two-sided")
    needed = max(int(np.ceil(wanted)), 5)
    assert describe_power(spread, 2) == f"{needed} runs per case would show 5 % with 80 % power (2 show nothing)"


def test_runs_that_suffice_say_so_and_scatter_that_is_too_large_says_so():
    assert describe_power(0.05, 40) == "40 runs per case show 5 % with 80 % power"
    assert describe_power(0.1, 5) == "35 runs per case would show 5 % with 80 % power (5 show 18 %)"
    assert describe_power(3.0, 5).startswith(
        "at this scatter 1,000 runs per case would not show 5 % with 80 % power (5 "
    )
    assert " would show 10 % with 80 % power " in describe_power(0.1, 5, 1.1)


def test_dependent_runs_show_less():
    assert describe_power(0.05, 10, rounds=Rounds(0.4, 0.4)) == (
        "23 runs per case would show 5 % with 80 % power (10 show 8.2 %)"
    )
    assert describe_power(0.05, 6, rounds=Rounds(0.8, 0.8)).endswith("(6 show nothing)")


def test_the_smallest_difference_is_the_one_of_80_percent_power():
    found = smallest_difference(0.05, 10)
    assert TTestPower().power(np.log1p(found) / 0.05, 10, 0.05) == pytest.approx(0.8, abs=0.002)
    assert smallest_difference(0.05, 4) == np.inf
