"""An archive is unpacked into its folder and nowhere else, whoever made it."""

import stat
import zipfile

import pytest

from coldcache.report.archive import zip_files
from coldcache.report.archive.zip_files import ArchiveError, unpack


@pytest.fixture
def archive(tmp_path):
    """Return a function that packs entries, each a name or a `ZipInfo` with its bytes."""

    def pack(*entries):
        path = tmp_path / "a.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in entries:
                packed.writestr(name, content)
        return path

    return pack


def special(name, kind):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (kind | 0o777) << 16
    return entry


def test_files_and_folders_come_out_as_they_went_in(archive, tmp_path):
    unpack(archive(("a/", b""), ("a/b.txt", b"one"), ("c", b"")), tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == {
        "b.txt": b"one", "c": b"",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "cause"),
    [
        ("../out.txt", "'../out.txt' leaves the archive's folder; nothing is unpacked"),
        ("a/../../out.txt", "'a/../../out.txt' leaves the archive's folder; nothing is unpacked"),
        ("/etc/out.txt", "'/etc/out.txt' leaves the archive's folder; nothing is unpacked"),
        ("a\\..\\out.txt", "'a\\\\..\\\\out.txt' leaves the archive's folder; nothing is unpacked"),
        ("C:/out.txt", "'C:/out.txt' leaves the archive's folder; nothing is unpacked"),
        (special("a", stat.S_IFLNK), "'a' is a link or a device; nothing is unpacked"),
        (special("a", stat.S_IFCHR), "'a' is a link or a device; nothing is unpacked"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused_before_anything_is_written(archive, tmp_path, entry, cause):
    path = archive(("good.txt", b"one"), (entry, b"/etc/passwd"))
    with pytest.raises(ArchiveError) as refusal:
        unpack(path, tmp_path / "out")
    assert str(refusal.value) == f"{path}: {cause}"
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_name_that_occurs_twice_is_refused(archive, tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = archive(("a", b"one"), ("a", b"two"))
    with pytest.raises(ArchiveError, match="'a' occurs twice"):
        unpack(path, tmp_path / "out")


def test_a_bomb_is_refused_by_what_it_says_of_itself(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(zip_files, "_SMALL", 2**20)
    path = archive(*((f"{number}", bytes(2**20)) for number in range(3)))
    with pytest.raises(ArchiveError, match=r"3 files of 3145728 bytes in \d+; nothing is unpacked"):
        unpack(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_larger_than_it_says_is_not_believed(archive, tmp_path):
    path = archive(("a", b"x" * 5000))
    content = path.read_bytes()
    assert content.count((5000).to_bytes(4, "little")) == 2
    path.write_bytes(content.replace((5000).to_bytes(4, "little"), (50).to_bytes(4, "little")))
    with pytest.raises(ArchiveError):
        unpack(path, tmp_path / "out")


def test_what_is_no_zip_file_or_is_cut_short_is_refused_in_words(archive, tmp_path):
    path = archive(("a", b"one" * 1000))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ArchiveError, match=r"not a complete zip file \(File is not a zip file\); fetch it again"):
        unpack(path, tmp_path / "out")
