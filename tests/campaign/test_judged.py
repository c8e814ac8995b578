"""A sealed campaign keeps its verdicts, and its report says which of them the rules of today would give otherwise."""

import csv
import json
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.judged import JUDGED, list_rejudged, read_judged
from coldcache.campaign.known_since import with_known_since
from coldcache.campaign.seal import check_seal, seal
from coldcache.campaign.trials import collect_trials
from coldcache.core.errors import CampaignError
from coldcache.dataset.collect import collect
from coldcache.report.site.validity import read_validity
from coldcache.report.site.validity_page import _describe_rejudged

RAW, RESULTS, SITE = Path("raw/tiny"), Path("results/tiny"), Path("config/sites/here.yaml")


def rejudged():
    collect("tiny", RESULTS)
    with (RESULTS / "rejudged.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_same_rules_judge_alike(measured):
    assert rejudged() == []
    seal(RAW)
    judged = read_judged(RAW)
    assert judged.version == version("coldcache")
    assert len(judged.verdicts) == 18
    assert {one.verdict for one in judged.verdicts.values()} == {"valid"}
    assert rejudged() == []
    assert check_seal(RAW) == []


def test_a_trial_that_a_rule_of_today_doubts_is_listed_and_counted(measured, change):
    seal(RAW)
    # A ceiling that was stated after the seal.
    change(SITE, "make: true}", "make: true, write_rate: 1 kB/s}")
    rows = rejudged()
    assert {(row["sweep"], row["before"], row["verdict"], row["codes"]) for row in rows} >= {
        ("transfers", "valid", "suspect", "above-ceiling"),
    }
    assert all(row["version"] == version("coldcache") for row in rows)
    said = _describe_rejudged(SimpleNamespace(results=RESULTS, validity=read_validity(RESULTS)))
    assert said["rejudged_summary"] == (
        f"Version {version('coldcache')}, which sealed the campaign, judged {len(rows)} of 18 trials otherwise"
    )
    assert "now above-ceiling" in said["rejudged"]


def test_a_campaign_without_verdicts_of_its_own_says_nothing(measured):
    seal(RAW)
    (RAW / JUDGED).unlink()
    assert read_judged(RAW) is None


def test_broken_verdicts_are_refused(measured):
    (RAW / JUDGED).write_text("[]")
    with pytest.raises(CampaignError, match=r"^raw/tiny/judged.json: not the verdicts of a campaign"):
        read_judged(RAW)
    (RAW / JUDGED).write_text(json.dumps({"format": 9}))
    with pytest.raises(CampaignError, match="of format 9, this version reads 1"):
        read_judged(RAW)


def test_the_reference_campaign_keeps_the_verdicts_of_the_rules_that_sealed_it(root, monkeypatch):
    monkeypatch.chdir(root)
    folder = root / "raw/reference"
    trials = list(collect_trials(with_known_since(read_campaign(folder))))
    judged = read_judged(folder)
    assert judged.verdicts.keys() == {trial.key for trial in trials}
    assert Counter(one.verdict for one in judged.verdicts.values()) == {"valid": 392, "suspect": 195, "void": 2}
    changes = list_rejudged(judged, trials)
    assert len(changes) == 88
    now = Counter(code for one in changes for code in set(one.trial.judgement.codes) - set(one.before.codes))
    assert now == {"above-ceiling": 39, "coarse-clock": 37, "too-short": 4}
    valid = Counter(one.before.codes for one in changes if one.trial.judgement.verdict == "valid")
    assert valid == {("slow-process-hidden",): 5, ("too-short",): 3}
