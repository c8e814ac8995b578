"""The figure of a trial is chosen by one rule, for records and for the rows of a table."""

import pytest

from coldcache.core.figures import choose_figure, rank_figure
from coldcache.core.records import Record


def record(value, statistic="value", metric="throughput", caveats=(), definition="", **factors):
    return Record("t", "1", "read", metric, statistic, value, "B/s", None, definition, 0, 1, "", caveats, factors)


@pytest.mark.parametrize(
    ("records", "figure"),
    [
        ([record(1.0, "mean"), record(2.0)], 2.0),
        ([record(1.0, "max"), record(2.0, "mean")], 2.0),
        ([record(1.0, caveats=("stonewalled",)), record(2.0)], 2.0),
        ([record(1.0, caveats=("stonewalled",)), record(2.0, "mean")], 1.0),
        ([record(1.0, definition="one process of several"), record(2.0)], 2.0),
        ([record(1.0), record(2.0)], 1.0),
        ([record(1.0, metric="rate")], None),
        ([record(1.0, "max")], None),
        ([], None),
    ],
)
def test_the_figure_of_a_trial_is_the_one_of_the_lowest_rank(records, figure):
    assert choose_figure("read", records) == figure
    assert choose_figure("write", records) is None


def test_of_latencies_the_mean_comes_first():
    assert rank_figure("latency", "mean", ()) < rank_figure("latency", "value", ())
    assert rank_figure("throughput", "value", "rounded stonewalled") == 1
