"""The verdict of a trial is the worst that any rule gives it, and every reason is kept."""

from observations import CACHE, CREATE, READ, WRITE, with_thresholds

from coldcache.core.vocabulary import COLD_VERDICTS, VERDICTS
from coldcache.verdicts.judge import RULES, judge


def test_a_trial_that_went_well_is_valid_whatever_it_measured(trial):
    for key in (READ, WRITE, CACHE, CREATE):
        judgement = judge(trial(key))
        assert (judgement.verdict, judgement.codes, judgement.reasons) == ("valid", (), ())
        assert judgement.cold in COLD_VERDICTS


def test_each_rule_has_a_code_of_its_own_and_a_verdict():
    codes = [code for code, _, _ in RULES]
    assert len(set(codes)) == len(codes)
    assert {verdict for _, verdict, _ in RULES} <= set(VERDICTS)


def test_one_void_finding_outweighs_suspect_ones_and_all_are_told(trial):
    judgement = judge(with_thresholds(trial(WRITE, exit_status=1, seconds=100.0), shortest_run=60.0))
    assert (judgement.verdict, judgement.codes) == ("void", ("exit-status", "too-short", "clock-step"))
