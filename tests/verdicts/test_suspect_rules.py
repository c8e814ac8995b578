"""Each doubt is provoked for real where this machine can; what changed inside a campaign is altered in its outcomes."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from observed import observe

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trial_json import read_outcome
from coldcache.campaign.trials import collect_trials
from coldcache.core.outcome import Counters, Outcome
from coldcache.core.trial_figure import choose_record
from coldcache.design.site import Target
from coldcache.tools import find_tool
from coldcache.verdicts.evidence import find_evidence
from coldcache.verdicts.judge import judge
from coldcache.verdicts.observation import Observation, measured_seconds, moved_range
from coldcache.verdicts.thresholds import Thresholds

SITE = Path("config/sites/here.yaml")
STUDY = Path("config/studies/tiny.yaml")
RAW = Path("raw/tiny")
WRITE = "tiny/transfers/operation=write,threads=1/r0"
READ = "tiny/transfers/operation=read,threads=1/r0"
REFERENCE = Path(__file__).resolve().parents[2] / "raw/reference"


def load(folder, thresholds=None, **more):
    outcome = read_outcome(folder / "trial.json")
    records = find_tool(outcome.tool).read((folder / "stdout.txt").read_bytes())
    quiet = {"foreign_share": 1e6, "load_per_core": 1e6, "least_free": 0.0, "shortest_run": 1e-9, "foreign_cpu": 1e6}
    return Observation(outcome, records, None, Thresholds(**{**quiet, **(thresholds or {})}), **more)


def doubts(trial):
    return dict(zip(judge(trial).codes, judge(trial).reasons, strict=True))


def collected():
    return {trial.key: trial.judgement for trial in collect_trials(read_campaign(RAW))}


def set_outcome(key, **altered):
    path = RAW / key / "trial.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **altered}))


def test_a_rate_above_what_the_target_can_carry_is_suspect(measured):
    found = load(RAW / WRITE, ceilings=Target(path="t", read_rate=1, write_rate=1e15))
    assert doubts(found) == {}
    found = load(RAW / WRITE, ceilings=Target(path="t", write_rate="1 MB/s"))
    assert doubts(found)["above-ceiling"].endswith("B/s is above the 1.00 MB/s that the target can carry")
    assert doubts(found)["above-ceiling"].startswith("write at ")
    found = load(RAW / READ, ceilings=Target(path="t", read_rate="8 Mbit/s"))
    assert doubts(found)["above-ceiling"].endswith("is above the 1.00 MB/s that the target can carry")


def test_a_rate_above_what_was_measured_at_the_begin_is_suspect_unless_the_device_counted_its_bytes(measured):
    found = load(RAW / WRITE, measured={"write_rate": 1e6, "read_rate": 1e15})
    uncounted = found._replace(outcome=found.outcome._replace(counters=None))
    reason = doubts(uncounted)["above-ceiling"]
    assert reason.startswith("write at ")
    assert reason.endswith("is above the 1.00 MB/s at which the target carried when the campaign began")
    # A device that counted all bytes carried more than was measured: then that is too low, not the trial.
    moved = moved_range(found, "write").most
    counters = Counters({"written_bytes": 0, "writes": 0}, {"written_bytes": int(moved), "writes": 64})
    outcome = found.outcome._replace(counters=counters, target={**found.outcome.target, "layers": {}})
    carried = found._replace(outcome=outcome)
    assert find_evidence(carried, "write").reached == "storage"
    assert "above-ceiling" not in doubts(carried)
    fast = doubts(carried._replace(measured={"memory_rate": 1e6}))["above-ceiling"]
    assert fast.endswith("is above the 1.00 MB/s at which the memory was copied when the campaign began")


def test_a_device_that_ignores_flushes_promises_nothing(measured):
    found = load(RAW / "tiny/cache/write_cache=unsafe/r0", durable_words=("--end_fsync=1",))
    assert "--end_fsync=1" in found.outcome.argv
    none = Counters({"written_bytes": 0, "writes": 0}, {"written_bytes": 0, "writes": 0})
    lost = found._replace(outcome=found.outcome._replace(counters=none))
    assert "wrote-less" not in doubts(lost)
    kept = lost.outcome._replace(factors={**lost.outcome.factors, "write_cache": "writeback"})
    assert doubts(lost._replace(outcome=kept))["wrote-less"].startswith(
        "random-write was to end on storage (--end_fsync=1), but 0 B of "
    )


def test_what_crossed_before_the_tool_was_timed_is_its_own(measured):
    found = load(RAW / WRITE, {"foreign_share": 0.1})
    moved = moved_range(found, "write").most
    # Half as much again, and more than any file system adds by itself.
    crossed = int(1.5 * moved + 16 * 2**20)
    counters = Counters({"written_bytes": 0, "writes": 0}, {"written_bytes": crossed, "writes": 64})
    outcome = found.outcome._replace(counters=counters, target={**found.outcome.target, "layers": {}})
    plain = found._replace(outcome=outcome)
    assert find_evidence(plain, "write").reached == "unknown"
    assert "foreign-transfers" in doubts(plain)
    ramped = plain._replace(outcome=outcome._replace(ramp=measured_seconds(found, "write")))
    assert find_evidence(ramped, "write").reached == "storage"
    assert "foreign-transfers" not in doubts(ramped)


def test_a_measurement_may_miss_the_ceiling_by_a_quarter(measured):
    found = load(RAW / WRITE)
    found = found._replace(outcome=found.outcome._replace(counters=None))
    rate = choose_record("write", found.records, "throughput").value
    assert "above-ceiling" not in doubts(found._replace(measured={"write_rate": rate / 1.24}))
    assert "above-ceiling" in doubts(found._replace(measured={"write_rate": rate / 1.26}))


def test_the_ceiling_of_the_site_is_applied(project, coldcache, measure_arguments, change):
    change(SITE, "make: true}", "make: true, write_rate: 1 kB/s}")
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    for key, judgement in collected().items():
        if "transfers" in key:
            assert ("above-ceiling" in judgement.codes) == ("operation=write" in key)


def test_a_process_that_the_fastest_one_left_behind_makes_a_trial_suspect():
    folder = REFERENCE / "quick/sequential/operation=write,threads=4/r0"
    found = doubts(load(folder))
    assert found == {
        "slow-process-hidden": "a process ran at 42 % of the rate of the fastest one, which ended the test"
    }
    assert doubts(load(folder, {"least_moved": 0.2})) == {}
    assert doubts(load(REFERENCE / "quick/sequential/operation=write,threads=2/r0")) == {}
    # Its log states calls beside rates, and reads beside writes.
    assert doubts(load(REFERENCE / "dell-lustre/random/threads=4/r0")) == {}


@pytest.mark.slow
def test_foreign_transfers_during_the_run_are_noticed(
    project, coldcache, measure_arguments, change, loop_mount, loop_device
):
    STUDY.write_text(STUDY.read_text().partition("  cache:\n")[0])
    change(
        STUDY, "seconds: 0.2 s\n    factors:\n      threads: [1, 2]", "seconds: 1 s\n    factors:\n      threads: [1]"
    )
    change(SITE, "foreign_share: 1000000", "foreign_share: 0.1")
    change(STUDY, "direct_io: [where-possible]", "direct_io: [true]")
    change(STUDY, "operations: [write, read]", "operations: [write]")
    reader = subprocess.Popen(
        ["sh", "-c", f"while :; do dd if={loop_device} of=/dev/null bs=1M count=64 iflag=direct; done"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        found = coldcache(*measure_arguments("tiny.transfers", "tiny", f"--target={loop_mount}"))
        assert found.returncode == 0, found.stderr
    finally:
        subprocess.run(["kill", "-9", "--", f"-{reader.pid}"], check=False)
        reader.wait()
    judged = [judgement for key, judgement in collected().items() if "transfers" in key]
    assert len(judged) == 2
    for judgement in judged:
        # The reader, and tests beside this one, use the processors, too.
        assert set(judgement.codes) - {"foreign-load"} == {"foreign-transfers"}
        reason = judgement.reasons[judgement.codes.index("foreign-transfers")]
        assert reason.endswith(" more were read from the device than the tool moved")


def test_a_busy_machine_makes_a_trial_suspect(measured):
    found = load(RAW / WRITE, {"load_per_core": 1.0})
    assert doubts(found._replace(outcome=found.outcome._replace(load=99.0))) == {}
    outcome = found.outcome._replace(load=9.04, busy_cpu=None, system={**found.outcome.system, "cores": 4})
    reason = "the load average was 9.0 on 4 cores before it started"
    assert doubts(found._replace(outcome=outcome)) == {"busy-machine": reason}
    assert doubts(found._replace(outcome=outcome._replace(load=4.0))) == {}
    assert doubts(found._replace(outcome=outcome._replace(load=None))) == {}


def test_little_space_makes_a_trial_suspect(measured):
    found = load(RAW / WRITE, {"least_free": 1.0})
    assert "little-space" in doubts(found)
    outcome = found.outcome._replace(free_bytes=2**30, size_bytes=100 * 2**30)
    found = load(RAW / WRITE, {"least_free": 0.05})._replace(outcome=outcome)
    assert doubts(found) == {"little-space": "only 1 GiB of 100 GiB were free"}


def test_another_version_of_a_tool_inside_a_campaign_is_void(measured):
    set_outcome(WRITE, tool_version="3.1", start="2999-01-01T00:00:00+00:00", end="2999-01-01T00:00:01+00:00")
    judgement = collected()[WRITE]
    version = json.loads((RAW / READ / "trial.json").read_text())["tool_version"]
    assert f"fio 3.1 ran, {version} when the campaign began" in judgement.reasons
    assert [key for key, one in collected().items() if "tool-changed" in one.codes] == [WRITE]


def test_a_log_that_ends_before_its_version_is_of_no_other_version(measured):
    set_outcome(WRITE, tool_version=None)
    assert "tool-changed" not in collected()[WRITE].codes
    # The first trial of a campaign may be the one.
    set_outcome(WRITE, start="2000-01-01T00:00:00+00:00", end="2000-01-01T00:00:01+00:00")
    set_outcome(READ, tool_version="3.1", start="2999-01-01T00:00:00+00:00", end="2999-01-01T00:00:01+00:00")
    assert [key for key, one in collected().items() if "tool-changed" in one.codes] == [READ]


def test_another_kernel_inside_a_campaign_is_suspect(measured):
    system = json.loads((RAW / WRITE / "trial.json").read_text())["system"]
    set_outcome(WRITE, system={**system, "kernel": "2.6.32"}, start="2999-01-01T00:00:00+00:00")
    assert f"the kernel was 2.6.32, {system['kernel']} when the campaign began" in collected()[WRITE].reasons
    assert [key for key, one in collected().items() if "kernel-changed" in one.codes] == [WRITE]


def test_a_second_machine_has_a_kernel_of_its_own(measured):
    system = json.loads((RAW / WRITE / "trial.json").read_text())["system"]
    set_outcome(WRITE, system={**system, "host": "another", "kernel": "2.6.32"})
    assert not [key for key, one in collected().items() if "kernel-changed" in one.codes]


def test_a_fill_level_that_drifts_through_a_sweep_is_suspect(project, coldcache, measure_arguments, change, loop_mount):
    STUDY.write_text(STUDY.read_text().partition("  cache:\n")[0])
    change(SITE, "fill_drift: 1", "fill_drift: 0.1")
    arguments = measure_arguments("tiny.transfers", "tiny", f"--target={loop_mount}")
    assert coldcache(*arguments).returncode == 0
    assert not [key for key, one in collected().items() if "fill-drift" in one.codes]
    shutil.rmtree(RAW / WRITE)
    # Files of this name are no foreign ones, and stand for what others write meanwhile.
    (loop_mount / "lost+found/ballast").write_bytes(bytes(40 * 2**20))
    assert coldcache(*arguments).returncode == 0
    judged = collected()
    assert [key for key, one in judged.items() if "fill-drift" in one.codes] == [WRITE]
    (reason,) = (text for text in judged[WRITE].reasons if "full beside" in text)
    assert reason.endswith("when the sweep began")


def test_files_of_another_sweep_of_the_campaign_are_no_drift(project, coldcache, measure_arguments, change, loop_mount):
    STUDY.write_text(STUDY.read_text().partition("  cache:\n")[0])
    change(SITE, "fill_drift: 1", "fill_drift: 0.1")
    arguments = measure_arguments("tiny.transfers", "tiny", f"--target={loop_mount}")
    assert coldcache(*arguments).returncode == 0
    shutil.rmtree(RAW / WRITE)
    other = loop_mount / "coldcache/tiny/other/t0"
    other.parent.mkdir(parents=True)
    other.write_bytes(bytes(40 * 2**20))
    assert coldcache(*arguments).returncode == 0
    assert json.loads((RAW / WRITE / "trial.json").read_text())["own_bytes"] >= 40 * 2**20
    assert not [key for key, one in collected().items() if "fill-drift" in one.codes]


def test_the_fill_level_leaves_the_trials_own_files_out():
    outcome = Outcome("s", "w", "c", 0, (), {}, "fio")
    assert outcome._replace(size_bytes=100, free_bytes=50, own_bytes=30).fill_level == pytest.approx(0.2)
    assert outcome.fill_level is None


def test_the_reference_campaign_has_the_doubts_that_its_logs_bear_out():
    """Counted by hand from its `reasons.csv`; the one that is void lost its server, mounted soft."""
    codes = [code for trial in collect_trials(read_campaign(REFERENCE)) for code in trial.judgement.codes]
    assert Counter(codes) == {
        "too-short": 152, "coarse-clock": 37, "drift": 31, "slow-process-hidden": 7,
        "fill-drift": 4, "log-refused": 2, "exit-status": 1,
    }  # fmt: skip


def test_every_verdict_stands_in_the_table_with_its_reason(measured):
    set_outcome(WRITE, tool_version="3.1", start="2999-01-01T00:00:00+00:00", end="2999-01-01T00:00:01+00:00")
    subprocess.run(["python", "-m", "coldcache", "collect", "--campaign=tiny", "--results=results/tiny"], check=True)
    with Path("results/tiny/reasons.csv").open() as file:
        assert any("tool-changed" in row["codes"] for row in csv.DictReader(file))


def test_a_tool_that_is_replaced_within_a_block_is_told_by_its_logs(measured):
    log = RAW / WRITE / "stdout.txt"
    version = json.loads((RAW / WRITE / "trial.json").read_text())["tool_version"]
    log.write_bytes(log.read_bytes().replace(f"fio-{version}".encode(), b"fio-3.19"))
    judgement = collected()[WRITE]
    assert (judgement.verdict, judgement.codes) == ("void", ("tool-changed",))
    assert judgement.reasons == (f"fio 3.19 ran, {version} when the campaign began",)


def test_a_rate_above_the_baseline_lives_on_burst_credit(measured):
    found = load(RAW / WRITE, ceilings=Target(path="t", baseline_write_rate="1 MB/s", baseline_read_rate=1))
    assert doubts(found)["burst-credit"].endswith("is above the baseline of 1.00 MB/s, so it uses burst credit")
    assert doubts(load(RAW / WRITE, ceilings=Target(path="t", baseline_read_rate=1))) == {}


def test_others_that_keep_the_processors_busy_are_noticed(project, coldcache, measure_arguments, change):
    change(SITE, "foreign_cpu: 2", "foreign_cpu: 0.3")
    STUDY.write_text(STUDY.read_text().partition("  files:\n")[0])
    change(STUDY, "operations: [write, read]", "operations: [write]\n    repetitions: 1")
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    try:
        assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    finally:
        for process in busy:
            process.kill()
            process.wait()
    for judgement in collected().values():
        assert "foreign-load" in judgement.codes
        (reason,) = (reason for reason in judgement.reasons if reason.startswith("others used "))
        assert reason.endswith(f"% of the {os.cpu_count()} cores while it ran")


def test_a_tool_that_is_stopped_for_a_while_is_suspect(project, start, measure_arguments, wait_for_tool, change):
    STUDY.write_text(STUDY.read_text().partition("  files:\n")[0])
    change(STUDY, "threads: [1, 2]", "threads: [1]")
    change(
        STUDY,
        "operations: [write, read]",
        "operations: [write]\n    options: {fio: ['--rate=16m']}\n    repetitions: 1",
    )
    runner = start(*measure_arguments("tiny.transfers"))
    tool = wait_for_tool("fio")
    os.kill(tool, signal.SIGSTOP)
    time.sleep(0.3)
    os.kill(tool, signal.SIGCONT)
    assert runner.wait(120) == 0
    (judgement,) = collected().values()
    assert judgement.codes == ("suspended",)
    assert judgement.reasons == ("a process of the tool was stopped by a signal while it ran",)


def test_a_machine_that_slept_is_told(measured):
    found = load(RAW / WRITE)
    assert found.outcome.suspended < 0.5
    assert doubts(found._replace(outcome=found.outcome._replace(suspended=60.0))) == {
        "suspended": "the machine slept for 60.0 s while it ran"
    }


@pytest.mark.slow
def test_a_throttled_device_keeps_to_its_ceiling_and_a_lower_ceiling_is_exceeded(loop_mount, loop_device):
    """The limit of a cgroup stands for what is provisioned: 500 transfers per second are measured as 500.

    A queue of 128 transfers lasts a quarter of a second in which other tests keep fio from running.
    """
    group = Path("/sys/fs/cgroup/blkio") / f"coldcache-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup of version 1 limits block devices here: {error}")
    number = Path(f"/sys/block/{Path(loop_device).name}/dev").read_text().strip()
    words = ["fio", "--name=t", f"--directory={loop_mount}", "--rw=randwrite", "--bs=4k", "--size=8m", "--direct=1",
             "--ioengine=libaio", "--iodepth=128", "--output-format=json", "--time_based"]  # fmt: skip
    try:
        subprocess.run([*words, "--runtime=100ms"], check=True, stdout=subprocess.DEVNULL)
        (group / "blkio.throttle.write_iops_device").write_text(f"{number} 500")
        script = f'echo $$ >{group}/cgroup.procs; exec "$@"'
        run = subprocess.run(["sh", "-c", script, "sh", *words, "--runtime=2s"], check=True, stdout=subprocess.PIPE)
    finally:
        group.rmdir()
    records = find_tool("fio").read(run.stdout)
    (rate,) = (record.value for record in records if (record.metric, record.statistic) == ("rate", "value"))
    assert rate == pytest.approx(500, rel=0.2)
    outcome = read_outcome(REFERENCE / "quick/random/operation=random-write,threads=1/r0/trial.json")
    trial = Observation(
        outcome._replace(tool_version=records[0].tool_version), records, "", Thresholds(load_per_core=1e6)
    )
    judged = doubts(trial._replace(ceilings=Target(path="t", write_iops=450)))
    assert judged["above-ceiling"].endswith("is above the 450/s that the target can carry"), judged
    assert "above-ceiling" not in doubts(trial._replace(ceilings=Target(path="t", write_iops=620, read_iops=1)))


def test_a_tool_that_does_something_else_than_was_asked_is_void(project, coldcache, measure_arguments, change):
    STUDY.write_text(STUDY.read_text().partition("  files:\n")[0])
    change(STUDY, "threads: [1, 2]", "threads: [1]")
    # Of an option that stands twice fio takes the last.
    change(STUDY, "[write, read]", "[write]\n    options: {fio: ['--rw=read']}\n    repetitions: 1")
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    (judgement,) = collected().values()
    assert (judgement.verdict, judgement.codes) == ("void", ("wrong-operation",))
    assert judgement.reasons == ("the log states no write",)


def test_a_model_on_a_busy_machine_is_saturated_whoever_keeps_it_busy():
    counted = {"before": {"cpu_ms": 0}, "after": {"cpu_ms": 600}, "of": "model"}
    found = judge(observe(counters=counted, busy_cpu=1.5, own_cpu=0.1, seconds=1.0))
    assert "model-saturated" in found.codes
    assert "foreign-load" not in found.codes
    (reason,) = (text for text in found.reasons if "may be the limit" in text)
    assert reason == "75 % of the 2 cores were busy while it ran, 30 % by the model: the machine may be the limit"
    assert "model-saturated" in judge(observe(counters=counted, busy_cpu=1.4005, own_cpu=0.1, seconds=1.0)).codes
    assert "model-saturated" not in judge(observe(counters=counted, busy_cpu=1.4, own_cpu=0.1, seconds=1.0)).codes
    assert "model-saturated" not in judge(observe(counters=counted, busy_cpu=1.3, own_cpu=0.1, seconds=1.0)).codes
    assert "model-saturated" not in judge(observe(busy_cpu=1.9, own_cpu=1.8, seconds=1.0)).codes
    found = judge(observe(counters=counted, busy_cpu=6.0, own_cpu=0.1, seconds=4.0))
    assert "75 % of the 2 cores were busy while it ran, 8 % by the model: the machine may be the limit" in found.reasons


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
    assert reason.startswith("90 % of the 2 cores were busy while it ran")
