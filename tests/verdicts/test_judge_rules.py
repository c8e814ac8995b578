"""The verdict is that of the worst rule, and every rule that objects is listed in its order."""

from observed import MIB, observe

from coldcache.verdicts.judge import RULES, judge


def test_a_quiet_trial_is_valid():
    found = judge(observe())
    assert (found.verdict, found.codes, found.reasons, found.cold) == ("valid", (), (), "cold")
    assert found.coldness.crossed_bytes == 1000 * MIB


def test_suspect_findings_make_a_trial_suspect_and_one_void_finding_void():
    found = judge(observe(load=99.0, free_bytes=0))
    assert (found.verdict, found.codes) == ("suspect", ("busy-machine", "little-space"))
    assert found.reasons == ("the load average was 99.0 on 2 cores before it started", "only 0 B of 100 B were free")
    found = judge(observe(load=99.0, exit_status=1))
    assert (found.verdict, found.codes) == ("void", ("exit-status", "busy-machine"))


def test_each_code_belongs_to_its_rule():
    assert [(code, verdict, rule.__name__) for code, verdict, rule in RULES] == [
        (code, verdict, {"burst-credit": "on_burst_credit", "drift": "drifted"}.get(code, code.replace("-", "_")))
        for code, verdict, _ in RULES
    ]
    assert [verdict for _, verdict, _ in RULES] == ["void"] * 12 + ["suspect"] * 14
    assert " ".join(code for code, _, _ in RULES) == (
        "preparation-failed target-lost setting-not-in-force time-limit exit-status log-refused wrong-operation "
        "wrong-level stale-log contradicted ambiguous-figure tool-changed too-short clock-step served-from-cache "
        "above-ceiling burst-credit slow-process-hidden foreign-transfers busy-machine foreign-load suspended drift "
        "little-space fill-drift kernel-changed"
    )
