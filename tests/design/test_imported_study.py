"""Each study has the notebooks that it names; one on claims only where it, or its document, states some."""

from pathlib import Path

import pytest

from coldcache.design.imported_study import ForeignStudy, Origin
from coldcache.design.notebooks import list_notebooks
from coldcache.design.study import read_study

ROOT = Path(__file__).parents[2]
IMPORTED = ForeignStudy(
    study="imported", title="Logs", question="What do these logs state?", sweeps={}, notebooks=["what-logs-state"],
    origin=Origin(folder="old-logs", system="A system elsewhere", unread=[]),
)  # fmt: skip


@pytest.mark.parametrize("study", ["quick", "anf-nfs"])
def test_a_study_that_states_claims_or_whose_document_does_has_a_notebook_on_them(study):
    named = read_study(ROOT / "config/studies", study)
    assert list_notebooks(named, False, "mine") == [*named.notebooks, "overview", "claims"]


def test_a_study_of_a_campaign_has_the_claims_that_its_file_states():
    kept = read_study(ROOT / "config/studies", "quick").model_copy(update={"claims": []})
    assert list_notebooks(kept, False, "mine") == [*kept.notebooks, "overview", "claims"]


def test_a_study_without_claims_has_none_on_them():
    quick = read_study(ROOT / "config/studies", "quick").model_copy(update={"study": "mine", "claims": []})
    assert list_notebooks(IMPORTED, False, "old") == ["what-logs-state", "overview"]
    assert list_notebooks(quick, False, "mine") == [*quick.notebooks, "overview"]


def test_the_first_study_of_a_campaign_has_those_that_belong_to_none():
    assert list_notebooks(IMPORTED, True, "old") == ["what-logs-state", "overview", "how-far-statistics-hold"]
    with_speed = ["what-logs-state", "overview", "how-far-statistics-hold", "how-fast-the-program-is"]
    assert list_notebooks(IMPORTED, True, "reference") == with_speed
