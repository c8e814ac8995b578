from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.report.site.context import ReportContext
from coldcache.report.site.index_page import (
    _choose_chapters,
    describe_first_page,
    describe_trust,
    list_findings,
    list_pages,
    list_quality_pages,
)
from coldcache.report.site.notebooks import Chapter
from coldcache.report.site.overviews import Overview, SmallFigure
from coldcache.report.site.places import Places
from coldcache.report.site.recorded_system import RecordedSystem
from coldcache.report.site.sources_pages import Documents
from coldcache.report.site.validity import CampaignValidity


@pytest.fixture
def context(root, tmp_path, monkeypatch):
    """The reference campaign, of which nothing but the design is known."""
    monkeypatch.chdir(root)
    whole = read_campaign(root / "raw/reference")
    campaign = replace(whole, studies=whole.studies[:1])
    nothing = RecordedSystem({}, {}, {}, [], None, None, 0)
    (tmp_path / "coverage.csv").write_text("source,item,state,why\n")
    return ReportContext(
        campaign,
        tmp_path,
        {study.study: [] for study in campaign.studies},
        [],
        CampaignValidity({}, {}, [], {}, {}),
        nothing,
        {},
        Places({}),
        Documents(tmp_path),
    )


def test_trust_counts_runs_names_the_most_frequent_flag_and_its_remedy(context):
    sweep = ("quick", "random")
    found = CampaignValidity(
        {sweep: Counter(valid=5, suspect=4, void=1)}, {sweep: Counter(cold=3, warm=1)}, [],
        {sweep: Counter({"drift": 2, "too-short": 4, "exit-status": 1, "little-space": 1})},
        {sweep: Counter({"drift": 2, "too-short": 3, "little-space": 1})},
    )  # fmt: skip
    assert describe_trust(context._replace(validity=found)) == (
        "[10 runs](validity.md): 5 clean, 4 flagged (3 too short), 1 void. "
        "[3 of 4 reads](validity.md#whether-reads-were-cold) proved cold. "
        "Remedy: raise `seconds` or `file_size`."
    )
    clean = CampaignValidity({sweep: Counter(valid=2)}, {sweep: Counter(cold=2)}, [], {}, {})
    assert describe_trust(context._replace(validity=clean)) == (
        "[2 runs](validity.md): 2 clean. [All 2 reads](validity.md#whether-reads-were-cold) proved cold."
    )


def test_imported_logs_do_not_say_what_was_cold_and_nothing_of_them_is_measured_again(context, root):
    sweep = ("old", "ior")
    campaign = replace(context.campaign, studies=[SimpleNamespace(study="old", origin=object())])
    found = CampaignValidity(
        {sweep: Counter(suspect=4)}, {sweep: Counter(unproved=3)}, [], {sweep: Counter({"too-short": 4})},
        {sweep: Counter({"too-short": 4})},
    )  # fmt: skip
    assert describe_trust(context._replace(campaign=campaign, validity=found)) == (
        "[4 runs](validity.md): 0 clean, 4 flagged (4 too short). "
        "Logs do not say whether [3 reads](validity.md#whether-reads-were-cold) were cold. "
        "Remedy: import logs of longer runs."
    )


def test_where_most_runs_are_void_their_commonest_reason_is_named_with_its_remedy(context):
    sweep = ("quick", "random")
    found = CampaignValidity(
        {sweep: Counter(suspect=2, void=8)}, {}, [],
        {sweep: Counter({"too-short": 9, "drift": 2, "coarse-clock": 5, "exit-status": 3})},
        {sweep: Counter({"drift": 2})},
    )  # fmt: skip
    assert describe_trust(context._replace(validity=found)) == (
        "[10 runs](validity.md): 0 clean, 2 flagged (2 while the storage changed its pace), "
        "8 void (5 too short for the tool's clock). "
        "Remedy: raise `seconds` or `file_size`."
    )


def test_the_best_figures_are_the_title_of_a_single_study_and_several_have_a_section_each(context):
    overview = Overview(
        "1 GB/s read", [SmallFigure("f", "quick/random", '<a href="../x">f</a>', "It.")], "", ["So."], {}
    )
    shown = describe_first_page(context._replace(overviews={"quick": overview}))
    # A number and its unit stay on one line.
    assert shown["title"] == f"{context.campaign.site.target.path}: 1\N{NO-BREAK SPACE}GB/s read"
    assert '<a href="x">f</a>' in shown["answer"]["figures"] and shown["documents"] == ""
    campaign = replace(context.campaign, studies=read_campaign(context.campaign.folder).studies[:2])
    both = context._replace(campaign=campaign, overviews={"quick": overview}, chapters={"quick": [], "dell-lustre": []})
    shown = describe_first_page(both)
    assert shown["title"] == f"2 studies of {campaign.site.title}"
    assert shown["answer"] is None
    assert '<a href="quick/index.html">A quick look at this storage</a>' in shown["documents"]


def test_nothing_known_is_said_so(context):
    values = describe_first_page(context)
    assert '<th scope="row">Kernel</th><td>not known, not known</td>' in values["system"]
    assert values["period"] == "No trial has run"


def test_links_of_a_finding_are_relative_to_the_first_page(context):
    sentence = 'Reads peak at <a href="../trials/quick/random/index.html">1 GB/s</a>.'
    chapter = Chapter("quick", "why", {}, [sentence])
    assert list_findings([chapter], context, "../")[0]["findings"] == [sentence.replace("../", "")]
    assert list_findings([chapter], context)[0]["findings"] == [sentence]


def test_the_first_page_leaves_out_what_found_nothing_and_has_claims_in_a_section_of_their_own(context):
    chapters = [Chapter("quick", name, {}, found) for name, found in (("a", ["It."]), ("b", []), ("claims", ["One."]))]
    shown = describe_first_page(context._replace(chapters={**context.chapters, "quick": chapters}))["studies"]
    assert [chapter["name"] for chapter in shown[0]["quoted"]] == ["a"]


def test_beside_an_overview_the_first_page_quotes_what_notebooks_print():
    chapters = [Chapter("quick", "a", {}, ["Shown."]), Chapter("quick", "b", {}, ["Shown.", "Printed."], ["Printed."])]
    found = [(one.name, one.findings) for one in _choose_chapters(chapters, are_shown=True)]
    assert found == [("b", ["Printed."])]
    assert [one.name for one in _choose_chapters(chapters, are_shown=False)] == ["a", "b"]


def test_pages_on_documents_are_listed_only_where_there_are_documents(context):
    assert list_pages(context) == ["Quality and evidence <validity>"]
    evidence = ["Methods <methods>", "System <system>", "Evidence <evidence>"]
    assert list_quality_pages(context) == evidence
    (context.results / "coverage.csv").write_text("source,item,state,why\nnfs,table 1,not run,no client\n")
    there = context._replace(documents=Documents(context.results))
    assert list_quality_pages(there) == ["Coverage <coverage>", *evidence]


def test_a_page_on_the_claims_of_a_single_study_is_in_the_contents_of_quality(context):
    chapters = {**context.chapters, "quick": [Chapter("quick", "claims", {}, ["It is borne out."])]}
    assert list_quality_pages(context._replace(chapters=chapters))[0] == "Claims in figures <quick/claims>"
