"""A claim that stays open says what would decide it."""

from dataclasses import replace

import numpy as np
import pytest

from coldcache.claims.judge import judge_claims
from coldcache.claims.read import read_claims


def by_id(rows) -> dict:
    return {row.id: row for row in rows}


def test_noise_leaves_a_claim_open_and_says_how_many_repetitions_would_tell(made_records, make_context):
    random = np.random.default_rng(2)
    noisy = made_records[made_records.sweep == "sas-driver"].copy()
    noisy["value"] *= np.exp(random.normal(0, 0.1, len(noisy)))
    (found,) = judge_claims(make_context(noisy), [stated for stated in read_claims() if stated.claim.id == "DL4"])
    assert found.verdict == "open"
    assert "needed: 17 repetitions (now 5) to show a difference of 5 % with 80 % power" in found.why
    assert found.low < found.estimate < found.high


def test_one_repetition_has_no_interval_and_decides_nothing(made_records, make_context):
    once = made_records[made_records.repetition == 0]
    names = ("DL1", "DL6", "DL11", "PN10", "FM1", "AN2", "AN9")
    claims = [stated for stated in read_claims() if stated.claim.id in names]
    found = by_id(judge_claims(make_context(once), claims))
    assert {found[name].verdict for name in names if name != "AN2"} == {"open"}
    assert "needed: more repetitions; one has no interval" in found["DL6"].why
    assert np.isnan(found["DL6"].low)
    # What is counted is no matter of chance.
    assert found["AN2"].verdict == "borne out"


def test_a_claim_of_another_system_stays_open_with_what_this_one_shows(made_campaign, made_records, make_context):
    site = made_campaign.site.model_copy(update={"offers": []})
    context = make_context(
        made_records[made_records.study == "pixstor-nvme"], campaign=replace(made_campaign, site=site)
    )
    (found,) = judge_claims(context, [stated for stated in read_claims() if stated.claim.id == "PN4"])
    assert (found.verdict, found.trials) == ("open", 5)
    assert found.estimate == pytest.approx(84.5e9, rel=0.01)
    peak, _, rest = found.why.partition("; ")
    assert peak.startswith("the peak of read, at ")
    assert rest == (
        "the claim needs below 96 GB/s; "
        "needed: trials of pixstor-nvme/sequential on a system with pairs of NVMe nodes, which "
        "config/sites/pixstor-testbed.yaml does not offer; published: read theoretical NVMe up to 102 GB/s (sec 2), "
        "read theoretical EDR links up to 96 GB/s (sec 2)"
    )
