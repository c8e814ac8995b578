"""Where documents say that ratios lie is read from their claims."""

from coldcache.analysis.claimed_ratios import read_claimed_ratios


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
