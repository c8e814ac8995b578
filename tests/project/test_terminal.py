"""Snakemake's terminal stays small where all goes well, has one live line, and shows what failed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from terminal import run_on_a_terminal

WANTED = ["results/x/verdicts.csv", "--config", "campaign=x", "studies=tiny", "site=here"]
COMMAND = ["snakemake", "--cores", "2", *WANTED]

pytestmark = pytest.mark.slow


@pytest.fixture
def tiny(clone, change):
    """A clone whose tiny study has one repetition."""
    change(clone / "config/studies/tiny.yaml", "repetitions: 2", "repetitions: 1")
    return clone


def call(*arguments):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=280)


def test_a_log_has_a_line_for_each_step_and_stays_below_4_kb(tiny):
    found = call()
    assert found.returncode == 0, found.stderr
    assert len(found.stderr) < 4096 and found.stdout == ""
    steps = re.findall(r"^✓ (.+) · .+ s$", found.stderr, re.MULTILINE)
    assert steps == ["measure round-1", "collect and judge the logs"]
    shares = [int(share) for share in re.findall(r"^ *(\d+) % · \d+ of 9 trials · tiny ", found.stderr, re.MULTILINE)]
    assert shares == sorted(set(shares)) and len(shares) >= 1
    assert "\x1b" not in found.stderr
    again = call()
    assert "Nothing to be done" in again.stderr and "✓" not in again.stderr
    # Everything that Snakemake says is kept.
    assert "rule measure_block:" in min(Path(".snakemake/log").iterdir()).read_text()


def test_a_terminal_has_one_live_line_that_never_counts_backwards(tiny):
    status, shown = run_on_a_terminal(COMMAND)
    assert status == 0, shown
    counted = [int(count) for count in re.findall(r"(\d+) of 9 trials", shown)]
    assert counted == sorted(counted) and counted[0] < 3 and counted[-1] >= 8
    shares = [int(share) for share in re.findall(r"\x1b\[1m *(\d+) % ·", shown)]
    assert shares == sorted(shares)
    assert shown.count("\x1b[32m✓\x1b[0m ") == 2
    # Each live line ends at the start of the line, with its time left; only steps end a line.
    live = re.findall(r"\r\x1b\[2K\x1b\[1m(.+?)\x1b\[0m\r", shown)
    assert live and all("\n" not in line for line in live)
    assert all(line.endswith(" left") for line in live if "%" in line)


def test_quiet_shows_failures_alone_and_verbose_what_snakemake_says(tiny):
    said = call("--quiet", "progress").stderr
    assert said == "Using workflow specific profile profiles/default for setting default command line arguments.\n"
    shutil.rmtree("results")
    assert "checkpoint collect_records:" in call("--verbose").stderr
    shutil.rmtree("results")
    outcome = next(Path("raw/x").rglob("trial.json"))
    outcome.write_text("{")
    found = call("--quiet", "progress")
    assert found.returncode == 1
    assert f"coldcache: {outcome}: not the outcome of a trial" in found.stderr
    assert found.stderr.count("✗ failed: collect and judge the logs, see logs/x/collect.log\n") == 1
    assert len(found.stderr) < 1024
