"""The shipped study `quick`: what it measures, and how its report draws a sweep over two numbers."""

from pathlib import Path

import invented
import nbformat
import pytest

from coldcache.core.program_files import PROGRAM
from coldcache.design.cases import Case
from coldcache.design.study import read_study
from coldcache.workflow.configuration import draft_design
from coldcache.workflow.execute_notebook import execute_notebook

SWEEP = "transfer-sizes"


@pytest.fixture
def cases(root, monkeypatch):
    """The cases of each sweep by their names, on a site that allows 64 threads."""
    monkeypatch.chdir(root)
    found: dict[str, dict[str, Case]] = {}
    for block in draft_design({"studies": "quick", "site": "local"}).blocks():
        for trial in block.trials:
            found.setdefault(trial.case.sweep, {})[trial.case.name] = trial.case
    return found


def list_levels(names, *factors):
    """Return which levels of some factors the names of cases have, each combination once."""
    stated = [dict(part.split("=") for part in name.split(",")) for name in names]
    return sorted({tuple(one[factor] for factor in factors) for one in stated})


def test_threads_go_from_1_to_64_whatever_the_number_of_cores(cases):
    for sweep in ("sequential", "random", "transfer-sizes"):
        assert list_levels(cases[sweep], "threads") == [("1",), ("64",), ("8",)]


@pytest.mark.parametrize("sweep", ["write-cache-sequential", "write-cache-random"])
def test_writes_meet_a_cache_that_is_on_off_and_on_without_flushes_with_1_and_16_threads(cases, sweep):
    kinds = ("unsafe", "writeback", "writethrough")
    assert list_levels(cases[sweep], "threads", "write_cache") == [(n, kind) for n in ("1", "16") for kind in kinds]


def test_every_case_but_those_of_the_map_and_the_sentinel_runs_in_six_rounds(cases):
    rounds = {sweep: {case.repetitions for case in own.values()} for sweep, own in cases.items()}
    # The sentinel begins each part of each round, and ends the last one.
    assert rounds.pop("probe") == {5 * 6 + 3 + 1}
    assert rounds.pop(SWEEP) == {3}
    assert set(map(tuple, rounds.values())) == {(6,)}


@pytest.mark.slow
def test_two_factors_of_quick_are_drawn_with_their_runs_and_as_a_map(root, project, monkeypatch):
    study = read_study(root / "config/studies", "quick")
    assert "every-sweep" in study.notebooks
    levels = study.sweeps[SWEEP].factors
    assert len(levels["transfer_size"]) >= 3
    monkeypatch.setitem(invented.TESTBEDS, "quick", "local")
    monkeypatch.setattr("coldcache.workflow.configuration._refuse_impossible", lambda design: None)
    dataset = project / "results/quick/dataset.nc"
    invented.write_invented(root, dataset, "quick", SWEEP)
    executed = Path("results/quick/notebooks/every-sweep.ipynb")
    execute_notebook(PROGRAM / "notebooks/every-sweep.ipynb", executed, Path("logs/x.ipynb"), dataset, "quick")
    saved = sorted(path.name for path in (project / "results/quick/figures").iterdir())
    assert {f"quick-{SWEEP}-map.svg", f"quick-{SWEEP}-sweep.svg"} <= set(saved)
    shown = str(nbformat.read(executed, as_version=4))
    assert "Lines: transfer size." in shown and "Each cell is the median of a case." in shown
