"""Each rule that makes a trial suspect, just below and just above what it allows."""

import pytest
from observed import MIB, observe, record

from coldcache.verdicts import suspect_rules as suspect
from coldcache.verdicts.evidence import find_evidence
from coldcache.verdicts.judge import judge
from coldcache.verdicts.observation import Baseline
from coldcache.verdicts.thresholds import Ceilings, Thresholds


def test_a_quiet_trial_has_no_objection():
    rules = [
        rule for name, rule in vars(suspect).items()
        if getattr(rule, "__module__", "") == suspect.__name__ and not name.startswith("_") and name != "fill_level"
    ]  # fmt: skip
    assert len(rules) == 18
    assert [rule(observe()) for rule in rules] == [None] * 18


@pytest.mark.parametrize(
    ("operation", "metric", "limit", "shown"),
    [
        ("read", "throughput", {"read_rate": 1e3}, "2.00 kB/s is above the 1.00 kB/s"),
        ("read", "throughput", {"read_rate": 2e3}, None),
        ("read", "throughput", {"write_rate": 1e3, "read_iops": 1}, None),
        ("write", "throughput", {"write_rate": 1e3}, "2.00 kB/s is above the 1.00 kB/s"),
        ("random-read", "rate", {"read_iops": 1e3}, "2.00 k/s is above the 1.00 k/s"),
        ("random-write", "rate", {"write_iops": 1e3}, "2.00 k/s is above the 1.00 k/s"),
    ],
)
def test_a_rate_above_its_ceiling_is_suspect(operation, metric, limit, shown):
    value, finding = 2e3, shown and f"{operation} at {shown} that the target can carry"
    trial = observe(operation, [record(metric, value, operation)], ceilings=Ceilings(**limit))
    assert suspect.above_ceiling(trial) == finding
    worst = observe(operation, [record(metric, value, operation, "max")], ceilings=Ceilings(**limit))
    assert suspect.above_ceiling(worst) is None


def test_each_operation_above_what_the_target_carried_needs_a_count_of_its_own():
    """Writes that the device counted prove that the measurement was too low for writes, not for reads."""
    records = [record(value=100 * MIB, operation="write"), record(value=300 * MIB, operation="read")]
    records += [record("elapsed", 10.0, operation, unit="s") for operation in ("write", "read")]
    measured = {"write_rate": 10 * MIB, "read_rate": 100 * MIB}
    both = observe(operations=["write", "read"], records=records, counters=crossed(1500 * MIB, 1000 * MIB))
    both = both._replace(measured=measured)
    assert [find_evidence(both, operation).reached for operation in ("write", "read")] == ["storage", "unknown"]
    assert suspect.above_ceiling(both) == (
        "read at 315 MB/s is above the 105 MB/s at which the target carried when the campaign began"
    )
    whole = observe(operations=["write", "read"], records=records, counters=crossed(3000 * MIB, 1000 * MIB))
    assert suspect.above_ceiling(whole._replace(measured=measured)) is None


@pytest.mark.parametrize(("operation", "key"), [("read", "baseline_read_rate"), ("write", "baseline_write_rate")])
def test_a_rate_above_the_baseline_lives_on_burst_credit(operation, key):
    trial = observe(operation, [record(value=2e9, operation=operation)], ceilings=Ceilings(**{key: 1e9}))
    assert suspect.on_burst_credit(trial) == (
        f"{operation} at 2.00 GB/s is above the baseline of 1.00 GB/s, so it uses burst credit"
    )


def moved(least, most, **more):
    how = {"caveats": ("stonewalled",), "definition": "over the processes", **more}
    return [record(value=least, statistic="min", **how), record(value=most, statistic="max", **how)]


def test_a_process_far_behind_is_told_where_the_fastest_one_ended_the_test():
    assert suspect.slow_process_hidden(observe(records=moved(29, 100))) == (
        "a process ran at 29 % of the rate of the fastest one, which ended the test"
    )
    assert suspect.slow_process_hidden(observe(records=moved(50, 100))) is None
    assert suspect.slow_process_hidden(observe(records=moved(49, 100))) is not None
    assert suspect.slow_process_hidden(observe(records=moved(29, 100, caveats=()))) is None
    assert suspect.slow_process_hidden(observe(records=moved(29, 100, definition="of all"))) is None
    assert suspect.slow_process_hidden(observe(records=moved(29, 100, unit="s"))) is None
    assert suspect.slow_process_hidden(observe(records=moved(29, 0))) is None
    assert suspect.slow_process_hidden(observe(records=moved(0, 100))) is not None


