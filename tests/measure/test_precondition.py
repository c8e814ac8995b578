"""A target is filled once before the first trial, until it is steady or a limit is reached; the fill is removed."""

import errno
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from coldcache.analysis.questions.preconditioning import open_preconditioning
from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.preconditioned import read_preconditioned, read_rates
from coldcache.core.errors import TargetError
from coldcache.core.units import show_bytes
from coldcache.design.site import Site
from coldcache.measure.host.counters import CounterSource
from coldcache.measure.host.mounts import Mount
from coldcache.measure.precondition import bytes_per_pass, count_growth, is_due

RAW = Path("raw/tiny")


@pytest.fixture
def asks(project, loop_mount, change):
    """Let the site `here` measure an ext4 on a loop device, and precondition it as stated."""

    def ask(stated, thresholds=""):
        site = Path("config/sites/here.yaml")
        (loop_mount / "data").mkdir()
        (loop_mount / "lost+found").rmdir()
        change(site, "scratch: {path: scratch, make: true}", f"scratch: {{path: {loop_mount}/data}}")
        change(site, "limits:\n", f"precondition: {stated}\nlimits:\n")
        change(site, "thresholds:\n", f"thresholds:\n{thresholds}")
        return loop_mount / "data"

    return ask


#: Rates that are steady whatever they are, and rates that never are.
ANY, NONE = (f"  steady_spread: {number}\n  steady_slope: {number}\n" for number in (1e9, 1e-12))


def test_a_target_is_filled_once_and_what_it_did_is_kept(asks, coldcache, measure_arguments, tmp_path):
    target, image = asks("{fill: 0.4, passes: 1, round: 200 ms}", ANY), tmp_path / "image"
    before = image.stat().st_blocks * 512
    found = coldcache(*measure_arguments("tiny.files"))
    assert found.returncode == 0, found.stderr
    assert found.stderr.splitlines()[0] == "fills the target: write, pass 1 of 1"
    done = read_preconditioned(RAW)
    status = os.statvfs(target)
    assert done.bytes == int(0.4 * status.f_blocks * status.f_frsize) // 2**20 * 2**20
    assert done.ended_by == "steady"
    assert [part.name for part in done.parts] == ["sequential-1", *(f"random-0{number}" for number in range(1, 6))]
    # What the device counted: each byte of the fill, and what was written at random.
    assert done.counters["written_bytes"] > done.bytes
    assert done.counters["discarded_bytes"] == 0
    assert done.filled_bytes >= done.bytes
    # The fill is gone, and its blocks stay written.
    assert not (target / "coldcache/precondition").exists()
    assert status.f_bfree * status.f_frsize > 0.8 * status.f_blocks * status.f_frsize
    assert image.stat().st_blocks * 512 - before > 0.9 * done.bytes
    # Every rate is the text at its place in a log.
    for part, log, record in read_rates(RAW, done):
        text = (RAW / log).read_bytes()[record.offset : record.offset + record.length]
        assert float(text) * {"KiB/s": 1024, "B/s": 1}[record.printed.partition(" ")[2]] == record.value
        assert record.operation == part.operation
        assert record.value > 0
    # The page says what was done, from the logs.
    assert coldcache("collect", "--campaign=tiny", "--results=results/tiny").returncode == 0
    told = open_preconditioning(Path("results/tiny/dataset.nc")).describe()
    assert told.startswith(f"Before the first trial {show_bytes(done.bytes)} of {target} were written once from begin")
    assert "then at random in 5 rounds, until they were steady: the last five differ by " in told
    # Trials were measured after it, and another block does not fill again.
    assert not is_due(read_campaign(RAW))
    inode = (RAW / "precondition/precondition.json").stat().st_ino
    found = coldcache(*measure_arguments("tiny.transfers"))
    assert (found.returncode, "fills" in found.stderr) == (0, False), found.stderr
    assert (RAW / "precondition/precondition.json").stat().st_ino == inode


def test_a_target_that_is_never_steady_ends_at_the_limit(asks, coldcache, measure_arguments):
    asks("{fill: 0.2, passes: 2, round: 100 ms, rounds: 6}", NONE)
    found = coldcache(*measure_arguments("tiny.files"))
    assert found.returncode == 0, found.stderr
    done = read_preconditioned(RAW)
    assert done.ended_by == "rounds"
    assert [part.operation for part in done.parts] == ["write"] * 2 + ["random-write"] * 6


