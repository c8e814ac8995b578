"""The page on claims shows the verdicts of a campaign in sentences and tables."""

import math

import pytest

from coldcache.analysis.questions.claims import StudyClaims
from coldcache.core.errors import NoData

NAN = math.nan

CLAIMS = """\
id,source,scope,verdict,estimate,low,high,level,unit,trials,why
DL1,dell-lustre,model,borne out,1.5,1.4,1.6,0.95,1,10,read is 1.5 times write
DL2,dell-lustre,model,open,16384,,,,1,0,not run
PN4,pixstor-nvme,model,refuted,97000000000.0,96500000000.0,97500000000.0,0.9375,B/s,5,above the links
PN9,pixstor-nvme,system,not testable here,,,,,1,0,needs PixStor
PN11,pixstor-nvme,document,borne out,1.0,,,,1,0,10 of 10 rows
"""
STATEMENTS = """\
id,source,scope,place,statement
DL1,dell-lustre,model,fig 11,Reads beat writes.
DL2,dell-lustre,model,fig 11,It is level.
PN4,pixstor-nvme,model,fig 2,Reads stay under the links.
PN9,pixstor-nvme,system,table 4,It is so fast.
PN11,pixstor-nvme,document,table 3,It adds up.
"""
CONTRADICTIONS = """\
id,source,about,one,one_place,relation,other,other_place,verdict,why
a,dell-lustre,files,2,text,equal,3,table,contradiction,2 against 3
b,dell-lustre,threads,2,text,equal,2,table,agrees,
"""


@pytest.fixture
def dataset(tmp_path):
    for name, text in (("claims", CLAIMS), ("statements", STATEMENTS), ("contradictions", CONTRADICTIONS)):
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path / "dataset.nc"


def test_sentences_and_tables_are_those_of_the_study(dataset):
    found = StudyClaims(dataset, "dell-lustre")
    assert found.finding() == "2 claims: 1 borne out, 1 open."
    assert found.sentences() == "- Borne out: Reads beat writes."
    assert list(found.table().shown["figure"]) == ["1.5 (95 %: 1.4 to 1.6)", "16,384"]
    assert found.table().shown.claim[0] == '<a href="../claims.html#claim-dell-lustre-DL1">DL1</a>'
    assert found.describe_contradictions() == "The document contradicts itself in 1 of 2 places checked."


def test_decided_claims_come_first(dataset):
    text = CLAIMS.replace("DL1,dell-lustre,model,borne out", "DL1,dell-lustre,model,not testable here")
    dataset.with_name("claims.csv").write_text(text)
    assert list(StudyClaims(dataset, "dell-lustre").table().numbers.id) == ["DL2", "DL1"]


def test_a_study_without_claims_is_refused(dataset):
    with pytest.raises(NoData, match=r"^no claim is stated of imported$"):
        StudyClaims(dataset, "imported")


def test_arithmetic_with_a_document_s_own_numbers_is_counted_apart(dataset):
    assert StudyClaims(dataset, "pixstor-nvme").finding() == (
        "2 claims: 1 refuted, 1 not testable here. Arithmetic with the document's own numbers: 1 borne out."
    )


def test_a_document_without_contradictions_has_no_table_of_them(dataset):
    found = StudyClaims(dataset, "pixstor-nvme")
    assert found.contradictions() is None and found.describe_contradictions() is None


def test_without_verdicts_the_page_says_how_to_get_them(tmp_path):
    with pytest.raises(NoData, match=r"claims.csv was not written: run python -m coldcache claims"):
        StudyClaims(tmp_path / "dataset.nc", "quick")


def test_a_file_that_was_not_written_is_named_with_what_writes_it(dataset):
    dataset.with_name("contradictions.csv").unlink()
    with pytest.raises(NoData) as raised:
        StudyClaims(dataset, "dell-lustre")
    assert str(raised.value) == "contradictions.csv was not written: run python -m coldcache claims"


def test_tables_name_what_they_hold(dataset):
    found = StudyClaims(dataset, "dell-lustre")
    assert found.table().caption == "Every claim of the study"
    assert found.table().shown.columns.tolist() == [
        "claim", "statement", "place", "verdict", "figure", "runs", "why",
    ]  # fmt: skip
    pairs = found.contradictions()
    assert pairs.caption == "Statements of the document that contradict each other"
    assert pairs.shown.values.tolist() == [["files", "2 (text)", "3 (table)", "2 against 3"]]
    assert StudyClaims(dataset, "pixstor-nvme").sentences() == (
        "- Refuted: Reads stay under the links.\n- Borne out: It adds up."
    )
