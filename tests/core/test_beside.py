"""Functions that forked processes call beside this one."""

import os
import subprocess
import sys

import psutil
import pytest

from coldcache.core.beside import computing_beside

#: Works beside for longer than the test lasts, and names the process that does.
LONG = """
import os, time
from coldcache.core.beside import computing_beside

def work():
    print(os.getpid(), flush=True)
    time.sleep(600)

with computing_beside(work):
    time.sleep(600)
"""


def test_each_function_runs_in_a_fork_that_has_what_this_process_has():
    there, before = [1, 2], psutil.Process().children()
    with computing_beside(lambda: (os.getpid(), sum(there)), lambda: (os.getpid(), len(there))) as found:
        there.append(10)
        (one, added), (other, counted) = (result.result() for result in found)
    assert (added, counted) == (3, 2)
    assert os.getpid() not in (one, other)
    assert not {*psutil.Process().children()} - {*before}


def test_what_a_function_raises_is_raised_after_the_block(tmp_path):
    done = []
    with pytest.raises(FileExistsError, match=str(tmp_path)), computing_beside(tmp_path.mkdir):
        done.append("other work")
    assert done


def test_an_error_of_the_block_comes_first(tmp_path):
    with pytest.raises(KeyError), computing_beside(tmp_path.mkdir):
        raise KeyError


def test_a_fork_ends_with_the_process_that_is_killed():
    with subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True) as parent:
        worker = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    psutil.wait_procs([worker], timeout=10)
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE
