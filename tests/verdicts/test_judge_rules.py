"""The verdict is that of the worst rule, and every rule that objects is listed in its order."""

from observed import MIB, observe

from coldcache.verdicts.judge import RULES, judge


def test_a_quiet_trial_is_valid():
    found = judge(observe())
    assert (found.verdict, found.codes, found.reasons, found.cold) == ("valid", (), (), "cold")
    assert [(read.operation, read.crossed_bytes) for read in found.colds] == [("read", 1000 * MIB)]
    assert (found.cold_of("read"), found.cold_of("write")) == ("cold", "not applicable")
    assert (found.reached_by("read"), found.reached_by("write")) == ("storage", "unknown")


def test_suspect_findings_make_a_trial_suspect_and_one_void_finding_void():
    found = judge(observe(load=99.0, busy_cpu=None, free_bytes=0))
    assert (found.verdict, found.codes) == ("suspect", ("busy-machine", "little-space"))
    assert found.reasons == ("the load average was 99.0 on 2 cores before it started", "only 0 B of 100 B were free")
    found = judge(observe(load=99.0, busy_cpu=None, exit_status=1))
    assert (found.verdict, found.codes) == ("void", ("exit-status", "busy-machine"))


def test_each_code_belongs_to_its_rule():
    assert [(code, verdict, rule.__name__) for code, verdict, rule in RULES] == [
        (code, verdict, {"burst-credit": "on_burst_credit", "drift": "drifted"}.get(code, code.replace("-", "_")))
        for code, verdict, _ in RULES
    ]
    assert [verdict for _, verdict, _ in RULES] == ["void"] * 13 + ["suspect"] * 18
    assert " ".join(code for code, _, _ in RULES) == (
        "preparation-failed target-lost setting-not-in-force time-limit exit-status log-refused wrong-operation "
        "wrong-level stale-log contradicted ambiguous-figure coarse-clock tool-changed too-short unsteady clock-step "
        "served-from-cache wrote-less above-ceiling burst-credit slow-process-hidden foreign-transfers busy-machine "
        "foreign-load model-saturated suspended drift two-modes little-space fill-drift kernel-changed"
    )
