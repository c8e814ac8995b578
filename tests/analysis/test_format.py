"""Numbers in words, to the letter."""

import math

import pytest

from coldcache.analysis.format import (
    describe_width,
    format_factor,
    format_figure,
    format_growth,
    format_interval,
    format_level,
    format_ratio,
    format_suspect,
    show_change,
    show_end,
    show_interval,
)
from coldcache.analysis.results import Ratio
from coldcache.statistics.dependence import Rounds


@pytest.mark.parametrize(
    ("change", "shown"),
    [(0.39, "+39 %"), (0.083, "+8.3 %"), (-0.042, "\N{MINUS SIGN}4.2 %"), (1.385, "+138 %"), (99, "+9,900 %")],
)
def test_a_change_is_in_per_cent_with_its_sign(change, shown):
    assert show_change(change) == shown


@pytest.mark.parametrize(
    ("factor", "level", "shown"),
    [
        ("write_cache", "writeback", "writeback"), ("transfer_size", 2**20, "1 MiB"), ("io_size", 65536, "64 KiB"),
        ("throughput_tier", 250e6, "250 MB/s"), ("network_delay", 0.002, "2 ms"), ("threads", 12000, "12,000"),
        ("threads", 12000.0, "12,000"), ("mix", 0.5, "0.5"), ("not_known", 3, "3"), ("not_known", 2.5, "2.5"),
    ],
)  # fmt: skip
def test_a_level_has_the_unit_of_its_factor(factor, level, shown):
    assert format_level(factor, level) == shown


def test_a_level_stands_behind_the_label_of_its_factor():
    assert format_factor("stripe_count", 8) == "stripe count 8"
    assert format_factor("depth", 2) == "depth of the directory tree 2"
    assert format_factor("not_known", "x") == "not known x"


@pytest.mark.parametrize(
    ("estimate", "low", "high", "unit", "level", "shown"),
    [
        (16.0, 8.0, 32.0, "threads", 0.95, "16 threads (95 %: 8 to 32)"),
        (1024.0, math.nan, math.nan, "threads", math.nan, "1,024 threads"),
        (16384.0, 999.6, 17408.0, "1", 0.95, "16,384 (95 %: 1,000 to 17,408)"),
        (1.5, 1.25, 2.0, "1", 0.95, "1.5 (95 %: 1.25 to 2)"), (1.5, math.nan, math.nan, "1", math.nan, "1.5"),
        (2e9, 1e9, 3e9, "B/s", 0.9375, "2.00 GB/s (93.8 %: 1.00 to 3.00 GB/s)"),
        (2e9, 2e9, 2e9, "B/s", 0.9375, "2.00 GB/s"), (math.nan, math.nan, math.nan, "B/s", math.nan, ""),
    ],
)  # fmt: skip
def test_the_figure_that_decides_a_claim_has_its_unit_its_interval_and_its_level(
    estimate, low, high, unit, level, shown
):
    assert format_figure(estimate, low, high, unit, level) == shown


@pytest.mark.parametrize(
    ("end", "shown"),
    [(1.02, "1.02"), (1.00116, "1.001"), (0.99996, "0.99996"), (1.0, "1"), (0.9994, "0.999"), (1.0000001, "1")],
)
def test_an_end_of_an_interval_that_is_not_1_is_not_shown_as_1(end, shown):
    assert show_end(end) == shown


def test_a_ratio_has_three_digits_its_interval_and_a_link():
    assert format_ratio(Ratio(2.0449, 1.98, 2.111, 5)) == "2.04 times (95 %: 1.98 to 2.11)"
    assert format_ratio(Ratio(1234.4, 999.6, 15234, 5)) == "1,234 times (95 %: 1,000 to 15,234)"
    assert format_ratio(Ratio(1.00312, 1.0006, 1.0056, 10)) == "1.003 times (95 %: 1.001 to 1.01)"
    assert format_ratio(Ratio(1.00312, 0.9986, 1.0076, 10)) == "1 times (95 %: 0.999 to 1.01)"
    assert format_ratio(Ratio(2, math.nan, math.nan, 1)) == "2 times (1 pair)"
    assert format_ratio(Ratio(math.nan, math.nan, math.nan, 0)) == "not known"
    assert format_ratio(Ratio(2, 1.9, 2.1, 5, "x.html")) == '<a href="x.html">2 times</a> (95 %: 1.9 to 2.1)'


