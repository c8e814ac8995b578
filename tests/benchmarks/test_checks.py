"""The benchmark of the checks times make in a clone, and ends with the log's name when a test fails."""

import os

import pytest

MAKEFILE = """\
good:
	@sleep 0.2; (i=0; while [ $$i -lt 300000 ]; do i=$$((i+1)); done) & wait; echo passed; [ -z "$$VIRTUAL_ENV" ]
bad:
	@echo a test failed; exit 1
"""


@pytest.fixture
def checks(root, monkeypatch, tmp_path):
    """The benchmark, with a folder of its own for its log."""
    monkeypatch.syspath_prepend(root / "benchmarks")
    monkeypatch.setenv("VIRTUAL_ENV", "/elsewhere")
    import checks

    (tmp_path / "logs").mkdir()
    (tmp_path / "Makefile").write_text(MAKEFILE)
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    return checks


def test_make_is_timed_and_its_output_kept(checks, tmp_path):
    seconds, busy = checks._run_make(tmp_path, "good")
    # It sleeps for 0.2 s, and then counts in a shell; other work of this machine is counted, too.
    assert seconds >= 0.2
    assert 0.02 <= busy <= os.cpu_count() * (seconds + 0.05)
    assert (tmp_path / "logs/bench-checks.log").read_text() == "passed\n"


def test_a_target_that_fails_ends_the_benchmark(checks, tmp_path):
    with pytest.raises(SystemExit, match=r"bench: make bad failed; its output is in .*/logs/bench-checks\.log"):
        checks._run_make(tmp_path, "bad")
    assert "a test failed\n" in (tmp_path / "logs/bench-checks.log").read_text()
