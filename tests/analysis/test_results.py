"""What estimates answer is said in words that fit its number."""

from coldcache.analysis.results import Peak, Ratio
from coldcache.statistics.dependence import INDEPENDENT


def test_a_peak_names_its_number_of_threads():
    assert Peak(1, 2.0, 1.0, 3.0, 5).at == "1 thread"
    assert Peak(1024, 2.0, 1.0, 3.0, 5).at == "1,024 threads"


def test_the_highest_at_the_edge_of_what_was_tried_is_no_peak():
    inside, edge = Peak(4, 2.0, 1.0, 3.0, 5), Peak(64, 2.0, 1.0, 3.0, 5, edge="the most tried")
    assert (inside.verb, inside.at) == ("peak at", "4 threads")
    assert (edge.verb, edge.at) == ("reach", "64 threads (the most tried)")


def test_a_peak_and_a_ratio_have_no_page_and_no_doubt_unless_stated():
    peak, ratio = Peak(4, 2.0, 1.0, 3.0, 5), Ratio(2.0, 1.0, 3.0, 5)
    assert (peak.page, peak.suspect, peak.runs, peak.edge) == (None, 0, (), None)
    assert (ratio.page, ratio.runs, ratio.rounds) == (None, (), INDEPENDENT)
