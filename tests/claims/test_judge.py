"""A claim is borne out by data that show it, refuted by data that exclude it, and else left open."""

from dataclasses import replace

import pytest

from coldcache.claims.judge import judge_claims
from coldcache.claims.read import read_claims


@pytest.fixture(scope="session")
def made(made_context):
    """The verdicts on the made campaign."""
    return judge_claims(made_context, read_claims())


def by_id(rows) -> dict:
    return {row.id: row for row in rows}


def test_a_campaign_that_is_as_the_documents_say_bears_out_all_that_trials_can_tell(made):
    documents = [row for row in made if row.source != "quick"]
    others = {row.id: row.verdict for row in documents if row.verdict != "borne out"}
    # PN1: the dip that PN3 claims leaves the knee of reads uncertain. PN9: a rate that still rises, as PN6 claims, has
    # no sustained value. FM6: 192,000 are 16 times 12,000. SG4: 180 points give p99.9 no upper bound.
    assert others == {"PN1": "open", "PN9": "open", "FM3": "open", "FM6": "refuted", "SG4": "open"}
    assert len(documents) == 49


def test_figures_stand_with_their_interval_their_unit_and_their_trials(made):
    ratio, knee, peak = (by_id(made)[name] for name in ("DL6", "DL2", "PN4"))
    assert (ratio.unit, ratio.trials) == ("1", 60)
    assert ratio.low < 1.4 < ratio.high
    assert ratio.why.startswith("write: write cache writethrough is 1.4 times (1.4 to 1.4) write cache writeback; ")
    assert (knee.unit, knee.trials) == ("threads", 100)
    assert knee.estimate == pytest.approx(24, rel=0.1)
    assert peak.unit == "B/s"
    assert peak.low < 84.5e9 < peak.high


@pytest.mark.parametrize(
    ("study", "sweep", "where", "factor", "refuted"),
    [
        ("dell-lustre", "write-cache-sequential", {"write_cache": "writethrough"}, 0.5, {"DL6"}),
        ("dell-lustre", "sas-driver", {"sas_driver": "native"}, 1.5, {"DL4"}),
        ("dell-lustre", "files", {"operation": "file-stat"}, 0.05, {"DL11"}),
        ("pixstor-nvme", "node-pairs", {"node_pairs": 2}, 0.7, {"PN10"}),
        ("pixstor-nvme", "sequential", {"threads": 1024, "operation": "write"}, 0.8, {"PN2", "PN9"}),
        ("pixstor-nvme", "sequential", {"threads": 64, "operation": "read"}, 1 / 0.7, {"PN3"}),
        ("fsx-metadata", "metadata-iops", {"operation": "file-remove"}, 0.5, {"FM2"}),
        ("anf-nfs", "wsize", {"operation": "rpc-write"}, 2.0, {"AN2"}),
        ("anf-nfs", "nconnect", {"threads": 16, "nconnect": 16}, 4.0, {"AN4"}),
        ("sas-grid", "per-core", {"threads": 16}, 0.1, {"SG1"}),
    ],
)
def test_data_that_exclude_a_claim_refute_it(made_records, make_context, study, sweep, where, factor, refuted):
    changed = made_records.copy()
    rows = (changed.study == study) & (changed.sweep == sweep)
    for column, level in where.items():
        rows &= changed[column] == level
    assert rows.any()
    changed.loc[rows, "value"] *= factor
    claims = [stated for stated in read_claims() if stated.source == study]
    found = judge_claims(make_context(changed[changed.study == study]), claims)
    assert {row.id for row in found if row.verdict == "refuted"} - {"FM6"} == refuted


def test_without_any_data_all_but_arithmetic_is_open_with_its_reason(made_campaign, made_records, make_context):
    empty = make_context(made_records[:0], campaign=replace(made_campaign, studies=()))
    empty.settings = empty.settings[:0]
    found = judge_claims(empty, read_claims())
    decided = {row.id: row.verdict for row in found if row.verdict != "open"}
    assert decided == {
        "AN5": "borne out",
        "FM4": "borne out",
        "FM6": "refuted",
        "PN11": "borne out",
        "DL14": "borne out",
    }
    (ratio,) = (row for row in found if row.id == "AN3")
    assert ratio.why.startswith("the campaign does not hold the study anf-nfs; needed: trials of anf-nfs/small-files; ")
    assert all(row.why for row in found)
    assert {row.trials for row in found} == {0}
