"""A trial's folder tells what was run, on what and how it ended; a trial that fails is written like any other."""

import json
import os
import re
import shutil
import stat
import subprocess
import time
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trials import collect_trials
from coldcache.core.errors import CampaignError
from coldcache.design.site import Cold
from coldcache.measure.cold import forgets_names
from coldcache.measure.host.counters import CounterSource, read_counters
from coldcache.measure.trial import refuse_full
from coldcache.tools import find_tool

SWEEP = """\
study: tiny
title: One sweep
question: What does one trial tell?
repetitions: 1
notebooks: []
sweeps:
  transfers:
    title: Transfers
    tools: [{tool}]
    operations: [{operation}]
    seconds: 0.2 s
    options: {{{options}}}
    factors:
      threads: [{threads}]
      transfer_size: [64 KiB]
      file_size: [4 MiB]
      direct_io: [{direct_io}]
"""

CASE = Path("raw/tiny/tiny/transfers/only/r0")


@pytest.fixture
def run_one(project, coldcache, measure_arguments):
    """Measure a study of one trial, and return its outcome."""

    def run(tool="fio", operation="write", threads=2, direct_io="where-possible", options="", wrap=list, **more):
        text = SWEEP.format(tool=tool, operation=operation, threads=threads, direct_io=direct_io, options=options)
        Path("config/studies/tiny.yaml").write_text(text)
        command = wrap(["python", "-m", "coldcache", *measure_arguments("tiny.transfers")])
        found = subprocess.run(command, capture_output=True, text=True, check=False, **more)
        assert (found.returncode, found.stdout) == (0, ""), found.stderr
        outcome = json.loads((CASE / "trial.json").read_text())
        logs = ["stderr.txt", "stdout.txt"] if outcome["argv"] else []
        assert sorted(path.name for path in CASE.iterdir()) == [*logs, "trial.json"]
        return outcome

    return run


@pytest.fixture
def judge_one():
    """Return the verdict of the one trial, with the codes and reasons."""

    def judged():
        (trial,) = collect_trials(read_campaign(Path("raw/tiny")))
        return trial.judgement.verdict, trial.judgement.codes, trial.judgement.reasons

    return judged


SPY = """\
#!/bin/bash
[ "$1" = --version ] && exec {fio} "$@"
{{
    printf '%s\\0' "${{0##*/}}" "$@" >argv
    date +%s.%N
    read -r _ _ _ _ _ session _ </proc/$$/stat
    echo "$LC_ALL $$ $session"
    cat /sys/dev/block/{device}/stat 2>/dev/null
}} >spied
{fio} "$@"
status=$?
cat /sys/dev/block/{device}/stat >spied-after 2>/dev/null
exit $status
"""


def test_the_outcome_is_what_a_witness_inside_the_run_saw(run_one, project, tmp_path):
    number = project.stat().st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    (tmp_path / "bin").mkdir()
    spy = tmp_path / "bin/fio"
    spy.write_text(SPY.format(fio=shutil.which("fio"), device=device))
    spy.chmod(0o755)
    outcome = run_one(operation="read", env={**os.environ, "PATH": f"{spy.parent}:{os.environ['PATH']}"})

    assert Path("argv").read_bytes().split(b"\0")[:-1] == [word.encode() for word in outcome["argv"]]
    moment, environment, *counters = Path("spied").read_text().splitlines()
    start, end = (datetime.fromisoformat(outcome[key]).timestamp() for key in ("start", "end"))
    assert start - 0.001 <= float(moment) <= end
    assert outcome["seconds"] == pytest.approx(end - start, abs=0.002)
    locale, process, session = environment.split()
    assert (locale, process) == ("C", session)
    if counters:
        inside = int(counters[0].split()[2]) * 512
        inside_after = int(Path("spied-after").read_text().split()[2]) * 512
        before, after = (outcome["counters"][key]["read_bytes"] for key in ("before", "after"))
        assert before <= inside < inside_after <= after
        assert after - before >= 8 * 2**20
    else:
        assert outcome["counters"] is None


