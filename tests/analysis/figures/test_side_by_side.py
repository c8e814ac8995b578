"""A document's rates and ours as shares of the highest of each."""

from dataclasses import replace

import pytest
import seaborn as sns
from canvas import find_outside, find_overlaps

from coldcache.analysis.figures.side_by_side import (
    can_compare,
    list_stated,
    open_side_by_side,
    set_side_by_side,
    share_of_peak,
    tabulate_sides,
    title_side_by_side,
)
from coldcache.analysis.figures.style import house_style, lines_by
from coldcache.dataset.published import PublishedValue


def state(operation, statistic, threads, value, unit="B/s", relation="="):
    workload = "sequential N-N"
    return PublishedValue(
        "d", "fig 1", "text", "", "", workload, operation, statistic, relation, "", threads, value, value, unit, ""
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
    rows = [(row.operation, row.threads, row.share) for row in list_stated(stated).itertuples()]
    assert rows[1:] == [("read", 64, 0.75), ("read", 256, 1.0), ("write", 128, 1.0)]
    # A peak is of no number of threads.
    assert rows[0][::2] == ("read", 1.0) and rows[0][1] != rows[0][1]
    assert list_stated(replace(stated, published=())).empty


def test_only_rates_at_numbers_of_threads_can_be_compared(stated):
    assert can_compare(stated)
    assert not can_compare(replace(stated, published=stated.published[:1]))


def test_ours_are_shares_of_the_highest_estimate(stated):
    shares = share_of_peak(stated.cells)
    assert shares.estimate.sel(operation="read").values.tolist() == [0.25, 0.5, 1.0]
    assert float(shares.high.sel(operation="write", threads=4)) == pytest.approx(90 / 75)
    assert shares.n.values.tolist() == [[5, 5, 5], [5, 5, 5]]


def test_both_sides_have_the_same_scales_and_say_what_their_highest_rates_are(stated):
    with house_style():
        figure, document, ours = open_side_by_side()
        shares = share_of_peak(stated.cells)
        sns.lineplot(shares.to_dataframe(), x="threads", y="estimate", ax=ours, **lines_by(shares, "operation"))
        said = set_side_by_side(document, ours, stated, shares)
        assert ("Dotted" in said) == any(line.get_linestyle() == ":" for line in document.lines)
        assert ("Rings" in said) == any(line.get_markerfacecolor() == "none" for line in ours.lines)
        assert document.get_ylim() == ours.get_ylim() and document.get_xlim() == ours.get_xlim()
        assert ours.get_xticks().tolist() == [1, 4, 64, 256]
        stars = [line.get_xydata().tolist() for line in document.lines if line.get_marker() == "*"]
        assert sorted(stars) == [[[64, 0.75], [256, 1.0]], [[128, 1.0]]]
        (rug,) = (line for line in document.lines if line.get_linewidth() == 3)
        assert rug.get_ydata().tolist() == [1, 1]
        assert document.get_title(loc="left") == "document; 100 % is\n8.00 GB/s read,\n5.00 GB/s write"
        assert ours.get_title(loc="left") == "measured here; 100 % is\n75.0 MB/s write,\n400 MB/s read"
        assert find_overlaps(figure) == [] and find_outside(figure) == []


def test_a_title_compares_how_far_rates_rise(stated):
    few = replace(stated, published=(state("read", "value", 1, 2e9), state("read", "peak", None, 8e9)))
    assert title_side_by_side(few) == "From 1 thread to the peak, the document's reads rise 4 times, here 3.9"
    assert float(stated.growth("read").estimate) == pytest.approx(3.9, abs=0.05)
    assert title_side_by_side(stated) == (
        "The document's highest reads at 256 threads, here at 4; writes at 128 threads, here at 4"
    )


@pytest.mark.parametrize(
    ("first", "peak", "said"),
    [
        ("at most", "above", "rise at least 4 times"), ("=", "above", "rise at least 4 times"),
        ("=", "slightly above", "rise 4 times"), ("above", "above", None), ("=", "below", None),
    ],
)  # fmt: skip
def test_rates_that_a_document_bounds_give_a_least_ratio_or_none(stated, first, peak, said):
    values = (state("read", "value", 1, 2e9, relation=first), state("read", "peak", None, 8e9, relation=peak))
    title = title_side_by_side(replace(stated, published=values))
    assert said in title if said else "rise" not in title


def test_the_numbers_of_a_figure_are_those_of_both_sides(stated):
    table = tabulate_sides(stated, share_of_peak(stated.cells))
    assert table.whose.value_counts().to_dict() == {"document": 4, "measured here": 6}
    ours = table[(table.whose == "measured here") & (table.operation == "read")]
    assert ours.share.tolist() == [0.25, 0.5, 1.0]
    assert (ours.low <= ours.share).all() and (ours.share <= ours.high).all()
