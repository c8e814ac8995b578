from datetime import UTC, datetime

import pytest
from markupsafe import Markup

from coldcache.campaign.campaign import read_campaign
from coldcache.design.cases import expand_cases
from coldcache.report.site.format import show_case, show_levels, show_period, show_repetitions, show_share, show_values


@pytest.mark.parametrize(("share", "shown"), [(0.9, "90\xa0%"), (1 - 2**-4, "93.8\xa0%"), (1.0, "100\xa0%")])
def test_a_share_has_three_digits_and_keeps_its_sign_on_its_line(share, shown):
    assert show_share(share) == shown


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        (["3"], "r3"),
        (["0", "1"], "r0, r1"),
        (["0", "1", "2", "3", "4"], "r0 to r4"),
        (["0", "1", "3"], "r0, r1, r3"),
        (["8", "9", "10"], "r8 to r10"),
    ],
)
def test_repetitions_are_named_like_their_folders(numbers, shown):
    assert show_repetitions(numbers) == shown


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (None, "not known"),
        ({}, "not known"),
        ({"6.1": 165}, "6.1"),
        ({"6.1": 100, "<6.2>": 65}, "6.1 (100 trials); &lt;6.2&gt; (65 trials)"),
    ],
)
def test_one_value_is_shown_alone_and_several_with_their_trials(values, shown):
    assert show_values(values) == shown


def test_one_trial_is_singular_and_values_can_have_lines():
    assert show_values({"a": 1, "b": 2}, separator=Markup("<br>")) == "a (1 trial)<br>b (2 trials)"


def test_a_day_is_named_once():
    begin = datetime(2026, 3, 1, 9, 5, 59, tzinfo=UTC)
    assert show_period(begin, begin.replace(hour=11)) == "1 March 2026, 09:05 to 11:05 UTC"
    assert show_period(begin, begin.replace(day=2)) == "1 March 2026, 09:05 to 2 March 2026, 09:05 UTC"
    assert show_period(None, None) == "No trial has run"


def test_levels_stand_in_the_order_of_the_study(root):
    campaign = read_campaign(root / "raw/reference")
    cases = expand_cases(campaign.studies[0], campaign.site, campaign.environment)

    def shown(sweep):
        return show_levels(case.factors for case in cases if case.sweep == sweep).replace("<wbr>", "")

    assert shown("shared-file") == (
        "threads 1, 2, 4; transfer size 1 MiB; file layout shared-file; "
        "file size per thread 1 GiB, 512 MiB, 256 MiB; direct I/O no"
    )
    assert shown("write-cache-random") == (
        "threads 1; transfer size 4 KiB; file size per thread 256 MiB; queue depth 4; "
        "write cache writeback, writethrough, unsafe"
    )


@pytest.mark.parametrize(
    ("case", "shown"),
    [
        ("operation=random-read,threads=8", "random read, threads 8"),
        ("threads=64,transfer_size=65536,direct_io=true", "threads 64, transfer size 64 KiB, direct I/O yes"),
        ("operation=write,vm_dirty=5", "write, vm dirty 5"),
        ("operation=file-create+file-stat,files=100", "file create, file stat, files per thread 100"),
        ("only", "probe"),
        ("an imported log", "an imported log"),
    ],
)
def test_a_case_is_named_in_words(case, shown):
    assert show_case(case, "probe") == shown
