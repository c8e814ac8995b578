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


def test_a_model_on_a_busy_machine_is_saturated_whoever_keeps_it_busy():
    counted = {"before": {"cpu_ms": 0}, "after": {"cpu_ms": 600}, "of": "model"}
    found = judge(observe(counters=counted, busy_cpu=1.5, own_cpu=0.1, seconds=1.0))
    assert "model-saturated" in found.codes
    assert "foreign-load" not in found.codes
    (reason,) = (text for text in found.reasons if "may be the limit" in text)
    assert reason == "75% of the 2 cores were busy while it ran, 30% by the model: the machine may be the limit"
    assert "model-saturated" not in judge(observe(counters=counted, busy_cpu=1.3, own_cpu=0.1, seconds=1.0)).codes
    assert "model-saturated" not in judge(observe(busy_cpu=1.9, own_cpu=1.8, seconds=1.0)).codes


def test_ranks_that_give_way_to_the_model_do_not_saturate_it():
    counted = {
        "before": {"cpu_ms": 0, "ranks.cpu_ms": 100},
        "after": {"cpu_ms": 600, "ranks.cpu_ms": 1200},
        "of": "model",
    }
    assert "model-saturated" not in judge(observe(counters=counted, busy_cpu=1.9, own_cpu=1.1, seconds=1.0)).codes
    counted["after"]["ranks.cpu_ms"] = 200
    found = judge(observe(counters=counted, busy_cpu=1.9, own_cpu=0.1, seconds=1.0))
    (reason,) = (text for text in found.reasons if "may be the limit" in text)
    assert reason.startswith("90% of the 2 cores were busy while it ran")
