"""A server runs during a block alone, and steps run without one that does not start."""

import os
import subprocess
import sys

import pytest
from listed_processes import list_processes_of

from coldcache.core import forks

#: A step that fails at once.
STEP = [sys.executable, "-m", "coldcache", "collect", "--campaign=nobody", "--results=results/nobody"]


def test_a_server_serves_during_a_block_and_ends_with_it(tmp_path):
    with forks.serve_forks(os.environ) as environment:
        name = environment[forks.SERVER_VARIABLE]
        assert len(list_processes_of(name)) == 1
        done = subprocess.run(STEP, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, "holds no campaign.json" in done.stderr) == (1, True)
    assert list_processes_of(name) == []
    assert forks.SERVER_VARIABLE not in os.environ


def test_a_block_that_fails_ends_its_server_too():
    with pytest.raises(ZeroDivisionError), forks.serve_forks(os.environ) as environment:
        1 / 0  # noqa: B018
    assert list_processes_of(environment[forks.SERVER_VARIABLE]) == []


def test_where_no_server_starts_the_environment_is_that_of_steps_without_one(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with forks.serve_forks({"PATH": "/bin"}) as environment:
        assert environment == {"PATH": "/bin"}
