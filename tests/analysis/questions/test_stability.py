"""The sentinel's drift and the stop rule's reasons are told, drawn and saved; their absence is one line."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from coldcache.analysis.questions.stability import Repetitions, SentinelTrials, open_repetitions, open_sentinel

STUDY = Path("config/studies/tiny.yaml")
DATASET = Path("results/tiny/dataset.nc")


def sentinel(figures, verdicts=None, allowed=0.2):
    verdicts = verdicts or ["valid"] * len(figures)
    there = pd.Series(figures, dtype=float)
    return SentinelTrials("s", pd.DataFrame({
        "study": "s", "sweep": "probe", "case": "only", "repetition": range(len(figures)), "verdict": verdicts,
        "minutes": [2.5 * number for number in range(len(figures))], "figure": there, "unit": "B/s",
        "drift": there / there.median() - 1, "allowed": allowed,
    }))  # fmt: skip


def test_the_furthest_drift_is_told_with_what_is_allowed():
    assert sentinel([1e9, 1e9, 0.9e9]).describe() == (
        "The sentinel probe ran 3 times; it was at most \N{MINUS SIGN}10 % off its median, never beyond the 20 % "
        "that the site allows."
    )
    assert sentinel([1e9, 1e9, 1.5e9, 0.5e9, 1e9]).describe() == (
        "The sentinel probe ran 5 times; it was at most +50 % off its median, 2 times beyond the 20 % that the site "
        "allows."
    )


def test_trials_that_do_not_count_are_drawn_and_have_no_figure():
    found = sentinel([1e9, float("nan"), 1.1e9], ["valid", "void", "suspect"])
    assert found.caption().startswith("Dots: 3 trials of probe; hollow: suspect; crosses on the axis: do not count.")
    assert found.caption().endswith("Dashed: 20 % off it.")
    assert (found.path, found.quantity, found.unit, found.allowed) == ("s/probe", "throughput", "B/s", 0.2)
    assert found.counted.figure.tolist() == [1e9, 1.1e9]
    assert found.title() == "The sentinel was at most \N{MINUS SIGN}4.8 % off its median"
    assert found.in_words(median=found.counted.figure.median()).to_dict("records") == [
        {"sentinel": "probe", "trials": 3, "that count": 2, "median": "1.05 GB/s",
         "furthest off": "\N{MINUS SIGN}4.8 %", "allowed": "20 %"}
    ]  # fmt: skip
    numbers = found.numbers()
    assert numbers["figure (B/s)"].tolist()[::2] == [1e9, 1.1e9]
    assert numbers["time (min)"].tolist() == [0, 2.5, 5]


def test_a_study_without_a_sentinel_or_a_stop_rule_says_so_in_one_line(invent):
    dataset = invent("dell-lustre", "random")
    for found, line in (
        (open_sentinel(dataset, "dell-lustre"),
         "The study dell-lustre names no sentinel: drift shows in its own trials alone."),
        (open_repetitions(dataset, "dell-lustre"),
         "The study dell-lustre has no stop rule: its design names how often each case is repeated."),
    ):  # fmt: skip
        assert found.describe() == line


def test_a_sentinel_of_which_nothing_counts_is_told():
    found = sentinel([float("nan")] * 2, ["void", "missing"])
    assert found.describe() == "None of the 2 trials of the sentinel probe counts."


def test_reasons_are_counted_with_the_trials_that_it_took():
    cases = pd.DataFrame({
        "study": "s", "sweep": ["a", "a", "b"], "case": ["x", "y", "z"], "trials": [5, 9, 15],
        "relative_width": [0.08, 0.1, 0.3], "asked": 0.1,
        "reason": ["narrow enough", "narrow enough", "most repetitions reached"],
    })  # fmt: skip
    found = Repetitions("s", cases)
    assert found.describe() == (
        "A stop rule ends 3 cases: narrow enough in 2 (5 to 9 trials), most repetitions reached in 1 (15 trials)."
    )
    assert found.title() == "2 of 3 cases reached ±5 % within 15 runs"
    assert found.known.page.tolist()[-1] == "../trials/s/b/z/index.html"
    assert found.sweeps() == ["s/a", "s/a", "s/b"]
    assert found.caption() == (
        "Dots: 3 cases, 99.5 % intervals; hollow: not as narrow as asked. Dashed: the width that was asked for."
    )
    unknown = Repetitions("s", cases.assign(relative_width=[0.08, 0.1, float("nan")]))
    assert unknown.caption() == (
        "Dots: 2 cases, 99.5 % intervals; hollow: not as narrow as asked. Dashed: the width that was asked for. 1 "
        "without a width: see the table."
    )
    assert found.numbers()["relative width (1)"].tolist() == [0.08, 0.1, 0.3]


@pytest.mark.slow
def test_a_measured_campaign_holds_both(project, coldcache, measure_arguments, change):
    head, _, _ = STUDY.read_text().partition("  files:\n")
    probe = """\
  probe:
    title: A sentinel
    tools: [fio]
    operations: [write]
    seconds: 50 ms
    repeat_until: null
    factors: {threads: [1], transfer_size: [64 KiB], file_size: [4 MiB]}
"""
    head = head.replace("sweeps:\n", f"sentinel: {{sweep: probe, every: 3}}\nsweeps:\n{probe}\n", 1)
    head = head.replace("    operations: [write, read]\n",
                        "    operations: [write]\n    repetitions: 5\n"
                        "    repeat_until: {relative_width: 1000, most: 12}\n")  # fmt: skip
    STUDY.write_text(head)
    found = coldcache(*measure_arguments("tiny.transfers"))
    assert found.returncode == 0, found.stderr
    collect = [sys.executable, "-m", "coldcache", "collect", "--campaign=tiny", "--results=results/tiny"]
    subprocess.run(collect, check=True)
    repetitions = open_repetitions(DATASET, "tiny")
    assert repetitions.describe() == "A stop rule ends 2 cases: narrow enough in 2 (9 trials)."
    probed = open_sentinel(DATASET, "tiny")
    assert len(probed.trials) == len(list(Path("raw/tiny/tiny/probe").rglob("trial.json"))) > 3
    assert probed.trials.minutes.is_monotonic_increasing
    assert probed.trials.minutes.iloc[0] == 0
