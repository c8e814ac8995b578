"""A site states how its target is filled before the first trial; what cannot be is refused in one line."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.core.yaml_models import read_model
from coldcache.design.precondition import Precondition
from coldcache.design.site import Site

SITE = "site: x\ntitle: t\ntargets: {a: {path: /mnt/x}}\n"


@pytest.fixture
def read(tmp_path):
    def read_site(more):
        path = tmp_path / "x.yaml"
        path.write_text(SITE + more)
        return read_model(path, Site)

    return read_site


def test_nothing_is_preconditioned_by_default(read):
    assert read("").precondition is None


def test_the_word_stands_for_snias_defaults(read):
    found = read("precondition: fill\n").precondition
    assert found == Precondition(fill=1, passes=2, round=60, rounds=25, seconds=43200)
    assert Precondition.model_validate(found.model_dump(mode="json")) == found


def test_it_is_described(read):
    assert read("precondition: fill\n").precondition.describe() == (
        "all of its free space is written twice, then at random in rounds of 60 s until five of them are steady, at "
        "most 25"
    )
    stated = read("precondition: {fill: 0.5, passes: 1, round: 2 min, rounds: 9}\n").precondition
    assert stated.describe() == (
        "50 % of its size is written once, then at random in rounds of 120 s until five of them are steady, at most 9"
    )


@pytest.mark.parametrize(
    "stated, refusal",
    [
        ("precondition: fil", 'x.yaml, line 4, precondition: unknown "fil"; did you mean "fill"?'),
        ("precondition: {fill: 1.5}", "x.yaml, line 4, precondition.fill: "),
        ("precondition: {fill: 0}", "x.yaml, line 4, precondition.fill: "),
        ("precondition: {rounds: 4}", "x.yaml, line 4, precondition.rounds: "),
        ("precondition: {share: 1}", 'x.yaml, line 4, precondition: unknown key "share"'),
        (
            "precondition: fill\nclients: {nodes: 2, launcher: srun}",
            "precondition: a target is filled from this machine alone, not in jobs of a cluster; remove it",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(read, stated, refusal):
    with pytest.raises(DesignError) as refused:
        read(f"{stated}\n")
    assert refusal in str(refused.value)
    assert "\n" not in str(refused.value)
