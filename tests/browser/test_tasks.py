"""A reader's three questions are answered on the first screen, without a click."""

import re

import pytest

SCREEN = {"width": 1440, "height": 900}

#: By question: where the answer is, and how it reads.
ANSWERS = {
    "which thread count is best?": ("#table-quick-overview tr:has(td:text-is('random read'))", r"22\.9 k/s.*4 threads"),
    "what does the write cache gain?": (
        ".coldcache-meaning li:last-child",
        r"random writes 6\.49 times as fast.*95 %: 3\.76 to 11\.2",
    ),
    "can I trust the read rate?": (
        "#table-quick-overview tr:has(td:text-is('read'))",
        r"903 to 931 MB/s.*4 threads\s+5\s+5\s+5/5",
    ),
}


@pytest.mark.parametrize("question", ANSWERS)
def test_a_question_takes_no_click(open_page, question):
    page = open_page("quick/index.html", SCREEN)
    selector, said = ANSWERS[question]
    answer = page.locator(selector)
    box = answer.bounding_box()
    assert box["y"] + box["height"] <= SCREEN["height"]
    shown = answer.inner_text().replace("\xa0", " ")
    assert re.search(said, shown, re.S), shown
