"""How operations grow and level off is told by what estimates hold."""

import math

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.questions.select import choose
from coldcache.analysis.report_links import without_links
from coldcache.analysis.results import Ratio
from coldcache.analysis.sentences import (
    describe_growth,
    describe_latencies,
    describe_peaks,
    describe_plateaus,
    shorten_reason,
)
from coldcache.statistics.dependence import Rounds
from coldcache.statistics.intervals import Interval


def test_curves_are_told_by_peak_growth_and_plateau(dell):
    (found,) = choose(dell, "dell-lustre", "throughput", ["write", "read"], "file-per-thread", over="threads")
    assert without_links(describe_peaks(found)) == (
        "Sequential transfers of 1 MiB, one file per thread, 2 TB in all (scaled down: at most 256 threads, full "
        "size): reads peak at 32.2 GB/s (93.8 %: 32.2 to 32.2 GB/s) with 16 threads, writes peak at 16.1 GB/s (93.8 %: "
        "16.1 to 16.1 GB/s) with 16 threads."
    )
    assert describe_growth(found) == (
        "Reads grow 16 times, writes grow 16 times from 1 to 256 threads; level from 16 on"
    )
    assert describe_plateaus(found) == (
        "Reads: level from 16 threads on, at 32.2 GB/s or more; writes: level from 16 threads on, at 16.1 GB/s or more."
    )


def test_a_latency_is_told_as_long_and_not_as_growth(dell, monkeypatch):
    (found,) = choose(dell, "dell-lustre", "throughput", ["write", "read"], "file-per-thread", over="threads")
    ratios = {"read": Interval(1.5, 1.2, 1.8, 6, 0.95, "t"), "write": Interval(1.1, 0.9, 1.3, 6, 0.95, "t")}
    monkeypatch.setattr(Estimates, "growth", lambda _, operation: ratios[operation])
    assert describe_latencies(found) == (
        "Going from 1 to 256 threads raises the mean latency of reads from 2.01 GB/s to 32.2 GB/s, 1.5 times (95 %: "
        "1.2 to 1.8); makes no measurable difference to writes."
    )


def test_a_latency_without_an_interval_is_not_told_to_rise(dell, monkeypatch):
    (found,) = choose(dell, "dell-lustre", "throughput", ["write", "read"], "file-per-thread", over="threads")
    refused = Ratio(2, math.nan, math.nan, 6, runs=(1, 2, 4, 2, 2, 2), rounds=Rounds(0.8, 0.8, modes=True))
    monkeypatch.setattr(Estimates, "growth", lambda *_: refused)
    said = describe_latencies(found)
    why = "6 pairs: 1, 2, 4, 2, 2, 2; no interval: runs of two modes that resemble those before them need 10"
    assert said == (
        f"Going from 1 to 256 threads multiplies the mean latency of reads by 2 times ({why}); multiplies the mean "
        f"latency of writes by 2 times ({why})."
    )


def test_why_there_is_no_plateau_is_told_in_few_words():
    assert shorten_reason("") is None
    assert shorten_reason("the rate still rises by 27 % over the last doubling to 16 threads: measure at more") == (
        "the rate still rises by 27 % over the last doubling to 16 threads"
    )
    assert shorten_reason("rates at 1, 2 threads: a knee needs 4") == "too few numbers of threads to show a plateau"


def test_operations_that_level_off_alike_share_a_part(rise):
    curve = [10, 20, 40, 40, 40, 40]
    assert describe_plateaus(rise({"read": curve, "write": curve})) == (
        "Reads and writes: level from 4 threads on, at 40.0 MB/s or more."
    )
    flat = [30] * 6
    assert describe_plateaus(rise({"read": curve, "write": flat})) == (
        "Reads: level from 4 threads on, at 40.0 MB/s or more; writes: level from 1 thread on, at 30.0 MB/s or more."
    )
    assert describe_plateaus(rise({"read": [10, 20], "write": [10, 20]})) is None
