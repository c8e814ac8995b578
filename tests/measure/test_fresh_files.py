"""What a trial leaves is kept aside, and inodes that were freed all the same are forgotten."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.measure.fresh_files import (
    find_inode_readahead,
    forget_earlier_files,
    name_aside,
    renew,
    spread_over_groups,
)
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.host.page_cache import measure_residency
from coldcache.measure.probe import with_paces
from coldcache.measure.settings.block import BlockSettings
from coldcache.measure.target import MARKER, locked


def test_files_of_earlier_trials_keep_their_inodes(tmp_path):
    folder = tmp_path / "study/sweep"
    folder.parent.mkdir()
    seen = set()
    for _ in range(3):
        renew(folder, 2, 0)
        assert list(folder.iterdir()) == []
        for name in "ab":
            (folder / name).touch()
        inodes = {path.stat().st_ino for path in folder.iterdir()}
        assert not inodes & seen
        seen |= inodes
    assert sorted(str(path.relative_to(name_aside(folder))) for path in name_aside(folder).rglob("*/*")) == [
        "0/a", "0/b", "1/a", "1/b",
    ]  # fmt: skip


def test_an_empty_folder_is_not_kept(tmp_path):
    folder = tmp_path / "sweep"
    renew(folder, 1, 0)
    renew(folder, 1, 0)
    assert not name_aside(folder).exists()


@pytest.mark.parametrize(("files", "size"), [(2**62, 0), (1, 2**62)])
def test_where_inodes_or_space_are_short_nothing_is_kept(tmp_path, files, size):
    folder = tmp_path / "sweep"
    renew(folder, 1, 0)
    (folder / "a").touch()
    renew(folder, files, size)
    assert list(folder.iterdir()) == []
    assert not name_aside(folder).exists()


@pytest.mark.parametrize(("total", "free", "kept"), [(0, 0, True), (1234567, -1, True), (1234567, 199, False)])
def test_where_inodes_are_not_stated_what_lies_aside_is_kept(tmp_path, monkeypatch, total, free, kept):
    folder = tmp_path / "sweep"
    renew(folder, 1, 0)
    (folder / "a").touch()
    stated = SimpleNamespace(f_files=total, f_favail=free, f_bavail=2**30, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda place: stated)
    renew(folder, 100, 0)
    assert name_aside(folder).is_dir() == kept


def test_folders_of_trials_are_spread_over_groups_of_inodes(tmp_path):
    if find_mount(tmp_path).filesystem != "ext4" or not shutil.which("lsattr"):
        pytest.skip("it needs ext4 and lsattr")
    spread_over_groups(tmp_path)
    shown = subprocess.run(["lsattr", "-d", str(tmp_path)], capture_output=True, text=True, check=True).stdout
    assert "T" in shown.split()[0]


def test_where_there_are_no_groups_nothing_happens():
    spread_over_groups(Path("/dev/shm"))


@pytest.fixture
def cached_file(loop_mount):
    """A file on a file system of this test's own, whole in the page cache."""
    file = loop_mount / "file"
    file.write_bytes(b"_" * 2**20)
    subprocess.run(["sync", str(file)], check=True)
    assert measure_residency([file]) == (2**20, 2**20)
    return file


def test_where_no_trial_left_files_nothing_is_dropped(cached_file):
    assert forget_earlier_files(cached_file.parent / "sweep") == {}
    assert measure_residency([cached_file]).resident == 2**20


def test_names_that_trials_left_are_dropped_and_pages_are_not(cached_file):
    folder = cached_file.parent / "sweep"
    renew(folder, 1, 0)
    (folder / "left").touch()
    renew(folder, 1, 0)
    before = _fill_names(folder)
    assert forget_earlier_files(folder) == {"name_cache": "dropped"}
    assert before - _count_names() > 50_000
    assert measure_residency([cached_file]).resident == 2**20


def _fill_names(folder):
    """Look 100,000 names up that do not exist, again where a test beside this one drops them; return the dentries."""
    for _ in range(5):
        for number in range(100_000):
            assert not os.path.lexists(folder / str(number))
        if (dentries := _count_names()) > 100_000:
            break
    return dentries


