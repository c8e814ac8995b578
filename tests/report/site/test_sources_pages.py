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
id,source,scope,verdict,estimate,low,high,unit,trials,why
QK1,quick,protocol,borne out,1.5e9,1.2e9,1.75e9,B/s,10,above 1 GB/s
<b>,quick,protocol,refuted,0.9,0.8,0.95,times,4,below 1
product,quick,document,borne out,1024,,,1,0,8 x 128
cost,fsx,system,open,,,,,0,not measured
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


def test_the_map_has_each_item_under_its_state(results):
    shown = Documents(results).summarise()["coverage"]
    assert '<th scope="rowgroup" colspan="2">pixstor</th>' in shown
    assert "<td><strong>measured</strong></td><td>table 4; figure 3</td></tr>\n" in shown
    assert "<td><strong>not run</strong></td><td>table 1</td>" in shown


def test_sources_stand_under_the_titles_and_in_the_order_of_the_campaigns_studies(claimed):
    documents = Documents(claimed, [("quick", "metadata")], {"fsx": "Scalable metadata", "quick": "A quick look"})
    shown = documents.summarise()
    assert shown["coverage"].index(">Scalable metadata<") < shown["coverage"].index(">pixstor<")
    assert "<td>A quick look</td>" in shown["claims"]
    claims = documents.describe()["claims"]
    groups = re.findall(r'rowgroup" colspan="5">([^<]*)<', claims)
    assert groups == ["Borne out: 1", "Refuted: 1", "Open: 1"]
    assert '<td><a href="quick/index.html" title="A quick look">quick</a></td>' in claims
    assert '<td><a href="fsx/index.html" title="Scalable metadata">fsx</a></td>' in claims


def test_items_and_own_claims_are_counted_by_state_without_empty_states(claimed):
    shown = Documents(claimed, [("quick", "metadata")]).summarise()
    assert shown["told_items"] == "2 are measured, 1 is published only, 1 is not run"
    told = "1 is borne out, 1 is refuted; arithmetic with the document's own numbers: 1 is borne out"
    assert shown["told_claims"] == told


def test_the_page_on_coverage_says_how_and_why_not(results):
    described = Documents(results).describe()
    assert "<td>fsx</td><td>table 1</td><td>not run</td><td>mount has no nconnect</td>" in described["coverage"]
    assert described["claims"] == ""


def test_without_claims_and_items_nothing_is_said(tmp_path):
    (tmp_path / "coverage.csv").write_text("source,item,state,why\n")
    documents = Documents(tmp_path)
    assert documents.summarise() == {
        "told_claims": "", "told_items": "", "claims": "", "decided": "", "other_claims": 0, "coverage": "",
    }  # fmt: skip
    assert (documents.has_claims, documents.has_items) == (False, False)


def test_claims_are_counted_and_the_decided_ones_stand_with_estimate_and_trials(claimed):
    shown = Documents(claimed, [("quick", "metadata")]).summarise()
    counts = "".join(f'<td class="number">{count}</td>' for count in (1, 1, 0, 0))
    row = f"<td>quick</td>{counts}</tr>"
    assert row in shown["claims"]
    assert "fsx" not in shown["claims"]
    assert shown["other_claims"] == 1
    assert ">1.50 GB/s (1.20 to 1.75 GB/s)</a></td>" in shown["decided"]
    assert "<td>0.9 (0.8 to 0.95) times</td>" in shown["decided"]
    assert '<td>10 trials<br><a href="trials/quick/metadata/index.html">quick/metadata</a></td>' in shown["decided"]
    assert (
        '<div class="coldcache-claim" id="claim-quick-&lt;b&gt;"><small>&lt;b&gt;, protocol</small></div>'
        in shown["decided"]
    )
    stated = "Looking up is fastest,<wbr> &lt;removing&gt; follows.<br><small>sweep metadata, QK1, protocol</small>"
    assert stated in shown["decided"]
    assert "cost" not in shown["decided"]
    assert "product" not in shown["decided"]
    described = Documents(claimed, [("quick", "metadata")]).describe()
    assert ">1,024</a></td><td>no trials</td>" in described["arithmetic"]
    assert "product" not in described["claims"]
    assert Documents(claimed, [("other", "metadata")]).describe()["claims"] == ""


def test_a_claim_on_a_study_that_is_no_part_of_the_campaign_is_left_to_the_page_of_claims(claimed):
    documents = Documents(claimed, [("fsx", "metadata")])
    shown = documents.summarise()
    assert "quick" not in shown["claims"] + shown["decided"]
    assert shown["other_claims"] == 3
    assert "<small>sweep metadata, QK1, protocol</small>" in documents.describe()["claims"]


def test_claims_that_cannot_be_tested_here_are_apart_and_counted(claimed):
    (claimed / "claims.csv").write_text(f"{CLAIMS}far,quick,model,not testable here,,,,,0,needs two clients\n")
    described = Documents(claimed, [("quick", "metadata")]).describe()
    assert described["untested_count"] == 1
    assert ">needs two clients</td>" in described["untested"] and "needs two clients" not in described["claims"]
    assert described["told"] == (
        "1 is borne out, 1 is refuted, 1 is open, 1 is not testable here; "
        "arithmetic with the document's own numbers: 1 is borne out"
    )
    assert Documents(claimed, [("other", "metadata")]).describe()["untested"] == ""


def test_many_decided_claims_are_left_to_their_page(claimed):
    head, row, *_ = CLAIMS.splitlines()
    (claimed / "claims.csv").write_text("\n".join([head, *[row] * 13]))
    (claimed / "statements.csv").write_text(STATEMENTS.splitlines()[0])
    documents = Documents(claimed, [("quick", "metadata")])
    assert documents.summarise()["decided"] == ""
    assert documents.describe()["claims"].count("<small>QK1, protocol</small>") == 13


def test_contradictions_of_a_document_are_shown(claimed):
    (claimed / "contradictions.csv").write_text(
        "id,source,about,one,one_place,relation,other,other_place,verdict,why\n"
        "x,lustre,files,2,figure 1,equal,3,table 3,contradiction,2 against 3\n"
    )
    shown = Documents(claimed).describe()["contradictions"]
    row = (
        "<td>lustre</td><td>files</td><td>2 (figure 1)</td><td>3 (table 3)</td><td><strong>contradiction</strong></td>"
    )
    assert f"{row}<td>2 against 3</td>" in shown


def test_claims_with_other_columns_are_refused(results):
    (results / "claims.csv").write_text("id,verdict\n")
    with pytest.raises(
        CampaignError, match=r"claims\.csv: no column estimate, high, low, scope, source, trials, unit, why"
    ):
        Documents(results)
