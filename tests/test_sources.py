"""A step is run again when a file that it runs changes, and only then."""

import subprocess
import sys
from pathlib import Path

import pytest

from coldcache.sources import sources_of, sources_of_notebook


@pytest.fixture(autouse=True)
def in_project(root, monkeypatch):
    monkeypatch.chdir(root)


@pytest.mark.parametrize(
    "module", ["coldcache.collect", "coldcache.report.rendering", "coldcache.runner", "coldcache.figures"]
)
def test_all_that_python_loads_is_found(module):
    program = f"import sys, {module}; print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('coldcache')))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    found = {str(Path(path).resolve()) for path in sources_of([module])}
    assert {str(Path(path).resolve()) for path in loaded} <= found


def test_an_import_inside_a_function_counts():
    assert "workflow/src/coldcache/report/rendering.py" in sources_of(["coldcache.__main__"])


def test_readers_that_are_chosen_by_name_are_found():
    assert "workflow/src/coldcache/tools/iozone_read.py" in sources_of(["coldcache.parsing"])


def test_no_step_hangs_on_what_it_does_not_run():
    assert not any("/report/" in path or path.endswith("/figures.py") for path in sources_of(["coldcache.collect"]))
    figures = sources_of(["coldcache.figures"])
    assert "workflow/src/coldcache/dataset.py" in figures
    assert not any("/tools/" in path or path.endswith(("plan.py", "verdicts.py")) for path in figures)


def test_a_notebook_hangs_on_what_its_cells_import():
    found = sources_of_notebook(Path("notebooks/write-cache.ipynb"))
    assert {"workflow/src/coldcache/notebook.py", "workflow/src/coldcache/tables.py"} <= set(found)
    assert "workflow/src/coldcache/overview.py" not in found


def test_what_is_no_notebook_hangs_on_the_executing_step_alone(tmp_path):
    broken = tmp_path / "broken.ipynb"
    broken.write_text("{")
    assert sources_of_notebook(broken) == sources_of(["coldcache.notebook"])
