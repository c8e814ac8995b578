"""Files lie there whole, without holes and without what does not belong, before a trial needs them."""

import json
import os
from pathlib import Path

import pytest

from coldcache.measure.input_files import lay_out, lay_out_within
from coldcache.tools.run import NO_INPUTS, Inputs

PAIR = Inputs((("t0",), ("t1",)), 3 * 2**20 + 5)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "a/b"


def test_files_have_their_size_and_no_holes(folder):
    lay_out(folder, PAIR)
    assert names(folder) == ["t0", "t1"]
    for path in folder.iterdir():
        status = path.stat()
        assert status.st_size == PAIR.size
        assert status.st_blocks * 512 >= PAIR.size
    assert PAIR.total == 2 * PAIR.size


def test_every_page_starts_with_the_word_that_iozone_verifies_and_differs_from_the_others(folder):
    lay_out(folder, PAIR)
    content = (folder / "t0").read_bytes()
    pages = [content[start : start + 4096] for start in range(0, len(content), 4096)]
    assert all(page[:8] == b"_" * min(8, len(page)) for page in pages)
    assert len(set(pages[:256])) == 256
    assert pages[0] != pages[256]
    assert content != (folder / "t1").read_bytes()


def test_files_that_fit_are_kept_and_all_others_removed(folder):
    lay_out(folder, PAIR)
    kept = (folder / "t0").stat().st_ino
    with (folder / "t1").open("ab") as file:
        file.write(b"longer")
    (folder / "stranger").touch()
    (folder / "link").symlink_to(folder / "t0")
    lay_out(folder, PAIR)
    assert names(folder) == ["t0", "t1"]
    assert (folder / "t0").stat().st_ino == kept
    assert (folder / "t1").stat().st_size == PAIR.size


def test_a_file_with_a_hole_is_laid_out_again(folder):
    lay_out(folder, PAIR)
    os.truncate(folder / "t0", 0)
    os.truncate(folder / "t0", PAIR.size)
    assert (folder / "t0").stat().st_blocks == 0
    lay_out(folder, PAIR)
    assert (folder / "t0").stat().st_blocks * 512 >= PAIR.size


def test_nothing_wanted_leaves_nothing(folder):
    lay_out(folder, PAIR)
    lay_out(folder, NO_INPUTS)
    assert names(folder) == []


def many(threads, count):
    return Inputs(tuple(tuple(f"t.{job}.{file}" for file in range(count)) for job in range(threads)))


def test_empty_files_are_there_for_every_thread(folder):
    assert lay_out_within(folder, many(2, 300), 60) == 300
    assert len(names(folder)) == 600
    (folder / "t.0.5").unlink()
    (folder / "t.1.7").write_text("not empty")
    (folder / "stranger").touch()
    assert lay_out_within(folder, many(2, 300), 60) == 300
    assert len(names(folder)) == 600
    assert all(path.stat().st_size == 0 for path in folder.iterdir())


def test_where_time_is_short_every_thread_gets_the_same_lower_number(folder):
    count = lay_out_within(folder, many(3, 100_000), 0.01)
    assert 64 <= count < 100_000
    assert names(folder) == sorted(f"t.{job}.{file}" for job in range(3) for file in range(count))


def test_files_of_a_longer_run_before_are_removed_where_time_is_short(folder):
    lay_out_within(folder, many(2, 500), 60)
    for file in range(64):
        (folder / f"t.0.{file}").unlink()
    assert lay_out_within(folder, many(2, 500), 0) == 64
    assert len(names(folder)) == 128


def test_fewer_files_than_asked_reach_the_command_line_and_the_outcome(project, coldcache, measure_arguments, change):
    change(Path("config/studies/tiny.yaml"), "files: [2000]", "files: [200000]")
    change(Path("config/studies/tiny.yaml"), "repetitions: 2", "repetitions: 1")
    change(
        Path("config/studies/tiny.yaml"),
        "[file-create, file-stat, file-remove]\n    seconds: 0.2 s",
        "[file-remove]\n    seconds: 2 s",
    )
    change(Path("config/sites/here.yaml"), "bytes: 64 MiB", "bytes: 64 MiB\n  layout_seconds: 10 ms")
    assert coldcache(*measure_arguments("tiny.files")).returncode == 0
    outcome = json.loads(Path("raw/tiny/tiny/files/only/r0/trial.json").read_text())
    files = outcome["factors"]["files"]
    assert 64 <= files < 200000
    assert f"--nrfiles={files}" in outcome["argv"]
    log = json.loads(Path("raw/tiny/tiny/files/only/r0/stdout.txt").read_text())
    assert log["jobs"][0]["read"]["total_ios"] + log["jobs"][0]["write"]["total_ios"] == 2 * files


def test_files_of_names_have_their_body(tmp_path):
    inputs = Inputs((("a", "b"), ("c", "d")), 700)
    assert lay_out_within(tmp_path, inputs, 60) == 2
    assert {path.name: path.stat().st_size for path in tmp_path.iterdir()} == dict.fromkeys("abcd", 700)


def test_files_that_cannot_be_created_are_an_error_with_the_systems_words(tmp_path):
    with pytest.raises(FileNotFoundError, match=f"No such file or directory: '{tmp_path}'"):
        lay_out_within(tmp_path, Inputs((("missing/a",), ("b",))), 60)