def test_processes_are_compared_by_their_rates_within_an_operation():
    calls = record(value=6000.0, statistic="min", caveats=("stonewalled",), definition="over the processes")
    slow = [*moved(5, 100, operation="random-read"), calls._replace(metric="count", unit="1", operation="random-read")]
    found = "a process ran at 5 % of the rate of the fastest one, which ended the test"
    assert suspect.slow_process_hidden(observe("random-read", records=slow)) == found
    assert suspect.slow_process_hidden(observe(records=[*slow, *moved(90, 100, operation="random-write")])) == found


def crossed(read=0, written=0, **more):
    counted = {"before": {"read_bytes": 0, "written_bytes": 0}, "after": {"read_bytes": read, "written_bytes": written}}
    return {**counted, **more}


@pytest.mark.parametrize(
    ("operation", "counters", "finding"),
    [
        ("read", crossed(1108 * MIB), None),
        ("read", crossed(1109 * MIB), "109 MiB more were read from the device than the tool moved"),
        ("read", crossed(1000 * MIB, 109 * MIB), "109 MiB more were written to the device than the tool moved"),
        ("write", crossed(0, 1108 * MIB), None),
        ("write", crossed(0, 1109 * MIB), "109 MiB more were written to the device than the tool moved"),
        ("write", crossed(109 * MIB, 0), "109 MiB more were read from the device than the tool moved"),
        (
            "random-read", crossed(1109 * MIB, crossing="wire"),
            "109 MiB more were read from the wire than the tool moved",
        ),
        ("random-write", crossed(0, 1108 * MIB), None),
        ("read", None, None),
    ],
)  # fmt: skip
def test_transfers_of_others_are_what_crossed_beyond_what_was_moved(operation, counters, finding):
    assert suspect.foreign_transfers(observe(operation, counters=counters)) == finding


def test_transfers_of_others_are_not_asked_where_nothing_is_known_to_move():
    assert suspect.foreign_transfers(observe(records=[], counters=crossed(10**12))) is None
    assert suspect.foreign_transfers(observe("file-create", counters=crossed(10**12))) is None
    assert suspect.foreign_transfers(observe(operations=[], counters=crossed(10**12))) is None
    half = Thresholds(foreign_share=0.5)
    assert suspect.foreign_transfers(observe(counters=crossed(1508 * MIB), thresholds=half)) is None
    assert suspect.foreign_transfers(observe(counters=crossed(1509 * MIB), thresholds=half)) is not None


def test_a_load_before_the_start_is_suspect():
    unknown = {"busy_cpu": None}
    assert suspect.busy_machine(observe(load=8.0, **unknown)) is None
    said = "the load average was 8.1 on 2 cores before it started"
    assert suspect.busy_machine(observe(load=8.1, **unknown)) == said
    assert suspect.busy_machine(observe(load=8.1, own_cpu=None)) == said
    assert suspect.busy_machine(observe(load=None, **unknown)) is None
    assert suspect.busy_machine(observe(load=9.0, system=None, **unknown)) is None


def test_a_load_of_the_trials_before_does_not_count_where_that_of_others_is_measured():
    assert suspect.busy_machine(observe(load=99.0)) is None


def test_others_on_the_processors_are_suspect():
    assert suspect.foreign_load(observe(busy_cpu=22.0)) is None
    assert suspect.foreign_load(observe(busy_cpu=24.0)) == "others used 70 % of the 2 cores while it ran"
    assert suspect.foreign_load(observe(busy_cpu=24.0, own_cpu=14.0)) is None
    assert suspect.foreign_load(observe(busy_cpu=None)) is None
    assert suspect.foreign_load(observe(busy_cpu=99.0, seconds=0.0)) is None
    assert suspect.foreign_load(observe(busy_cpu=99.0, system={})) is None


def test_a_process_that_was_stopped_and_a_machine_that_slept_are_suspect():
    assert suspect.suspended(observe(stops=1)) == "a process of the tool was stopped by a signal while it ran"
    assert suspect.suspended(observe(suspended=0.5)) is None
    assert suspect.suspended(observe(suspended=0.6)) == "the machine slept for 0.6 s while it ran"
    assert suspect.suspended(observe(stops=0, suspended=None)) is None


@pytest.mark.parametrize(
    ("drift", "finding"),
    [
        (None, None), (0.2, None), (-0.2, None), (0.25, "the sentinel was +25 % off its median around that time"),
        (-0.25, "the sentinel was −25 % off its median around that time"),
    ],
)  # fmt: skip
def test_a_sentinel_that_was_off_is_suspect(drift, finding):
    assert suspect.drifted(observe(baseline=Baseline(drift=drift))) == finding


