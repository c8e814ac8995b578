import re

import pytest

from coldcache.core.errors import CampaignError
from coldcache.report.site.sources_pages import Documents

COVERAGE = """\
source,item,state,why
pixstor,table 4,measured,"at 1/512 of its sizes; by fio in place of iozone"
pixstor,figure 2,published only,no client
pixstor,figure 3,measured,at 1/8 of its sizes
fsx,table 1,not run,mount has no nconnect
"""

CLAIMS = """\
id,source,scope,verdict,estimate,low,high,level,unit,trials,why
QK1,quick,protocol,borne out,1.5e9,1.2e9,1.75e9,0.9375,B/s,10,above 1 GB/s
<b>,quick,protocol,refuted,0.9,0.8,0.95,0.95,1,4,below 1
product,quick,document,borne out,1024,,,,1,0,8 x 128
cost,fsx,system,open,,,,,,0,not measured
"""

STATEMENTS = """\
id,source,place,statement
QK1,quick,sweep metadata,"Looking up is fastest, <removing> follows."
"""


@pytest.fixture
def results(tmp_path):
    (tmp_path / "coverage.csv").write_text(COVERAGE)
    return tmp_path


@pytest.fixture
def claimed(results, root, monkeypatch):
    monkeypatch.chdir(root)
    (results / "claims.csv").write_text(CLAIMS)
    (results / "statements.csv").write_text(STATEMENTS)
    return results


def test_sources_stand_under_the_titles_and_in_the_order_of_the_campaigns_studies(claimed):
    documents = Documents(claimed, [("quick", "metadata")], {"fsx": "Scalable metadata", "quick": "A quick look"})
    shown = documents.describe()
    assert shown["coverage"].index("<td>fsx</td>") < shown["coverage"].index("<td>pixstor</td>")
    groups = re.findall(r'rowgroup" colspan="5">([^<]*)<', shown["claims"])
    assert groups == ["Borne out: 1", "Refuted: 1"]
    assert '<td><a href="quick/index.html" title="A quick look">quick</a></td>' in shown["claims"]


def test_items_and_claims_are_counted_by_state_without_empty_states(claimed):
    documents = Documents(claimed, [("quick", "metadata")])
    told = "1 borne out, 1 refuted; arithmetic with the document's own numbers: 1 borne out"
    assert documents.tell("quick") == (told, "")
    assert documents.tell("pixstor") == ("", "2 measured, 1 published only")
    assert documents.count("claims") == "2 of 2 claims can be tested here: 1 borne out, 1 refuted"
    assert documents.count("coverage") == "4 tables and figures: 2 measured, 1 published only, 1 not run"


def test_the_page_on_coverage_says_how_and_why_not(results):
    described = Documents(results).describe()
    assert "<td>fsx</td><td>table 1</td><td>not run</td><td>mount has no nconnect</td>" in described["coverage"]
    assert described["claims"] == ""


def test_without_claims_and_items_nothing_is_said(tmp_path):
    (tmp_path / "coverage.csv").write_text("source,item,state,why\n")
    documents = Documents(tmp_path)
    assert documents.tell("quick") == ("", "")
    shown = documents.describe()
    assert (shown["claims"], shown["untested"], shown["contradictions"], shown["coverage"]) == ("", "", "", "")
    assert (documents.has_claims, documents.has_items) == (False, False)


def test_claims_stand_with_estimate_and_trials_and_arithmetic_is_apart(claimed):
    shown = Documents(claimed, [("quick", "metadata")]).describe()
    claims, arithmetic = shown["claims"], shown["arithmetic"]
    assert ">1.50 GB/s (93.8 %: 1.20 to 1.75 GB/s)</a></td>" in claims
    assert "<td>0.9 (95 %: 0.8 to 0.95)</td>" in claims
    assert '<td>10 trials<br><a href="trials/quick/metadata/index.html">quick/metadata</a></td>' in claims
    assert '<div class="coldcache-claim" id="claim-quick-&lt;b&gt;"><small>&lt;b&gt;, protocol</small></div>' in claims
    stated = "Looking up is fastest,<wbr> &lt;removing&gt; follows.<br><small>sweep metadata, QK1, protocol</small>"
    assert stated in claims
    assert ">1,024</a></td><td>no trials</td>" in arithmetic
    assert "product" not in claims and "QK1" not in arithmetic


def test_a_claim_on_a_study_that_is_no_part_of_the_campaign_is_left_out(claimed):
    documents = Documents(claimed, [("fsx", "metadata")])
    assert "QK1" not in documents.describe()["claims"]
    assert [claim["id"] for claim in documents.list_measured()] == ["cost"]
    assert Documents(claimed, [("other", "metadata")]).describe()["claims"] == ""


def test_claims_that_cannot_be_tested_here_are_apart_and_counted(claimed):
    (claimed / "claims.csv").write_text(f"{CLAIMS}far,quick,model,not testable here,,,,,,0,needs two clients\n")
    described = Documents(claimed, [("quick", "metadata")]).describe()
    assert described["untested_count"] == 1
    assert ">needs two clients</td>" in described["untested"] and "needs two clients" not in described["claims"]
    documents = Documents(claimed, [("quick", "metadata")])
    assert documents.count("claims") == "2 of 3 claims can be tested here: 1 borne out, 1 refuted"
    assert Documents(claimed, [("other", "metadata")]).describe()["untested"] == ""


def test_contradictions_of_a_document_are_shown(claimed):
    (claimed / "contradictions.csv").write_text(
        "id,source,about,one,one_place,relation,other,other_place,verdict,why\n"
        "x,quick,files,2,figure 1,equal,3,table 3,contradiction,2 against 3\n"
        "y,lustre,files,2,figure 1,equal,2,table 3,agreement,2 both\n"
    )
    documents = Documents(claimed, [("quick", "metadata")])
    shown = documents.describe()["contradictions"]
    assert "<td>quick</td><td>files</td>" in shown and "lustre" not in shown
    assert ">2 (figure 1)</a></td>" in shown and ">3 (table 3)</a></td>" in shown
    assert "<td><strong>contradiction</strong></td><td>2 against 3</td>" in shown
    assert [row["about"] for row in documents.list_contradictions()] == ["files"]


def test_claims_with_other_columns_are_refused(results):
    (results / "claims.csv").write_text("id,verdict\n")
    with pytest.raises(
        CampaignError, match=r"claims\.csv: no column estimate, high, level, low, scope, source, trials, unit, why"
    ):
        Documents(results)