#: The last word that IOR got names its file; a help without a version is what IOR 3.0 to 4.1 print.
STATES_ITS_VERSION_IN_LOGS_ALONE = {
    "mpirun": 'while [ "$1" != ior ]; do shift; done; exec "$@"',
    "ior": '[ "$1" = -h ] && echo "Synopsis ior" && exit; [ "$1" = --version ] && exit 1; cat {log}',
}


def test_a_tool_that_tells_its_version_in_its_log_alone_has_it_in_the_outcome(run_one, root, tmp_path):
    (tmp_path / "bin").mkdir()
    log = root / "tests/specimens/ior-4.1.0-dev-both.txt"
    for name, script in STATES_ITS_VERSION_IN_LOGS_ALONE.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/bash\n{script.replace('{log}', str(log))}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    outcome = run_one(tool="ior", direct_io="false", env=environment)
    assert (outcome["tool"], outcome["tool_version"]) == ("ior", "4.1.0+dev")


def test_the_outcome_tells_the_tool_the_target_and_the_machine(run_one, project):
    outcome = run_one()
    fio = subprocess.run(["fio", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    assert (outcome["tool"], f"fio-{outcome['tool_version']}") == ("fio", fio)
    assert (outcome["exit_status"], outcome["timed_out"], outcome["failure"]) == (0, False, None)
    assert outcome["time_limit"] == 20.0
    assert {key: outcome[key] for key in ("study", "sweep", "case", "repetition", "operations")} == {
        "study": "tiny", "sweep": "transfers", "case": "only", "repetition": 0, "operations": ["write"],
    }  # fmt: skip
    assert {**outcome["factors"], "direct_io": None} == {
        "threads": 2, "transfer_size": 65536, "file_size": 4194304, "direct_io": None,
    }  # fmt: skip
    mount = json.loads(
        subprocess.run(
            ["findmnt", "--json", "--target", str(project), "--output", "TARGET,FSTYPE,SOURCE,VFS-OPTIONS,MAJ:MIN"],
            capture_output=True, text=True, check=True,
        ).stdout
    )["filesystems"][0]  # fmt: skip
    target = outcome["target"]
    assert target["path"] == "scratch"
    assert (target["filesystem"], target["mount_point"]) == (mount["fstype"], mount["target"])
    assert target["device"] == mount["maj:min"]
    assert set(mount["vfs-options"].split(",")) <= set(target["mount_options"].split(","))
    system = outcome["system"]
    assert system["kernel"] == os.uname().release
    assert system["host"] == os.uname().nodename
    assert system["cores"] == os.cpu_count()
    memory = int(Path("/proc/meminfo").read_text().split()[1])
    assert system["memory_bytes"] == memory * 1024
    assert system["processor"] in Path("/proc/cpuinfo").read_text() or system["processor"] == os.uname().machine
    status = os.statvfs(project)
    assert outcome["free_bytes"] == pytest.approx(status.f_bavail * status.f_frsize, abs=2**30)
    assert outcome["settings"] == {}


def test_counters_only_grow(measured):
    outcomes = [json.loads(path.read_text()) for path in Path("raw/tiny").rglob("trial.json")]
    assert len(outcomes) == 18
    for outcome in outcomes:
        if outcome["counters"]:
            before, after = outcome["counters"]["before"], outcome["counters"]["after"]
            assert before.keys() == after.keys() >= {"reads", "read_bytes", "writes", "written_bytes", "busy_ms"}
            assert all(after[name] >= before[name] for name in before), outcome["case"]


def test_reads_start_with_none_of_their_bytes_in_the_page_cache(measured):
    outcomes = [json.loads(path.read_text()) for path in Path("raw/tiny/tiny/transfers").rglob("trial.json")]
    for outcome in outcomes:
        if outcome["operations"] == ["read"]:
            assert outcome["cold"]["method"] == "eviction"
            assert outcome["cold"]["bytes"] == 16 * 2**20 * outcome["factors"]["threads"]
            assert outcome["cold"]["resident_bytes"] <= outcome["cold"]["bytes"]
        else:
            assert outcome["cold"] is None


def test_a_trial_that_is_ended_by_its_time_limit_is_void_and_ends_whole(
    run_one, judge_one, change, project, list_processes
):
    change(Path("config/sites/here.yaml"), "seconds: 20 s", "seconds: 1 s")
    # IOzone forks a process per thread; each is to go on for ever, for its file is a folder.
    for thread in range(2):
        Path(f"scratch/coldcache/tiny/transfers/t{thread}/full").mkdir(parents=True)
    Path("scratch/coldcache/.made-by-coldcache").touch()
    began = time.monotonic()
    outcome = run_one(tool="iozone", direct_io="false")
    assert outcome["timed_out"] is True
    assert 1 <= outcome["seconds"] <= time.monotonic() - began
    assert (outcome["exit_status"], outcome["failure"]) == (-9, None)
    assert "Is a directory" in (CASE / "stderr.txt").read_text()
    assert list_processes() == []
    verdict, codes, reasons = judge_one()
    assert (verdict, codes[0], reasons[0]) == ("void", "time-limit", "ended after 1 s")


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["write", "read"])
def test_iozone_measures_what_was_asked_and_its_log_states_it(run_one, judge_one, project, operation):
    # With two threads on a file this small one can be done before the other has begun.
    outcome = run_one(tool="iozone", operation=operation, threads=1, direct_io="false")
    assert outcome["argv"][:2] == ["iozone", "-i"]
    assert outcome["argv"][-2:] == ["-F", "scratch/coldcache/tiny/transfers/t0"]
    assert judge_one()[0] == "valid", judge_one()
    (trial,) = collect_trials(read_campaign(Path("raw/tiny")))
    log = (CASE / "stdout.txt").read_text()
    words = {"write": "initial writers", "read": "readers"}[operation]
    (stated,) = re.findall(rf"Children see throughput for  1 {words}\s+=\s+([0-9.]+) kB/sec", log)
    (rate,) = (r.value for r in trial.records if (r.metric, r.statistic) == ("throughput", "value"))
    assert rate == float(stated) * 1024
    assert {record.tool_version for record in trial.records} == {outcome["tool_version"]}
    if operation == "read":
        assert trial.judgement.cold in ("cold", "unproved")


def test_a_tool_that_waits_for_its_children_is_ended_with_them(run_one, change, project, tmp_path, list_processes):
    change(Path("config/sites/here.yaml"), "seconds: 20 s", "seconds: 0.5 s")
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin/fio"
    fake.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec {shutil.which("fio")} --version\nsleep 60 & sleep 61\n')
    fake.chmod(0o755)
    outcome = run_one(env={**os.environ, "PATH": f"{fake.parent}:{os.environ['PATH']}"})
    assert (outcome["timed_out"], outcome["exit_status"]) == (True, -9)
    assert list_processes() == []


def test_a_target_that_fills_up_makes_a_row_with_its_reason(run_one, judge_one, mount_namespace, project):
    Path("scratch").mkdir()

    def small(command):
        return mount_namespace("mount -t tmpfs -o size=80m none scratch", command)

    outcome = run_one(threads=1, options='fio: ["--size=200m", "--runtime=15s"]', direct_io="false", wrap=small)
    assert outcome["exit_status"] == 1
    assert outcome["target"]["filesystem"] == "tmpfs"
    assert outcome["counters"] is None
    verdict, codes, reasons = judge_one()
    assert (verdict, codes[:2]) == ("void", ("exit-status", "log-refused"))
    assert reasons[0] == "exit status 1"
    assert "No space left on device" in reasons[1]


def test_a_target_that_is_full_before_the_tool_starts_makes_a_row_too(run_one, judge_one, mount_namespace, project):
    Path("scratch").mkdir()
    # The image of 4 MiB meets a quota that free space does not show: a folder on a smaller file system.
    script = (
        "mount -t tmpfs -o size=80m none scratch; mkdir -p scratch/coldcache/tiny/transfers;"
        " touch scratch/coldcache/.made-by-coldcache; mount -t tmpfs -o size=1m none scratch/coldcache/tiny"
    )
    outcome = run_one(operation="read", wrap=lambda command: mount_namespace(script, command))
    assert outcome["failure"] == {"code": "preparation-failed", "message": "[Errno 28] No space left on device"}
    assert (outcome["argv"], outcome["start"], outcome["exit_status"]) == ([], None, None)
    assert judge_one() == ("void", ("preparation-failed",), ("[Errno 28] No space left on device",))


def test_options_of_the_study_reach_the_tool_and_a_refused_one_makes_a_row(run_one, judge_one):
    outcome = run_one(options='fio: ["--no-such-option=1"]')
    assert outcome["argv"][-1] == "--no-such-option=1"
    assert outcome["exit_status"] == 1
    verdict, codes, _ = judge_one()
    assert (verdict, codes[0]) == ("void", "exit-status")
    assert "no-such-option" in (CASE / "stderr.txt").read_text()


def test_a_folder_that_a_killed_runner_left_half_written_is_not_taken(run_one):
    partial = CASE.with_name(".r0.partial")
    partial.mkdir(parents=True)
    (partial / "stdout.txt").write_text("half a log")
    (partial / "trial.json").write_text('{"half": ')
    run_one()
    assert not partial.exists()
    assert json.loads((CASE / "stdout.txt").read_text())["jobs"]


def test_a_folder_without_an_outcome_is_named_rather_than_overwritten(project, coldcache, measure_arguments):
    folder = Path("raw/tiny/tiny/cache/write_cache=unsafe/r0")
    folder.mkdir(parents=True)
    (folder / "stdout.txt").write_text("somebody's log")
    found = coldcache(*measure_arguments("tiny.cache"))
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1] == (
        f"coldcache: {folder}: holds files but no trial.json, so it is no trial; move it away"
    )
    assert [path.name for path in folder.iterdir()] == ["stdout.txt"]


