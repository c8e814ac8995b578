"""A claim states a scope, what can decide it, and either tests or why there is none."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from coldcache.design.claim import Claim, list_claim_files

COMPUTED = {"kind": "arithmetic", "check": "files"}
MEASURED = {"kind": "memory", "times": 2}


def claim(**stated):
    tests = {} if "untestable" in stated else {"tests": [{"kind": "peak-at", "threads": 8}]}
    return Claim(**{"id": "XY1", "scope": "protocol", "place": "fig 1", "statement": "s", **tests, **stated})


def test_a_claim_with_a_test_or_with_a_reason_is_complete():
    assert claim().tests[0].threads == 8
    assert claim(untestable="a second rack").tests == []


@pytest.mark.parametrize("stated", [{"tests": []}, {"untestable": "x", "tests": [{"kind": "peak-at", "threads": 8}]}])
def test_a_claim_has_either_tests_or_a_reason(stated):
    with pytest.raises(ValidationError, match="state either tests, or why there is none as untestable"):
        claim(**stated)


@pytest.mark.parametrize("name", ["X1", "XYZ1", "xy1", "XY", "XY1000"])
def test_an_id_is_two_letters_and_a_number(name):
    with pytest.raises(ValidationError):
        claim(id=name)


def test_a_claim_without_a_scope_lists_the_scopes():
    with pytest.raises(ValidationError, match=r'the claim "XY1" has no scope; state one \(document: arithmetic'):
        Claim(id="XY1", place="p", statement="s", tests=[COMPUTED])


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"scope": "document"}, "scope: a claim of scope document has tests of kind arithmetic alone, and no needs"),
        ({"scope": "document", "tests": [COMPUTED], "needs": ["x"]}, "tests of kind arithmetic alone, and no needs"),
        ({"tests": [COMPUTED]}, "scope: arithmetic with the source's own numbers is of scope document"),
        ({"scope": "model"}, "needs: a claim of scope model must name the topology that can decide it"),
        ({"scope": "system"}, "needs: a claim of scope system must name the product that can decide it"),
    ],
)
def test_the_scope_fits_the_tests_and_the_needs(stated, message):
    with pytest.raises(ValidationError, match=message):
        claim(**stated)


def test_claims_are_those_of_the_sources_and_of_a_campaigns_own_studies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder, name in (("claims", "mine"), ("studies", "tiny")):
        Path("config", folder).mkdir(parents=True)
        Path("config", folder, f"{name}.yaml").write_text("")
    names = [path.name for path in list_claim_files(["tiny", "not-there"])]
    assert {"mine.yaml", "dell-lustre.yaml"} <= set(names)
    assert names[-1] == "tiny.yaml" and "not-there.yaml" not in names
