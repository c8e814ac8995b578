"""A claim that stays open says what would decide it."""

import numpy as np

from coldcache.claims.judge import judge_claims
from coldcache.claims.read import read_claims
from coldcache.workflow.configuration import draft_design


def by_id(rows) -> dict:
    return {row.id: row for row in rows}


def test_noise_leaves_a_claim_open_and_says_how_many_repetitions_would_tell(made_records, make_context):
    random = np.random.default_rng(2)
    noisy = made_records[made_records.sweep == "sas-driver"].copy()
    noisy["value"] *= np.exp(random.normal(0, 0.1, len(noisy)))
    (found,) = judge_claims(make_context(noisy), [stated for stated in read_claims() if stated.claim.id == "DL4"])
    assert found.verdict == "open"
    assert "; 16 runs per case would show 5 % with 80 % power (10 show 6.5 %)" in found.why
    assert found.low < found.estimate < found.high


def test_one_repetition_has_no_interval_and_decides_nothing(made_records, make_context):
    once = made_records[made_records.repetition == 0]
    names = ("DL1", "DL6", "DL11", "PN10", "FM1", "AN2", "AN9")
    claims = [stated for stated in read_claims() if stated.claim.id in names]
    found = by_id(judge_claims(make_context(once), claims))
    assert {found[name].verdict for name in names if name != "AN2"} == {"open"}
    assert "5 runs per case decide at the earliest (now 1)" in found["DL6"].why
    assert np.isnan(found["DL6"].low)
    # What is counted is no matter of chance.
    assert found["AN2"].verdict == "borne out"


def test_two_repetitions_are_listed_and_decide_nothing(made_records, make_context):
    twice = made_records[made_records.repetition < 2]
    (found,) = judge_claims(make_context(twice), [stated for stated in read_claims() if stated.claim.id == "DL6"])
    assert (found.verdict, found.trials) == ("open", 24)
    assert np.isnan(found.low)
    assert found.why.startswith("write: write cache writethrough is 1.4 times as fast as write cache ")


def test_a_guest_is_named_with_the_settings_that_its_cases_share(root, monkeypatch, made_records, make_context):
    campaign = draft_design({"studies": "anf-nfs", "site": "local"})
    claims = [stated for stated in read_claims() if stated.claim.id == "AN4"]
    (found,) = judge_claims(make_context(made_records, campaign=campaign), claims)
    assert found.verdict == "borne out"
    assert (
        "; in a guest (rsize and wsize 32 KiB, slot table entries per connection 2, network delay each way 20 ms, "
        "link of the server 12.5 MB/s); "
    ) in found.why