def test_time_is_a_limit_too(asks, coldcache, measure_arguments):
    asks("{fill: 0.2, passes: 1, round: 400 ms, rounds: 25, seconds: 2 s}", NONE)
    assert coldcache(*measure_arguments("tiny.files")).returncode == 0
    done = read_preconditioned(RAW)
    assert done.ended_by == "time"
    assert len(done.parts) < 6


def test_only_counters_that_count_are_kept():
    before = {"read_bytes": 7, "written_bytes": 512, "flushes": 1}
    after = {**before, "written_bytes": 4096, "calls": 3}
    counts = CounterSource("device", "8:0")
    assert count_growth(counts, before, after) == {"read_bytes": 0, "written_bytes": 3584, "flushes": 0}
    assert count_growth(counts, before, None) == {}
    # Its iostats is 0, so that it counts flushes alone.
    off = CounterSource("device", "8:0", doubt="sda does not count")
    assert count_growth(off, before, {**before, "flushes": 9}) == {}


def test_without_the_key_nothing_is_filled(measured):
    assert read_preconditioned(RAW) is None
    assert not is_due(read_campaign(RAW))


def _site(path, **precondition):
    return Site.model_validate(
        {"site": "x", "title": "t", "targets": {"a": {"path": str(path)}}, "precondition": precondition}
    )


def test_a_target_without_the_space_is_refused_before_anything_is_written(asks, coldcache, refuses, measure_arguments):
    target = asks("{fill: 0.9}")
    ballast = target.parent / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 60 * 2**20)
    with pytest.raises(TargetError, match=r"does not fit into the [0-9.]+ MiB free on .*: free space, or lower precon"):
        bytes_per_pass(_site(target, fill=0.9))
    line = coldcache("plan", "--study=tiny", "--site=here")
    assert (line.returncode, line.stdout) == (1, "")
    assert line.stderr.startswith("coldcache: config/sites/here.yaml, precondition: a fill of ")
    assert line.stderr.count("\n") == 1


def test_the_whole_target_is_its_free_space_but_a_reserve(loop_mount):
    status = os.statvfs(loop_mount)
    free = status.f_bavail * status.f_frsize
    assert bytes_per_pass(_site(loop_mount, fill=1)) == (free - 64 * 2**20) // 2**20 * 2**20


def test_a_fill_that_no_file_can_hold_is_refused(tmp_path, monkeypatch):
    blocks = 100 * 2**40 // 4096
    large = SimpleNamespace(f_bavail=blocks, f_frsize=4096, f_blocks=blocks)
    monkeypatch.setattr(os, "statvfs", lambda _: large)
    tried = []

    def refuse_16_tib(descriptor, size):
        tried.append(size)
        if size >= 16 * 2**40:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))

    monkeypatch.setattr(os, "ftruncate", refuse_16_tib)
    mount = Mount("/mnt/x", "ext4", "/dev/sdb", "rw", "8:16")
    monkeypatch.setattr("coldcache.measure.precondition.find_mount", lambda _: mount)
    with pytest.raises(TargetError) as refused:
        bytes_per_pass(_site(tmp_path, fill=0.5))
    assert str(refused.value) == (
        "config/sites/x.yaml, precondition: a fill of 50 TiB is one file, and ext4 on /mnt/x takes none of that size: "
        "lower precondition.fill"
    )
    assert bytes_per_pass(_site(tmp_path, fill=0.125)) == tried[-1] // 2**20 * 2**20 == int(12.5 * 2**40)


def test_a_target_that_discards_is_refused(loop_mount):
    subprocess.run(["mount", "-o", "remount,discard", str(loop_mount)], check=True)
    with pytest.raises(TargetError, match=f"remount,nodiscard {loop_mount}"):
        bytes_per_pass(_site(loop_mount, fill=0.1))


def test_a_fill_that_fails_says_why_and_leaves_nothing(asks, coldcache, measure_arguments, monkeypatch):
    target = asks("{fill: 0.2, passes: 1, round: 100 ms}")
    program = Path("bin/fio")
    program.parent.mkdir()
    program.write_text('#!/bin/sh\ncase "$1" in --version) exec /usr/bin/fio "$@";; esac\necho no disk >&2; exit 5\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent.absolute()}:{os.environ['PATH']}")
    found = coldcache(*measure_arguments("tiny.files"))
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1] == f"coldcache: {target} could not be filled: fio, exit status 5: no disk"
    assert not (target / "coldcache/precondition").exists()
    assert list(Path("raw").rglob("*precondition*")) == []
