"""Cases of two campaigns are compared where they mean the same, and never silently where they do not."""

import pandas as pd
import pytest

from coldcache.campaign.campaign import Campaign
from coldcache.design.site import Site
from coldcache.report.comparison.campaigns import ComparedCampaign
from coldcache.report.comparison.match import match_cases

SITE = Site.model_validate({"site": "here", "title": "Here", "targets": {"scratch": {"path": "x"}}})


def row(**stated):
    return {
        "study": "s", "sweep": "w", "case": "operation=read,threads=2", "operation": "read", "repetition": 0,
        "tool": "fio", "tool_version": "3.33", "verdict": "valid", "cold": "cold", "metric": "throughput",
        "statistic": "value", "value": 100.0, "unit": "B/s", "definition": "all", "caveats": "", "share": "",
        "time": float("nan"), "threads": 2, "files": None, "file_size": 4096.0, **stated,
    }  # fmt: skip


def side(name, *rows):
    return ComparedCampaign(Campaign(name, SITE, (), None), [], pd.DataFrame(list(rows)))


def repeated(*values, **stated):
    return [row(repetition=index, value=value, **stated) for index, value in enumerate(values)]


def test_each_trial_that_counts_is_compared_by_the_leading_metric_of_its_operation():
    noise = [row(metric="latency", statistic="mean", unit="s", value=0.1), row(statistic="mean", value=7.0),
             row(share="rank=1", value=3.0), row(time=0.5, value=2.0)]  # fmt: skip
    after = [*repeated(80.0, 81.0), row(repetition=2, value=5.0, verdict="void")]
    (case,), unmatched = match_cases(side("a", *noise, *repeated(100.0, 101.0)), side("b", *after))
    assert (case.name, case.metric, case.unit) == ("s/w operation=read,threads=2", "throughput", "B/s")
    assert (case.base.tolist(), case.other.tolist(), case.note) == ([100.0, 101.0], [80.0, 81.0], "")
    assert unmatched == []


def test_another_metric_is_compared_when_it_is_asked_for():
    rows = [row(), row(metric="latency", statistic="mean", unit="s", value=0.1),
            row(metric="latency", statistic="p99", unit="s", value=0.9)]  # fmt: skip
    (case,), _ = match_cases(side("a", *rows), side("b", *rows), "latency")
    assert (case.metric, case.unit, case.base.tolist()) == ("latency", "s", [0.1])
    _, (unmatched,) = match_cases(side("a", *rows), side("b", row()), "latency")
    assert unmatched.reason == "both state no latency"


def test_a_case_whose_values_are_zero_is_not_compared_and_the_others_are():
    fast, slow = {"metric": "latency", "statistic": "mean", "unit": "s"}, "operation=read,threads=4"
    before = side("a", *repeated(1e-3, 0.0, 0.0, **fast), *repeated(1.0, 2.0, case=slow, **fast))
    after = side("b", *repeated(1e-3, 1e-3, **fast), *repeated(1.0, 3.0, case=slow, **fast))
    (case,), (unmatched,) = match_cases(before, after, "latency")
    assert (case.case, case.base.tolist(), case.other.tolist()) == (slow, [1.0, 2.0], [1.0, 3.0])
    zero = "latency is zero in 2 of 3 trials of a, below the resolution that the log prints"
    assert unmatched == ("s/w operation=read,threads=2", zero, False)


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"definition": "the slowest"}, "definition differs: all against the slowest"),
        ({"caveats": "rank-0-only"}, "caveats differs: not stated against rank-0-only"),
        ({"tool": "iozone"}, "tool differs: fio against iozone"),
        ({"file_size": 8192.0}, "file size differs: 4096 against 8192"),
        ({"cold": "warm"}, "reads are cold in a and warm in b"),
        ({"metric": "count", "unit": "1"}, "they have no metric in common"),
        ({"case": "operation=read,threads=4"}, "only in a"),
        ({"verdict": "missing", "value": float("nan")}, "no trial of b counts"),
    ],
)
def test_what_was_not_made_alike_is_not_compared(other, reason):
    cases, unmatched = match_cases(side("a", row()), side("b", row(**other)))
    assert (cases, unmatched[0].reason, unmatched[0].lost) == ([], reason, False)


def test_a_case_whose_trials_are_all_void_is_lost_in_one_direction_only():
    good, void = side("a", row()), side("b", row(verdict="void"))
    lost = match_cases(good, void)[1][0]
    assert (lost.lost, lost.reason) == (True, "no trial of b counts, those of a do")
    assert not match_cases(void, good)[1][0].lost


@pytest.mark.parametrize(
    ("other", "note"),
    [
        ([row(caveats="rounded")], ""),
        ([row(verdict="suspect"), row(repetition=1)], "1 of 2 suspect in b"),
        ([row(cold="mixed"), row(repetition=1)], "reads cold in a, cold and mixed in b"),
    ],
)
def test_a_caveat_is_noted_with_the_case(other, note):
    (case,), _ = match_cases(side("a", row()), side("b", *other))
    assert case.note == note


def test_files_per_thread_may_differ_and_a_large_difference_is_noted():
    names = [match_cases(side("a", row(files=1000)), side("b", row(files=files)))[0][0].note for files in (1050, 2000)]
    assert names == ["", "1000 files per thread in a, 2000 in b"]
