"""Claims are typed: a mistake is refused in one line with file, claim and the nearest name."""

import pytest

from coldcache.claims.read import list_selections, read_claims
from coldcache.core.errors import DesignError
from coldcache.design.claim import list_claim_files

CLAIM = """\
source: tiny
claims:
  - id: TY1
    scope: protocol
    place: fig 1
    statement: Reads beat writes.
    tests:
      - {kind: ordering, sweep: transfers, falling: [{operation: read}, {operation: write}]}
"""


@pytest.fixture
def folder(project):
    """The tiny project with one claim on its study."""
    (project / "config/claims").mkdir()
    (project / "config/claims/tiny.yaml").write_text(CLAIM)
    return project / "config/claims"


def test_every_claim_of_the_five_documents_is_there(root, monkeypatch):
    monkeypatch.chdir(root)
    ids = {source: [stated.claim.id for stated in read_claims() if stated.source == source]
           for source in ("dell-lustre", "pixstor-nvme", "fsx-metadata", "sas-grid", "anf-nfs")}  # fmt: skip
    assert ids == {
        "dell-lustre": [f"DL{number}" for number in (*range(1, 9), 15, *range(9, 15))],
        "pixstor-nvme": [f"PN{number}" for number in range(1, 13)],
        "fsx-metadata": [f"FM{number}" for number in range(1, 6)],
        "sas-grid": [f"SG{number}" for number in range(2, 7)],
        "anf-nfs": [f"AN{number}" for number in range(1, 12)],
    }


def test_a_claim_lists_its_selections_with_the_sides_of_each_test(folder):
    (stated,) = [stated for stated in read_claims() if stated.source == "tiny"]
    assert [(chosen.sweep, chosen.operation) for chosen in list_selections(stated.claim)] == [
        ("transfers", None), (None, "read"), (None, "write"),
    ]  # fmt: skip


def test_a_study_adds_claims_to_those_of_the_sources(folder, change):
    added = CLAIM.replace("TY1", "TY2").removeprefix("source: tiny\n")
    with (folder.parent / "studies/tiny.yaml").open("a") as file:
        file.write(added)
    found = [(stated.source, stated.claim.id) for stated in read_claims(["tiny", "specimens"])]
    assert [named for named in found if named[0] == "tiny"] == [("tiny", "TY1"), ("tiny", "TY2")]


def test_claims_of_studies_that_a_campaign_lacks_are_not_read(folder):
    (folder.parent / "studies/other.yaml").write_text("no study")
    assert {stated.source for stated in read_claims(["tiny"])} & {"quick", "model", "other"} == set()
    assert [path.name for path in list_claim_files(["tiny", "quick"])][-3:] == ["tiny.yaml", "tiny.yaml", "quick.yaml"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind: ordering", "kind: orderng", 'tests.0: kind: unknown kind "orderng"; did you mean "ordering"?'),
        ("sweep: transfers", "sweep: transfer", 'TY1: unknown sweep "transfer"; did you mean "transfers"?'),
        ("sweep: transfers", "study: tny", 'TY1: unknown study "tny"; did you mean "tiny"?'),
        ("sweep: transfers", "levels: {thread: 2}", 'levels: unknown factor "thread"; did you mean "threads"?'),
        ("sweep: transfers", "metric: rates", 'metric: unknown metric "rates"; did you mean "rate"?'),
        ("sweep: transfers", "ovr: peaks", 'unknown key "ovr"; did you mean "over"?'),
        (
            "TY1",
            "T1",
            'claims.0.id: "T1" cannot be meant: what belongs here is two capital letters and a number, such as QK1',
        ),
        ("place: fig 1", "place: p\n    published: [{itemm: fig 1}]", 'unknown column "itemm"; did you mean "item"?'),
        (
            "{kind: ordering, sweep: transfers, falling: [{operation: read}, {operation: write}]}",
            "{kind: figure, sweep: transfers, operation: read, of: peak, near: {itemm: fig 1}}",
            'TY1: unknown column "itemm"; did you mean "item"?',
        ),
        ("source: tiny", "source: tny", 'source: "tny" is not the name of the file; write "tiny"'),
        ("    tests:", "    untestable: it cannot be\n    tests:", "state either tests, or why there is none"),
    ],
)
def test_a_mistake_is_refused_in_one_line(folder, change, old, new, message):
    change(folder / "tiny.yaml", old, new)
    with pytest.raises(DesignError) as refused:
        read_claims()
    assert message in str(refused.value)
    assert str(refused.value).startswith("config/claims/tiny.yaml, ")
    assert "\n" not in str(refused.value)


def test_one_id_for_two_claims_is_refused(folder):
    other = CLAIM.replace("source: tiny", "source: other").replace("sweep:", "study: tiny, sweep:")
    (folder / "other.yaml").write_text(other)
    with pytest.raises(DesignError) as refused:
        read_claims()
    assert str(refused.value) == 'config/claims: the claim "TY1" of other is used twice'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    scope: protocol\n", "", 'the claim "TY1" has no scope; state one (document: arithmetic with the source'),
        ("scope: protocol", "scope: protoc", 'scope: unknown "protoc"; did you mean "protocol"?'),
        ("scope: protocol", "scope: model", "a claim of scope model must name the topology that can decide it"),
        ("scope: protocol", "scope: system", "a claim of scope system must name the product that can decide it"),
        ("scope: protocol", "scope: document", "a claim of scope document has tests of kind arithmetic alone"),
    ],
)
def test_a_claim_without_a_scope_or_without_what_it_needs_is_refused(folder, old, new, message):
    (folder / "tiny.yaml").write_text(CLAIM.replace(old, new))
    with pytest.raises(DesignError) as refused:
        read_claims()
    assert str(refused.value).startswith("config/claims/tiny.yaml, line ")
    assert message in str(refused.value)


def test_arithmetic_is_of_a_document_alone(folder):
    arithmetic = CLAIM.partition("    tests:")[0] + "    tests: [{kind: arithmetic, check: dell-directories}]\n"
    (folder / "tiny.yaml").write_text(arithmetic)
    with pytest.raises(DesignError, match="arithmetic with the source's own numbers is of scope document"):
        read_claims()
    (folder / "tiny.yaml").write_text(arithmetic.replace("protocol", "document"))
    assert [stated.claim.scope for stated in read_claims() if stated.source == "tiny"] == ["document"]
