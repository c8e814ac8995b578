"""The first page of a rendered report shows each study at a glance, and says how far to trust it."""

import csv
import json

import pytest
from html_pages import Page


@pytest.fixture
def studies(root):
    return json.loads((root / "raw/reference/campaign.json").read_text())["studies"]


def test_each_study_has_a_section_and_how_it_was_measured_is_last(reference_report, root, studies):
    page = Page(reference_report / "index.html")
    site = json.loads((root / "raw/reference/campaign.json").read_text())["site"]["title"]
    named = [study["title"] for study in studies]
    assert page.headings == [f"{len(studies)} studies of {site}", *named, "How it was measured"]


def test_each_study_shows_its_best_figures_and_leads_to_its_page(reference_report, studies):
    page = Page(reference_report / "index.html")
    assert "1.17 GB/s write (flagged), 911 MB/s read, 21.0 k/s random write, 22.9 k/s random read" in page.text
    for study in studies:
        assert f"{study['study']}/index.html" in page.links
    html = (reference_report / "index.html").read_text()
    shown = [f"quick-{sweep}-overview.svg" for sweep in ("sequential", "random", "metadata", "write-cache-sequential")]
    assert [name for name in shown if f'<img src="data/figures/{name}"' in html] == shown
    assert all((reference_report / "data/figures" / name).is_file() for name in shown)


def test_the_first_page_counts_what_the_verdicts_count(reference_report):
    with (reference_report.parent / "verdicts.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["study"] != "specimens"]
    verdicts = [row["verdict"] for row in rows]
    short = sum("too-short" in row["codes"].split() for row in rows)
    reads = [row["cold"] for row in rows if row["cold"] != "not applicable"]
    text = Page(reference_report / "index.html").text
    assert (
        f"{len(rows)} runs: {verdicts.count('valid')} clean, {verdicts.count('suspect')} flagged ({short} too short"
        in text
    )
    assert f"{reads.count('cold')} of {len(reads)} reads are proved to come from the device" in text


def test_the_first_page_says_what_became_of_each_documents_claims_and_items(reference_report):
    with (reference_report.parent / "coverage.csv").open(newline="") as file:
        states = [row["state"] for row in csv.DictReader(file) if row["source"] == "dell-lustre"]
    text = Page(reference_report / "index.html").text
    assert f"Tables and figures of the document: {states.count('measured')} are measured" in text
    assert "Claims: 3 are borne out, 1 is open." in text


def test_the_page_of_a_study_shows_it_at_a_glance_before_its_findings(reference_report):
    page = Page(reference_report / "quick/index.html")
    html = (reference_report / "quick/index.html").read_text()
    row = html[html.index('<div class="coldcache-row">') :]
    assert row.index("Writes reach 1.17 GB/s with 4 threads") < row.index("The best figure of each operation")
    assert row.count("<figure", 0, row.index("</div>")) == 4
    assert ["write", "1.17 GB/s", "1.12 to 1.20 GB/s (93.8 %)", "4 threads", "5", "5"] in page.rows
    assert row.index("Writes grow 1.72 times, reads show no growth from 1 to 4 threads.") < row.index(
        "How does sequential"
    )
