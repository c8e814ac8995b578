"""A profile of tuned is chosen, read back, and put back: by its real daemon, on a bus and in namespaces of its own."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coldcache.core.errors import SettingError
from coldcache.design.settings.tuned_profile import TunedSetting
from coldcache.measure.settings.block import is_left
from coldcache.measure.settings.changes import Changes
from coldcache.measure.settings.registry import driver_of, locate
from coldcache.measure.target import locked, make_work_folder

#: What the profiles change, in a network of the daemon's own.
NAME = "net.ipv4.tcp_slow_start_after_idle"

BUS = """\
<busconfig>
  <type>custom</type>
  <listen>unix:path={folder}/bus</listen>
  <policy context="default">
    <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/><allow user="*"/>
  </policy>
</busconfig>
"""

START = 'mount --bind "$1/etc" /etc/tuned; mount -t tmpfs run /run; mount -t tmpfs log /var/log; exec tuned'


class Daemon:
    """A daemon of tuned that knows the profiles idle and busy, and would choose idle by itself."""

    def __init__(self, folder: Path):
        self._etc, self._folder = folder / "etc", folder
        for name, value in (("idle", 1), ("busy", 0)):
            (self._etc / name).mkdir(parents=True)
            (self._etc / name / "tuned.conf").write_text(f"[main]\nsummary=For a test\n[sysctl]\n{NAME}={value}\n")
        (self._etc / "recommend.conf").write_text("[idle]\n")
        shutil.copy("/etc/tuned/tuned-main.conf", self._etc)
        for name in ("active_profile", "profile_mode", "post_loaded_profile", "bootcmdline"):
            (self._etc / name).write_text("")
        self._process: subprocess.Popen | None = None

    def start(self, profile: str, mode: str) -> None:
        (self._etc / "active_profile").write_text(f"{profile}\n")
        (self._etc / "profile_mode").write_text(f"{mode}\n")
        words = ["unshare", "--mount", "--net", "sh", "-ec", START, "sh", str(self._folder)]
        self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while "Current active profile" not in self._ask("active"):
            assert self._process.poll() is None and time.monotonic() < end, self._ask("active")
            time.sleep(0.2)

    @staticmethod
    def _ask(word: str) -> str:
        return subprocess.run(["tuned-adm", word], capture_output=True, text=True, check=False, timeout=60).stdout

    def parameter(self) -> str:
        """Return what the profile has made of the parameter."""
        assert self._process
        words = ["nsenter", f"--net=/proc/{self._process.pid}/ns/net", "sysctl", "-n", NAME]
        return subprocess.run(words, capture_output=True, text=True, check=True, timeout=20).stdout.strip()

    def stop(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(timeout=60)
            self._process = None


@pytest.fixture
def daemon(tmp_path, monkeypatch) -> Iterator[Daemon]:
    lacking = [name for name in ("tuned", "tuned-adm", "dbus-daemon", "unshare", "nsenter") if not shutil.which(name)]
    if os.geteuid() or lacking:
        pytest.skip(f"{lacking[0]} is not installed" if lacking else "tuned needs root")
    conf = tmp_path / "bus.conf"
    conf.write_text(BUS.format(folder=tmp_path))
    bus = subprocess.Popen(["dbus-daemon", f"--config-file={conf}", "--nofork", "--nopidfile"])
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/bus")
    made = Daemon(tmp_path)
    yield made
    made.stop()
    bus.terminate()
    bus.wait(timeout=60)


@pytest.fixture
def start(daemon) -> Callable[[str, str], Daemon]:
    def started(profile: str, mode: str) -> Daemon:
        daemon.start(profile, mode)
        return daemon

    return started


ADDRESS = locate(TunedSetting(kind="tuned"), Path("/"))
TUNED = driver_of(ADDRESS)


def test_a_profile_is_in_force_for_its_trials_and_as_before_afterwards(start, tmp_path):
    daemon, work = start("idle", "manual"), make_work_folder(tmp_path)
    assert TUNED.why_not(ADDRESS) is None
    with locked(work) as lock:
        with Changes(work, lock) as changes:
            assert changes.put("tuned_profile", ADDRESS, "busy", "busy") == "busy"
            assert daemon.parameter() == "0"
            assert is_left(work)
        assert (TUNED.read(ADDRESS, lock), daemon.parameter()) == ("idle", "1")
        assert not is_left(work)


def test_where_tuned_chose_by_itself_it_does_so_again(start):
    start("", "auto")
    assert TUNED.read(ADDRESS, 0) == "idle (auto)"
    TUNED.apply(ADDRESS, "idle", 0)
    assert TUNED.read(ADDRESS, 0) == "idle"
    TUNED.restore(ADDRESS, "idle (auto)", 0)
    assert TUNED.read(ADDRESS, 0) == "idle (auto)"


def test_where_none_was_active_tuned_is_switched_off_again(start):
    start("idle", "manual")
    TUNED.apply(ADDRESS, "none", 0)
    # tuned-adm ends with status 1 then, which is no failure.
    assert TUNED.read(ADDRESS, 0) == "none"
    TUNED.apply(ADDRESS, "idle busy", 0)
    assert TUNED.read(ADDRESS, 0) == "idle busy"
    TUNED.restore(ADDRESS, "none", 0)
    assert TUNED.read(ADDRESS, 0) == "none"


def test_a_profile_that_tuned_does_not_know_is_told(start):
    start("idle", "manual")
    with pytest.raises(SettingError, match="Requested profile 'swift' doesn't exist"):
        TUNED.apply(ADDRESS, "swift", 0)
    assert TUNED.read(ADDRESS, 0) == "idle"


def test_without_its_daemon_no_profile_is_in_force(daemon):
    said = "tuned-adm active: "
    assert TUNED.why_not(ADDRESS).startswith(said)
    with pytest.raises(SettingError, match=f"^{said}"):
        TUNED.read(ADDRESS, 0)


def test_a_system_without_tuned_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert TUNED.why_not(ADDRESS) == "tuned-adm is not on PATH"
