"""What the page on speed quotes is what the bench has found, every figure of it."""

import importlib.util
import json
import subprocess
import sys

import pytest


@pytest.fixture
def ledger(root, monkeypatch):
    """The module that keeps the figures of the bench."""
    monkeypatch.syspath_prepend(root / "benchmarks")
    import ledger

    return ledger


def cells(page, heading):
    """Return the cells of each row of the table below a heading of a page."""
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return rows[2:]


def test_the_page_has_a_row_for_every_figure_with_its_latest_value_and_goal(ledger):
    newest = ledger.latest(ledger.read_entries())
    assert list(newest) == list(ledger.FIGURES)
    quoted = [row[:4] for row in cells(ledger.PAGE.read_text(), "The figures")]
    wanted = []
    for name, figure in ledger.FIGURES.items():
        value = newest[name]["value"]
        shown = ledger.format_speed(value, figure.unit)
        if newest[name]["low"] is not None:
            shown = f"{value:.3f} ({newest[name]['low']:.3f} to {newest[name]['high']:.3f})"
        wanted.append(
            [figure.what, shown, figure.format_goal(), figure.describe_miss(value, newest[name]["floor"]) or ""]
        )
    assert quoted == wanted


def test_the_page_quotes_how_many_goals_are_kept_and_names_those_that_are_not(ledger):
    newest = ledger.latest(ledger.read_entries())
    sentence = ledger.sum_up(newest)
    table = ledger.quote(newest)
    assert f"<!-- bench: speed -->\n{sentence}\n\n{table}\n<!-- bench: end -->" in ledger.PAGE.read_text()
    missed = [entry for name, entry in newest.items() if not ledger.FIGURES[name].is_met(entry["value"])]
    assert f"holds {len(newest) - len(missed)} of {len(newest)} goals" in sentence
    assert all(ledger.FIGURES[entry["figure"]].what in sentence for entry in missed)


def test_the_short_table_shows_what_is_missed_and_the_floor(ledger):
    entries = [
        {"figure": name, "value": value, "floor": floor, "low": None, "high": None, "peers": {}}
        for name, value, floor in [("trial-cpu", 5.5, 1.8), ("help-seconds", 0.1, 0.02), ("series-seconds", 2.0, None)]
    ]
    assert ledger.quote(ledger.latest(entries)).splitlines()[2:] == [
        "| processor time per trial, of 2,000 with a tool that ends at once | 5.5 ms | ≤ 3, missed "
        "| Snakemake on an empty rule, and a loop that reads counters, starts the tool and flushes its outcome: "
        "1.8 ms |",
        "| --help | 0.1 s | ≤ 0.3 | Python alone: 0.02 s |",
    ]


def test_the_page_compares_every_program_that_was_measured(ledger):
    page = ledger.PAGE.read_text()
    compared = ledger.latest(entry for entry in ledger.read_entries() if entry["peers"])
    assert set(compared) >= {"trial-cpu", "trial-files"}
    assert [row[0] for row in cells(page, "Other programs")] == [ledger.FIGURES[name].what for name in compared]


def test_a_figure_measured_again_takes_the_place_of_that_of_the_same_commit(ledger, tmp_path, monkeypatch):
    monkeypatch.setattr(ledger, "RESULTS", tmp_path / "results.jsonl")
    monkeypatch.setattr(ledger, "name_commit", lambda: "first")
    ledger.keep({"help-seconds": ledger.Measurement(0.25, 0.0125)}, "a machine")
    ledger.keep({"help-seconds": ledger.Measurement(0.2, 0.01)}, "a machine")
    monkeypatch.setattr(ledger, "name_commit", lambda: "second")
    entries = ledger.keep({"help-seconds": ledger.Measurement(0.35, 0.01)}, "a machine")
    assert [(entry["commit"], entry["value"]) for entry in entries] == [("first", 0.2), ("second", 0.35)]
    assert [json.loads(line) for line in ledger.RESULTS.read_text().splitlines()] == entries
    assert "0 of 1 goals" in ledger.sum_up(ledger.latest(entries))


@pytest.mark.parametrize(("figure", "is_busy"), [("trial-cpu", True), ("test-all", False)])
def test_the_page_says_that_others_loaded_the_machine_but_not_that_the_tests_did(ledger, figure, is_busy):
    entry = {"figure": figure, "value": 1.0, "date": "2026-11-29", "machine": "a machine", "load": 4.6}
    assert ("while others loaded it (5 processes were waiting)" in ledger.sum_up({figure: entry})) == is_busy


