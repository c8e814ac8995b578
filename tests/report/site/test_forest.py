"""Ratios of the notebooks' tables on one axis."""

from math import isnan

import pytest

from coldcache.report.site.forest import _place, read_ratios, show_forest
from coldcache.report.site.shown import Shown

TABLE = """\
operation,threads (1),write_cache,median at writethrough (B/s),median (B/s),ratio (1),ratio low (1),ratio high (1),\
level (1),pairs
write,4,writeback,5e8,1e9,2.0,1.5,2.5,0.938,5
write,4,unsafe,5e8,5e8,1.0,,,,1
"""


@pytest.fixture
def ratios(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/s-w-ratio.csv").write_text(TABLE)
    (tmp_path / "tables/s-none-ratio.csv").write_text("\n")
    pages = {"s-w-ratio": "s/write-cache.html", "s-none-ratio": "s/write-cache.html", "s-w-rate": "s/write-cache.html"}
    return read_ratios(tmp_path, Shown({}, pages))


def test_each_row_of_a_table_of_ratios_is_a_ratio_with_its_place(ratios):
    known, single = ratios
    assert (known.what, known.levels) == ("write, threads 4", "write cache on / off")
    assert (known.ratio, known.low, known.high, known.pairs) == (2.0, 1.5, 2.5, 5)
    assert (single.study, single.page, single.table, single.row) == ("s", "s/write-cache.html", "s-w-ratio", 2)
    assert isnan(single.low)


def test_a_ratio_is_said_drawn_and_leads_to_its_row(ratios):
    html = show_forest(ratios, "ratios", "Ratios & more")
    assert '<a href="s/write-cache.html#table-s-w-ratio.1.1">2 (1.5 to 2.5)</a>' in html
    assert '<a href="s/write-cache.html#table-s-w-ratio.2.1">1</a>' in html
    assert html.count("<i ") == 1 and html.count('<b class="open"') == 1 and html.count("<b ") == 2
    assert "<caption>Ratios &amp; more</caption>" in html
    assert '<th scope="col" class="number">Ratio (93.8 %)</th>' in html


def test_the_axis_is_logarithmic_and_holds_every_ratio():
    assert _place(0.1) == 0 and _place(200) == 100
    assert _place(0.001) == 0 and _place(1e4) == 100 and _place(0) == 0
    assert _place(2) - _place(1) == pytest.approx(_place(10) - _place(5))
