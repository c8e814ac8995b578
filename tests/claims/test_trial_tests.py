"""Shares that crossed decide exactly: every trial must agree, and a file that its client keeps refutes the claim."""

import pytest

from coldcache.claims.judge import judge_claims
from coldcache.claims.read import read_claims

MIB = 2**20


@pytest.fixture
def judge(made_records, made_campaign, make_context):
    """Return a function that judges the claim on the clients' memory by other shares of the files of 16 MiB."""

    def judge_shares(share):
        own = made_records[(made_records.study == "pixstor-nvme") & (made_records.sweep == "client-memory")]
        context = make_context(own)
        rows = context.reached.moved_bytes == 16 * MIB
        context.reached.loc[rows, "crossed_bytes"] = share * 16 * MIB
        claims = [stated for stated in read_claims() if stated.claim.id == "PN12"]
        return judge_claims(context, claims)[0]

    return judge_shares


def test_files_of_twice_the_memory_that_cross_whole_bear_the_claim_out(judge):
    found = judge(1.0)
    assert (found.verdict, found.trials) == ("borne out", 10)
    assert "read, file_size 4 MiB: 0 to 0 % of the bytes crossed; the claim needs at most 10 %" in found.why


def test_files_of_twice_the_memory_that_stay_in_it_refute_the_claim(judge):
    found = judge(0.5)
    assert found.verdict == "refuted"
    assert "read, file_size 16 MiB: 50 to 50 % of the bytes crossed; the claim needs at least 90 %" in found.why


def test_a_difference_is_refuted_by_rates_that_are_alike_and_borne_out_in_either_direction(made_records, make_context):
    claims = [stated for stated in read_claims() if stated.claim.id == "DL10"]
    for factor, verdict in ((1.5, "borne out"), (1 / 1.5, "borne out"), (12 / 16, "refuted")):
        changed = made_records[made_records.study == "dell-lustre"].copy()
        changed.loc[changed.sweep == "few-directories", "value"] *= factor
        changed.loc[changed.sweep == "few-directories", "value"] *= 1 if factor == 12 / 16 else 12 / 16
        assert judge_claims(make_context(changed), claims)[0].verdict == verdict
