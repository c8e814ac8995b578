from dataclasses import replace

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.report.site.conditions import Conditions
from coldcache.report.site.context import ReportContext
from coldcache.report.site.index_page import describe_first_page, list_findings, list_pages
from coldcache.report.site.notebooks import Chapter
from coldcache.report.site.sources_pages import Documents
from coldcache.report.site.validity import Validity


@pytest.fixture
def context(root, tmp_path, monkeypatch):
    """The reference campaign, of which nothing but the design is known."""
    monkeypatch.chdir(root)
    whole = read_campaign(root / "raw/reference")
    campaign = replace(whole, studies=whole.studies[:1])
    nothing = Conditions({}, {}, {}, [], None, None, 0)
    (tmp_path / "coverage.csv").write_text("source,item,state,why\n")
    return ReportContext(
        campaign,
        tmp_path,
        {study.study: [] for study in campaign.studies},
        [],
        Validity({}, {}, [], {}),
        nothing,
        {},
        Documents(tmp_path),
    )


def test_an_interval_is_promised_only_what_its_repetitions_reach(context):
    def levels(repetitions):
        study = context.campaign.studies[0].model_copy(update={"repetitions": repetitions})
        return describe_first_page(context._replace(campaign=replace(context.campaign, studies=(study,))))["level"]

    assert [levels(n) for n in (1, 2, 5, 6, 20)] == ["", "50\xa0%", "93.8\xa0%", "95\xa0%", "95\xa0%"]


def test_nothing_known_is_said_so(context):
    values = describe_first_page(context)
    assert '<th scope="row">Kernel</th><td>not known, not known</td>' in values["system"]
    assert values["period"] == "No trial has run"


def test_links_of_a_finding_are_relative_to_the_first_page():
    sentence = 'Reads peak at <a href="../trials/quick/random/index.html">1 GB/s</a>.'
    chapter = Chapter("quick", "why", {}, [sentence])
    assert list_findings([chapter], "../")[0]["findings"] == [sentence.replace("../", "")]
    assert list_findings([chapter])[0]["findings"] == [sentence]


def test_the_first_page_leaves_out_what_found_nothing_and_has_claims_in_a_section_of_their_own(context):
    chapters = [Chapter("quick", name, {}, found) for name, found in (("a", ["It."]), ("b", []), ("claims", ["One."]))]
    shown = describe_first_page(context._replace(chapters={**context.chapters, "quick": chapters}))["studies"]
    assert [chapter["name"] for chapter in shown[0]["chapters"]] == ["a"]


def test_pages_on_documents_stand_only_where_there_are_documents(context):
    assert list_pages(context) == ["validity", "methods", "Twelve rules <rules>", "system", "evidence"]
    (context.results / "coverage.csv").write_text("source,item,state,why\nnfs,table 1,not run,no client\n")
    there = context._replace(documents=Documents(context.results))
    assert list_pages(there)[:2] == ["coverage", "validity"]
