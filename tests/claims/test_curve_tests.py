"""Claims on rates per core use each stream that a log states alone."""

import pandas as pd
import pytest

from coldcache.claims.judge import judge_claims
from coldcache.claims.read import read_claims
from coldcache.design.claim_tests import FigureTest, GrowthTest, KneeTest


def test_every_core_is_asked_where_logs_state_each_stream_alone(made_records, make_context):
    alone = made_records[(made_records.study == "sas-grid") & (made_records.sweep == "per-core")].copy()
    alone = alone[(alone.threads == 2) | ((alone.threads == 1) & (alone.metric == "throughput"))]
    several = alone.threads == 2
    assert several.any()
    # Two streams of 1 s each move a file of 50 MB each: a sixth of what one core does alone.
    rows = alone[several & (alone.metric == "throughput")]
    streams = [
        rows.assign(metric="elapsed", value=1.0, unit="s", file_size=50e6, threads=2, share=f"process={number}")
        for number in (0, 1)
    ]
    changed = pd.concat([alone[~several], *streams])
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "SG3")
    growth = stated.claim.tests[0].model_copy(update={"sweep": "per-core"})
    claims = [stated._replace(claim=stated.claim.model_copy(update={"tests": [growth]}))]
    (found,) = judge_claims(make_context(changed), claims)
    assert (found.verdict, found.estimate) == ("borne out", pytest.approx(50e6 / 300e6, rel=0.01))
    assert found.why.startswith("each doubling from 1 to 2 threads multiplies read per thread by 0.167 (95 %: ")


def test_streams_are_added_up_where_the_threads_follow_from_another_factor(made_records, make_context):
    links = made_records[(made_records.study == "sas-grid") & (made_records.sweep == "instance-links")].copy()
    several = links.threads > 1
    rows = links[several & (links.metric == "throughput") & (links.operation == "read")]
    # As many streams as threads, each of which moves a file of 60 MB in 1 s per thread.
    streams = [
        row._replace(metric="elapsed", value=float(row.threads), unit="s", file_size=60e6, share="one of several")
        for row in rows.assign(share="").itertuples(index=False) for _ in range(row.threads)
    ]  # fmt: skip
    changed = pd.concat([links[~several], pd.DataFrame(streams)])
    changed.loc[changed.metric == "throughput", "value"] = 60e6
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "SG3")
    (found,) = judge_claims(make_context(changed), [stated])
    assert (found.verdict, found.estimate) == ("borne out", pytest.approx(0.5))
    assert found.why.startswith("each doubling from 1 to 16 threads multiplies read per thread by 0.5 (95 %: ")


def judge_shortened(made_records, make_context, claim, study, most):
    """Return the verdict of a claim on made data whose sequential sweep ends at this number of threads."""
    records = made_records[made_records.study == study]
    kept = records[(records.sweep != "sequential") | (records.threads <= most)]
    (stated,) = (stated for stated in read_claims() if stated.claim.id == claim)
    (found,) = judge_claims(make_context(kept), [stated])
    return found


def test_a_drop_at_1_024_threads_needs_these_threads(made_records, make_context):
    whole = judge_shortened(made_records, make_context, "PN2", "pixstor-nvme", 1024)
    assert whole.verdict == "borne out" and "write at 1024 threads is " in whole.why
    short = judge_shortened(made_records, make_context, "PN2", "pixstor-nvme", 512)
    assert short.verdict == "open"
    assert short.why.startswith(
        "pixstor-nvme/sequential has threads 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, not 1024; needed: "
    )


def test_a_curve_that_ends_before_the_claim_does_can_only_refute_it(made_records, make_context):
    assert judge_shortened(made_records, make_context, "DL2", "dell-lustre", 256).verdict == "borne out"
    short = judge_shortened(made_records, make_context, "DL2", "dell-lustre", 96)
    assert short.verdict == "open" and "needed: 240 threads; the most is 96" in short.why
    rising = made_records.copy()
    rising.loc[(rising.sweep == "sequential") & (rising.threads == 96), "value"] *= 3
    assert judge_shortened(rising, make_context, "DL2", "dell-lustre", 96).verdict == "refuted"


