"""A campaign is compared with the one before it on the same target, without being asked."""

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.report.comparison import earlier
from coldcache.report.comparison.earlier import compare_with_earlier, find_earlier

RESULTS = Path("results/tiny")


@pytest.fixture
def copy(reported, monkeypatch):
    """Return a function that adds a campaign with the same trials, which began some years before or after the first."""
    began = {"tiny": datetime(2050, 1, 1, tzinfo=UTC)}
    # The trials keep their times: their logs, which state the time, too, would contradict others.
    monkeypatch.setattr(earlier, "_find_begin", lambda campaign: began[campaign.name])

    def add(name, year=2001, **changed):
        shutil.copytree("raw/tiny", Path("raw") / name)
        path = Path("raw", name, "campaign.json")
        design = json.loads(path.read_text())
        path.write_text(json.dumps({**design, "campaign": name, "site": {**design["site"], **changed}}))
        began[name] = datetime(year, 1, 1, tzinfo=UTC)

    return add


def test_a_campaign_begins_with_its_first_trial(reported):
    campaign = read_campaign(Path("raw/tiny"))
    starts = [json.loads(path.read_text())["start"] for path in Path("raw/tiny").rglob("trial.json")]
    assert earlier._find_begin(campaign).isoformat(timespec="milliseconds") in starts


def test_the_last_earlier_campaign_is_compared_and_the_page_says_what_was_found(copy):
    copy("older", 2001)
    copy("newer", 2002)
    copy("later", 2101)
    page = compare_with_earlier("tiny", RESULTS)
    assert page == RESULTS / "comparison.md"
    assert page.read_text().startswith("# Comparison of newer and tiny\n")
    written = page.stat().st_mtime_ns
    # It is not written again until verdicts change.
    assert compare_with_earlier("tiny", RESULTS) == page and page.stat().st_mtime_ns == written


def test_a_page_that_nobody_asked_for_ends_with_the_comparison_and_one_that_was_asked_for_is_kept(copy, capsys):
    copy("older")
    page = compare_with_earlier("tiny", RESULTS)
    os.utime(page, (0, 0))
    shutil.rmtree("raw/older")
    assert compare_with_earlier("tiny", RESULTS) is None and not page.exists()
    page.write_text("# Comparison of mine and tiny\n")
    os.utime(page, (0, 0))
    assert capsys.readouterr().err == ""
    assert compare_with_earlier("tiny", RESULTS) == page
    assert page.read_text() == "# Comparison of mine and tiny\n"
    assert capsys.readouterr().err == (
        "results/tiny/comparison.md: older than results/tiny/verdicts.csv; give compare --page again, or remove it\n"
    )


def test_a_broken_campaign_beside_it_is_passed_over(reported):
    shutil.copytree("raw/tiny", "raw/broken")
    design = Path("raw/broken/campaign.json")
    design.write_text(json.dumps({**json.loads(design.read_text()), "campaign": "broken"}))
    for path in Path("raw/broken").rglob("trial.json"):
        path.write_text("{")
    assert find_earlier(read_campaign(Path("raw/tiny"))) is None


def test_without_an_earlier_campaign_there_is_no_page(copy):
    copy("later", 2101)
    assert compare_with_earlier("tiny", RESULTS) is None
    assert not (RESULTS / "comparison.md").exists()


def test_another_site_is_no_earlier_campaign(copy):
    copy("other", site="elsewhere")
    assert find_earlier(read_campaign(Path("raw/tiny"))) is None


def test_large_campaigns_are_compared_only_when_asked(copy, monkeypatch):
    copy("older")
    assert find_earlier(read_campaign(Path("raw/tiny"))) == "older"
    monkeypatch.setattr(earlier, "_MOST_TRIALS", 20)
    assert find_earlier(read_campaign(Path("raw/tiny"))) is None


def test_what_cannot_be_compared_has_no_page_and_no_error(copy, monkeypatch):
    copy("older")
    for path in Path("raw/older").rglob("stdout.txt"):
        path.write_text("no log")
    assert compare_with_earlier("tiny", RESULTS) is None
