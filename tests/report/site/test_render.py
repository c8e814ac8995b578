"""A rendered report is complete, opens from the disk, and is the same each time."""

import csv
import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from html_pages import Page

from coldcache.report.site.render import ReportError, render


def test_every_link_leads_to_something_on_this_disk(reference_report):
    pages = {page.path: page for page in map(Page, sorted(reference_report.rglob("*.html")))}
    # One for each sweep, case and trial, beside those of Sphinx.
    with (reference_report.parent / "verdicts.csv").open(newline="") as file:
        trials = [(row["study"], row["sweep"], row["case"], row["repetition"]) for row in csv.DictReader(file)]
    expected = sum(len({trial[:parts] for trial in trials}) for parts in (2, 3, 4))
    assert sum(path.is_relative_to(reference_report / "trials") for path in pages) == expected > 400
    for page in pages.values():
        for link in page.links:
            address = urlsplit(link)
            assert not address.scheme and not address.netloc, f"{page.path.name} leads to {link}"
            target = (page.path.parent / unquote(address.path)).resolve() if address.path else page.path
            assert target.is_relative_to(reference_report), f"{page.path.name} leads out of the report, to {link}"
            assert target.exists(), f"{page.path.name} leads to {link}"
            if address.fragment and target in pages:
                assert address.fragment in pages[target].ids, f"{page.path.name} leads to {link}"


def test_a_cell_that_says_nothing_leaves_no_empty_box(reference_report):
    for path in reference_report.rglob("*.html"):
        assert not re.search(r"<pre><span></span>\s*</pre>", path.read_text(encoding="utf-8")), path


def test_no_style_sheet_fetches_from_a_network(reference_report):
    for path in reference_report.rglob("*.css"):
        for address in re.findall(r"""(?:url\(|@import)\s*["']?([^"')]+)""", path.read_text(encoding="utf-8")):
            assert not urlsplit(address).netloc, f"{path.name} fetches {address}"


def test_a_report_holds_nothing_of_the_build_nor_of_where_it_was_made(reference_report, root):
    names = {path.name for path in reference_report.rglob("*")}
    assert not names & {"_sources", ".doctrees", ".buildinfo", "objects.inv"}
    assert sorted(path.name for path in reference_report.parent.iterdir() if path.name.startswith(".")) == []
    for path in reference_report.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert str(root).encode() not in content, path
            assert str(reference_report.parents[2]).encode() not in content, path


def test_the_same_evidence_gives_the_same_bytes(render_hostile):
    def read(report):
        return {str(path.relative_to(report)): path.read_bytes() for path in report.rglob("*") if path.is_file()}

    first = read(render_hostile())
    assert read(render_hostile()) == first


def test_a_page_that_sphinx_warns_of_ends_the_rendering_and_the_old_report_stays(hostile, render_hostile):
    report = hostile / "results/hostile/report"
    report.mkdir()
    (report / "index.html").write_text("before")
    notebook = hostile / "results/hostile/notebooks/other/random-iops.ipynb"
    pages = json.loads(notebook.read_text())
    pages["cells"].append({"cell_type": "markdown", "id": "last", "metadata": {}, "source": "[x](nowhere.md)"})
    notebook.write_text(json.dumps(pages))
    with pytest.raises(ReportError) as refused:
        render_hostile()
    # Two headings under which nothing is shown are left out.
    number = len(pages["cells"]) - 2
    assert str(refused.value) == (
        f"results/hostile/report cannot be rendered (other/random-iops.ipynb:{number}0002: WARNING: "
        "'myst' cross-reference target not found: 'nowhere.md' [myst.xref_missing]); "
        "the output of Sphinx is in logs/report.log"
    )
    assert "nowhere.md" in (hostile / "logs/report.log").read_text()
    assert (report / "index.html").read_text() == "before"
    assert sorted(path.name for path in report.parent.glob(".*")) == []


def test_what_no_notebook_saves_any_more_is_neither_in_the_results_nor_in_the_report(reported):
    results = Path("results/tiny")
    for name in ("tables/old.csv", "figures/old.svg", "notebooks/tiny/old.ipynb"):
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text("x")
    render("tiny", results, Path("logs/report.log"))
    assert not list(results.rglob("old.*"))
