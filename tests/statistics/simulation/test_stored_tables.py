"""The stored tables belong to the current statistics, and cheap ones come out the same when simulated again."""

import pandas as pd
import pytest

from coldcache.statistics.simulation.intervals import NOISES, coverage_table
from coldcache.statistics.simulation.stored_tables import TABLES, digest_sources, read_table, stored_digest


def test_the_tables_were_measured_with_the_statistics_as_they_are():
    assert stored_digest() == digest_sources(), "the statistics have changed: run python -m coldcache simulate"


@pytest.mark.parametrize("name", ["power", "corrections", "marks"])
def test_a_table_measured_anew_is_the_stored_one(name):
    pd.testing.assert_frame_equal(TABLES[name]().round(6), read_table(name), check_dtype=False, rtol=1e-5)


def test_coverage_is_of_2000_campaigns_with_every_noise():
    stored = read_table("coverage")
    assert set(stored.noise) == set(NOISES)
    chosen = stored[(stored.statistic == "median") & (stored.n == 5)].reset_index(drop=True)
    anew = coverage_table(2000, counts=(5,), statistics=("median",)).round(6)
    pd.testing.assert_frame_equal(anew, chosen, check_dtype=False, rtol=1e-5)
