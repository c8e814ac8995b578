"""A block ends whole whatever ends its runner: what is missing is measured, what was left running is ended."""

import json
import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.stop_rule import is_missing
from coldcache.measure.runner import measure_block
from coldcache.workflow.configuration import read_design

RAW = Path("raw/tiny")


def trials(folder=RAW):
    """Return each trial with its file's inode and time: a new file may get the inode of a removed one."""
    outcomes = ((path, path.stat()) for path in folder.rglob("trial.json"))
    return {str(path.parent.relative_to(folder)): (status.st_ino, status.st_mtime_ns) for path, status in outcomes}


def partial_folders():
    return [str(path) for path in Path("raw").rglob(".*.partial")]


def test_a_block_is_measured_once(measured, measure_arguments):
    before = trials()
    assert len(before) == 8 + 6 + 4
    found = subprocess.run(
        ["python", "-m", "coldcache", *measure_arguments("tiny.transfers")], capture_output=True, text=True, check=True
    )
    assert (found.stdout, found.stderr) == ("", "")
    assert trials() == before


def test_what_a_lost_target_kept_of_the_last_trial_is_removed_by_the_next_start(measured, measure_arguments):
    before = trials()
    left = Path("scratch/coldcache/tiny/transfers/t0")
    left.parent.mkdir(parents=True)
    left.write_text("bytes of a trial that is written down already")
    subprocess.run(["python", "-m", "coldcache", *measure_arguments("tiny.transfers")], check=True)
    assert list(Path("scratch/coldcache/tiny").iterdir()) == []
    assert trials() == before


def test_only_what_is_missing_is_measured(measured, measure_arguments):
    before = trials()
    lost = "tiny/transfers/operation=write,threads=1/r1"
    for path in (RAW / lost).iterdir():
        path.unlink()
    (RAW / lost).rmdir()
    log = Path("logs/tiny.transfers.log")
    log.unlink()
    subprocess.run(["python", "-m", "coldcache", *measure_arguments("tiny.transfers")], check=True)
    after = trials()
    assert after.keys() == before.keys()
    assert {key for key in after if after[key] != before[key]} == {lost}
    assert log.read_text().startswith(f"{lost}: exit status 0 after ")
    assert log.read_text().count("\n") == 1


