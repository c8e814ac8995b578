"""What real tools move reaches a real device or memory, and the counters tell which.

The target is a loop device of the test's own, so that nobody else's transfers count.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coldcache.core.outcome import ColdState, Counters, Outcome
from coldcache.measure.cold import measure_below
from coldcache.measure.host.counters import choose_counters, read_counters
from coldcache.measure.host.inventory import describe_target
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.host.page_cache import evict, measure_residency
from coldcache.tools import TOOLS, read_by
from coldcache.verdicts.judge import judge
from coldcache.verdicts.observation import Observation
from coldcache.verdicts.thresholds import Thresholds

#: Nothing else is judged here.
CALM = Thresholds(shortest_run=1e-9, load_per_core=1e6, foreign_cpu=1e6, least_free=0)

FIO = ("fio", "--name=t", "--output-format=json", "--size=64M", "--bs=1M", "--fallocate=none", "--filename_format=t0")
WRITE = (*FIO, "--rw=write", "--end_fsync=1", "--refill_buffers")
READ = (*FIO, "--rw=read", "--invalidate=0")

NAMES = (
    "fio", "--name=t", "--output-format=json", "--ioengine=filecreate", "--filesize=1", "--bs=1", "--openfiles=1",
    "--file_service_type=sequential", "--create_on_open=1", "--fallocate=none",
)  # fmt: skip


@pytest.fixture
def mounted(loop_device, tmp_path):
    """Return a function that mounts an empty file system on a loop device, with direct I/O or without."""
    point = tmp_path / "mnt"
    point.mkdir()

    def mount(direct=True):
        subprocess.run(["losetup", f"--direct-io={'on' if direct else 'off'}", loop_device], check=True, timeout=20)
        # The kernel would write empty inode tables while the tool runs.
        whole = ["-E", "lazy_itable_init=0,lazy_journal_init=0"]
        subprocess.run(["mkfs.ext4", "-qF", *whole, loop_device], check=True, timeout=60)
        done = subprocess.run(
            ["mount", "-o", "commit=300", loop_device, point], capture_output=True, text=True, check=False, timeout=60
        )
        if done.returncode:
            pytest.skip(f"nothing can be mounted: {done.stderr.strip()}")
        return point

    yield mount
    subprocess.run(["umount", point], check=False, capture_output=True, timeout=60)


def observe(words, folder, operations, cold=None, tick=None, **factors):
    """Return a run of a tool in a folder as the rules see it; its time on a fast disk is short of every clock."""
    tool = TOOLS[words[0]]
    source = choose_counters(find_mount(folder))
    before = read_counters(source)
    ran = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=100)
    outcome = Outcome(
        "s", "w", "c", 0, operations, {"threads": 1, **factors}, words[0], argv=words, exit_status=ran.returncode,
        counters=Counters(before, read_counters(source)), cold=cold, target=describe_target(folder),
    )  # fmt: skip
    return Observation(
        outcome, read_by(tool, ran.stdout), None, CALM, durable_words=tool.TRAITS.durable_words,
        tick=tick,
    )  # fmt: skip


def make_cold(folder):
    """Evict the file that the tool is to read."""
    paths = [folder / "t0"]
    evict(paths)
    held = measure_residency(paths)
    return ColdState("eviction", held.bytes, held.resident)


def test_a_write_reaches_the_storage_and_that_of_a_tool_that_writes_nothing_does_not(mounted, tmp_path, monkeypatch):
    folder = mounted()
    found = judge(observe(WRITE, folder, ("write",)))
    assert (found.reached_by("write"), found.codes) == ("storage", ())
    evidence = found.evidence["write"]
    assert evidence.moved_bytes == pytest.approx(64 * 2**20, rel=1e-3)
    assert evidence.crossed_bytes >= 64 * 2**20
    assert evidence.requests > 0 < evidence.flushes
    # fio's engine null prints the log of a fast device and writes nothing. A log that names it states no throughput.
    program = tmp_path / "bin/fio"
    program.parent.mkdir()
    hidden = """sed 's/"ioengine" : "null"/"ioengine" : "psync"/'"""
    program.write_text(f'#!/bin/sh\n{shutil.which("fio")} "$@" --ioengine=null --size=64G | {hidden}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    found = judge(observe(WRITE, folder, ("write",)))
    assert (found.reached_by("write"), found.codes) == ("memory", ("wrote-less",))
    assert found.reasons[0].startswith("write was to end on storage (--end_fsync=1), but ")


def test_a_tool_that_prints_an_older_log_wrote_nothing(mounted, tmp_path, monkeypatch):
    folder = mounted()
    log = subprocess.run(WRITE, cwd=folder, capture_output=True, check=True, timeout=60).stdout
    (tmp_path / "log").write_bytes(log)
    program = tmp_path / "bin/fio"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nprint(open({str(tmp_path / 'log')!r}).read())\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert judge(observe(WRITE, folder, ("write",))).codes == ("wrote-less",)


def test_a_read_after_eviction_is_cold_and_one_after_an_eviction_that_drops_nothing_is_not(mounted):
    folder = mounted()
    subprocess.run(WRITE, cwd=folder, capture_output=True, check=True, timeout=60)
    found = judge(observe(READ, folder, ("read",), make_cold(folder)))
    assert (found.cold, found.reached_by("read"), found.codes) == ("cold", "storage", ())
    # The method claims that it dropped what is still there.
    found = judge(observe(READ, folder, ("read",), ColdState("drop-caches", 64 * 2**20, 0)))
    assert (found.cold, found.reached_by("read"), found.codes) == ("warm", "memory", ("served-from-cache",))


def test_half_a_file_in_memory_is_a_mixture_and_suspect(mounted):
    folder = mounted()
    subprocess.run(WRITE, cwd=folder, capture_output=True, check=True, timeout=60)
    state = make_cold(folder)
    with (folder / "t0").open("rb") as file:
        file.read(32 * 2**20)
    found = judge(observe(READ, folder, ("read",), state))
    assert (found.cold, found.reached_by("read"), found.codes) == ("mixed", "unknown", ("served-from-cache",))


def test_a_loop_device_without_direct_io_is_not_proved_cold(mounted, tmp_path):
    """What crosses the loop device comes from the page cache of its backing file."""
    folder = mounted(direct=False)
    subprocess.run(WRITE, cwd=folder, capture_output=True, check=True, timeout=60)
    state = make_cold(folder)
    held = measure_residency([tmp_path / "image"])
    assert held.resident >= 64 * 2**20
    found = judge(observe(READ, folder, ("read",), state))
    assert (found.cold, found.reached_by("read")) == ("unproved", "unknown")
    assert "is a loop device without direct I/O" in found.colds[0].why
    assert found.evidence["read"].crossed_bytes >= 64 * 2**20
    # Once the backing file is cold, too, what crosses can only come from the disk.
    state = make_cold(folder)
    evict([tmp_path / "image"])
    state = state._replace(below_bytes=measure_below(describe_target(folder)["layers"]))
    found = judge(observe(READ, folder, ("read",), state))
    assert (state.below_bytes < 2**20, found.cold, found.reached_by("read")) == (True, "cold", "storage")


def test_names_are_made_and_looked_up_in_memory(mounted):
    folder = mounted()
    make = (*NAMES, "--nrfiles=5000")
    found = judge(observe(make, folder, ("file-create",), files=5000))
    # The journal may be written meanwhile; that is no proof of the storage.
    assert found.reached_by("file-create") in ("memory", "unknown")
    assert found.evidence["file-create"].names == 5000
    look = (*(word.replace("filecreate", "filestat") for word in make),)
    found = judge(observe(look, folder, ("file-stat",), files=5000))
    assert found.reached_by("file-stat") == "memory"


def test_an_interval_of_a_few_ticks_is_void(mounted):
    words = (*NAMES, "--nrfiles=20")
    found = judge(observe(words, mounted(), ("file-create",), tick=TOOLS["fio"].TRAITS.tick_seconds, files=20))
    assert (found.verdict, found.codes) == ("void", ("coarse-clock",))


@pytest.mark.skipif(not shutil.which("iozone"), reason="IOzone is not installed")
def test_both_operations_of_one_run_of_iozone_are_judged(mounted):
    folder = mounted()
    words = ("iozone", "-i", "0", "-c", "-e", "-w", "-+n", "-r", "4k", "-s", "16m", "-t", "1", "-F", "t0")
    found = judge(observe(words, folder, ("write",), file_size=16 * 2**20))
    assert (found.reached_by("write"), found.codes) == ("storage", ())
    both = ("iozone", "-i", "2", *words[3:])
    # The pages that the write before left in memory.
    found = judge(observe(both, folder, ("random-write", "random-read"), file_size=16 * 2**20))
    assert (found.reached_by("random-write"), found.reached_by("random-read")) == ("storage", "memory")
    assert (found.cold, found.codes) == ("warm", ("served-from-cache",))
    assert [(one.operation, one.verdict) for one in found.colds] == [("random-read", "warm")]
    assert re.fullmatch(r"random-read: \S+ K?i?B of 16 MiB crossed the device", found.reasons[0])
    evict([folder / "t0"])
    direct = observe((*both, "-I"), folder, ("random-write", "random-read"), file_size=16 * 2**20, direct_io=True)
    found = judge(direct)
    assert (found.reached_by("random-write"), found.reached_by("random-read")) == ("storage", "storage")


def test_the_target_of_this_test_names_its_layers(mounted):
    layers = describe_target(mounted())["layers"]
    assert layers["loop"]["direct_io"] is True
    assert Path(layers["loop"]["backing_file"]).name == "image"