@pytest.mark.parametrize(
    ("low", "high", "n", "shown"),
    [
        (1.001, 2, 5, "grow 1.55 times"), (1, 2, 5, "show no growth"), (0.9, 1, 5, "show no growth"),
        (0.8, 0.999, 5, "fall to 1.55 times"),
        (math.nan, math.nan, 2, "go from 2.0 k/s to 3.1 k/s (2 runs, too few for an interval)"),
        (math.nan, math.nan, 1, "go from 2.0 k/s to 3.1 k/s (1 run, too few for an interval)"),
    ],
)  # fmt: skip
def test_growth_is_claimed_where_the_interval_leaves_one_out(low, high, n, shown):
    assert format_growth(Ratio(1.5499, low, high, n, runs=(1.5, 1.6)), ("2.0 k/s", "3.1 k/s")) == shown


def test_few_runs_whose_ends_read_alike_stay():
    few = Ratio(1.0, math.nan, math.nan, 3)
    assert format_growth(few, ("894 MB/s", "894 MB/s")) == "stay at 894 MB/s (3 runs, too few for an interval)"


def test_what_has_no_interval_though_there_are_runs_enough_says_why():
    rounds = Rounds(0.8, 0.8, modes=True)
    why = "no interval: runs of two modes that resemble those before them need 10"
    runs = (1e9, 2e9, 1e9, 2e9, 1e9, 2e9)
    assert format_interval(1.5e9, math.nan, math.nan, "B/s", 6, runs=runs, rounds=rounds).endswith(f"; {why})")
    ratio = Ratio(1.5, math.nan, math.nan, 6, runs=(1, 2, 1, 2, 1, 2), rounds=rounds)
    assert format_ratio(ratio) == f"1.5 times (6 pairs: 1, 2, 1, 2, 1, 2; {why})"
    assert format_growth(ratio, ("1 k/s", "2 k/s")) == f"go from 1 k/s to 2 k/s (6 runs, {why})"


def test_growth_without_a_rate_at_both_ends_says_so():
    assert format_growth(Ratio(math.nan, math.nan, math.nan, 0)) == "lack a rate at one end"


def test_suspect_trials_are_counted():
    assert format_suspect(0, 5) is None
    assert format_suspect(2, 5) == "2 of 5 flagged"
    assert format_suspect(1, 1) == "flagged"


def test_an_estimate_stands_before_its_interval_and_a_doubt():
    assert format_interval(1.5e9, math.nan, math.nan, "B/s", 1) == "1.50 GB/s (1 run)"
    assert format_interval(1.5e9, 1.4e9, 1.6e9, "B/s", 8) == "1.50 GB/s (95 %: 1.40 to 1.60 GB/s)"
    assert format_interval(1.5e9, 1.4e9, 1.6e9, "B/s", 5, "x.html", "odd") == (
        '<a href="x.html">1.50 GB/s</a> (93.8 %: 1.40 to 1.60 GB/s; odd)'
    )
    assert format_interval(1.5e9, math.nan, math.nan, "B/s", 3, flag="odd", runs=(1.4e9, 1.5e9, 0.9e9)) == (
        "1.50 GB/s (3 runs: 1.40 GB/s, 1.50 GB/s, 900 MB/s; odd)"
    )
    assert format_interval(1.5e9, 1.4e9, 1.6e9, "B/s", 10, rounds=Rounds(0.8)) == (
        "1.50 GB/s (95 %: 1.40 to 1.60 GB/s; 10 runs count as 1.8)"
    )


def test_of_an_interval_wider_than_ten_times_the_width_is_named_in_place_of_its_ends():
    assert show_interval(1.12e9, 1.2e9, "B/s") == "1.12 to 1.20 GB/s"
    assert show_interval(1e3, 1e4, "1/s") == "1.00 to 10.0 k/s"
    assert show_interval(16384, 17408, "1") == "16,384 to 17,408"
    assert show_interval(15.6e3, 2.75e6, "1/s") == "spans a factor of 180"
    assert show_interval(0.22, 1.6e3, "1/s") == "spans a factor of 7,300"
    assert show_interval(0.0, 5.0, "1/s") == "0.00 to 5.00/s"
    assert describe_width(float("nan"), float("nan")) is None
    assert format_interval(13.8e3, 2.38e3, 80.8e3, "1/s", 6) == "13.8 k/s (95 %: spans a factor of 34)"
