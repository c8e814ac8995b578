"""The suite of faults runs: a few of them once, with the seed that it prints."""

import subprocess
import sys

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["kill_runner", "garbage", "start_twice"])
def test_a_fault_that_is_staged_once_leaves_the_campaign_whole(root, fault):
    run = [sys.executable, "tests/break/run.py", "--times=1", "--seed=1", fault]
    found = subprocess.run(run, cwd=root, capture_output=True, text=True, timeout=250, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    lines = found.stdout.splitlines()
    assert lines[0] == "seed 1"
    assert lines[2].split()[:3] == [fault, "1", "1"]


def test_an_unknown_fault_is_named(root):
    run = [sys.executable, "tests/break/run.py", "--times=1", "flood"]
    found = subprocess.run(run, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert found.returncode == 2
    assert "unknown flood; known are kill_runner, kill_tool, " in found.stderr
