"""One runner holds a target across hosts; a namespace with its own names and processes plays another host."""

import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from coldcache.core.errors import TargetError
from coldcache.measure.cluster.leftover_runners import wait_for_lease
from coldcache.measure.lease import LEASE, Lease, find_holder, leased
from coldcache.measure.target import make_work_folder

HOLD = """
import sys, time
from pathlib import Path
from coldcache.measure.lease import leased
with leased(Path(sys.argv[1]), float(sys.argv[2])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def work(tmp_path):
    return make_work_folder(tmp_path / "target")


@pytest.fixture
def elsewhere(work):
    """Take the lease on another host, which is stopped, as one that lost its power is; skips where it cannot be had."""
    unshare = ["unshare", "--uts", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child"]
    unshare += [] if os.geteuid() == 0 else ["--map-root-user"]
    if not shutil.which("unshare") or subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets no namespace be made")
    started = []

    def hold(seconds):
        script = f'hostname elsewhere; exec "{sys.executable}" -c "$0" "$1" "$2"'
        words = [*unshare, "sh", "-c", script, HOLD, str(work), str(seconds)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "held\n", process.communicate()
        return process

    yield hold
    for process in started:
        process.kill()
        process.communicate()


def refusal(function):
    with pytest.raises(TargetError) as refused:
        function()
    return str(refused.value)


def stop(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a_lease_is_held_alone_and_names_its_holder(work):
    with leased(work, 100):
        stated = json.loads((work / LEASE).read_text())
        assert (stated["pid"], stated["host"], stated["seconds"]) == (os.getpid(), socket.gethostname(), 100)
        message = refusal(lambda: Lease(work, 1).take())
        assert message.startswith(f"{work.parent} is held by process {os.getpid()} of ")
        # It takes a moment to ask.
        told = r" on (\S+), for another 1 min \d+ s unless renewed; wait for it, or name another target$"
        assert re.search(told, message)[1] == socket.gethostname()
        assert find_holder(work)
    assert find_holder(work) is None
    assert sorted(path.name for path in work.iterdir()) == [".made-by-coldcache"]


def test_a_lease_of_another_host_is_kept_until_it_runs_out(work, elsewhere):
    stop(elsewhere(1000))
    assert " on elsewhere, for another " in refusal(lambda: Lease(work, 5).take())
    taken = (work / LEASE).stat().st_mtime
    os.utime(work / LEASE, (taken - 1000, taken - 1000))
    with leased(work, 5):
        assert json.loads((work / LEASE).read_text())["host"] == socket.gethostname()


def test_a_runner_that_comes_back_too_late_does_not_go_on(work, elsewhere):
    late = Lease(work, 0.01)
    late.take()
    (work / LEASE).write_text(json.dumps({**json.loads((work / LEASE).read_text()), "host": "elsewhere"}))
    time.sleep(0.05)
    with leased(work, 5):
        expected = f"{work.parent} is held by process {os.getpid()} of "
        assert late.why_lost().startswith(expected)
        assert refusal(late.renew).startswith(expected)
        late.release()
        assert (work / LEASE).exists()


def test_a_lease_whose_owner_ended_on_this_host_is_taken_at_once(work):
    left = subprocess.Popen([sys.executable, "-c", HOLD, str(work), "1000"], stdout=subprocess.PIPE, text=True)
    assert left.stdout.readline() == "held\n"
    assert "is held by process" in refusal(lambda: Lease(work, 5).take())
    stop(left)
    with leased(work, 5):
        pass


def test_a_lease_of_another_host_that_has_run_out_holds_nobody_off(work, elsewhere):
    elsewhere(100)
    assert re.search("elsewhere", find_holder(work))
    past = time.time() - 300
    os.utime(work / LEASE, (past, past))
    assert find_holder(work) is None
    said = io.StringIO()
    wait_for_lease(work, 60, said)
    assert said.getvalue() == ""


def test_a_renewal_prolongs_the_lease(work):
    with leased(work, 1000) as lease:
        taken = (work / LEASE).stat().st_mtime
        os.utime(work / LEASE, (0, 0))
        lease.renew()
        assert (work / LEASE).stat().st_mtime >= taken
        assert lease.why_lost() is None


def test_a_fresh_lease_is_kept_without_being_written_and_an_older_one_is_renewed(work, monkeypatch):
    with leased(work, 1000) as lease:
        lease.keep()
        os.utime(work / LEASE, (0, 0))
        lease.keep()
        assert (work / LEASE).stat().st_mtime == 0
        later = time.monotonic() + 61
        monkeypatch.setattr(time, "monotonic", lambda: later)
        lease.keep()
        assert (work / LEASE).stat().st_mtime > 0


def test_of_many_that_find_a_lease_run_out_one_alone_takes_it(work):
    for turn in range(5):
        gone = {"token": f"gone{turn}", "seconds": 0, "host": "elsewhere", "pid": 1, "user": "somebody"}
        (work / LEASE).write_text(json.dumps(gone))
        os.utime(work / LEASE, (0, 0))
        words = [sys.executable, "-c", HOLD, str(work), "1000"]
        runners = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
        first = [process.stdout.readline() for process in runners]
        stated = json.loads((work / LEASE).read_text())
        holders = [process.pid for process, line in zip(runners, first, strict=True) if line]
        assert holders == [stated["pid"]]
        for process in runners:
            process.kill()
            process.communicate()


def test_a_lease_that_is_half_written_is_waited_for(work):
    (work / LEASE).write_text('{"tok')
    assert "is held by process None" in refusal(lambda: Lease(work, 5).take())
    os.utime(work / LEASE, (0, 0))
    with leased(work, 5):
        pass
    assert not Path(work / LEASE).exists()


def test_a_target_that_takes_no_lease_any_more_is_told_with_what_to_do(loop_mount):
    work = make_work_folder(loop_mount)
    lease = Lease(work, 60)
    lease.take()
    subprocess.run(["mount", "-o", "remount,abort", str(loop_mount)], check=False, capture_output=True)
    advice = "fix it and start again: the missing trials are measured then"
    assert refusal(lease.renew) == f"{loop_mount} takes no lease (Read-only file system); {advice}"
