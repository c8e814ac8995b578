"""The page on claims shows the verdicts of a campaign in sentences and tables."""

import pytest

from coldcache.analysis.questions.claims import StudyClaims
from coldcache.core.errors import NoData

CLAIMS = """\
id,source,verdict,estimate,low,high,unit,trials,why
DL1,dell-lustre,borne out,1.5,1.4,1.6,1,10,read is 1.5 times write
DL2,dell-lustre,open,16384,,,1,0,not run
PN4,pixstor-nvme,refuted,97000000000.0,96500000000.0,97500000000.0,B/s,5,above the links
"""
STATEMENTS = """\
id,source,place,statement
DL1,dell-lustre,fig 11,Reads beat writes.
DL2,dell-lustre,fig 11,It is level.
PN4,pixstor-nvme,fig 2,Reads stay under the links.
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
    assert found.finding() == "Of 2 claims of dell-lustre, 1 borne out, 0 refuted and 1 open (borne out: DL1)."
    assert found.sentences() == "- **DL1**, borne out: Reads beat writes. *read is 1.5 times write.*"
    assert list(found.table().shown.figure) == ["1.5 (1.4 to 1.6)", "16,384"]
    assert found.counts().shown.values.tolist() == [["dell-lustre", 1, 0, 1], ["pixstor-nvme", 0, 1, 0]]
    assert found.describe_contradictions() == "1 of 2 pairs of statements contradict each other (in dell-lustre)."


def test_a_study_without_claims_shows_those_of_all(dataset):
    found = StudyClaims(dataset, "imported")
    assert found.finding() == "No claim is stated of imported; 1 borne out, 1 refuted and 1 open of all claims."
    assert list(found.table().shown.figure)[-1] == "97.0 GB/s (96.5 to 97.5 GB/s)"


def test_without_verdicts_the_page_says_how_to_get_them(tmp_path):
    with pytest.raises(NoData, match=r"claims.csv was not written: run python -m coldcache claims"):
        StudyClaims(tmp_path / "dataset.nc", "quick")
