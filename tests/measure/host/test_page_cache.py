"""What is evicted is gone from the page cache, and what is there is counted to the page."""

import mmap
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from coldcache.measure.host.page_cache import evict, measure_residency

SIZE = 8 * 2**20


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(os.urandom(SIZE))
    return path


def evictable(folder):
    """Tell whether the kernel drops pages of this file system: tmpfs keeps all."""
    lines = [line.split(" - ") for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    points = [(left.split()[4], right.split()[0]) for left, right in lines]
    _, kind = max((len(point), kind) for point, kind in points if folder.is_relative_to(point))
    return kind not in ("tmpfs", "ramfs", "overlay")


def test_a_file_that_was_just_written_is_resident(written):
    assert measure_residency([written]) == (SIZE, SIZE)


def test_an_evicted_file_is_not_resident_and_keeps_its_bytes(written):
    if not evictable(written):
        pytest.skip("the pages of this file system are its only copy")
    content = written.read_bytes()
    evict([written])
    assert measure_residency([written]).resident <= SIZE // 100
    assert written.read_bytes() == content
    assert measure_residency([written]) == (SIZE, SIZE)


def test_dirty_pages_are_written_back_before_they_are_dropped(written):
    if not evictable(written):
        pytest.skip("the pages of this file system are its only copy")
    with written.open("r+b") as file:
        file.write(b"x" * SIZE)
    evict([written])
    assert measure_residency([written]).resident <= SIZE // 100
    assert written.read_bytes() == b"x" * SIZE


def test_pages_are_counted_one_by_one(written):
    if not evictable(written):
        pytest.skip("the pages of this file system are its only copy")
    evict([written])
    before = measure_residency([written]).resident
    descriptor = os.open(written, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
    for page in (3, 500, 1500):
        os.pread(descriptor, 1, page * mmap.PAGESIZE)
    os.close(descriptor)
    assert measure_residency([written]).resident - before == 3 * mmap.PAGESIZE


def test_files_are_summed_and_a_last_page_counts_as_its_bytes(tmp_path):
    small, empty = tmp_path / "small", tmp_path / "empty"
    small.write_bytes(b"x" * (mmap.PAGESIZE + 1))
    empty.touch()
    assert measure_residency([small, empty]) == (mmap.PAGESIZE + 1, mmap.PAGESIZE + 1)
    assert measure_residency([]) == (0, 0)


@pytest.mark.parametrize("function", [evict, measure_residency])
def test_a_missing_file_is_an_error_that_names_it(tmp_path, function):
    with pytest.raises(OSError, match="gone"):
        function([tmp_path / "gone"])


def test_no_descriptor_is_left_open(written):
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        evict([written])
        measure_residency([written])
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.skipif(not shutil.which("fincore"), reason="no fincore: package util-linux")
def test_what_is_counted_is_what_fincore_counts(written):
    for size in (SIZE, SIZE // 2):
        evict([written])
        with written.open("rb") as file:
            # Nothing is read ahead while one counts after the other.
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
            file.read(size)
        told = subprocess.run(
            ["fincore", "--bytes", "--noheadings", "--output=RES", str(written)], capture_output=True, check=True
        )
        assert measure_residency([written]).resident == int(told.stdout) >= size
