"""A ratio moves with its trials, and only claims on their sweep move."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from coldcache.claims.judge import CLAIM_COLUMNS, judge_claims
from coldcache.claims.rate_tests import weigh_ratio
from coldcache.claims.read import read_claims
from coldcache.core.errors import NoData
from coldcache.dataset.reader import state_rounds
from coldcache.design.claim_tests import RatioTest


def by_id(rows) -> dict:
    return {row.id: row for row in rows}


def test_a_change_of_5_percent_in_one_trial_moves_the_claims_on_its_sweep_and_nothing_else(
    made_context, made_records, make_context
):
    made = judge_claims(made_context, read_claims(["model", "quick"]))
    changed = made_records.copy()
    rows = (changed.study == "dell-lustre") & (changed.sweep == "write-cache-random") & (changed.threads == 24)
    place = changed.index[rows & (changed.write_cache == "writethrough") & (changed.repetition == 2)][0]
    changed.loc[place, "value"] *= 1.05
    after = judge_claims(make_context(changed), read_claims(["model", "quick"]))
    # As claims.csv holds them.
    frames = [pd.DataFrame(rows, columns=CLAIM_COLUMNS).map(str) for rows in (made, after)]
    moved = (frames[0] != frames[1]).any(axis=1)
    assert list(frames[0][moved]["id"]) == ["DL7"]
    old, new = by_id(made)["DL7"], by_id(after)["DL7"]
    assert new.verdict == "borne out"
    # One of 60 pairs is 5 % larger, and their mean logarithm by a sixtieth of that.
    assert new.estimate / old.estimate == pytest.approx(1.05 ** (1 / 60))


@pytest.mark.parametrize("over", ["every", "peaks"])
def test_bytes_per_second_over_transfers_per_second_are_no_ratio(made_records, make_context, over):
    sides = {
        "numerator": {"sweep": "sequential", "operation": "read"},
        "denominator": {"sweep": "random", "operation": "random-read"},
    }
    test = RatioTest.model_validate({"kind": "ratio", **sides, "above": 2, "over": over})
    with pytest.raises(NoData, match="the throughput of read and the rate of random-read have different units"):
        weigh_ratio(make_context(made_records[made_records.study == "pixstor-nvme"]), "pixstor-nvme", test)


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        # Each trial counted both.
        ("rpc-access", "rpc-access", "makes 5 to 7 calls, rpc-access 5 to 7"),
        ("rpc-write", "rpc-access", "only one side has several levels of operations, so they have no pairs"),
    ],
)
def test_counts_are_compared_where_both_sides_are_of_the_same_trials(shared_calls, above, below, expected):
    context = SimpleNamespace(cube=lambda *_: shared_calls, why_empty=lambda *_: None, leaves_memory_out=False)
    sides = {"numerator": {"operation": above}, "denominator": {"operation": below}}
    test = RatioTest.model_validate({"kind": "ratio", "sweep": "rsize-wsize", "metric": "count", "above": 0.5, **sides})
    try:
        said = weigh_ratio(context, "anf-nfs", test).says
    except NoData as reason:
        said = str(reason)
    assert expected in said


def campaign(random, rounds=10):
    """Return what claims on two sweeps of one case are judged by: both drift alike, and have noise of 5 %."""
    drift = np.cumsum(random.normal(0, 0.1, rounds))
    phases = [f"file-{phase}" for phase in ("create", "stat", "remove")]
    coords = {"operation": phases, "threads": [64], "repetition": range(rounds)}
    sweeps = {}
    for name in ("few-directories", "many-directories"):
        rates = np.exp(drift + random.normal(0, 0.05, (3, 1, rounds)))
        cube = xr.Dataset({"rate": (tuple(coords), rates)}, coords, {"tool": "mdtest"})
        sweeps[name] = state_rounds(cube)
    return SimpleNamespace(cube=lambda _, sweep: sweeps[sweep], why_empty=lambda *_: None, leaves_memory_out=False)


def test_the_interval_of_a_ratio_of_two_sweeps_is_cleared_of_the_drift_that_both_share():
    random = np.random.default_rng(3)
    sides = {"numerator": {"sweep": "few-directories"}, "denominator": {"sweep": "many-directories"}}
    test = RatioTest.model_validate({"kind": "ratio", "operation": "file-create", "above": 1.2, **sides})
    found = [weigh_ratio(campaign(random), "dell-lustre", test) for _ in range(300)]
    covered = np.mean([one.low <= 1 <= one.high for one in found])
    assert 0.92 <= covered <= 0.98
    # Student's interval of ten independent differences is 10 % wide; the drift alone would make it several times that.
    assert np.median([np.log(one.high / one.low) for one in found]) < 0.12
