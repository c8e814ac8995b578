"""The stored tables belong to the current statistics, and cheap ones come out the same when simulated again."""

import pandas as pd
import pytest

from coldcache.statistics.simulation.stored_tables import TABLES, digest_sources, read_stored_table, stored_digest


def test_the_tables_were_measured_with_the_statistics_as_they_are():
    assert stored_digest() == digest_sources(), "the statistics have changed: run python -m coldcache simulate"


@pytest.mark.parametrize("name", ["coverage", "power", "corrections", "marks"])
def test_a_table_measured_again_is_the_stored_one(name):
    pd.testing.assert_frame_equal(TABLES[name]().round(6), read_stored_table(name), check_dtype=False, rtol=1e-5)


def test_the_cost_of_every_table_is_stored():
    costs = read_stored_table("costs")
    assert set(costs.table) == set(TABLES)
    assert (costs.rows == [len(read_stored_table(name)) for name in costs.table]).all()
