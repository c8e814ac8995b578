"""A harness is believed only as far as the logs of the tools that it ran say the same."""

import json
import shutil
from pathlib import Path

import pytest

from coldcache.campaign.importing.cross_check import find_contradictions
from coldcache.campaign.importing.import_logs import import_logs
from coldcache.campaign.importing.scan import survey
from coldcache.dataset.collect import collect

SPECIMEN = Path(__file__).parents[2] / "specimens/io500-02091cf"


@pytest.fixture(autouse=True)
def logs(tmp_path, monkeypatch):
    """Work in an empty project; return the copy of a folder of results in it."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SPECIMEN, "logs/run")
    return Path("logs/run")


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def contradict(logs):
    """Make the harness overstate one phase, with scores to match."""
    for name in ("result.txt", "result_summary.txt"):
        change(logs / name, "0.885689", "0.985689")
        change(logs / name, "0.397987", "0.408774")
        change(logs / name, "5.493696", "5.567649")


def test_a_harness_agrees_with_its_tools(logs):
    assert find_contradictions(Path("logs"), survey(Path("logs")).logs) == {}


def test_a_phase_that_is_overstated_is_named_with_both_figures(logs):
    contradict(logs)
    assert find_contradictions(Path("logs"), survey(Path("logs")).logs) == {
        ("run/result.txt", "ior-easy"):
            "phase ior-easy-read is 0.985689 here, and 906.95 MiB/s in run/ior-easy-read.txt",
    }  # fmt: skip


def test_a_phase_without_a_log_that_can_be_read_is_passed_over(logs):
    contradict(logs)
    (logs / "ior-easy-read.txt").write_text("")
    assert find_contradictions(Path("logs"), survey(Path("logs")).logs) == {}


def test_logs_of_the_script_have_names_of_their_own(logs):
    contradict(logs)
    (logs / "ior-easy-read.txt").rename(logs / "ior_easy_read.txt")
    (found,) = find_contradictions(Path("logs"), survey(Path("logs")).logs).values()
    assert found.endswith("in run/ior_easy_read.txt")


def test_a_contradicted_phase_is_void_and_the_others_count(logs):
    contradict(logs)
    imported = import_logs(Path("logs"), "old")
    voids = [key for key, outcome in imported.trials.items() if outcome.contradiction]
    assert [json.loads(Path(f"raw/old/{key}/trial.json").read_text())["factors"]["phase"] for key in voids] == [
        "ior-easy"
    ]
    collect("old", Path("results/old"))
    lines = Path("results/old/reasons.csv").read_text().splitlines()
    (line,) = [line for line in lines if "contradicted" in line]
    assert ",void,contradicted too-short," in line
    assert "phase ior-easy-read is 0.985689 here, and 906.95 MiB/s in run/ior-easy-read.txt" in line


def test_a_tree_of_results_becomes_one_trial_per_phase_and_log():
    imported = import_logs(Path("logs"), "old")
    sweeps = [key.split("/")[1] for key in imported.trials]
    assert {sweep: sweeps.count(sweep) for sweep in sweeps} == {"io500": 6, "ior": 5, "mdtest": 11}
    reasons = {unread.file: unread.reason for unread in imported.found.unread}
    assert (
        reasons["run/result_summary.txt"] == "states no figure that run/result.txt does not state: one run, seen twice"
    )
