"""A study has the notebooks that it names, its overview, and those of its claims; the first has the campaign's own."""

from pathlib import Path

import pytest
from drafts import make_study, sweep

from coldcache.design.claim import Claim
from coldcache.design.notebooks import list_notebooks


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("studies", "claims"):
        Path("config", name).mkdir(parents=True)


def named(name, *notebooks):
    return make_study(one=sweep()).model_copy(update={"study": name, "notebooks": list(notebooks)})


def test_a_study_without_claims_has_its_own_notebooks_and_the_overview():
    assert list_notebooks(named("mine", "random-iops"), False, "c") == ["random-iops", "overview"]


def test_a_notebook_that_a_study_names_is_executed_once():
    assert list_notebooks(named("mine", "overview", "random-iops"), False, "c") == ["overview", "random-iops"]


def test_a_file_of_claims_adds_their_notebook():
    Path("config/claims/mine.yaml").write_text("source: mine\nclaims: []\n")
    assert list_notebooks(named("mine"), False, "c") == ["overview", "claims"]


def test_a_study_that_was_just_read_says_itself_whether_it_has_claims():
    claim = Claim(id="XX1", scope="protocol", place="p", statement="s", untestable="u")
    study = named("mine").model_copy(update={"claims": [claim]})
    Path("config/studies/mine.yaml").write_text("not read again")
    assert list_notebooks(study, False, "c", is_copy=False) == ["overview", "claims"]
    assert list_notebooks(named("mine"), False, "c", is_copy=False) == ["overview"]


def test_the_first_study_has_those_of_the_campaign_and_the_reference_the_speed_of_the_program():
    statistics = "how-far-statistics-hold"
    assert list_notebooks(named("mine"), True, "c") == ["overview", statistics]
    assert list_notebooks(named("mine"), True, "reference") == ["overview", statistics, "how-fast-the-program-is"]
