"""Columns of numbers are aligned to the right, and links stay."""

import pandas as pd
import pytest
from markupsafe import Markup

from coldcache.analysis.table_html import show_html, show_text


@pytest.mark.parametrize(("cells", "is_number"), [
    (["1.5 GB/s", "788/s", "none"], True), (["93.8 %", "–"], True), (["1,024", "5"], True), (["2.04 times"], True),
    (["4 threads"], False), (["1", "two"], False), (["–", ""], False), (["2.0 (1.9 to 2.1)"], False),
    ([Markup('<a href="x">97 µs</a>')], True), (["1e-05", "−0.2"], True), (["2026-01-01"], False),
    (["2,913 1/s"], True), (["99.3 ‡", "95.0"], True), (["< 0.001", "1"], True), (["672 MB/s", "no plateau"], True),
])  # fmt: skip
def test_a_column_whose_cells_are_all_numbers_is_aligned_to_the_right(cells, is_number):
    html = show_html(pd.DataFrame({"x": cells}, dtype=object), "C", "")
    assert ('class="number"' in html) is is_number


@pytest.mark.parametrize(
    ("cell", "is_sentence"), [("none: too few numbers of threads", True), ("file-per-thread", False)]
)
def test_a_column_of_sentences_is_marked(cell, is_sentence):
    html = show_html(pd.DataFrame({"x": [cell, ""]}), "C", "")
    assert ('<td class="sentence">' in html) is is_sentence


def test_a_name_becomes_an_id_and_text_is_escaped():
    html = show_html(pd.DataFrame({"a<b": ["&"]}), "<C>", "t")
    assert html.startswith('<table id="table-t" data-name="t" class="dataframe coldcache-table">')
    assert '<th scope="col">a&lt;b</th>' in html and "<td>&amp;</td>" in html and "<caption>&lt;C&gt;</caption>" in html


def test_text_has_no_links():
    shown = pd.DataFrame({"x": [Markup('<a href="y">1 &lt; 2</a>')]}, dtype=object)
    assert show_text(shown).split("\n")[1].strip() == "1 < 2"
