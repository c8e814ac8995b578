"""The progress of a runner is read as it was written, and an old or broken file is none."""

import time
from pathlib import Path

from coldcache.core.live_progress import LIVE_VARIABLE, LiveProgress, is_shown_elsewhere, read_progress, write_progress

TOLD = LiveProgress(3, 18, 12.5, "tiny files threads=2 r0")


def test_what_is_written_is_read_and_nothing_else_is_left(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_progress("x") is None
    write_progress("x", TOLD)
    assert read_progress("x") == TOLD
    assert [str(path) for path in Path("logs/x").iterdir()] == ["logs/x/progress.json"]


def test_the_progress_of_an_earlier_start_is_not_that_of_this_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_progress("x", TOLD)
    assert read_progress("x", since=time.time() - 60) == TOLD
    assert read_progress("x", since=time.time() + 60) is None


def test_a_file_that_is_no_progress_is_ignored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_progress("x", TOLD)
    for text in ("", "{", "[1]", '{"done": 1}'):
        Path("logs/x/progress.json").write_text(text)
        assert read_progress("x") is None


def test_only_a_snakemake_that_shows_the_progress_keeps_runners_quiet(monkeypatch):
    monkeypatch.delenv(LIVE_VARIABLE, raising=False)
    assert not is_shown_elsewhere()
    monkeypatch.setenv(LIVE_VARIABLE, "1")
    assert is_shown_elsewhere()
