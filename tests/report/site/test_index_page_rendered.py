"""The first page of a rendered report answers in the order of a reader's questions."""

import csv
import json
import re
from pathlib import Path

from html_pages import Page


def _findings(notebook: Path) -> list[str]:
    """Return the sentences that a notebook displays as findings, without Markdown's signs and without links."""
    cells = json.loads(notebook.read_text())["cells"]
    return [
        re.sub("[`*]|<[^>]+>", "", paragraph)
        for cell in cells
        if "finding" in cell["metadata"].get("tags", [])
        for output in cell["outputs"]
        for paragraph in "".join(output.get("data", {}).get("text/markdown", "")).split("\n\n")
        if paragraph
    ]


def test_the_first_page_answers_in_the_order_of_a_readers_questions(reference_report, root):
    studies = [study["title"] for study in json.loads((root / "raw/reference/campaign.json").read_text())["studies"]]
    assert Page(reference_report / "index.html").headings == [
        "What was found", *studies, "Claims", "Tables and figures of the documents", "On what system", "How sure",
    ]  # fmt: skip


def test_the_first_page_states_every_finding_before_anything_else(reference_report, root):
    text = Page(reference_report / "index.html").text
    study = json.loads((root / "raw/reference/campaign.json").read_text())["studies"][0]
    found, _, _ = text.partition("On what system")
    for name in study["notebooks"]:
        sentences = _findings(root / f"notebooks/{name}.ipynb")
        assert sentences
        for sentence in sentences:
            _, stated, found = found.partition(sentence)
            assert stated, f"{sentence!r} is not on the first page, or not in its place"


def test_the_first_page_begins_with_how_sure_it_is_and_what_became_of_the_documents(reference_report, root):
    page = Page(reference_report / "index.html")
    title = json.loads((root / "raw/reference/campaign.json").read_text())["site"]["title"]
    with (reference_report.parent / "coverage.csv").open(newline="") as file:
        states = [row["state"] for row in csv.DictReader(file)]
    glance, _, _ = page.text.partition("A quick look")
    assert f"{title}: " in glance
    assert "trials are valid" in glance and "are proved cold." in glance
    assert f"tables and figures, {states.count('measured')} are measured" in glance
    assert {"#on-what-system", "#how-sure", "#claims", "#tables-and-figures-of-the-documents"} <= set(page.links)


def test_each_group_of_findings_leads_to_its_page(reference_report, root):
    links = Page(reference_report / "index.html").links
    study = json.loads((root / "raw/reference/campaign.json").read_text())["studies"][0]
    for name in study["notebooks"]:
        assert links.count(f"quick/{name}.html") >= 2


def test_the_first_page_counts_what_the_verdicts_count(reference_report):
    with (reference_report.parent / "verdicts.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["study"] != "specimens"]
    verdicts = [row["verdict"] for row in rows]
    reads = [row["cold"] for row in rows if row["cold"] != "not applicable"]
    counted = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in ("suspect", "void", "missing"))
    text = Page(reference_report / "index.html").text
    assert f"{verdicts.count('valid')} of {len(verdicts)} trials are valid, {counted}: which, and why." in text
    assert f"Of {len(reads)} trials that read, {reads.count('cold')} are proved cold." in text
