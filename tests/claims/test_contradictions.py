"""Where a document contradicts itself is computed from what it states: numbers that are changed to agree, agree."""

import pytest
import yaml

from coldcache.claims.contradictions import CONTRADICTION_COLUMNS, read_contradictions, tabulate_contradictions
from coldcache.core.errors import DesignError
from coldcache.dataset.published import read_published


@pytest.fixture
def published(root):
    return read_published(root / "config/published/values.csv")


@pytest.fixture
def tabulate(root, published, tmp_path):
    """Return a function that tabulates the contradictions after one of them was changed."""
    stated = yaml.safe_load((root / "config/claims/contradictions.yaml").read_text())

    def run(name: str, side: str, **changes):
        for pair in stated["contradictions"]:
            if pair["id"] == name:
                pair[side] = {"place": pair[side]["place"], **changes}
        (tmp_path / "contradictions.yaml").write_text(yaml.safe_dump(stated))
        return tabulate_contradictions(published, tmp_path).set_index("id")

    return run


def test_every_contradiction_of_the_documents_is_found_by_computing(root, published):
    found = tabulate_contradictions(published, root / "config/claims")
    assert list(found.columns) == CONTRADICTION_COLUMNS
    assert found.groupby("source").size().to_dict() == {
        "dell-lustre": 5, "pixstor-nvme": 4, "sas-grid": 2, "fsx-metadata": 4, "anf-nfs": 4,
    }  # fmt: skip
    assert set(found.verdict) == {"contradiction"}
    row = found.set_index("id").loc["dell-files-at-240"]
    assert (row.one, row.other) == ("2,200,000", "240 x 2 x 3,125 = 1,500,000")
    assert (row.one_place, row.other_place) == ("text on fig 16", "table 3")
    assert row.why == "2,200,000 against 1,500,000: 1.467 times"
    # Published values are taken from values.csv, by their columns.
    assert found.set_index("id").loc["pixstor-sustained-reads", ["one", "other"]].tolist() == ["265,000", "500,000"]


@pytest.mark.parametrize(
    ("name", "side", "changes"),
    [
        ("dell-files-at-240", "one", {"numbers": [1_500_000]}),
        ("dell-files-at-240", "other", {"numbers": [352, 2, 3125]}),
        ("dell-most-files", "one", {"numbers": [1_000_000]}),
        ("dell-files-of-25-directories", "one", {"numbers": [64, 25, 625]}),
        ("dell-shared-file", "one", {"names": ["N-to-N random"]}),
        ("dell-random-reads", "one", {"names": ["a steep rise from 48 to 96 threads"]}),
        ("pixstor-half-of-metadata", "one", {"names": ["random N-N"]}),
        ("sas-families", "one", {"names": ["m5n"]}),
        ("sas-memory", "one", {"numbers": [8_000_000_000]}),
        ("pixstor-sustained-reads", "one", {"numbers": [500_000]}),
        ("pixstor-links", "other", {"numbers": [7.68, 100e9], "over": [8]}),
        ("fsx-increase", "one", {"numbers": [16]}),
        ("fsx-automatic", "other", {"numbers": [24_576], "over": [24, 1024]}),
        ("fsx-throughput", "one", {"numbers": [3000], "over": [12]}),
        ("anf-calls-of-sync", "one", {"numbers": [131_072]}),
        ("anf-tcp-sack", "other", {"numbers": [1]}),
        ("anf-slots-at-16", "one", {"names": ["no change"]}),
    ],
)
def test_numbers_that_are_changed_to_agree_are_no_contradiction(tabulate, name, side, changes):
    found = tabulate(name, side, **changes)
    assert found.loc[name, "verdict"] == "agrees"
    assert (found.drop(index=name).verdict == "contradiction").all()


def test_a_statement_of_no_published_value_is_refused_by_name(tabulate):
    with pytest.raises(DesignError) as refused:
        tabulate("fsx-increase", "one", published={"item": "fig 99"})
    assert str(refused.value) == (
        "config/claims/contradictions.yaml, fsx-increase: 0 published values are meant, not one"
    )


def test_without_a_file_there_are_none(tmp_path):
    assert read_contradictions(tmp_path) == []