def judge_voided(made_records, make_context, claim, voided):
    """Return the verdict of a claim on the sequential sweep of which the trials that `voided` picks are void."""
    records = made_records[(made_records.study == "pixstor-nvme") & (made_records.sweep == "sequential")].copy()
    records.loc[voided(records), ["verdict", "codes"]] = ["void", "exit-status"]
    (stated,) = (stated for stated in read_claims() if stated.claim.id == claim)
    (found,) = judge_claims(make_context(records), [stated])
    return found


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("PN1", "pixstor-nvme/sequential has 4 repetitions; a knee is tested with 5 or more"),
        ("PN3", "4 repetitions; an anomaly is tested with 5 or more"),
    ],
)
def test_a_curve_of_four_runs_that_count_decides_nothing_however_many_were_planned(
    made_records, make_context, claim, reason
):
    found = judge_voided(made_records, make_context, claim, lambda records: records.repetition >= 4)
    assert (found.verdict, found.trials) == ("open", 0)
    assert found.why.startswith(reason)
    five = judge_voided(made_records, make_context, claim, lambda records: records.repetition >= 5)
    assert five.trials == 55 and reason not in five.why


def test_an_anomaly_needs_five_runs_at_the_point_itself(made_records, make_context):
    def void_all_but_one(records):
        return (records.repetition > 0) & (records.threads == 64)

    found = judge_voided(made_records, make_context, "PN3", void_all_but_one)
    assert found.verdict == "open" and found.why.startswith("1 repetitions; an anomaly is tested with 5 or more")


def test_rounds_that_lack_the_level_part_of_a_curve_do_not_make_it_steeper(made_records, make_context):
    records = made_records[(made_records.study == "pixstor-nvme") & (made_records.sweep == "shared-file")].copy()
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "PN5")
    growth = GrowthTest(kind="growth", sweep="shared-file", operation="write", above=1.2, below=1.5)
    claims = [stated._replace(claim=stated.claim.model_copy(update={"tests": [growth]}))]
    (whole,) = judge_claims(make_context(records), claims)
    records.loc[(records.repetition < 4) & (records.threads > 16), ["verdict", "codes"]] = ["void", "exit-status"]
    (found,) = judge_claims(make_context(records), claims)
    assert (found.verdict, found.trials) == ("borne out", 80)
    assert found.estimate == pytest.approx(whole.estimate, rel=1e-3)
    assert found.high / found.low < 1.001


@pytest.mark.parametrize(
    ("stated", "verdict"),
    [
        ({}, "borne out"),
        ({"last": 512}, "borne out"),
        ({"last": 1024}, "open"),
        ({"last": 1024, "reach": 512}, "borne out"),
    ],
)
def test_the_last_threads_of_a_claim_must_be_reached_unless_it_names_others(
    made_records, make_context, stated, verdict
):
    records = made_records[(made_records.study == "pixstor-nvme") & (made_records.sweep == "shared-file")]
    (whole,) = (claim for claim in read_claims() if claim.claim.id == "PN5")
    growth = GrowthTest(kind="growth", sweep="shared-file", operation="write", above=0.5, **stated)
    claims = [whole._replace(claim=whole.claim.model_copy(update={"tests": [growth]}))]
    (found,) = judge_claims(make_context(records), claims)
    assert found.verdict == verdict
    assert ("1,024 threads; the most is 512" in found.why) == (verdict == "open")


