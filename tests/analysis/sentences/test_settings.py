"""What a setting changes is told by what its pairs show."""

import math

import pytest

from coldcache.analysis.paired_ratios import Pair
from coldcache.analysis.questions.select import choose_settings
from coldcache.analysis.results import Ratio
from coldcache.analysis.sentences import describe_pairs, rank_pairs, title_pairs, title_ratios
from coldcache.analysis.setting_ratios import tabulate_ratios
from coldcache.statistics.dependence import Rounds


def test_a_setting_is_told_over_its_cases(dell):
    found = next(iter(choose_settings(dell, "dell-lustre", ["write_cache"])))
    assert describe_pairs(found, "write_cache") == (
        "Sequential writes with the write cache on and off: writes are 2 times as fast with the write cache on (6 of 6 "
        "ratios differ from 1)."
    )
    assert title_pairs(found, "write_cache") == "Writes are 2 times as fast with the write cache on"


@pytest.mark.parametrize(("low", "high", "told", "title"), [
    (1.1, 1.3, "the write cache makes writes 1.2 times as fast (95 %: 1.1 to 1.3).",
     "The write cache makes writes 1.2 times as fast"),
    (0.9, 1.5, "no measurable difference to writes: 1.2 times (95 %: 0.9 to 1.5).",
     "Writes show no measurable difference by write cache"),
])  # fmt: skip
def test_a_ratio_claims_what_its_interval_shows(dell, monkeypatch, low, high, told, title):
    pair = Pair({"operation": "write"}, "writeback", Ratio(1.2, low, high, 6))
    monkeypatch.setattr("coldcache.analysis.sentences.settings.pairs", lambda *_: [pair])
    found = next(iter(choose_settings(dell, "dell-lustre", ["write_cache"])))
    assert describe_pairs(found, "write_cache") == f"Sequential writes with the write cache on and off: {told}"
    assert title_pairs(found, "write_cache") == title


def test_pairs_enough_without_an_interval_claim_nothing_and_say_why(dell, monkeypatch):
    ratio = Ratio(4, math.nan, math.nan, 6, runs=(1, 4, 9, 4, 4, 4), rounds=Rounds(0.8, 0.8, modes=True))
    pair = Pair({"operation": "write"}, "writeback", ratio)
    monkeypatch.setattr("coldcache.analysis.sentences.settings.pairs", lambda *_: [pair])
    found = next(iter(choose_settings(dell, "dell-lustre", ["write_cache"])))
    why = "no interval: runs of two modes that resemble those before them need 10"
    assert describe_pairs(found, "write_cache") == (
        "Sequential writes with the write cache on and off: writes 4 times (6 pairs: 1, 4, 9, 4, 4, 4; "
        f"{why}) with on over off."
    )
    assert title_pairs(found, "write_cache") == f"Writes with the write cache on: 4 times (6 pairs, {why})"
    assert rank_pairs(found, "write_cache") == 0


def test_a_title_spans_only_the_cases_that_show_a_difference(dell, monkeypatch):
    cases = [Ratio(2, 1.5, 2.5, 6), Ratio(9, 0.9, 90, 6), Ratio(3, 2.5, 3.5, 6)]
    found = next(iter(choose_settings(dell, "dell-lustre", ["write_cache"])))

    def tell(*ratios):
        pairs = [Pair({"operation": "write"}, "writeback", ratio) for ratio in ratios]
        monkeypatch.setattr("coldcache.analysis.sentences.settings.pairs", lambda *_: pairs)
        return title_pairs(found, "write_cache")

    assert tell(*cases) == "Writes are 2 to 3 times as fast with the write cache on in 2 of 3 cases"
    assert rank_pairs(found, "write_cache") == -3
    assert tell(*cases[:2]) == "The write cache makes writes 2 times as fast in 1 of 2 cases"
    assert tell(cases[1], cases[1]) == "Writes show no measurable difference by write cache"


def test_sweeps_are_ranked_by_their_greatest_difference(dell, monkeypatch):
    selection = choose_settings(dell, "dell-lustre", ["write_cache"])
    (found, *_) = selection
    assert rank_pairs(found, "write_cache") == pytest.approx(-2)
    slower = Pair({"operation": "write"}, "writeback", Ratio(0.25, 0.2, 0.3, 6))
    monkeypatch.setattr("coldcache.analysis.sentences.settings.pairs", lambda *_: [slower])
    assert rank_pairs(found, "write_cache") == -4
    undecided = Pair({"operation": "write"}, "writeback", Ratio(4, 0.9, 9, 6))
    monkeypatch.setattr("coldcache.analysis.sentences.settings.pairs", lambda *_: [undecided])
    assert rank_pairs(found, "write_cache") == 0
    names = [sweep.name for sweep in selection.in_order(lambda sweep: -selection.found.index(sweep))]
    assert names == [sweep.name for sweep in reversed(selection.found)]


def test_many_levels_are_told_by_their_range(invent):
    found = next(one for one in choose_settings(invent("anf-nfs"), "anf-nfs", ["io_size"]))
    assert title_pairs(found, "io_size") == "Writes show no measurable difference by rsize and wsize"


def test_a_forest_is_told_by_its_greatest_difference(dell):
    ratios = tabulate_ratios(choose_settings(dell, "dell-lustre", ["write_cache"]))
    assert title_ratios(ratios) == "The largest effect is 2 times (write, 1 thread: on / off)"
    shown = ratios.assign(low=[0.5, *ratios.low[1:]], high=[2.5, *ratios.high[1:]])
    assert (
        title_ratios(shown)
        == "The largest effect is 2 times (write, 48 threads: on / off); 1 of 6 intervals includes 1"
    )
    shown = ratios.assign(low=[0.5, 0.5, *ratios.low[2:]], high=[2.5, 2.5, *ratios.high[2:]])
    assert title_ratios(shown).endswith("; 2 of 6 intervals include 1")
    refused = ratios.assign(low=float("nan"))
    assert title_ratios(refused.assign(n=4)) == "Fewer than five pairs each: no ratio has an interval"
    assert title_ratios(refused) == "No ratio has an interval"
    assert title_ratios(ratios.assign(low=0.5)) == "All 6 intervals include 1"
    assert title_ratios(ratios[:2].assign(low=0.5)) == "Both intervals include 1"
    assert title_ratios(ratios[:1].assign(low=0.5)) == "The interval of the ratio includes 1"
