"""No page of the report has an interval without its level."""

import re
from pathlib import Path

import pytest
from brackets import Brackets

REPORT = Path(__file__).parents[2] / "results/reference/report"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>2 times (95 %: 1.9 to 2.1)</p>", []),
        ("<p>2 times (1.9 to 2.1)</p>", ["(1.9 to 2.1)"]),
        ("<p>1 GB/s (0.9 <b>to</b> 1.1 GB/s; 2 k/s)</p>", ["(0.9 to 1.1 GB/s; 2 k/s)"]),
        ("<p title='2 times (1.9 to 2.1)'>2 times</p>", ["(1.9 to 2.1)"]),
        ("<p>(sections 2 to 5)</p><script>(1.9 to 2.1)</script>", ["(sections 2 to 5)"]),
        ("<table><thead><tr><th>of</th><th>ratio (95 %)</th></tr></thead><tbody>"
         "<tr><td>a</td><td>2 (1.9 to 2.1)</td></tr></tbody></table>", []),
        ("<table><thead><tr><th>of</th><th>ratio (95 %)</th></tr></thead><tbody>"
         "<tr><td>2 (1.9 to 2.1)</td><td>a</td></tr></tbody></table>", ["(1.9 to 2.1)"]),
        ("<table><thead><tr><th>ratio (95 %)</th></tr></thead></table><table><tr><td>2 (1.9 to 2.1)</td></tr></table>",
         ["(1.9 to 2.1)"]),
    ],
)  # fmt: skip
def test_an_interval_without_its_level_is_found(page, expected):
    assert Brackets(page).found == expected


@pytest.mark.skipif(not REPORT.is_dir(), reason="needs results/reference: make reference")
def test_every_interval_of_every_page_of_the_report_states_its_level():
    pages = [path.read_text() for path in sorted(REPORT.rglob("*.html"))]
    assert sum(len(re.findall(r"\d %: [^()<]+ to ", page)) for page in pages) > 50
    found = {bracket for page in pages for bracket in Brackets(page).found}
    # Sections of a document, the one bracket of the kind that is no interval.
    assert found <= {"(sections 2 to 5, what ran on the pairs)"}, found
