"""docs/claims-of-the-documents.md lists each claim with the verdict that its chapter or its scope gives."""

import csv
import json
import re
from collections import Counter

import pytest
import yaml
from sealed import read_table

CAMPAIGNS = (
    "dell-data", "dell-more-rounds", "dell-metadata", "pixstor-data", "pixstor-many-threads", "pixstor-metadata",
    "pixstor-pairs", "more-rounds", "quiet-rounds", "random-reads", "array-cache", "fsx-metadata", "other-clients",
    "status-of-others", "peaks-of-others", "sas-grid", "nfs-guide", "nfs-calls",
)  # fmt: skip
#: Chapters that measured again what others had left open.
MEASURED_AGAIN = (
    "dell-more-rounds-on-the-model", "more-rounds-on-the-model", "quiet-rounds-on-the-model", "nfs-calls-on-a-guest",
    "random-reads-on-the-model", "other-clients-on-the-model", "pixstor-pairs-on-the-model",
    "status-of-others-on-the-model",
)  # fmt: skip
DOCUMENTS = ("dell-lustre", "pixstor-nvme", "fsx-metadata", "sas-grid", "anf-nfs")


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs/claims-of-the-documents.md").read_text()


@pytest.fixture(scope="module")
def claims(root):
    files = [yaml.safe_load((root / f"config/claims/{document}.yaml").read_text()) for document in DOCUMENTS]
    return {claim["id"]: claim for file in files for claim in file["claims"]}


@pytest.fixture(scope="module")
def stated(page):
    """The rows of the page's tables of claims, one for each document."""
    documents = page.split("\n## ")[2:]
    return {
        name: cells for text in documents if "| claim |" in text for name, cells in read_table(text, "claim").items()
    }


def test_the_page_has_each_claim_with_its_statement_and_scope(stated, claims):
    assert list(stated) == list(claims)
    for name, (statement, scope, *_) in stated.items():
        assert (statement, scope) == (claims[name]["statement"], claims[name]["scope"])


def test_the_page_has_the_verdict_of_the_chapter_that_measured_a_claim(root, stated):
    """Where a chapter left a claim open, one that measured again is named; so it is where both agree."""
    chapters = {}
    for name, (*_, verdict, where) in stated.items():
        if link := re.search(r"\((.*?)\.md\)", where):
            chapters.setdefault(link[1], {})[name] = verdict
    for chapter, verdicts in chapters.items():
        text = (root / f"docs/{chapter}.md").read_text()
        judged = read_table(text, "claim")
        agreeing = {
            name
            for name, cells in judged.items()
            if cells[-1] == "open"
            or (cells[-1] == stated[name][-2] and re.search(r"\(.*\)", stated[name][-1])[0] in text)
        }
        elsewhere = judged.keys() - verdicts.keys()
        assert {name: cells[-1] for name, cells in judged.items() if name not in elsewhere} == verdicts, chapter
        assert elsewhere <= agreeing, chapter
        assert all(any(f"({more}.md)" in stated[name][-1] for more in MEASURED_AGAIN) for name in elsewhere), chapter


def test_what_the_page_says_of_a_document_is_in_its_chapters(root, page):
    sections = [text for text in page.split("\n## ")[2:] if "| claim |" in text]
    assert len(sections) == len(DOCUMENTS)
    for text in sections:
        said = text.partition("| claim |")[0]
        chapters = "".join(
            (root / f"docs/{name}.md").read_text() for name in set(re.findall(r"\(([\w-]+)\.md\)", text))
        )
        figures = re.findall(r"\d[\d,]*\.\d+", said)
        assert figures and "**So:**" in said
        for figure in figures:
            assert re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d])", chapters), figure


def test_what_no_chapter_measured_has_the_verdict_of_its_scope(root, stated):
    golden = csv.DictReader((root / "tests/project/golden-claims.csv").open())
    arithmetic = {row["id"]: row["verdict"] for row in golden if row["scope"] == "document"}
    for name, (_, scope, verdict, where) in stated.items():
        if "](" not in where:
            expected = {"system": "not testable here", "document": arithmetic.get(name)}.get(scope, "not measured")
            assert (verdict, where) == (expected, "its own numbers" if scope == "document" else ""), name


def test_the_page_counts_the_verdicts(page, stated):
    counts = Counter(verdict for _, scope, verdict, _ in stated.values() if scope in ("protocol", "model"))
    counted = {name: int(cells[0]) for name, cells in read_table(page, "verdict").items()}
    assert counted == counts


def test_the_page_counts_the_tables_figures_and_sections_that_were_measured(root, page):
    """An item counts if a sealed campaign on the model or the guest has trials of a sweep that names it."""
    sealed = [root / "raw" / name for name in CAMPAIGNS]
    measured = {document: set() for document in DOCUMENTS}
    for folder in sealed:
        for study in json.loads((folder / "campaign.json").read_text())["studies"]:
            if study["study"] not in measured:
                continue
            for name, sweep in study["sweeps"].items():
                if (folder / study["study"] / name).is_dir():
                    measured[study["study"]] |= set(filter(None, re.split("; ", sweep.get("item") or "")))
    counted = {name: int(cells[0]) for name, cells in read_table(page, "document").items()}
    assert counted == {document: len(items) for document, items in measured.items()}