@pytest.mark.parametrize("of", ["cases", "peak"])
def test_a_count_of_zero_is_within_a_limit(made_records, make_context, of):
    records = made_records[(made_records.study == "anf-nfs") & (made_records.sweep == "attribute-cache")].copy()
    records = records[records.mount_option == "nocto-actimeo-600"]
    more = records.assign(threads=8, case=records.case + "-8")
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "AN6")
    own = {"sweep": "attribute-cache", "operation": "rpc-getattr", "metric": "count"}
    claims = [
        stated._replace(
            claim=stated.claim.model_copy(update={"tests": [FigureTest(kind="figure", **own, of=of, **limit)]})
        )
        for limit in ({"below": 10}, {"above": 10})
    ]
    borne, refuted = judge_claims(make_context(pd.concat([records, more])), claims)
    assert [(one.verdict, one.estimate, one.high) for one in (borne, refuted)] == [
        ("borne out", 0, 0),
        ("refuted", 0, 0),
    ]


@pytest.mark.parametrize("operation", ["random-read", "file-create"])
def test_a_rate_of_items_is_not_compared_with_a_limit_of_bytes(made_records, make_context, operation):
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "PN4")
    sweep = {"random-read": "random", "file-create": "metadata"}[operation]
    limit = FigureTest(kind="figure", sweep=sweep, operation=operation, of="peak", below="the limits of the system")
    claims = [stated._replace(claim=stated.claim.model_copy(update={"tests": [limit]}))]
    (found,) = judge_claims(make_context(made_records[made_records.study == "pixstor-nvme"]), claims)
    assert (found.verdict, found.trials) == ("open", 0)
    assert found.why.startswith(f"the site states no limit on the rate of {operation}")


def test_a_rate_per_thread_is_that_of_the_threads_which_the_claim_names(made_records, make_context):
    records = made_records[(made_records.study == "sas-grid") & (made_records.sweep == "per-core")]
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "SG3")
    most = int(records.threads.max())
    own = {"sweep": "per-core", "operation": "read", "of": "cases", "per_thread": True, "above": "1 B/s"}
    test = FigureTest(kind="figure", levels={"threads": most}, **own)
    claims = [stated._replace(claim=stated.claim.model_copy(update={"tests": [test]}))]
    (found,) = judge_claims(make_context(records), claims)
    rates = records[(records.threads == most) & (records.operation == "read")].value / most
    assert (found.verdict, found.trials) == ("borne out", len(rates))
    assert found.estimate == pytest.approx(rates.median())


@pytest.mark.parametrize(("factor", "verdict"), [(1, "open"), (0.1, "refuted")])
def test_all_cases_are_within_limits_only_if_all_have_values(made_records, make_context, factor, verdict):
    records = made_records[(made_records.study == "sas-grid") & (made_records.sweep == "instance-types")].copy()
    records.loc[records.instance_type == "r5n.large", "value"] *= factor
    records.loc[records.instance_type == "m5n.large", ["verdict", "codes"]] = ["void", "exit-status"]
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "SG2")
    (found,) = judge_claims(make_context(records), [stated])
    assert found.verdict == verdict
    needed = "needed: values that count of write, threads 1, instance type m5n.large; "
    assert (needed in found.why) == (verdict == "open")


@pytest.mark.parametrize(
    ("at", "within", "verdict"),
    [
        # Reads level off at 128 threads: the curve from 128 on does not know that they grow until then.
        (32, 2, "open"), (500, 10, "open"), (4096, 1.5, "refuted"),
    ],
)  # fmt: skip
def test_a_curve_that_is_level_from_its_fewest_threads_on_says_nothing_of_fewer(
    made_records, make_context, at, within, verdict
):
    records = made_records[(made_records.study == "pixstor-nvme") & (made_records.sweep == "sequential")]
    (stated,) = (stated for stated in read_claims() if stated.claim.id == "PN1")
    knee = KneeTest(kind="knee", sweep="sequential", operation="read", at=at, within=within)
    claims = [stated._replace(claim=stated.claim.model_copy(update={"tests": [knee]}))]
    (found,) = judge_claims(make_context(records[records.threads >= 128]), claims)
    assert (found.verdict, found.estimate, found.low, found.high) == (verdict, 128, 0, 1024)
    assert found.why.startswith("read levels off at 128 threads, the fewest, or before (95 %: at most 1,024); ")
    assert ("needed: fewer than 128 threads" in found.why) == (verdict == "open")
