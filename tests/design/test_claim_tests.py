"""Every kind of test is chosen by its name, and refuses what it could not decide."""

import pytest
from pydantic import TypeAdapter, ValidationError

from coldcache.core.errors import DesignError
from coldcache.design.claim_tests import TEST_KINDS, ClaimTest, FigureTest, RatioTest, Selection, limit_of

SIDES = {"numerator": {"operation": "read"}, "denominator": {"operation": "write"}}


EITHER = "state either above or below, or near"


def read(**stated):
    return TypeAdapter(ClaimTest).validate_python(stated)


def test_every_kind_is_registered_under_its_own_name():
    for name, kind in TEST_KINDS.items():
        assert kind.model_fields["kind"].annotation.__args__ == (name,)


def test_a_kind_becomes_its_test_with_its_defaults():
    found = read(kind="ratio", sweep="w", above=1.5, **SIDES)
    assert isinstance(found, RatioTest)
    assert (found.above, found.below, found.over, found.numerator.operation) == (1.5, float("inf"), "every", "read")


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"kind": "ratios"}, 'kind: unknown kind "ratios"; did you mean "ratio"'),
        ({"kind": "ordering", "falling": [{"operation": "read"}]}, "at least 2 items"),
        ({"kind": "peak-at", "threads": 0}, "greater than or equal to 1"),
        ({"kind": "ratio", **SIDES, "metric": "speed"}, 'metric: unknown metric "speed"'),
        (
            {"kind": "verified", "factor": "mount_options", "words": ["noatime"]},
            'factor: unknown factor "mount_options"; did you mean "mount_option"',
        ),
        (
            {"kind": "ratio", **SIDES, "levels": {"thread": 1}},
            'levels: unknown factor "thread"; did you mean "threads"',
        ),
        ({"kind": "ratio", **SIDES, "levels": {"threads": 0}}, "0 is not a whole number of at least 1"),
        ({"kind": "ratio", **SIDES}, "state above, below, or both: without a limit, no ratio would decide the claim"),
        ({"kind": "interaction", **SIDES, "here": {}, "there": {}, "above": 0}, "greater than 0"),
        ({"kind": "growth", "above": 0}, "state above, below, or both: without a limit, no growth would decide"),
        ({"kind": "ratio", **SIDES, "above": 2, "below": 2}, "above: 2 is not less than below, 2: no ratio lies"),
        ({"kind": "growth", "above": 1.5, "below": 0.5}, "above: 1.5 is not less than below, 0.5: no growth lies"),
        ({"kind": "crossed"}, "state least, most, or both: without a limit, no share would decide the claim"),
        ({"kind": "crossed", "least": 0.9, "most": 0.1}, "least: 0.9 is more than most, 0.1: no share lies between"),
        ({"kind": "drop", "least": 0.3, "most": 0.1}, "least: 0.3 is more than most, 0.1: no share lies between"),
        ({"kind": "interaction", **SIDES, "here": {}, "there": {}, "over": "peaks"}, "'every' or 'most'"),
        ({"kind": "figure", "of": "peak"}, EITHER),
        ({"kind": "figure", "of": "peak", "above": "3 GB"}, '"3 GB" has an unknown unit "GB"'),
        ({"kind": "figure", "of": "peak", "operation": "random-read", "below": "3 MB/s"}, "has a unit, where a plain"),
        ({"kind": "figure", "of": "peak", "above": "0 MB/s"}, "above: 0 MB/s is met by all that is measured"),
        (
            {"kind": "figure", "of": "peak", "above": "3 GB/s", "below": "1 GB/s"},
            "above: 3 GB/s is not less than below, 1 GB/s: nothing lies between",
        ),
        (
            {"kind": "figure", "of": "peak", "above": 1, "near": {"item": "fig 1"}},
            "state either above or below, or near",
        ),
    ],
)
def test_a_test_that_could_not_decide_is_refused(stated, message):
    with pytest.raises(ValidationError, match=message):
        read(**stated)


def test_a_figure_has_limits_or_a_published_value():
    assert isinstance(read(kind="figure", of="sustained", above="1 GB/s"), FigureTest)
    assert read(kind="figure", of="cases", near={"item": "fig 1"}).near == {"item": "fig 1"}
    assert read(kind="figure", of="cases", metric="count", operation="rpc-getattr", above=0).above == 0
    assert read(kind="figure", of="peak", below="the limits of the system").above is None


def test_a_selection_leaves_out_what_its_test_states():
    assert Selection().levels == {}
    assert Selection(levels={"transfer_size": "1 MiB"}).levels == {"transfer_size": "1 MiB"}


@pytest.mark.parametrize(
    ("given", "unit", "limit"),
    [("1 GB/s", "B/s", 1e9), (500, "1/s", 500), (None, "B/s", -1.0), ("3 ms", "s", 0.003)],
)
def test_a_limit_is_in_the_unit_of_its_metric(given, unit, limit):
    assert limit_of(given, unit, -1.0) == pytest.approx(limit)


def test_a_limit_of_another_unit_is_refused():
    with pytest.raises(DesignError, match="unknown unit"):
        limit_of("1 GB", "B/s", 0.0)
