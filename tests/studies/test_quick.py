"""The shipped study `quick` has a sweep over two numbers, which its report draws as lines and as a map."""

from pathlib import Path

import invented
import nbformat
import pytest

from coldcache.core.program_files import PROGRAM
from coldcache.design.study import read_study
from coldcache.workflow.execute_notebook import execute_notebook

SWEEP = "transfer-sizes"


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
