"""Where documents say that ratios lie is read from their claims."""

import pytest

from coldcache.analysis.claimed_ratios import _list_ratios, read_claimed_ratios
from coldcache.design.claim import Claim


def test_ratios_and_equivalences_of_one_factor_are_bounds_of_a_ratio():
    found = {(one.claim, one.operation, one.level, one.reference): one for one in read_claimed_ratios("dell-lustre")}
    slower = found["DL7", "random-write", "writethrough", "writeback"]
    assert (slower.sweep, slower.factor, slower.low, slower.high) == ("write-cache-random", "write_cache", 0.0, 0.8)
    faster = slower.inverted()
    assert (faster.level, faster.reference, faster.low, faster.high) == (
        "writeback",
        "writethrough",
        1.25,
        float("inf"),
    )
    alike = found["DL3", "read", 24, 8]
    assert (alike.sweep, alike.factor, alike.low, alike.high) == ("osts", "stripe_count", 1 / 1.1, 1.1)


def test_a_study_without_claims_bounds_nothing():
    assert read_claimed_ratios("quick") == []


def test_a_ratio_is_of_the_levels_and_the_metric_that_its_claim_states():
    found = read_claimed_ratios("anf-nfs")
    levels = {one.claim: one.levels for one in found}
    assert (levels["AN4"], levels["AN1"], levels["AN3"]) == ({"nodes": 1}, {"network_delay": 0.001}, {})
    metrics = {(one.claim, one.operation): one.metric for one in found}
    assert metrics["AN3", "rpc-write"] == "count"
    # A claim that names no metric means the one by which the operation is judged.
    assert (metrics["AN3", "write"], metrics["AN7", "file-stat"]) == ("throughput", "rate")


def bound(numerator, denominator, **more):
    test = {"kind": "ratio", "sweep": "s", "operation": "write", "above": 1, **more}
    test |= {"numerator": numerator, "denominator": denominator}
    claim = Claim.model_validate({"id": "AA1", "scope": "protocol", "place": "p", "statement": "s", "tests": [test]})
    return [(one.factor, one.level, one.reference, one.levels) for one in _list_ratios(claim, "a")]


def test_levels_of_the_sides_take_the_place_of_those_of_the_test_and_are_as_a_cube_stores_them():
    eight, one = ({"levels": {"nconnect": count, "nodes": 4}} for count in (8, 1))
    held = {"nodes": 2, "direct_io": True, "transfer_size": "8 KiB"}
    assert bound(eight, one, levels=held) == [
        ("nconnect", 8, 1, {"nodes": 4, "direct_io": "true", "transfer_size": 8192})
    ]
    assert bound({"levels": {"direct_io": True}}, {"levels": {"direct_io": False}}) == [
        ("direct_io", "true", "false", {})
    ]
    # One side alone states the level of a second factor, and that of the test is the same.
    assert bound(eight, {"levels": {"nconnect": 1}}, levels={"nodes": 4}) == [("nconnect", 8, 1, {"nodes": 4})]


@pytest.mark.parametrize(
    "denominator",
    [
        {"levels": {"nconnect": 1}}, {"levels": {"nconnect": 1, "nodes": 1}}, {"levels": {"nodes": 4}},
        {"levels": {"nconnect": 1, "nodes": 4}, "metric": "elapsed"},
        {"levels": {"nconnect": 1, "nodes": 4}, "operation": "read"},
        {"levels": {"nconnect": 1, "nodes": 4}, "sweep": "t"}, {"levels": {"nconnect": 1, "nodes": 4}, "study": "b"},
    ],
)  # fmt: skip
def test_sides_that_differ_in_more_than_one_level_are_no_ratio_of_a_setting(denominator):
    assert bound({"levels": {"nconnect": 8, "nodes": 4}}, denominator) == []


@pytest.mark.parametrize("over", ["peaks", "most"])
def test_a_ratio_at_the_peak_or_at_the_most_threads_bounds_no_case(over):
    one, other = {"levels": {"nconnect": 8}}, {"levels": {"nconnect": 1}}
    assert bound(one, other, over="every") == [("nconnect", 8, 1, {})]
    assert bound(one, other, over=over) == []
