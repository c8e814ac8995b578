"""`check`, `plan` and `status` have colours on a terminal, and none in a pipe or with NO_COLOR."""

import re
import subprocess
import sys

import pytest
from terminal import run_on_a_terminal

from coldcache.campaign.begin import begin
from coldcache.workflow.configuration import read_design

CODE = re.compile(r"\x1b\[[0-9;]*m")

#: What is typed, and a line of the terminal with its codes.
COMMANDS = {
    "check here": "\x1b[32myes\x1b[0m  target ",
    "plan --study=tiny --site=here": "\x1b[1mtiny/transfers\x1b[0m (fio",
    "status tiny": "\x1b[1m0 of 18 trials are done\x1b[0m",
}


@pytest.fixture
def begun(project):
    """A project whose campaign has begun, and has no trial yet."""
    begin(read_design({"campaign": "tiny", "studies": "tiny", "site": "here", "target": ""}))


@pytest.mark.parametrize("typed", COMMANDS)
def test_a_terminal_has_colours_and_a_pipe_has_none(begun, typed, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    command = [sys.executable, "-m", "coldcache", *typed.split()]
    shown = run_on_a_terminal(command, TERM="xterm-256color")[1].replace("\r\n", "\n")
    assert COMMANDS[typed] in shown
    plain = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert "\x1b" not in plain
    assert "\x1b" not in run_on_a_terminal(command, TERM="xterm-256color", NO_COLOR="1")[1]
    # A long line is not wrapped, and nothing but the codes differs.
    without = CODE.sub("", shown)
    assert {re.sub(r"[0-9.]+ ?[A-Za-z]*B?", "#", line) for line in without.splitlines()} == {
        re.sub(r"[0-9.]+ ?[A-Za-z]*B?", "#", line) for line in plain.splitlines()
    }
