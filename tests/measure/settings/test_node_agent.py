"""What puts settings in force on one node undoes them whatever ends it or its runner."""

import json
import platform
import signal
import subprocess
import sys

import pytest

from coldcache.measure.settings.journal import is_left, of_node
from coldcache.measure.settings.on_nodes import LAST


@pytest.fixture
def value(tmp_path):
    path = tmp_path / "value"
    path.write_text("before")
    return path


@pytest.fixture
def agent(tmp_path):
    """Start one, as a runner does on each node; what is left of it is ended afterwards."""
    started = []

    def begin():
        process = subprocess.Popen(
            [sys.executable, "-m", "coldcache.measure.settings.node_agent", str(tmp_path)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        return process, told(process)

    yield begin
    for process in started:
        process.kill()
        process.wait()


def told(process):
    answer = json.loads(process.stdout.readline())
    assert answer.pop("host") == platform.node()
    return answer


def ask(process, path, number, do, **more):
    address = {"module": "kernel-value", "path": str(path), "shown_as": str(path), "value_of": {},
               "outlives_restart": False}  # fmt: skip
    process.stdin.write(json.dumps({"number": number, "do": do, "address": address, **more}) + "\n")
    process.stdin.flush()
    return told(process)


def put(process, path, number=1):
    return ask(process, path, number, "put", factor="sysctl", asked="after", value="after")


def test_a_level_is_put_in_force_read_again_and_undone_when_no_more_questions_can_come(agent, value, tmp_path):
    process, first = agent()
    assert first == {"number": 0, "read": ""}
    assert ask(process, value, 1, "why not") == {"number": 1, "read": ""}
    assert put(process, value, 2) == {"number": 2, "read": "after"}
    assert is_left(tmp_path)
    value.write_text("another")
    assert ask(process, value, 3, "read") == {"number": 3, "read": "another"}
    process.stdin.close()
    assert told(process) == {"number": LAST, "read": ""}
    assert process.wait(timeout=120) == 0
    assert value.read_text() == "before"
    assert not is_left(tmp_path)


def test_a_signal_undoes_what_was_changed(agent, value, tmp_path):
    process, _ = agent()
    put(process, value)
    process.send_signal(signal.SIGTERM)
    assert told(process) == {"number": LAST, "read": ""}
    assert value.read_text() == "before"
    assert not is_left(tmp_path)


def test_a_signal_that_was_ignored_at_the_start_ends_nothing(agent, value):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process, _ = agent()
    finally:
        signal.signal(signal.SIGHUP, before)
    put(process, value)
    process.send_signal(signal.SIGHUP)
    assert ask(process, value, 2, "read") == {"number": 2, "read": "after"}


def test_after_a_kill_the_next_one_on_the_node_undoes_what_was_left(agent, value, tmp_path):
    process, _ = agent()
    put(process, value)
    process.kill()
    process.wait()
    assert value.read_text() == "after"
    assert [path.name for path in tmp_path.glob(".settings*")] == [of_node(platform.node())]
    _, first = agent()
    assert first == {"number": 0, "read": ""}
    assert value.read_text() == "before"


def test_what_cannot_be_read_or_undone_is_told(agent, value, tmp_path):
    process, _ = agent()
    assert ask(process, tmp_path / "nothing", 1, "read") == {
        "number": 1, "error": f"{tmp_path}/nothing cannot be read: No such file or directory",
    }  # fmt: skip
    put(process, value, 2)
    value.unlink()
    process.stdin.close()
    assert told(process)["error"].startswith(f"sysctl is not as before ({value} was before): {value} cannot be read")
    assert is_left(tmp_path)
