"""The first page of a rendered report shows each study at a glance, and says how far to trust it."""

import csv
import json
import re

import pytest
from html_pages import Page


@pytest.fixture
def studies(root):
    return json.loads((root / "raw/reference/campaign.json").read_text())["studies"]


def read_claims(report, studies):
    own = {study["study"] for study in studies}
    with (report.parent / "claims.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["source"] in own]


def test_one_table_has_a_row_per_study_and_the_rest_is_folded(reference_report, studies):
    page = Page(reference_report / "index.html")
    verdicts = [claim["verdict"] for claim in read_claims(reference_report, studies) if claim["scope"] != "document"]
    tested = len(verdicts) - verdicts.count("not testable here")
    counts = [f"{verdicts.count(name)} {name}" for name in ("borne out", "refuted", "open") if name in verdicts]
    assert page.headings == [
        f"{tested} claims tested on ext4 on a loop device of a virtual machine and in guests: {', '.join(counts)}",
        "Settings",
    ]  # fmt: skip
    html = (reference_report / "index.html").read_text()
    rows = html[html.index('<table id="table-documents"') :].partition("</table>")[0].split("<tr>")[2:]
    assert [f'<a href="{study["study"]}/index.html">' in row for study, row in zip(studies, rows, strict=True)] == (
        [True] * len(studies)
    )
    assert html.count("<details") == html.count("</details>") >= 3


def cut_row(report, study):
    html = (report / "index.html").read_text()
    return html[html.index(f'<a href="{study}/index.html">') :].partition("</tr>")[0]


def test_each_item_of_a_document_is_counted_by_a_tile(reference_report):
    with (reference_report.parent / "coverage.csv").open(newline="") as file:
        items = [row["item"] for row in csv.DictReader(file) if row["source"] == "dell-lustre"]
    tiles = re.findall('title="([^"]*)" data-items="([0-9]+)"|data-items="([0-9]+)" [^>]*title="([^"]*)"',
                       cut_row(reference_report, "dell-lustre"))  # fmt: skip
    assert sum(int(one or other) for _, one, other, _ in tiles) == len(items)
    told = " ".join(f"{one} {other}" for one, _, _, other in tiles)
    assert all(item in told for item in items)


def test_a_tile_shows_our_figure_small_and_leads_to_it(reference_report):
    row = cut_row(reference_report, "quick")
    found = re.findall(
        'href="([^"#]*)#([^"]*)" title="quick/sequential: sequential" data-items="1"><img src="([^"]*)"', row
    )
    (page, anchor, picture) = found[0]
    assert (anchor, picture) == ("figure-quick-sequential-curve", "thumbnails/quick-sequential-overview.svg")
    assert f'id="{anchor}"' in (reference_report / page).read_text()
    assert (reference_report / picture).is_file()


def test_each_claim_is_a_dot_that_leads_to_it(reference_report, studies):
    html = (reference_report / "index.html").read_text()
    claims = read_claims(reference_report, studies)
    dots = re.findall('data-verdict="([^"]*)" href="claims.html#([^"]*)"', html)
    expected = [(row["verdict"].replace(" ", "-"), f"claim-{row['source']}-{row['id']}") for row in claims]
    assert sorted(dots) == sorted(expected)
    told = (reference_report / "claims.html").read_text()
    assert all(f'id="{anchor}"' in told for _, anchor in dots)


def test_each_ratio_of_a_setting_is_drawn_once_and_leads_to_its_row(reference_report):
    html = (reference_report / "index.html").read_text()
    clear, unclear, few = (part.partition("</table>")[0] for part in html.split('coldcache-forest"')[1:])
    ratios = []
    for path in (reference_report.parent / "tables").glob("*-ratio.csv"):
        with path.open(newline="") as file:
            ratios += list(csv.DictReader(file))
    intervals = [(float(row["ratio low (1)"]), float(row["ratio high (1)"])) for row in ratios if row["ratio low (1)"]]
    expected = [sum(low > 1 or high < 1 for low, high in intervals), sum(low <= 1 <= high for low, high in intervals)]
    drawn = [len(re.findall('<td [^>]*class="coldcache-axis"', part)) for part in (clear, unclear, few)]
    assert drawn == [*expected, len(ratios) - len(intervals)] and min(drawn) > 1
    leads = re.findall('class="number"><a href="([^#]*)#([^"]*)"', clear + unclear + few)
    assert len(leads) == len(ratios)
    for page, anchor in leads:
        assert f'id="{anchor}"' in (reference_report / page).read_text()


def test_the_first_page_counts_what_the_verdicts_count(reference_report):
    with (reference_report.parent / "verdicts.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["study"] != "specimens"]
    verdicts = [row["verdict"] for row in rows]
    short = sum("too-short" in row["codes"].split() for row in rows if row["verdict"] == "suspect")
    reads = [row["cold"] for row in rows if row["cold"] != "not applicable"]
    text = Page(reference_report / "index.html").text
    assert (
        f"{len(rows)} runs: {verdicts.count('valid')} clean, {verdicts.count('suspect')} flagged ({short} too short"
        in text
    )
    assert set(reads) == {"cold"} and f"All {len(reads)} reads proved cold" in text


def test_the_first_page_says_what_became_of_each_documents_claims_and_items(reference_report, studies):
    with (reference_report.parent / "coverage.csv").open(newline="") as file:
        states = [row["state"] for row in csv.DictReader(file) if row["source"] == "dell-lustre"]
    assert f"{states.count('measured')} of {len(states)}<" in cut_row(reference_report, "dell-lustre")
    claims = read_claims(reference_report, studies)
    verdicts = [row["verdict"] for row in claims if row["scope"] != "document"]
    signs = (("✓", "borne out"), ("✗", "refuted"), ("○", "open"), ("–", "not testable here"))
    told = ", ".join(f"{sign} {verdicts.count(name)} {name}" for sign, name in signs if name in verdicts)
    assert f"{told}." in Page(reference_report / "index.html").text
    html = (reference_report / "index.html").read_text()
    apart = [part.partition("</span>")[0] for part in html.split("coldcache-apart")[1:]]
    assert sum(part.count("coldcache-dot") for part in apart) == len(claims) - len(verdicts)


def test_the_page_of_a_study_shows_it_at_a_glance_before_its_findings(reference_report):
    page = Page(reference_report / "quick/index.html")
    html = (reference_report / "quick/index.html").read_text()
    row = html[html.index('<div class="coldcache-row">') :]
    assert row.index("Reads reach 909 MB/s with 4 threads") < row.index("Best of each operation")
    assert row.count("<figure", 0, row.index("</div>")) == 4
    assert ["write", "774 MB/s", "396 to 838 MB/s (93.8 %)", "4 threads", "5", "2", "–"] in page.rows
    assert row.index("Reads and writes do not speed up measurably from 1 to 4 threads (5 runs each).") < row.index(
        "How does sequential"
    )