def test_logs_are_written_for_others_to_read(run_one):
    run_one()
    for path in (CASE, *CASE.iterdir()):
        assert path.stat().st_mode & stat.S_IROTH


def test_the_tool_reads_what_the_runner_kept(measured):
    for path in Path("raw/tiny").rglob("stdout.txt"):
        outcome = json.loads((path.parent / "trial.json").read_text())
        operations = {record.operation for record in find_tool(outcome["tool"]).read(path.read_bytes())}
        assert operations == set(outcome["operations"])


def test_counters_of_no_device_are_none():
    assert read_counters(CounterSource("device", "0:0")) is None


def test_a_look_up_says_whether_names_were_dropped(measured):
    cold = {
        operation: json.loads(Path(f"raw/tiny/tiny/files/operation={operation}/r0/trial.json").read_text())["cold"]
        for operation in ("file-stat", "file-remove", "file-create")
    }
    assert cold["file-stat"] == {"method": "eviction", "bytes": 0, "resident_bytes": 0, "names": "kept"}
    assert cold["file-remove"] is cold["file-create"] is None


@pytest.mark.parametrize(
    ("method", "names"),
    [("eviction", "kept"), ("direct-io", "kept"), ("drop-caches", "dropped"), ("remount", "dropped")],
)
def test_two_methods_drop_names(method, names):
    assert forgets_names(Cold(method=method)) == names


def _state(monkeypatch, **stated):
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=2**30, f_frsize=4096, **stated))


def test_logs_are_kept_where_inodes_are_not_stated_and_refused_where_none_are_left(tmp_path, monkeypatch):
    # As CephFS and btrfs state them.
    for total, free in ((1234567, -1), (0, 0), (1234567, 16)):
        _state(monkeypatch, f_files=total, f_favail=free)
        assert refuse_full(tmp_path) is None
    _state(monkeypatch, f_files=1234567, f_favail=15)
    with pytest.raises(CampaignError) as refused:
        refuse_full(tmp_path)
    advice = "free some and start again: the missing trials are measured then"
    assert str(refused.value) == f"{tmp_path}: 15 inodes are left for logs; {advice}"
