"""What disturbs a tool is noted from its first moment on: between fork and exec, and before anybody waits for it."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from coldcache.measure import supervise as supervise_module
from coldcache.measure.host import processes
from coldcache.measure.supervise import Stops, supervise


def wait_for_state(process, state):
    while Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != state:
        time.sleep(0.001)


def stop(process):
    os.kill(process, signal.SIGSTOP)
    wait_for_state(process, "T")


class StoppedOnceLoaded(subprocess.Popen):
    """A tool that is stopped for a moment once it is loaded, before its runner goes on."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        stop(self.pid)
        os.kill(self.pid, signal.SIGCONT)
        # It sleeps again only once its runner was told.
        wait_for_state(self.pid, "S")


class StoppedFurtherOn(subprocess.Popen):
    """A tool that is stopped before its runner goes on, and continued while this waits for its end."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        stop(self.pid)
        threading.Timer(0.3, os.kill, (self.pid, signal.SIGCONT)).start()


class StoppedBeforeLoaded(subprocess.Popen):
    """A tool that is stopped between fork and exec."""

    def __init__(self, *arguments, **options):
        told, tell = os.pipe()

        def stop_itself():
            os.write(tell, str(os.getpid()).encode())
            os.kill(os.getpid(), signal.SIGSTOP)

        def let_go_on():
            process = int(os.read(told, 20))
            wait_for_state(process, "T")
            os.kill(process, signal.SIGCONT)

        going_on = threading.Thread(target=let_go_on)
        going_on.start()
        super().__init__(*arguments, preexec_fn=stop_itself, **options)
        going_on.join()
        os.close(told)
        os.close(tell)


@pytest.mark.parametrize("start", [StoppedOnceLoaded, StoppedFurtherOn, StoppedBeforeLoaded])
def test_a_stop_in_the_first_moments_of_a_tool_is_counted(monkeypatch, tmp_path, start):
    monkeypatch.setattr(subprocess, "Popen", start)
    found = supervise(["sleep", "1"], 60, tmp_path, os.open(tmp_path, os.O_RDONLY), dict(os.environ))
    assert (found.stops, found.exit_status, found.timed_out) == (1, 0, False)


def test_a_tool_that_is_left_alone_is_not_stopped(tmp_path):
    found = supervise(["sleep", "0"], 60, tmp_path, os.open(tmp_path, os.O_RDONLY), dict(os.environ))
    assert (found.stops, found.exit_status, found.timed_out) == (0, 0, False)


def test_clocks_that_are_read_a_moment_apart_are_no_negative_sleep(tmp_path, monkeypatch):
    read = iter([5.0000004, 5.0])
    monkeypatch.setattr(supervise_module, "_asleep", lambda: next(read))
    found = supervise(["true"], 60, tmp_path, os.open(tmp_path, os.O_RDONLY), dict(os.environ))
    assert str(found.suspended) == "0.0"


#: Processes of a tool, each by the command that starts it and is told its number.
BELOW = {
    "child": "sleep 60 & echo $! >number",
    "grandchild": "(sleep 60 & echo $! >number; wait) &",
    "orphan": "(sleep 60 & echo $! >number)",
    "session of its own": "setsid sh -c 'echo $$ >number; exec sleep 60' &",
}
STOPPED = "until [ -s number ]; do sleep 0.1; done; kill -STOP $(cat number); sleep 2; kill -CONT $(cat number)"


@pytest.mark.parametrize("start", BELOW.values(), ids=BELOW)
def test_a_stop_of_a_process_below_the_tool_is_counted_once(tmp_path, start):
    words = ["sh", "-c", f"{start}\n{STOPPED}; kill $(cat number)"]
    found = supervise(words, 60, tmp_path, os.open(tmp_path, os.O_RDONLY), dict(os.environ), tmp_path)
    assert (found.stops, found.exit_status, found.timed_out) == (1, 0, False)


def test_a_number_that_another_process_had_before_does_not_hide_a_stop(tmp_path, monkeypatch):
    last = int(Path("/proc/loadavg").read_text().split()[-1])
    monkeypatch.setattr(processes, "_OTHERS", {str(number) for number in range(last - 100, last + 10_000)})
    words = ["sh", "-c", f"{BELOW['child']}\n{STOPPED}; kill $(cat number)"]
    found = supervise(words, 60, tmp_path, os.open(tmp_path, os.O_RDONLY), dict(os.environ), tmp_path)
    assert (found.stops, found.exit_status) == (1, 0)


def test_two_stops_of_a_process_below_the_tool_are_two(tmp_path, monkeypatch):
    # However slowly this machine lists its processes, each stop lasts until the next check.
    monkeypatch.setattr(supervise_module, "_SHARE", 1)
    words = ["sh", "-c", f"{BELOW['child']}\n{STOPPED}; sleep 2; {STOPPED}; kill $(cat number)"]
    found = supervise(words, 60, tmp_path, os.open(tmp_path, os.O_RDONLY), dict(os.environ), tmp_path)
    assert (found.stops, found.exit_status, found.timed_out) == (2, 0, False)


def test_others_that_are_stopped_are_none_of_the_tool(tmp_path):
    with subprocess.Popen(["sleep", "60"]) as before:
        stop(before.pid)
        meanwhile = []

        def start_another():
            meanwhile.append(subprocess.Popen(["sleep", "60"]))
            stop(meanwhile[0].pid)

        starting = threading.Timer(0.5, start_another)
        starting.start()
        found = supervise(["sleep", "2"], 60, tmp_path, os.open(tmp_path, os.O_RDONLY), dict(os.environ))
        starting.join()
        for process in (before, *meanwhile):
            process.kill()
            process.wait()
    assert (found.stops, len(meanwhile)) == (0, 1)


@pytest.mark.parametrize(("spent", "seconds"), [(0.00001, 0.1), (0.01, 5.0)])
def test_looks_at_the_processes_below_take_a_500th_of_a_core_at_most(monkeypatch, spent, seconds):
    moments = iter([7.0, 7.0 + spent])
    monkeypatch.setattr(time, "thread_time", lambda: next(moments))
    assert Stops(os.getpid()).look_below() == pytest.approx(seconds)


#: Starts a child in a session of its own, as User-Mode Linux does, writes its number to a file, and waits for it.
_WITH_GUEST = """
import subprocess, sys
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
with open(sys.argv[1], "w") as file:
    print(child.pid, file=file)
