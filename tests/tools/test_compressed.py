"""Compressed logs are read as what they hold, and damaged ones refused."""

import gzip
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from coldcache.campaign.importing.scan import survey
from coldcache.core.errors import LogError
from coldcache.tools import compressed, read_file
from coldcache.tools.compressed import decompress, strip_suffix

SPECIMENS = Path(__file__).parents[1] / "specimens"
NAMES = ["fio-3.33-seq-write.json", "ior-4.0.0-rep3.txt", "fio-3.33-each_bw.1.log"]


def zstd(content):
    if shutil.which("zstd") is None:
        pytest.skip("zstd is not installed")
    return subprocess.run(["zstd", "--stdout", "--quiet"], input=content, capture_output=True, check=True).stdout


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstd)])
def test_a_compressed_log_states_what_the_log_states(tmp_path, name, suffix, compress):
    content = (SPECIMENS / name).read_bytes()
    (tmp_path / f"{name}{suffix}").write_bytes(compress(content))
    found = read_file(tmp_path / f"{name}{suffix}")
    assert list(found) == list(read_file(SPECIMENS / name))
    # The places are those in the log itself.
    assert all(content[one.offset : one.offset + one.length].decode() == one.printed.split()[0] for one in found)


def test_the_first_bytes_tell_the_compression_and_not_the_name(tmp_path):
    (tmp_path / "log.txt").write_bytes(gzip.compress((SPECIMENS / NAMES[1]).read_bytes()))
    assert read_file(tmp_path / "log.txt") == read_file(SPECIMENS / NAMES[1])
    assert decompress(b"plain") == b"plain"
    assert [strip_suffix(name) for name in ("a.json.gz", "b.zst", "c.log")] == ["a.json", "b", "c.log"]


@pytest.mark.parametrize(("compress", "kind"), [(gzip.compress, "gzip"), (zstd, "Zstandard")])
def test_a_damaged_file_is_refused(compress, kind):
    content = compress(os.urandom(3000))
    for damaged in (content[:-5], content[:1500] + bytes([content[1500] ^ 255]) + content[1501:]):
        with pytest.raises(LogError, match=f"^the {kind} file is damaged or cut short$"):
            decompress(damaged)


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_a_file_that_holds_too_much_is_refused(compress, monkeypatch):
    monkeypatch.setattr(compressed, "LARGEST", 1000)
    assert decompress(compress(bytes(1000))) == bytes(1000)
    with pytest.raises(LogError, match=r"^holds more than 1,000 bytes: no log is that large$"):
        decompress(compress(bytes(1_000_000)))


def test_without_zstd_the_line_says_what_to_install(monkeypatch):
    content = zstd(b"x")
    monkeypatch.setenv("PATH", "/no/such/folder")
    with pytest.raises(LogError, match="compressed by zstd, which is not on PATH; install it"):
        decompress(content)


def test_a_folder_keeps_one_of_a_log_and_its_compressed_copy(tmp_path):
    log = (SPECIMENS / NAMES[1]).read_bytes()
    (tmp_path / "a.txt").write_bytes(log)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(log))
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress((SPECIMENS / "ior-4.0.0-two.txt").read_bytes()))
    (tmp_path / "b.txt.zst").write_bytes(zstd((SPECIMENS / "ior-3.3.0-two.txt").read_bytes()))
    found = survey(tmp_path)
    assert [(one.file, one.stored) for one in found.logs] == [("a.txt", "a.txt"), ("b.txt.gz", "b.txt")]
    assert [tuple(one) for one in found.unread] == [
        ("a.txt.gz", "the same bytes as a.txt: a copy is no second measurement"),
        ("b.txt.zst", "holds another log than b.txt: rename one of them"),
    ]
