"""Text that others wrote is shown literally on every page."""

import json
from pathlib import Path

from html_pages import Page


def test_text_of_others_is_shown_letter_by_letter(render_hostile):
    report = render_hostile()
    assert "</td><script>alert(1)</script>``` # vm" in Page(report / "system.html").text
    study = json.loads(Path("raw/hostile/campaign.json").read_text())["studies"][1]
    assert "<script>" in study["question"]
    first = Page(report / "index.html")
    assert study["title"] in first.text
    assert Page(report / "other/index.html").headings[0] == study["title"]
    for path in report.rglob("*.html"):
        assert "<script>alert" not in path.read_text()
