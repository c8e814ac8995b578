"""Commands that change the system run as root or say why they cannot."""

import subprocess
import time
from types import SimpleNamespace

import pytest

from coldcache.core.errors import SettingError
from coldcache.measure.host import sudo


@pytest.fixture
def user(monkeypatch):
    """Return a function that makes this process a plain user whose sudo answers as given."""

    def become(answer):
        monkeypatch.setattr(sudo.os, "geteuid", lambda: 1000)
        sudo.why_no_root.cache_clear()

        def run(words, **_):
            if isinstance(answer, Exception):
                raise answer
            return SimpleNamespace(returncode=answer[0], stderr=answer[1], stdout="")

        monkeypatch.setattr(sudo.subprocess, "run", run)

    yield become
    sudo.why_no_root.cache_clear()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((0, ""), None),
        ((1, "sudo: a password is required\n"), "it needs root, and sudo -n is refused: sudo: a password is required"),
        ((1, ""), "it needs root, and sudo -n is refused: no message"),
        (FileNotFoundError(), "it needs root, and there is no sudo"),
        (subprocess.TimeoutExpired("sudo", 10), "it needs root, and sudo -n does not answer within 10 s"),
    ],
)
def test_why_there_is_no_root_is_said(user, answer, reason):
    user(answer)
    assert sudo.why_no_root() == reason


def test_a_command_without_root_is_refused_before_it_starts(user):
    user(FileNotFoundError())
    with pytest.raises(SettingError, match="sysctl: it needs root, and there is no sudo"):
        sudo.run_command(["sysctl", "-w", "x=1"], root=True)


def test_output_and_words_are_returned_and_input_is_given():
    found = sudo.run_command(["cat"], given="text")
    assert found == (["cat"], "text")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sh", "-c", "echo first >&2; echo last >&2; exit 3"], "exit status 3: last"),
        (["sh", "-c", "echo said; exit 1"], "exit status 1: said"),
        (["false"], "exit status 1: no message"),
        (["no-such-program"], "no-such-program: No such file or directory"),
    ],
)
def test_a_command_that_fails_says_why(words, message):
    with pytest.raises(SettingError, match=message):
        sudo.run_command(words)


def test_a_command_that_does_not_end_is_killed():
    with pytest.raises(SettingError, match=r"sleep 60: does not end within 0.1 s"):
        sudo.run_command(["sleep", "60"], seconds=0.1)


def test_a_value_is_written_and_a_file_that_is_missing_is_named(tmp_path):
    file = tmp_path / "value"
    file.write_text("0")
    sudo.write_value(file, "1")
    assert file.read_text() == "1"
    assert sudo.why_not_writable(file) is None
    assert sudo.why_not_writable(tmp_path / "lost") == f"{tmp_path}/lost does not exist"
    with pytest.raises(SettingError, match="cannot take '1': No such file or directory"):
        sudo.write_value(tmp_path / "lost/value", "1")


def test_a_file_that_is_not_writable_needs_root(tmp_path, user, monkeypatch):
    (tmp_path / "value").write_text("0")
    user(FileNotFoundError())
    monkeypatch.setattr(sudo.os, "access", lambda *_: False)
    assert sudo.why_not_writable(tmp_path / "value") == f"{tmp_path}/value: it needs root, and there is no sudo"


@pytest.fixture
def as_root(monkeypatch, tmp_path):
    """A plain user with a sudo that runs what it is given, which the user may not kill."""
    program = tmp_path / "sudo"
    program.write_text('#!/bin/sh\nshift\nexec "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(sudo.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(subprocess.Popen, "kill", lambda _: (_ for _ in ()).throw(PermissionError))
    sudo.why_no_root.cache_clear()
    yield
    sudo.why_no_root.cache_clear()


def test_a_command_that_root_runs_ends_at_its_limit(as_root):
    before = time.monotonic()
    with pytest.raises(SettingError) as refused:
        sudo.run_command(["sleep", "60"], root=True, seconds=0.2)
    assert str(refused.value) == "sleep 60: does not end within 0.2 s"
    assert time.monotonic() - before < 30


def test_an_interrupt_while_root_runs_a_command_is_not_lost(as_root, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    assert sudo.why_no_root() is None
    monkeypatch.setattr(subprocess.Popen, "communicate", interrupt)
    with pytest.raises(KeyboardInterrupt):
        sudo.run_command(["sleep", "60"], root=True, seconds=0.2)
