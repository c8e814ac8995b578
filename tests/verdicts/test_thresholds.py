"""The thresholds that hold where a site states none, and what a site may state."""

import pytest
from pydantic import ValidationError

from coldcache.verdicts.thresholds import Ceilings, Thresholds


def test_the_defaults_are_those_of_the_documentation():
    assert Thresholds().model_dump() == {
        "shortest_run": 1.0, "cold_share": 0.9, "foreign_share": 0.1, "load_per_core": 4.0, "foreign_cpu": 0.6,
        "drift": 0.2, "least_moved": 0.5, "least_free": 0.05, "fill_drift": 0.1, "modes": 3.0, "gap": 1.5,
        "saturated": 0.7, "steady_spread": 0.2, "steady_slope": 0.1,
    }  # fmt: skip
    assert set(Ceilings().model_dump().values()) == {None}


@pytest.mark.parametrize(
    ("name", "refused", "allowed"),
    [
        ("shortest_run", 0, 0.5), ("cold_share", 0, 0.5), ("cold_share", 1.5, 1), ("foreign_share", -0.5, 0),
        ("load_per_core", 0, 0.5), ("foreign_cpu", 0, 0.5), ("drift", 0, 0.5), ("least_moved", -0.5, 0),
        ("least_moved", 1.5, 1), ("least_free", -0.5, 0), ("least_free", 1.5, 1), ("fill_drift", 0, 0.5),
        ("steady_spread", 0, 0.5), ("steady_slope", 0, 0.5),
    ],
)  # fmt: skip
def test_a_threshold_beyond_its_range_is_refused(name, refused, allowed):
    assert getattr(Thresholds(**{name: allowed}), name) == allowed
    with pytest.raises(ValidationError):
        Thresholds(**{name: refused})


@pytest.mark.parametrize("name", Ceilings.model_fields)
def test_a_ceiling_is_more_than_nothing(name):
    assert getattr(Ceilings(**{name: 0.5}), name) == 0.5
    with pytest.raises(ValidationError):
        Ceilings(**{name: 0})


@pytest.mark.parametrize("field", [*Thresholds.model_fields.values(), *Ceilings.model_fields.values()])
def test_each_key_is_described_in_a_sentence(field):
    assert field.description.endswith(".")
