"""Steps run in forks of one process, with the caller's folder, environment and outputs; it ends with its starter."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from listed_processes import list_processes_of

from coldcache.core.forks import SERVER_VARIABLE

#: Starts a server, prints its name, and lives until a line comes.
STARTER = (
    "import os; from coldcache.workflow import fork_server as s;"
    "s.start(); print(os.environ[s.SERVER_VARIABLE]); input()"
)

#: Asks a server for a fork as another user.
STRANGER = """
import os, socket, sys
os.setuid(65534)
try:
    with socket.socket(socket.AF_UNIX) as server:
        server.connect("\\0" + sys.argv[1])
        socket.send_fds(server, [b"\\n"], [1, 2])
        answer = server.recv(1)
except (BrokenPipeError, ConnectionResetError):
    answer = b""
print(answer or "refused")
"""


@pytest.fixture
def server():
    """The environment of a client, and the process that started its server."""
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield {**os.environ, SERVER_VARIABLE: starter.stdout.readline().strip()}, starter
    starter.kill()
    starter.wait()


def run(environment, *arguments, folder):
    return subprocess.run(
        [sys.executable, "-m", "coldcache", *arguments], env=environment, cwd=folder, capture_output=True, text=True
    )


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_step_runs_in_the_callers_folder_with_its_messages_and_status(server, tmp_path):
    environment, _ = server
    arguments = ("collect", "--campaign=nobody", "--results=results/nobody")
    forked = run(environment, *arguments, folder=tmp_path)
    alone = run({**environment, SERVER_VARIABLE: ""}, *arguments, folder=tmp_path)
    assert (forked.returncode, forked.stdout, forked.stderr) == (1, alone.stdout, alone.stderr)
    assert "raw/nobody holds no campaign.json" in forked.stderr


@pytest.mark.parametrize("at_once", [False, True])
def test_libraries_are_imported_when_the_first_step_is_asked_for_or_at_once(at_once, tmp_path):
    starter = STARTER.replace("s.start()", f"s.start(at_once={at_once})")
    with subprocess.Popen(
        [sys.executable, "-c", starter], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        name = process.stdout.readline().strip()
        (server,) = map(psutil.Process, list_processes_of(name))

        def has_loaded():
            return any("matplotlib" in part.path for part in server.memory_maps())

        if at_once:
            wait_until(has_loaded)
        else:
            time.sleep(1)
            assert not has_loaded()
            run({**os.environ, SERVER_VARIABLE: name}, "collect", "--campaign=a", "--results=b", folder=tmp_path)
            wait_until(has_loaded)


def test_a_process_has_one_server():
    program = f"{STARTER.replace('input()', '')}s.start(); print(os.environ[s.SERVER_VARIABLE], len(s._started))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert found == [found[0], found[0], "1"]


def test_a_notebook_runs_in_a_fork_of_the_server_with_the_callers_environment(server, tmp_path, write_notebook):
    environment, _ = server
    source = "import os, sys\nprint(os.environ['SHOWN'], 'seaborn' in sys.modules, 'VARIABLE' in os.environ)"
    write_notebook(tmp_path / "why.ipynb", source)
    arguments = ("notebook", "--notebook=why.ipynb", "--output=out.ipynb", "--log=log.ipynb")
    done = run({**environment, "SHOWN": "here"}, *arguments, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "here True False" in (tmp_path / "out.ipynb").read_text()


def test_the_server_ends_with_a_killed_starter(server):
    environment, starter = server
    name = environment[SERVER_VARIABLE]
    assert len(list_processes_of(name)) == 1
    starter.kill()
    wait_until(lambda: not list_processes_of(name))


def test_a_fork_that_is_killed_is_an_error_of_its_step(server, tmp_path, write_notebook):
    environment, _ = server
    # The kernel is a fork of the step's process, which is a fork of the server.
    write_notebook(tmp_path / "why.ipynb", "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)")
    done = run(environment, "notebook", "--notebook=why.ipynb", "--output=o.ipynb", "--log=l.ipynb", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "coldcache: notebook ended early, perhaps for lack of memory; run it again\n"
    assert not (tmp_path / "o.ipynb").exists()


def test_a_step_ends_with_its_caller(server, tmp_path, write_notebook):
    environment, _ = server
    write_notebook(tmp_path / "why.ipynb", "import time\nopen('begun', 'w').close()\ntime.sleep(600)")
    caller = subprocess.Popen(
        [sys.executable, "-m", "coldcache", "notebook", "--notebook=why.ipynb", "--output=o.ipynb", "--log=l.ipynb"],
        env=environment, cwd=tmp_path,
    )  # fmt: skip
    wait_until((tmp_path / "begun").exists)
    name = environment[SERVER_VARIABLE]
    assert len(list_processes_of(name)) == 3, "the server, the step and its kernel"
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    wait_until(lambda: len(list_processes_of(name)) == 1)


def test_without_its_server_a_step_runs_by_itself(tmp_path):
    environment = {**os.environ, SERVER_VARIABLE: "coldcache-none"}
    done = run(environment, "collect", "--campaign=nobody", "--results=results/nobody", folder=tmp_path)
    assert (done.returncode, "holds no campaign.json" in done.stderr) == (1, True)


@pytest.mark.skipif(os.getuid() != 0, reason="only root may start a process as another user")
def test_another_user_gets_no_fork(server, tmp_path):
    environment, _ = server
    name = environment[SERVER_VARIABLE]
    done = subprocess.run([sys.executable, "-c", STRANGER, name], capture_output=True, text=True)
    assert done.stdout == "refused\n"
    assert len(list_processes_of(name)) == 1


#: Runs a step that fails by a defect of the program.
DEFECT = """
import json, os, socket
from coldcache.workflow import fork_server

def fail(arguments):
    raise TypeError("a defect")

asked, asking = socket.socketpair()
socket.send_fds(asking, [b" "], [1, 2])
asking.sendall(json.dumps({"folder": os.getcwd(), "environment": dict(os.environ), "arguments": []}).encode() + b"\\n")
fork_server._answer(asked, fail)
"""


def test_a_defect_of_the_program_shows_where_it_is(tmp_path):
    done = subprocess.run([sys.executable, "-c", DEFECT], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback") and done.stderr.endswith("TypeError: a defect\n")
