"""What a setting changes is told by what its pairs show."""

import pytest

from coldcache.analysis.paired_ratios import Pair
from coldcache.analysis.questions.select import choose_settings
from coldcache.analysis.sentences import describe_pairs, title_pairs
from coldcache.statistics.intervals import Interval


def test_settings_are_told_against_the_level_that_is_off(dell):
    found = next(iter(choose_settings(dell, "dell-lustre", ["write_cache"])))
    assert describe_pairs(found, "write_cache") == (
        "Sequential writes with the write cache on and off, against write cache writethrough: writes are 2 times as "
        "fast with writeback."
    )
    assert title_pairs(found, "write_cache") == "Writes 2 times with writeback, against writethrough"


@pytest.mark.parametrize(("low", "high", "told", "title"), [
    (1.1, 1.3, "1.2 times (95 %: 1.1 to 1.3) as fast with writeback.", "Writes 1.2 times with writeback"),
    (0.9, 1.5, "1.2 times (95 %: 0.9 to 1.5) as fast with writeback, which shows no difference.",
     "No measurable difference to writes with writeback"),
])  # fmt: skip
def test_a_ratio_claims_what_its_interval_shows(dell, monkeypatch, low, high, told, title):
    pair = Pair({"operation": "write"}, "writeback", Interval(1.2, low, high, 6, 0.95, "t"))
    monkeypatch.setattr("coldcache.analysis.sentences.settings.pairs", lambda *_: [pair])
    found = next(iter(choose_settings(dell, "dell-lustre", ["write_cache"])))
    assert describe_pairs(found, "write_cache").endswith(f"against write cache writethrough: writes are {told}")
    assert title_pairs(found, "write_cache") == f"{title}, against writethrough"


def test_many_levels_are_told_by_their_range(invent):
    found = next(one for one in choose_settings(invent("anf-nfs"), "anf-nfs", ["nconnect"]))
    assert title_pairs(found, "nconnect") == "Writes 1 times with other levels, against 1"
