"""The bytes of an archive depend on its files' names and bytes alone."""

import os
import zipfile

from coldcache.report.archive.zip_files import pack, unpack


def test_the_same_files_give_the_same_bytes_whatever_their_times_modes_and_order(tmp_path):
    archives = []
    for number, order in enumerate((("b", "a/c", "a/d"), ("a/d", "b", "a/c"))):
        folder = tmp_path / f"{number}"
        for name in order:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(name * 100)
            os.utime(folder / name, (number, number * 10**9))
            (folder / name).chmod(0o600 + number)
        pack(folder, tmp_path / f"{number}.zip")
        archives.append((tmp_path / f"{number}.zip").read_bytes())
    assert archives[0] == archives[1]


def test_what_is_packed_comes_out_again_and_folders_are_entries(tmp_path):
    (tmp_path / "in/a").mkdir(parents=True)
    (tmp_path / "in/a/b.txt").write_bytes(bytes(range(256)))
    pack(tmp_path / "in", tmp_path / "new/a.zip")
    assert zipfile.ZipFile(tmp_path / "new/a.zip").namelist() == ["a/", "a/b.txt"]
    unpack(tmp_path / "new/a.zip", tmp_path / "out")
    assert (tmp_path / "out/a/b.txt").read_bytes() == bytes(range(256))
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a.zip"]