def test_little_space_is_suspect():
    assert suspect.little_space(observe(free_bytes=5, size_bytes=100)) is None
    assert suspect.little_space(observe(free_bytes=4, size_bytes=100)) == "only 4 B of 100 B were free"
    assert suspect.little_space(observe(free_bytes=0, size_bytes=100)) == "only 0 B of 100 B were free"
    assert suspect.little_space(observe(free_bytes=None)) is None
    assert suspect.little_space(observe(free_bytes=0, size_bytes=None)) is None


def test_a_fill_level_that_changed_is_suspect():
    assert observe().outcome.fill_level == pytest.approx(0.4)
    assert observe(size_bytes=0).outcome.fill_level is None
    assert observe(size_bytes=10, free_bytes=9, own_bytes=9).outcome.fill_level == 0
    assert suspect.fill_drift(observe(baseline=Baseline(fill=0.45))) is None
    assert suspect.fill_drift(observe(baseline=Baseline(fill=0.25))) == (
        "the file system was 40 % full beside the campaign's own files, 25 % when the sweep began"
    )
    assert suspect.fill_drift(observe(baseline=Baseline(fill=0.55))) is not None
    assert suspect.fill_drift(observe(baseline=Baseline(fill=0.0), size_bytes=None)) is None
    exact = {"size_bytes": 4, "free_bytes": 2, "own_bytes": 0, "thresholds": Thresholds(fill_drift=0.25)}
    assert suspect.fill_drift(observe(baseline=Baseline(fill=0.25), **exact)) is None


def test_another_kernel_is_suspect():
    assert suspect.kernel_changed(observe(baseline=Baseline(kernel="6.1"))) is None
    assert suspect.kernel_changed(observe(baseline=Baseline(kernel="5.4"))) == (
        "the kernel was 6.1, 5.4 when the campaign began"
    )
    assert suspect.kernel_changed(observe(baseline=Baseline(kernel="5.4"), system=None)) == (
        "the kernel was None, 5.4 when the campaign began"
    )


@pytest.mark.parametrize(
    ("seconds", "finding"),
    [
        (1.0, None), (0.5, "read was measured over 0.5 s, less than 1 s: set seconds of the sweep to 2 s"),
        (0.998, "read was measured over 0.998 s, less than 1 s: set seconds of the sweep to 2 s"),
        (0.949, "read was measured over 0.95 s, less than 1 s: set seconds of the sweep to 2 s"),
    ],
)  # fmt: skip
def test_a_short_run_is_suspect_with_the_digits_that_say_so(seconds, finding):
    assert suspect.too_short(observe(records=[record("elapsed", seconds)])) == finding
    assert suspect.too_short(observe(operations=["write"], records=[record("elapsed", seconds)])) is None


@pytest.mark.parametrize(
    ("seconds", "finding"),
    [
        (9.5, None), (10.5, None), (9.0, "the clock was set by +1.0 s during the run"),
        (11.0, "the clock was set by -1.0 s during the run"),
    ],
)  # fmt: skip
def test_a_clock_that_was_set_is_suspect(seconds, finding):
    assert suspect.clock_step(observe(seconds=seconds)) == finding
    assert suspect.clock_step(observe(seconds=seconds, start=None)) is None
    assert suspect.clock_step(observe(seconds=seconds, end=None)) is None


def test_a_read_from_memory_is_suspect():
    warm = observe(counters=crossed(0))
    assert suspect.served_from_cache(warm) == "0 B of 1000 MiB crossed the device"
    assert suspect.served_from_cache(observe(counters=crossed(500 * MIB))) == "500 MiB of 1000 MiB crossed the device"
    assert suspect.served_from_cache(observe(counters=crossed(900 * MIB))) is None


def test_each_read_of_a_trial_is_judged_and_not_the_first_alone():
    both = [record(operation="read"), record("elapsed", 10.0, "read"), record("rate", 9.0, "random-write"),
            record(operation="random-read"), record("elapsed", 10.0, "random-read")]  # fmt: skip
    trial = observe(operations=["random-write", "random-read"], records=both[2:], counters=crossed(0))
    assert suspect.served_from_cache(trial) == "random-read: 0 B of 1000 MiB crossed the device"
    trial = observe(operations=["read", "random-read"], records=both, counters=crossed(2000 * MIB))
    assert suspect.served_from_cache(trial) is None


DURABLE = ("--end_fsync=1", "--fsync=", "-e")


