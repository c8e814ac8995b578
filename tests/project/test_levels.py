"""No page has an interval without its level, nor an interval or a verb of difference from fewer than five runs."""

import re
from html.parser import HTMLParser

import pytest
from invented import write_invented
from invented_outputs import PAGES, ROOT, Shown, list_shown

REPORT = ROOT / "results/reference/report"

#: A bracket with an interval, such as ``(95 %: 1.98 to 2.11)`` or ``(1.98 to 2.11 GB/s)``.
BRACKET = re.compile(r"\([^()]*?[\d.]+(?: \S+)? to [\d.]+[^()]*\)")

#: What a level looks like where an interval states it, and where the head of a column does for all intervals below.
LEVEL = re.compile(r"\d %: [^()]*\)$")
HEAD = re.compile(r"\d %")

#: Words that say that one thing differs from another.
DIFFERENCE = re.compile(r"\b(?:as fast as|as long as|as many calls|faster|slower|makes)\b|(?:grow|fall to) [<\d]")


class Brackets(HTMLParser):
    """The intervals of a page that state no level, neither themselves nor in the head of their column."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.heads: list[str] = []
        self._in_head = self._is_code = False
        self._column, self._said = -1, ""
        self.feed(text)
        self._judge(self._said)

    def handle_starttag(self, tag, attributes):
        for _, value in attributes:
            self._judge(value or "")
        if tag == "table":
            self.heads = []
        if tag == "tr":
            self._column = -1
        if tag in ("td", "th"):
            self._judge(self._said)
            self._column, self._said = self._column + 1, ""
        self._in_head = (self._in_head or tag == "thead") and tag != "tbody"
        self._is_code = self._is_code or tag in ("script", "style")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            if self._in_head:
                self.heads.append(self._said)
            elif not (self._column < len(self.heads) and HEAD.search(self.heads[self._column])):
                self._judge(self._said)
            self._said = ""
        self._in_head = self._in_head and tag != "thead"
        self._is_code = self._is_code and tag not in ("script", "style")

    def handle_data(self, data):
        # Blanks at which no line breaks are blanks.
        self._said += "" if self._is_code else data.replace("\xa0", " ")

    def _judge(self, said: str) -> None:
        self.found += [bracket for bracket in BRACKET.findall(" ".join(said.split())) if not LEVEL.search(bracket)]


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


@pytest.fixture(scope="module")
def show(tmp_path_factory):
    """Return what a notebook shows of invented trials, so many of each case."""

    def list_words(study: str, notebook: str, count: int) -> str:
        path = tmp_path_factory.getbasetemp() / f"{count}-of-each/{study}/dataset.nc"
        if not path.is_file():
            write_invented(ROOT, path, study, count=count)
        return "\n".join(list_shown(Shown(study, notebook), path))

    return list_words


@pytest.mark.slow
@pytest.mark.parametrize("study", PAGES)
def test_five_runs_have_intervals_with_levels_and_four_have_neither_these_nor_verbs(show, study):
    intervals = 0
    for notebook in PAGES[study].split():
        five, four = (show(study, notebook, count) for count in (5, 4))
        assert Brackets(five).found == [], notebook
        intervals += len(BRACKET.findall(five))
        assert BRACKET.findall(four) == [], notebook
        assert DIFFERENCE.findall(four) == [], notebook
    assert intervals > 0
