"""Shares that crossed decide exactly: every trial must agree, and a file that its client keeps refutes the claim."""

import numpy as np
import pandas as pd
import pytest

from coldcache.claims.judge import judge_claims
from coldcache.claims.read import read_claims
from coldcache.claims.trial_tests import weigh_percentile
from coldcache.design.claim_tests import CrossedTest, PercentileTest
from coldcache.statistics.percentiles import percentile

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


def test_a_share_above_one_is_not_too_large_where_the_claim_states_the_least_alone(judge):
    found = judge(1.003)
    assert (found.verdict, found.trials) == ("borne out", 10)


@pytest.mark.parametrize(("least", "share", "verdict"), [(16 * MIB, 1.0, "borne out"), (64 * MIB, 0.0, "refuted")])
def test_trials_that_stayed_in_memory_count_where_what_crossed_is_tested(
    made_records, make_context, least, share, verdict
):
    own = made_records[(made_records.study == "pixstor-nvme") & (made_records.sweep == "client-memory")].copy()
    own["reached"] = np.where(own.file_size >= least, "storage", "memory")
    context = make_context(own)
    context.reached.crossed_bytes *= share
    claims = [stated for stated in read_claims() if stated.claim.id == "PN12"]
    found = judge_claims(context, claims)[0]
    assert (found.verdict, found.trials) == (verdict, 10)


def test_a_greatest_share_above_one_is_a_limit_that_is_shown(made_records, make_context):
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "PN12")
    own = made_records[(made_records.study == "pixstor-nvme") & (made_records.sweep == "client-memory")]
    test = CrossedTest(kind="crossed", sweep="client-memory", operation="read", least=0.9, most=1.1)
    test = test.model_copy(update={"levels": {"file_size": "16 MiB"}})
    claims = [stated._replace(claim=stated.claim.model_copy(update={"tests": [test]}))]
    context = make_context(own)
    for share, verdict in ((1.05, "borne out"), (1.2, "refuted")):
        context.reached.crossed_bytes = share * context.reached.moved_bytes
        (found,) = judge_claims(context, claims)
        assert found.verdict == verdict
        assert "of the bytes crossed; the claim needs at least 90 % and at most 110 %" in found.why


def test_a_difference_is_refuted_by_rates_that_are_alike_and_borne_out_in_either_direction(made_records, make_context):
    claims = [stated for stated in read_claims() if stated.claim.id == "DL10"]
    for factor, verdict in ((1.5, "borne out"), (1 / 1.5, "borne out"), (12 / 16, "refuted")):
        changed = made_records[made_records.study == "dell-lustre"].copy()
        changed.loc[changed.sweep == "few-directories", "value"] *= factor
        changed.loc[changed.sweep == "few-directories", "value"] *= 1 if factor == 12 / 16 else 12 / 16
        assert judge_claims(make_context(changed), claims)[0].verdict == verdict


@pytest.mark.parametrize(
    ("codes", "verdict"),
    [
        ("exit-status log-refused", "borne out"), ("time-limit exit-status", "borne out"),
        ("setting-not-in-force", "open"), ("preparation-failed", "open"),
    ],
)  # fmt: skip
def test_only_a_trial_whose_own_tool_failed_fails_as_claimed(made_records, make_context, codes, verdict):
    claims = [stated for stated in read_claims() if stated.claim.id == "AN8"]
    records = made_records[made_records.study == "anf-nfs"].copy()
    records.loc[records.verdict == "void", "codes"] = codes
    assert judge_claims(make_context(records), claims)[0].verdict == verdict


def test_a_level_is_found_whether_a_table_states_it_as_a_word_or_as_true(made_records, make_context):
    claims = [stated for stated in read_claims() if stated.claim.id == "AN8"]
    records = made_records[made_records.study == "anf-nfs"].copy()
    records["outage_option"] = records.outage_option.str.capitalize()
    assert judge_claims(make_context(records), claims)[0].verdict == "borne out"


def test_calls_that_ended_with_an_error_are_not_compared_with_all_calls(made_records, make_context):
    records = made_records[(made_records.study == "anf-nfs") & (made_records.sweep == "wsize")].copy()
    calls = records.operation == "rpc-write"
    records.loc[calls, "definition"] = "operations, between two snapshots"
    failed = records[calls & (records.repetition == 0)]
    failed = failed.assign(definition="operations that ended with an error, between two snapshots", value=1.0)
    claims = [stated for stated in read_claims() if stated.claim.id == "AN2"]
    (found,) = judge_claims(make_context(pd.concat([records, failed])), claims)
    assert (found.verdict, found.trials) == ("borne out", int(calls.sum()))


