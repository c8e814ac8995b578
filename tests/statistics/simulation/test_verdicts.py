"""Every kind of claim is falsely decided as rarely as stated, and true ones are found."""

import pytest

from coldcache.statistics.simulation.labels import AS_STATED
from coldcache.statistics.simulation.noise import CORRELATIONS, NOISES, ROUNDS
from coldcache.statistics.simulation.stored_tables import read_stored_table
from coldcache.statistics.simulation.verdicts import FAMILY, KNEE, TESTS, verdict_table


@pytest.fixture(scope="module")
def stored():
    return read_stored_table("verdicts")


def test_no_kind_of_claim_has_more_false_verdicts_than_stated(stored):
    """The worst of four noises and of both verdicts, measured to a quarter of a point, for knees to one."""
    assert len(stored) == (len(TESTS) + 2) * len(CORRELATIONS) * len(ROUNDS)
    assert set(stored.noise) <= set(NOISES)
    assert (stored.label == AS_STATED).all(), stored[stored.label != AS_STATED]
    assert stored[stored.claim != KNEE].false_verdicts.max() <= 0.055
    assert stored[stored.claim == KNEE].false_verdicts.max() <= 0.05
    assert stored[stored.claim == FAMILY].false_verdicts.max() <= 0.05


def test_true_claims_are_found_the_more_often_the_more_rounds(stored):
    independent = stored[(stored.correlation == 0) & (stored.claim != FAMILY)]
    found = independent.pivot(index="claim", columns="rounds", values="found").astype(float)
    assert (found[20] > found[6]).all(), found
    assert found.loc["one peak above another", 6] > 0.15
    assert found.loc["the place of a peak", 20] > 0.6
    assert found.loc[KNEE, 20] > 0.5


@pytest.mark.slow
def test_the_same_seed_gives_the_same_table():
    few = verdict_table(20, seed=2)
    assert verdict_table(20, seed=2).equals(few)
    assert not verdict_table(20, seed=3).equals(few)


@pytest.mark.slow
def test_a_few_campaigns_simulated_again_agree_with_the_stored_ones(stored):
    again = verdict_table(250, seed=5)
    assert again.false_verdicts.values == pytest.approx(stored.false_verdicts.values, abs=0.06)