@pytest.mark.parametrize(
    ("name", "kept", "missed"),
    [("trial-cpu", 3, 3.01), ("logs-rate", 10_000, 9_999), ("fidelity", 0.98, 0.979), ("disturbance-io", 0, 1)],
)
def test_a_goal_is_kept_up_to_its_bound(ledger, name, kept, missed):
    assert ledger.FIGURES[name].is_met(kept)
    assert not ledger.FIGURES[name].is_met(missed)


def test_a_command_is_charged_with_the_processes_that_it_waits_for(ledger, tmp_path):
    import costs

    child = "import time; kept = bytearray(200_000_000)\nwhile time.process_time() < 0.3: pass"
    words = [sys.executable, "-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])", child]
    cost = costs.cost_of(words, tmp_path)
    assert cost.seconds >= 0.3
    assert cost.processor >= 0.3
    assert cost.memory >= 200


def test_a_process_that_a_command_leaves_behind_is_charged_to_it_where_all_are_waited_for(ledger, tmp_path):
    import costs

    child = "import time\nwhile time.process_time() < 0.5: pass"
    leave = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', sys.argv[1]], start_new_session=True)"
    words = [sys.executable, "-c", leave, child]
    assert costs.cost_of(words, tmp_path).processor < 0.5
    whole = costs.cost_of_all(words, tmp_path)
    assert whole.processor >= 0.5
    assert whole.seconds >= 0.5


def test_a_command_that_fails_ends_the_bench_with_what_it_said(ledger, tmp_path):
    import costs

    with pytest.raises(SystemExit, match=r"bench: sh -c .*: no such luck"):
        costs.cost_of(["sh", "-c", "echo no such luck >&2; exit 3"], tmp_path)


def test_the_records_of_a_dataset_are_built_saved_and_opened(ledger, tmp_path, monkeypatch):
    import datasets

    monkeypatch.setattr(datasets, "RECORDS", 1000)
    for steps in (datasets.time_own(tmp_path), datasets.time_floor(tmp_path)):
        assert list(steps) == ["build", "save", "open"]
        assert min(steps.values()) > 0


def test_the_log_that_the_bench_changes_states_another_mean_latency(ledger, root, tmp_path):
    import reports

    from coldcache.tools import read_log

    name = "quick/random/operation=random-read,threads=1/r0/stdout.txt"
    (tmp_path / name).parent.mkdir(parents=True)
    before = (root / "raw/reference" / name).read_bytes()
    (tmp_path / name).write_bytes(before)
    reports.change_log(tmp_path)
    old, new = read_log(before), read_log((tmp_path / name).read_bytes())
    changed = [(one, other) for one, other in zip(old, new, strict=True) if one != other]
    assert [(one.metric, one.statistic) for one, _ in changed] == [("latency", "mean")]
    assert changed[0][1].value - changed[0][0].value == pytest.approx(1e-9)


def test_an_unknown_suite_is_named(root):
    found = subprocess.run(
        [sys.executable, "benchmarks/run.py", "flood"], cwd=root, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert found.returncode == 2
    assert "unknown flood; known are trials, plans, " in found.stderr


def test_a_suite_that_fails_takes_no_figures_of_another(root, tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(root / "benchmarks")
    spec = importlib.util.spec_from_file_location("benchmarks_run", root / "benchmarks/run.py")
    run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(run)
    kept = {}
    figure = {"value": 0.2, "floor": 0.1}
    (tmp_path / "breaks.py").write_text("raise SystemExit('no room')\n")
    (tmp_path / "works.py").write_text(f"import json; print(json.dumps(['help-seconds', {figure}]))\n")
    monkeypatch.setattr(run, "__file__", str(tmp_path / "run.py"))
    monkeypatch.setattr(run, "SUITES", ("breaks", "works"))
    monkeypatch.setattr(run.ledger, "keep", lambda found, machine: kept.update(found))
    monkeypatch.setattr(run.ledger, "renew_pages", lambda entries: None)
    monkeypatch.setattr(run.signal, "signal", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["run.py", "--store"])
    assert run.main() == 1
    assert {name: found.value for name, found in kept.items()} == {"help-seconds": 0.2}
    told = capsys.readouterr()
    assert "bench: no figures of breaks: an error ended it" in told.err
    assert "0.2 s" in told.out