@pytest.fixture
def judge_mounts(made_records, make_context):
    """Return a function that judges the claim on mount options after a change of records and options read back."""

    def judge_changed(change):
        context = make_context(made_records[made_records.study == "sas-grid"].copy())
        change(context)
        claims = [stated for stated in read_claims() if stated.claim.id == "SG6"]
        return judge_claims(context, claims)[0]

    return judge_changed


def test_a_mount_option_that_every_trial_that_counts_read_back_bears_the_claim_out(judge_mounts):
    def void_the_first(context):
        first, records = context.settings.iloc[0], context.records
        context.settings.loc[first.name, "read"] = "rw"
        own = (records.sweep == "instance-types") & (records.case == first.case)
        records.loc[own & (records.repetition == first.repetition), "verdict"] = "void"

    found = judge_mounts(void_the_first)
    assert (found.verdict, found.estimate) == ("borne out", 1.0)


@pytest.mark.parametrize(("wrong", "verdict"), [(1, "open"), (None, "refuted")])
def test_trials_that_contradict_each_other_about_a_mount_option_decide_nothing(judge_mounts, wrong, verdict):
    def change(context):
        context.settings.loc[context.settings.index[:wrong], "read"] = "rw,noatime"

    assert judge_mounts(change).verdict == verdict


def test_two_trials_that_read_back_an_option_decide_nothing(judge_mounts):
    def keep_two(context):
        context.settings = context.settings.iloc[:2]

    found = judge_mounts(keep_two)
    assert (found.verdict, found.trials) == ("open", 2)
    assert "needed: 5 trials (now 2)" in found.why


def test_the_bounds_of_extreme_percentiles_hold_for_the_choice_among_all_series(made_records, make_context):
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "SG4")
    median = PercentileTest(kind="percentile", sweep="three-hours", operation="write", percent=50, alike=0.1)
    claims = [stated._replace(claim=stated.claim.model_copy(update={"tests": [median], "untestable": ""}))]
    own = made_records[(made_records.study == "sas-grid") & (made_records.sweep == "three-hours")]
    (found,) = judge_claims(make_context(own), claims)
    series = [rows.value.to_numpy() for _, rows in own[own.operation == "write"].groupby("case")]
    all_hold = [percentile(points, 50, 1 - 0.05 / len(series)) for points in series]
    two_hold = [percentile(points, 50, 1 - 0.05 / 2) for points in series]
    assert len(series) == 14
    assert found.low == max(1.0, max(one.low for one in all_hold) / min(one.high for one in all_hold))
    assert found.high == pytest.approx(max(one.high for one in two_hold) / min(one.low for one in two_hold))
    assert np.isfinite(found.high)


def judge_series(made_records, make_context, percent, alike, change=lambda own: None):
    """Return the test of a percentile of the series of three hours of writing, and the verdict that it gives alone."""
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "SG4")
    test = PercentileTest(kind="percentile", sweep="three-hours", operation="write", percent=percent, alike=alike)
    own = made_records[(made_records.study == "sas-grid") & (made_records.sweep == "three-hours")].copy()
    change(own)
    context = make_context(own)
    claim = stated.claim.model_copy(update={"tests": [test], "untestable": ""})
    (found,) = judge_claims(context, [stated._replace(claim=claim)])
    return weigh_percentile(context, "sas-grid", test), found


@pytest.mark.parametrize(
    ("percent", "needed"),
    [
        (50, "alike means within 0.03 %; needed: longer series"),
        (99.9, "alike means within 0.03 %; needed: longer series, for p99.9 has no upper bound in these"),
    ],
)
def test_percentiles_that_decide_nothing_were_tested_and_need_longer_series(
    made_records, make_context, percent, needed
):
    evidence, found = judge_series(made_records, make_context, percent, 0.0003)
    assert (found.verdict, evidence.n, evidence.is_tested) == ("open", 180, True)
    assert found.why.partition("; published")[0].endswith(needed)


def test_a_percentile_of_zero_is_infinitely_far_from_others(made_records, make_context):
    def stall_one(own):
        own.loc[(own.case == own.case.iloc[0]) & (own.time % 120 == 0), "value"] = 0.0

    evidence, found = judge_series(made_records, make_context, 5, 0.1, stall_one)
    assert (found.verdict, evidence.estimate, evidence.low, evidence.high) == ("refuted", np.inf, np.inf, np.inf)
