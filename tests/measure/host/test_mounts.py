"""Whatever bytes a mount point is named by, the file system of a folder is found."""

import os
import subprocess
from types import SimpleNamespace

import pytest

from coldcache.measure.host.mounts import count_free_inodes, find_mount


@pytest.mark.parametrize("name", ["a b\\c\td\ne", "\u2028\x85\x0c", os.fsdecode(b"\xe9t\xe9 \xff")], ids=ascii)
def test_a_mount_point_of_any_name_is_found_and_is_no_harm_to_others(name, tmp_path):
    if os.geteuid():
        pytest.skip("mounting needs root")
    before = find_mount(tmp_path)
    place = tmp_path / name
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", place], check=True)
    try:
        found = find_mount(place / "inside")
        assert (found.point, found.filesystem) == (str(place), "tmpfs")
        assert find_mount(tmp_path) == before
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize(("total", "free", "found"), [(100, 7, 7), (100, 0, 0), (0, 0, None), (1234567, -1, None)])
def test_inodes_are_counted_where_their_number_is_stated(total, free, found):
    assert count_free_inodes(SimpleNamespace(f_files=total, f_favail=free)) == found
