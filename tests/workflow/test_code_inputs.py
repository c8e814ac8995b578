"""A step is run again when a file that it runs changes, and only then."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from coldcache.workflow import code_inputs
from coldcache.workflow.code_inputs import sources_of, sources_of_notebook


@pytest.fixture(autouse=True)
def in_project(root, monkeypatch):
    monkeypatch.chdir(root)


@pytest.mark.parametrize(
    "module",
    [
        "coldcache.dataset.collect",
        "coldcache.report.site.render",
        "coldcache.measure.runner",
        "coldcache.analysis.figures",
    ],
)
def test_all_that_python_loads_is_found(module):
    program = f"import sys, {module}; print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('coldcache')))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    found = {str(Path(path).resolve()) for path in sources_of([module])}
    assert {str(Path(path).resolve()) for path in loaded} <= found


def test_an_import_inside_a_function_counts():
    assert "workflow/src/coldcache/report/site/render.py" in sources_of(["coldcache.__main__"])


def test_every_import_of_every_module_is_found(root):
    """A search finds import statements, which Python's own parser would find, too, but more slowly."""
    for path in (root / "workflow/src/coldcache").rglob("*.py"):
        assert set(code_inputs._imports_of(path)) == set(code_inputs._imports_in(path.read_text())), path


def test_readers_that_are_chosen_by_name_are_found():
    assert "workflow/src/coldcache/tools/iozone/parse.py" in sources_of(["coldcache.workflow.commands.parse"])


def test_what_a_module_keeps_beside_it_is_found():
    assert "workflow/src/coldcache/statistics/neighbours.csv" in sources_of(["coldcache.statistics.dependence"])
    tables = "workflow/src/coldcache/statistics/simulation/stored_tables"
    assert f"{tables}/knees.csv" in sources_of(["coldcache.analysis.questions.statistics_coverage"])


def test_no_step_hangs_on_what_it_does_not_run():
    collecting = sources_of(["coldcache.dataset.collect"])
    assert not any("/report/" in path or "/analysis/" in path for path in collecting)
    figures = sources_of(["coldcache.analysis.figures"])
    assert "workflow/src/coldcache/dataset/reader.py" in figures
    assert not any("/tools/" in path or "/verdicts/" in path or "/measure/" in path for path in figures)


def test_a_notebook_hangs_on_what_its_cells_import():
    found = sources_of_notebook(Path("notebooks/write-cache.ipynb"))
    assert {"workflow/src/coldcache/workflow/execute_notebook.py", "workflow/src/coldcache/analysis/tables.py"} <= set(
        found
    )
    assert "workflow/src/coldcache/analysis/questions/sizing.py" not in found


def test_what_is_no_notebook_hangs_on_the_executing_step_alone(tmp_path):
    broken = tmp_path / "broken.ipynb"
    broken.write_text("{")
    assert sources_of_notebook(broken) == sources_of(["coldcache.workflow.execute_notebook"])


def test_commands_for_ipython_hide_no_import(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[
        nbformat.v4.new_code_cell("%matplotlib inline\nfor _ in range(2):\n    !ls"),
        nbformat.v4.new_code_cell("%%time\nfrom coldcache.analysis.questions import sizing"),
        nbformat.v4.new_code_cell("%%bash\nfor file in *; do echo $file; done"),
        nbformat.v4.new_code_cell("from coldcache.analysis.tables import Table"),
    ])  # fmt: skip
    nbformat.write(notebook, tmp_path / "mine.ipynb")
    found = sources_of_notebook(tmp_path / "mine.ipynb")
    assert "workflow/src/coldcache/analysis/questions/sizing.py" in found
    assert "workflow/src/coldcache/analysis/tables.py" in found


def test_drivers_that_are_found_by_their_folder_are_found():
    sources = sources_of(["coldcache.measure.settings.registry"])
    assert "workflow/src/coldcache/measure/settings/drivers/tuned_profile.py" in sources
    assert "workflow/src/coldcache/design/settings/tuned_profile.py" in sources
