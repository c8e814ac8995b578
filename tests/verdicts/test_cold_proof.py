"""A read is as cold as the share of its bytes that crossed the device."""

import math
import re

import pytest
from observations import CREATE, READ, WRITE, with_thresholds

from coldcache.core.outcome import Counters
from coldcache.verdicts.cold_proof import judge_cold
from coldcache.verdicts.judge import judge
from coldcache.verdicts.observation import measured_seconds


def with_share(found, share):
    """Return a read of which `share` of the bytes crossed the device."""
    rate = next(r.value for r in found.records if (r.metric, r.statistic) == ("throughput", "value"))
    moved = rate * measured_seconds(found, "read")
    counters = Counters({"read_bytes": 1000}, {"read_bytes": 1000 + math.ceil(share * moved)})
    return found._replace(outcome=found.outcome._replace(counters=counters))


@pytest.mark.parametrize(
    ("share", "cold", "verdict"),
    [
        (1.2, "cold", "valid"),
        (1.0, "cold", "valid"),
        (0.9, "cold", "valid"),
        (0.899, "mixed", "suspect"),
        (0.5, "mixed", "suspect"),
        (0.101, "mixed", "suspect"),
        (0.0999, "warm", "suspect"),
        (0.0, "warm", "suspect"),
    ],
)
def test_a_read_is_as_cold_as_the_share_of_its_bytes_that_crossed_the_device(trial, share, cold, verdict):
    judgement = judge(with_share(trial(READ), share))
    assert (judgement.cold, judgement.verdict) == (cold, verdict)
    if verdict == "suspect":
        assert judgement.codes == ("served-from-cache",)
        assert re.fullmatch(r"[0-9.]+ (?:[KM]i)?B of [0-9.]+ MiB crossed the device", judgement.reasons[0])


def test_the_site_says_which_share_is_cold(trial):
    assert judge_cold(with_thresholds(with_share(trial(READ), 0.96), cold_share=0.95)).verdict == "cold"
    assert judge_cold(with_thresholds(with_share(trial(READ), 0.94), cold_share=0.95)).verdict == "mixed"
    assert judge_cold(with_thresholds(with_share(trial(READ), 0.06), cold_share=0.95)).verdict == "mixed"


def test_a_read_that_nothing_counts_is_unproved_and_a_write_is_not_asked(trial):
    assert judge_cold(trial(READ, counters=None)).verdict == "unproved"
    assert judge_cold(trial(READ)._replace(records=[])).verdict == "unproved"
    assert judge_cold(trial(WRITE)).verdict == "not applicable"
    assert judge_cold(trial(CREATE)).verdict == "not applicable"
