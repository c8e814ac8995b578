"""A process is known by its number and its start; those below a leader are found whatever session they open."""

import fcntl
import os
import signal
import subprocess
import sys
import time

import pytest

from coldcache.measure.host.processes import Below, holders_of_lock, kill_with_below, list_processes, started_at


@pytest.fixture
def sleeper():
    """A process that sleeps, in a session of its own, and its start."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as process:
        yield process
        process.kill()


def test_a_process_keeps_its_start_until_it_has_ended(sleeper):
    start = started_at(sleeper.pid)
    assert start is not None and started_at(sleeper.pid) == start
    assert started_at(os.getpid()) < start
    assert str(sleeper.pid) in list_processes()
    sleeper.kill()
    # A zombie has ended, although its number is still taken.
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert started_at(sleeper.pid) is None
    sleeper.wait()
    assert started_at(sleeper.pid) is None


def test_the_holder_of_a_lock_is_found_and_those_that_only_opened_the_file_are_not(tmp_path):
    with (tmp_path / "lock").open("w") as file, (tmp_path / "lock").open("w"):
        assert holders_of_lock(file.fileno()) == set()
        fcntl.flock(file, fcntl.LOCK_EX)
        assert holders_of_lock(file.fileno()) == {os.getpid()}


def test_a_process_below_a_leader_is_found_when_it_is_stopped():
    Below.note_others()
    # The child opens a session of its own, as a daemon does.
    code = (
        "import subprocess, sys; child = subprocess.Popen(['sleep', '60'], start_new_session=True);"
        "print(child.pid, flush=True); child.wait()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True) as leader:
        child = int(leader.stdout.readline())
        below = Below(leader.pid)
        try:
            assert below.find_stopped() == set()
            os.kill(child, signal.SIGSTOP)
            end = time.monotonic() + 10
            while not (found := below.find_stopped()) and time.monotonic() < end:
                time.sleep(0.01)
            assert found == {str(child)}
        finally:
            os.kill(child, signal.SIGKILL)
            leader.kill()


@pytest.mark.skipif(bool(os.geteuid()), reason="mounting needs root")
def test_a_lock_on_a_file_of_the_same_number_on_another_file_system_is_not_the_same(tmp_path):
    folders = [tmp_path / "one", tmp_path / "other"]
    try:
        for folder in folders:
            folder.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "none", str(folder)], check=True, timeout=20)
            (folder / "lock").touch()
        with (folders[0] / "lock").open() as one, (folders[1] / "lock").open() as other:
            assert os.fstat(one.fileno()).st_ino == os.fstat(other.fileno()).st_ino
            fcntl.flock(other, fcntl.LOCK_EX)
            assert holders_of_lock(other.fileno()) == {os.getpid()}
            assert holders_of_lock(one.fileno()) == set()
    finally:
        for folder in folders:
            subprocess.run(["umount", str(folder)], check=False, timeout=20)


def test_a_stopped_process_of_another_session_is_not_found(sleeper):
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as leader:
        try:
            below = Below(leader.pid)
            os.kill(sleeper.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, sleeper.pid, os.WSTOPPED | os.WNOWAIT)
            assert below.find_stopped() == set()
        finally:
            leader.kill()


#: Starts a child in a session of its own, which starts another in its own, prints their numbers and outlives both.
_GENERATIONS = """
import signal
import subprocess
words = ["sh", "-c", "setsid sleep 60 & echo $!; wait"]
child = subprocess.Popen(words, start_new_session=True, stdout=subprocess.PIPE)
print(child.pid, int(child.stdout.readline()), flush=True)
signal.pause()
"""


def test_a_leader_is_killed_with_all_that_it_started_and_nothing_else(sleeper):
    with subprocess.Popen(
        [sys.executable, "-c", _GENERATIONS], stdout=subprocess.PIPE, start_new_session=True
    ) as leader:
        below = [int(number) for number in leader.stdout.readline().split()]
        assert len(below) == 2 and all(map(started_at, below))
        kill_with_below(leader.pid)
        assert [started_at(process) for process in (leader.pid, *below)] == [None] * 3
        assert leader.wait() == -signal.SIGKILL
    assert started_at(sleeper.pid) is not None


def test_a_leader_is_killed_before_it_can_end_because_its_children_did(monkeypatch):
    kill = os.kill

    def kill_and_wait(process, number):
        kill(process, number)
        time.sleep(0.05)

    monkeypatch.setattr(os, "kill", kill_and_wait)
    script = "sleep 60 & sleep 60 & sleep 60 & echo; wait -n; exit 3"
    with subprocess.Popen(["bash", "-c", script], start_new_session=True, stdout=subprocess.PIPE) as leader:
        leader.stdout.readline()
        kill_with_below(leader.pid)
        assert leader.wait() == -signal.SIGKILL
