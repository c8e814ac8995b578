"""Text that others wrote is shown literally on every page, and pages of studies say what ran."""

import csv
import json
import re
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


#: Brackets with two ends, those among them that are no interval, and tables whose head states the level.
BRACKETS = re.compile(r"\(([^()]*[0-9][^()]* to [^()]*[0-9][^()]*)\)")
PARTS = re.compile("sections? ")
FORESTS = re.compile(r'<table [^>]*coldcache-forest".*?</table>', re.DOTALL)


def test_no_interval_on_any_page_lacks_its_level(reference_report, tmp_path):
    intervals = []
    for path in sorted(reference_report.rglob("*.html")):
        if "trials" in path.relative_to(reference_report).parts:
            continue
        html = path.read_text().replace("\xa0", " ")
        for forest in FORESTS.findall(html):
            assert bool(BRACKETS.search(forest)) == bool(re.search(r">Ratio \([0-9.]+ %\)<", forest)), path
        (tmp_path / path.name).write_text(FORESTS.sub("", html))
        found = BRACKETS.findall(Page(tmp_path / path.name).text)
        intervals += [(path.name, inside) for inside in found if not PARTS.search(inside)]
    assert len(intervals) > 30
    assert [one for one in intervals if not re.search(r"(^|; )[0-9.]+ %: ", one[1])] == []


def test_a_study_says_what_ran_and_not_what_was_planned(root, reference_report):
    with (reference_report.parent / "verdicts.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["study"] == "pixstor-nvme" and row["verdict"] != "missing"]
    study = json.loads((root / "raw/reference/campaign.json").read_text())["studies"]
    sweeps = next(one for one in study if one["study"] == "pixstor-nvme")["sweeps"]
    html = (reference_report / "pixstor-nvme/index.html").read_text().partition("What was run")[2]
    text = re.sub("<wbr>|</?abbr[^>]*>", "", html).replace("\xa0", " ")
    ran = {row["sweep"] for row in rows}
    assert ran and ran < set(sweeps)
    for name, sweep in sweeps.items():
        stated = text.partition(f">{sweep['title']}<")[2].partition("</td>")[0]
        trials = [row for row in rows if row["sweep"] == name]
        assert f"; {len(trials)} trials" in stated if trials else not stated
