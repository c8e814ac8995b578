"""A document's rates and ours as shares of the highest of each."""

from dataclasses import replace

import pytest
import seaborn as sns
from canvas import find_outside, find_overlaps

from coldcache.analysis.figures.beside import list_stated, open_beside, set_beside, share_of_peak, title_beside
from coldcache.analysis.figures.style import house_style, lines_by
from coldcache.dataset.published import PublishedValue


def state(operation, statistic, threads, value, unit="B/s"):
    workload = "sequential N-N"
    return PublishedValue(
        "d", "fig 1", "text", "", "", workload, operation, statistic, "=", "", threads, value, value, unit, ""
    )


@pytest.fixture
def stated(sweep):
    """Return the sweep with what a document states: a peak of reads beside two rates at numbers of threads."""
    values = (
        state("read", "peak", None, 8e9),
        state("read", "value", 64, 6e9),
        state("read", "value", 256, 8e9),
        state("write", "value", 128, 5e9),
        state("read", "plateau from", 64, 64, "1"),
        state("read", "value", 64, 9, "1/s"),
    )
    return replace(sweep, published=values)


def test_stated_rates_are_shares_of_the_highest_of_their_operation(stated):
    rows = {(row.operation, row.threads): row.share for row in list_stated(stated).itertuples()}
    assert rows == {("read", 64): 0.75, ("read", 256): 1.0, ("write", 128): 1.0}
    assert list_stated(replace(stated, published=())).empty


def test_ours_are_shares_of_the_highest_estimate(stated):
    shares = share_of_peak(stated.cells)
    assert shares.estimate.sel(operation="read").values.tolist() == [0.25, 0.5, 1.0]
    assert float(shares.high.sel(operation="write", threads=4)) == pytest.approx(90 / 75)


def test_both_sides_have_one_height_and_their_own_threads(stated):
    with house_style():
        figure, document, ours = open_beside()
        shares = share_of_peak(stated.cells)
        sns.lineplot(shares.to_dataframe(), x="threads", y="estimate", ax=ours, **lines_by(shares, "operation"))
        set_beside(document, ours, stated, shares)
        assert document.get_ylim() == ours.get_ylim()
        stars = [line.get_xydata().tolist() for line in document.lines if line.get_marker() == "*"]
        assert sorted(stars) == [[[64, 0.75], [256, 1.0]], [[128, 1.0]]]
        assert ours.get_xticks().tolist() == [1, 2, 4]
        assert find_overlaps(figure) == [] and find_outside(figure) == []
    assert title_beside(stated) == ("The document states rates at 64 to 256 threads; this campaign measured 1 to 4")
