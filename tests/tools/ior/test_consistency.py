"""A latency or a summary that contradicts its rows is a known defect of a version, or the log is damaged."""

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.ior.columns import IorFacts
from coldcache.tools.ior.consistency import MISCOUNTED, compare_summary, half_step, latency_caveat


def facts(version="3.3.0", threads=4, *caveats):
    return IorFacts(version, False, caveats, {"threads": threads})


def test_the_rounding_of_a_number_is_half_its_last_digit():
    assert [half_step(text) for text in (b"5", b"1.5", b"0.001")] == [0.5, pytest.approx(0.05), pytest.approx(0.0005)]


def test_four_ranks_at_100_calls_per_second_take_at_most_40_ms_each():
    assert latency_caveat(b"0.040", b"100.0", facts()) == ()
    assert latency_caveat(b"0.041", b"100.0", facts()) == ()
    assert latency_caveat(b"0.043", b"100.0", facts()) == MISCOUNTED
    # Rounding alone explains a latency of two digits.
    assert latency_caveat(b"0.05", b"85.0", facts()) == ()


def test_a_latency_without_a_rate_or_ranks_is_not_judged():
    assert latency_caveat(b"9.9", b"-", facts()) == ()
    assert latency_caveat(b"9.9", b"100.0", facts(threads=0)) == ()


def test_a_stonewall_miscounts_transfers_before_4_1():
    assert latency_caveat(b"0.001", b"100.0", facts("4.0.0", 4, "stonewalled")) == MISCOUNTED
    assert latency_caveat(b"0.001", b"100.0", facts("4.1.0+dev", 4, "stonewalled")) == ()


def test_a_summary_agrees_with_its_rows_within_their_rounding():
    assert compare_summary("write", [b"100.5", b"98.21"], b"100.50", b"98.2", "4.0.0") == ()
    assert compare_summary("write", [], b"100.50", b"98.2", "4.0.0") == ()


def test_a_summary_that_uses_the_bytes_of_the_read_is_a_defect_before_3_3():
    for version in ("3.0.1", "3.2.0", "3.3alpha", "3.3.0+dev"):
        assert compare_summary("write", [b"100.5"], b"90.0", b"90.0", version) == ("bytes-of-last-phase",)


@pytest.mark.parametrize("version", ["3.3.0", "4.0.0", None])
def test_a_summary_that_contradicts_its_rows_otherwise_is_refused(version):
    with pytest.raises(LogError, match="IOR's summary and its result rows contradict each other on read"):
        compare_summary("read", [b"100.5"], b"90.0", b"90.0", version)