def _count_names():
    """Return how many dentries the kernel keeps."""
    return int(Path("/proc/sys/fs/dentry-state").read_text().split()[0])


@pytest.fixture
def unjournaled(loop_mount, loop_device):
    """Return a function that takes the journal away from the file system of a test's own."""

    def take_away():
        subprocess.run(["umount", str(loop_mount)], check=True)
        subprocess.run(["tune2fs", "-O", "^has_journal", loop_device], check=True, capture_output=True)
        subprocess.run(["mount", loop_device, str(loop_mount)], check=True)
        return loop_mount

    return take_away


def test_ext4_without_a_journal_loses_its_pages(cached_file, unjournaled):
    folder = unjournaled()
    assert cached_file.read_bytes() == b"_" * 2**20
    assert forget_earlier_files(folder) == {"page_cache": "dropped", "name_cache": "dropped"}
    assert measure_residency([cached_file]).resident == 0


def test_only_ext4_without_a_journal_has_its_readahead_of_inodes_changed(loop_mount, unjournaled):
    assert find_inode_readahead(loop_mount) is None
    folder = unjournaled()
    device = Path(f"/sys/dev/block/{find_mount(folder).device}").resolve().name
    assert find_inode_readahead(folder) == Path(f"/sys/fs/ext4/{device}/inode_readahead_blks")
    assert find_inode_readahead(Path("/dev/shm")) is None


@pytest.mark.parametrize(("blocks", "least", "most"), [("32", 100, 128), ("0", 0, 3)])
def test_blocks_that_are_read_ahead_keep_freed_inodes_from_use(unjournaled, blocks, least, most):
    folder = unjournaled()
    first, *_ = [_create(folder / "d", str(number)) for number in range(2048)]
    # The first stays, so its block, which has four inodes, is read before the next one is used.
    for number in range(1, 2048):
        (folder / "d" / str(number)).unlink()
    # ext4 counts whole seconds, and takes an inode of the same second for one that was not freed.
    time.sleep(1.1)
    forget_earlier_files(folder)
    find_inode_readahead(folder).write_text(blocks)
    again = [_create(folder / "d", f"again-{number}") for number in range(256)]
    assert least <= max(again) - first - 256 <= most


def _create(folder, name):
    folder.mkdir(exist_ok=True)
    (folder / name).touch()
    return (folder / name).stat().st_ino


@pytest.mark.parametrize("has_journal", [True, False])
def test_a_trial_of_metadata_says_what_was_done_about_freed_inodes(
    project, coldcache, measure_arguments, change, loop_mount, unjournaled, has_journal
):
    if not has_journal:
        unjournaled()
    change(Path("config/sites/here.yaml"), "{path: scratch, make: true}", f"{{path: {loop_mount}/data, make: true}}")
    found = coldcache(*measure_arguments("tiny.files"))
    assert found.returncode == 0, found.stderr
    stated = [json.loads(path.read_text()) for path in Path("raw/tiny/tiny/files").rglob("trial.json")]
    assert stated
    assert {trial.get("page_cache") for trial in stated} == {None if has_journal else "dropped"}
    # With a journal, nothing is dropped before the first trial, when nothing lies aside.
    assert {trial.get("name_cache") for trial in stated} == ({None, "dropped"} if has_journal else {"dropped"})
    assert {trial.get("inode_readahead") for trial in stated} == {None if has_journal else 0}
    device = Path(f"/sys/dev/block/{find_mount(loop_mount).device}").resolve().name
    assert Path(f"/sys/fs/ext4/{device}/inode_readahead_blks").read_text() == "32\n"


def test_a_probe_creates_files_as_trials_do(measured, unjournaled, monkeypatch):
    work = unjournaled() / "work"
    work.mkdir()
    (work / MARKER).touch()
    blocks = find_inode_readahead(work)
    monkeypatch.setattr("coldcache.measure.probe.probe", lambda *_: {"file-create": float(blocks.read_text())})
    with locked(work) as lock, BlockSettings(work, lock) as settings:
        campaign = with_paces(read_campaign(Path("raw/tiny")), work, settings)
    assert campaign.environment.paces == {"file-create": 0.0}
    assert blocks.read_text() == "32\n"
