from collections import Counter

import pytest

from coldcache.core.errors import CampaignError
from coldcache.report.site.validity import FlaggedTrials, read_validity

VERDICTS = """\
study,sweep,case,repetition,verdict,codes,cold
quick,sequential,threads=1,0,valid,,cold
quick,sequential,threads=1,1,suspect,too-short served-from-cache,warm
quick,metadata,threads=1,0,void,exit-status,not applicable
quick,metadata,threads=1,1,void,exit-status,not applicable
quick,metadata,threads=2,0,missing,not-run,not applicable
"""

REASONS = """\
study,sweep,case,repetition,verdict,codes,reasons
quick,sequential,threads=1,1,suspect,too-short served-from-cache,"read was measured over 0.2 s; most, from memory"
quick,metadata,threads=1,0,void,exit-status,exit status 1
quick,metadata,threads=1,1,void,exit-status,exit status 1
quick,metadata,threads=2,0,missing,not-run,not measured yet
"""


@pytest.fixture
def results(tmp_path):
    (tmp_path / "verdicts.csv").write_text(VERDICTS)
    (tmp_path / "reasons.csv").write_text(REASONS)
    return tmp_path


def test_trials_are_counted_by_sweep_verdict_and_rule(results):
    validity = read_validity(results)
    assert validity.verdicts == {
        ("quick", "sequential"): Counter(valid=1, suspect=1),
        ("quick", "metadata"): Counter(void=2, missing=1),
    }
    assert validity.colds == {("quick", "sequential"): Counter(cold=1, warm=1)}
    assert validity.codes == {"too-short": 1, "served-from-cache": 1, "exit-status": 2, "not-run": 1}
    assert validity.summary() == "5 runs: 1 clean, 1 flagged (1 too short), 2 void (2 whose tool failed), 1 missing"


def test_flags_are_those_of_suspect_trials_alone(results):
    stated = VERDICTS.replace("void,exit-status", "void,too-short coarse-clock")
    (results / "verdicts.csv").write_text(stated)
    validity = read_validity(results)
    assert validity.codes["too-short"] == 3
    assert validity.flags == {("quick", "sequential"): Counter({"too-short": 1, "served-from-cache": 1})}
    assert validity.summary() == (
        "5 runs: 1 clean, 1 flagged (1 too short), 2 void (2 too short for the tool's clock), 1 missing"
    )


def test_repetitions_that_fail_alike_are_listed_once(results):
    assert read_validity(results).flagged == [
        FlaggedTrials("quick", "sequential", "threads=1", ["1"], "suspect",
              "read was measured over 0.2 s; most, from memory"),
        FlaggedTrials("quick", "metadata", "threads=1", ["0", "1"], "void", "exit status 1"),
        FlaggedTrials("quick", "metadata", "threads=2", ["0"], "missing", "not measured yet"),
    ]  # fmt: skip


def test_a_campaign_that_was_not_collected_is_refused(tmp_path):
    with pytest.raises(CampaignError) as refused:
        read_validity(tmp_path)
    assert str(refused.value) == (
        f"{tmp_path}/verdicts.csv cannot be read (No such file or directory): run snakemake, which collects first"
    )


def test_a_table_of_another_kind_is_refused(results):
    (results / "reasons.csv").write_text("study,sweep\nquick,random\n")
    with pytest.raises(CampaignError, match=r"reasons.csv: no column case, reasons, repetition, verdict; remove it"):
        read_validity(results)