def test_a_trial_that_another_runner_has_just_completed_is_taken(measured, monkeypatch):
    before = trials()
    trial, aside = RAW / "tiny/cache/write_cache=unsafe/r0", Path("aside")
    trial.rename(aside)

    def complete(campaign, one):
        if one.key != "tiny/cache/write_cache=unsafe/r0" or not aside.exists():
            return is_missing(campaign, one)
        aside.rename(trial)
        return True

    monkeypatch.setattr("coldcache.measure.runner.is_missing", complete)
    monkeypatch.setattr("coldcache.measure.runner._take_signals", lambda: None)
    given = {"campaign": "tiny", "studies": "tiny", "site": "here", "target": "", "seconds": "", "size": ""}
    measure_block(read_design(given), "tiny.cache", Path("manifest.json"))
    assert trials() == before
    assert "tiny/cache/write_cache=unsafe/r0" in json.loads(Path("manifest.json").read_text())["trials"]


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["qemu-nbd", "fio"])
def test_a_killed_runner_leaves_nothing_behind_for_the_next_one(
    project, start, coldcache, wait_for_tool, list_processes, measure_arguments, tool
):
    runner = start(*measure_arguments("tiny.cache"))
    orphan = wait_for_tool(tool)
    # So that it cannot end before its runner does.
    os.kill(orphan, signal.SIGSTOP)
    os.kill(runner.pid, signal.SIGKILL)
    # Nobody waits for the dead runner: as a zombie it must not count as running.
    assert Path(f"/proc/{orphan}").exists()
    os.kill(orphan, signal.SIGCONT)
    done = trials()
    assert len(done) < 4

    found = coldcache(*measure_arguments("tiny.cache"))
    assert (found.returncode, found.stdout) == (0, "")
    assert list_processes() == []
    assert len(trials()) == 4
    assert done.items() <= trials().items()
    assert partial_folders() == []
    assert list(Path("scratch/coldcache/tiny").iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_running_trial_and_keeps_those_that_are_whole(
    project, start, wait_for_tool, list_processes, measure_arguments, number
):
    runner = start(*measure_arguments("tiny.cache"))
    wait_for_tool("fio")
    os.kill(runner.pid, number)
    output, errors = runner.communicate(timeout=120)
    assert (runner.returncode, output) == (130, "")
    assert errors.splitlines()[-1] == "coldcache: interrupted; the next start resumes with the missing trials"
    assert list_processes() == []
    assert len(trials()) < 4
    assert partial_folders() == []
    assert not Path("results").exists()
    assert list(Path("scratch/coldcache/tiny").iterdir()) == []


def test_a_hangup_that_is_ignored_ends_no_trial(project, start, wait_for_tool, measure_arguments):
    handler = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        # As by nohup, it ignores what the process ignores that starts it.
        runner = start(*measure_arguments("tiny.transfers"))
    finally:
        signal.signal(signal.SIGHUP, handler)
    wait_for_tool("fio")
    os.kill(runner.pid, signal.SIGHUP)
    _, errors = runner.communicate(timeout=120)
    assert runner.returncode == 0, errors
    assert len(trials()) == 8


def test_a_second_runner_is_refused_by_the_name_of_the_first(
    project, start, coldcache, wait_for_tool, measure_arguments
):
    first = start(*measure_arguments("tiny.cache"))
    tool = wait_for_tool("fio")
    # So that the first measures still, however long the second takes to start.
    os.kill(tool, signal.SIGSTOP)
    second = coldcache(*measure_arguments("tiny.transfers", "other"))
    os.kill(tool, signal.SIGCONT)
    assert (second.returncode, second.stdout) == (1, "")
    assert second.stderr == (
        f"coldcache: {project}/scratch is being measured by process {first.pid} on {socket.gethostname()}; "
        "wait for it, or name another target\n"
    )
    assert trials(Path("raw/other")) == {}
    assert first.wait(120) == 0
    assert len(trials()) == 4


def test_the_manifest_lists_the_blocks_trials_once_they_are_there(measured):
    for block, count in (("tiny.transfers", 8), ("tiny.files", 6), ("tiny.cache", 4)):
        manifest = json.loads(Path(f"results/tiny/blocks/{block}.json").read_text())
        assert manifest["block"] == block
        assert len(set(manifest["trials"])) == count
        assert all((RAW / key / "trial.json").is_file() for key in manifest["trials"])


def test_the_log_tells_how_each_trial_ended_in_the_order_of_the_plan(measured):
    blocks = read_campaign(RAW).blocks()
    for name in {block.name for block in blocks}:
        lines = Path(f"logs/{name}.log").read_text().splitlines()
        planned = [trial.key for block in blocks if block.name == name for trial in block.trials]
        assert [line.partition(":")[0] for line in lines] == planned
        assert all(": exit status 0 after " in line for line in lines)


def test_trials_run_in_the_order_of_the_plan(measured):
    for block in read_campaign(RAW).blocks():
        starts = [json.loads((RAW / trial.key / "trial.json").read_text())["start"] for trial in block.trials]
        assert starts == sorted(starts)


SENTINEL = """\
study: tiny
title: A sentinel between two sweeps
question: Does it read the same bytes each time?
repetitions: 2
sentinel: {sweep: probe, every: 10, repeats: 0}
sweeps:
"""

READS = """\
  NAME:
    title: Reads
    tools: [fio]
    operations: [read]
    seconds: 0.1 s
    factors: {threads: [1], transfer_size: [64 KiB], file_size: [1 MiB], direct_io: [where-possible]}
"""

#: fio, which notes the inode and the time of each file that the sentinel reads.
NOTING = """\
#!/bin/sh
for word in "$@"; do
  case $word in --directory=*/probe) stat -c '%i %y' "${{word#--directory=}}"/* >> {folder}/noted ;; esac
done
exec {fio} "$@"
"""


def test_the_sentinel_reads_one_file_in_all_blocks_and_leaves_none(project, coldcache, monkeypatch):
    sweeps = "".join(READS.replace("NAME", name) for name in ("probe", "one", "two"))
    Path("config/studies/tiny.yaml").write_text(SENTINEL + sweeps)
    fio = project / "bin/fio"
    fio.parent.mkdir()
    fio.write_text(NOTING.format(folder=project, fio=shutil.which("fio")))
    fio.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fio.parent}{os.pathsep}{os.environ['PATH']}")
    done = coldcache(
        "measure", "--campaign=tiny", "--studies=tiny", "--site=here", "--block=rounds-1-to-2", "--manifest=done.json"
    )
    assert done.returncode == 0, done.stderr
    noted = (project / "noted").read_text().splitlines()
    assert len(noted) == 5 and len(set(noted)) == 1
    assert not list(Path("scratch").rglob("t0*"))