@pytest.mark.parametrize(
    ("words", "written", "finding"),
    [
        (["fio", "--end_fsync=1"], 899, "write was to end on storage (--end_fsync=1), but 899 MiB of 1000 MiB"),
        (["fio", "--fsync=32"], 0, "write was to end on storage (--fsync=32), but 0 B of 1000 MiB"),
        (["iozone", "-e"], 0, "write was to end on storage (-e), but 0 B of 1000 MiB"),
        (["fio", "--end_fsync=1"], 900, None),
        (["fio", "--end_fsync=0", "-x"], 0, None),
        ([], 0, None),
    ],
)
def test_a_write_that_was_to_end_on_storage_and_wrote_less_is_suspect(words, written, finding):
    counters = {"before": {"written_bytes": 0}, "after": {"written_bytes": written * MIB}}
    trial = observe("write", argv=words, counters=counters)._replace(durable_words=DURABLE)
    assert suspect.wrote_less(trial) == (finding and f"{finding} crossed the device")
    assert suspect.wrote_less(trial._replace(outcome=trial.outcome._replace(counters=None))) is None
    assert suspect.wrote_less(observe("read", argv=words, counters=counters)._replace(durable_words=DURABLE)) is None


@pytest.mark.parametrize(("nodes", "is_suspect"), [(1, True), (4, False)])
def test_what_one_node_of_several_sent_says_nothing_of_what_all_wrote(nodes, is_suspect):
    counters = {"before": {"written_bytes": 0}, "after": {"written_bytes": 250 * MIB}, "crossing": "wire"}
    trial = observe("write", factors={"threads": 4, "nodes": nodes}, argv=["ior", "-e"], counters=counters)
    assert (suspect.wrote_less(trial._replace(durable_words=DURABLE)) is not None) == is_suspect


@pytest.mark.parametrize(
    ("direct", "by", "most", "rate", "finding"),
    [
        (True, "control group, version 1", 1e3, 1e3 * 1.05, None),
        (
            True,
            "control group, version 1",
            1e3,
            2e3,
            "write at 2.00 kB/s is above the 1.05 kB/s that control group, version 1 lets pass",
        ),
        # Pages that the kernel writes back later are not limited by the first version.
        (False, "control group, version 1", 1e3, 2e3, None),
        (
            False,
            "control group, version 2",
            1e3,
            2e3,
            "write at 2.00 kB/s is above the 1.05 kB/s that control group, version 2 lets pass",
        ),
        (
            False,
            "the speed of eth0",
            1e3,
            2e3,
            "write at 2.00 kB/s is above the 1.05 kB/s that the speed of eth0 lets pass",
        ),
    ],
)
def test_a_rate_above_a_limit_in_force_is_suspect(direct, by, most, rate, finding):
    def limited(**factors):
        return observe(
            "write", [record(value=rate, operation="write")], factors={"threads": 1, "direct_io": direct, **factors},
            target={"filesystem": "ext4", "limits": {"write_rate": most, "by": by}},
        )  # fmt: skip

    assert suspect.above_ceiling(limited()) == finding
    assert suspect.above_ceiling(limited(nodes=2)) is None


def test_the_headline_is_held_to_the_ceiling_and_not_the_sum_of_the_children():
    children = record(value=1169e6, definition="sum of the processes' own rates until the first of them is done")
    parent = record(value=774e6)._replace(metric="throughput_parent", definition="parent: all that was moved")
    trial = observe(records=[children, parent], ceilings=Ceilings(read_rate=900e6))
    assert suspect.above_ceiling(trial) is None
    assert suspect.above_ceiling(trial._replace(records=[children])) is not None


def test_a_case_with_two_modes_is_suspect():
    near = {"file-create": (1000.0, 1100.0, 2900.0)}
    assert suspect.two_modes(observe(baseline=Baseline(figures=near))) is None
    apart = {"file-create": (67e3, *[1000.0] * 14)}
    found = suspect.two_modes(observe(baseline=Baseline(figures=apart)))
    assert found == "the trials of file-create have two modes: 14 near 1.00 k/s and 1 near 67.0 k/s"
    wide = Thresholds(modes=70)
    assert suspect.two_modes(observe(baseline=Baseline(figures=apart), thresholds=wide)) is None


def test_an_unsteady_trial_is_suspect_and_its_reason_names_how_long_to_measure():
    falling = [200e6] * 6 + [100e6] * 6
    trial = observe(
        "write", argv=["fio", "--time_based"], records=[record(operation="write"), record("elapsed", 10.0, "write")]
    )
    assert "unsteady" not in judge(trial).codes
    found = judge(trial._replace(windows={"write": falling}))
    assert (found.verdict, found.codes) == ("suspect", ("unsteady",))
    assert found.reasons == (
        "write was not steady: the means of five equal parts lie between 100 MB/s and 200 MB/s and change by −75 % "
        "along a line: measure with SECONDS=30",
    )
    assert "unsteady" not in judge(trial._replace(windows={"write": falling[:9]})).codes