child.wait()
"""


def test_a_tool_is_killed_at_its_limit_with_what_left_its_session(tmp_path):
    argv = [sys.executable, "-c", _WITH_GUEST, str(tmp_path / "guest")]
    ran = supervise(argv, 2.0, tmp_path, os.open(tmp_path, os.O_RDONLY), os.environ)
    assert (ran.timed_out, ran.exit_status) == (True, -signal.SIGKILL)
    assert processes.started_at(int((tmp_path / "guest").read_text())) is None


def test_an_interrupt_ends_a_tool_with_what_left_its_session(tmp_path):
    def interrupt():
        while not (tmp_path / "guest").exists() or not (tmp_path / "guest").read_text():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    argv = [sys.executable, "-c", _WITH_GUEST, str(tmp_path / "guest")]
    with pytest.raises(KeyboardInterrupt):
        supervise(argv, 60.0, tmp_path, os.open(tmp_path, os.O_RDONLY), os.environ)
    assert processes.started_at(int((tmp_path / "guest").read_text())) is None


#: As srun does: on SIGTERM it lets the other nodes end what runs there.
_LAUNCHER = "trap 'echo ended the step; exit 143' TERM; echo started; while :; do sleep 0.05; done"


@pytest.mark.parametrize(
    ("spreads", "said", "status"),
    [(True, "started\nended the step\n", 143), (False, "started\n", -signal.SIGKILL)],
)
def test_a_launcher_may_end_what_runs_on_other_nodes_before_it_is_killed(tmp_path, spreads, said, status):
    argv, lock = ["sh", "-c", _LAUNCHER], os.open(tmp_path, os.O_RDONLY)
    ran = supervise(argv, 2.0, tmp_path, lock, os.environ, spreads=spreads)
    assert (ran.timed_out, ran.exit_status, (tmp_path / "stdout.txt").read_text()) == (True, status, said)


def test_a_launcher_that_ignores_the_request_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("coldcache.measure.supervise._SECONDS_TO_END", 0.5)
    argv = ["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"]
    ran = supervise(argv, 1.0, tmp_path, os.open(tmp_path, os.O_RDONLY), os.environ, spreads=True)
    assert (ran.timed_out, ran.exit_status) == (True, -signal.SIGKILL)
