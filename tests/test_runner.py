"""A block ends whole whatever ends its runner: what is missing is measured, what was left running is ended."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

RAW = Path("raw/tiny")


def trials(folder=RAW):
    return {str(path.parent.relative_to(folder)): path.stat().st_ino for path in folder.rglob("trial.json")}


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


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["qemu-nbd", "fio"])
def test_a_killed_runner_leaves_nothing_behind_for_the_next_one(
    project, start, coldcache, wait_for_tool, list_processes, measure_arguments, tool
):
    runner = start(*measure_arguments("tiny.cache"))
    orphan = wait_for_tool(tool)
    os.kill(runner.pid, signal.SIGKILL)
    # Nobody waits for the dead runner: as a zombie it must not count as running.
    assert Path(f"/proc/{orphan}").exists()
    done = trials()
    assert len(done) < 4

    found = coldcache(*measure_arguments("tiny.cache"))
    assert (found.returncode, found.stdout) == (0, "")
    assert list_processes() == []
    assert len(trials()) == 4
    assert done.items() <= trials().items()
    assert partial_folders() == []
    assert list(Path("scratch/coldcache/tiny").iterdir()) == []
