"""The committed notebooks: executed to the last cell, free of what differs from run to run, and guarded by nbval."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml

from coldcache.tools import read_log

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def run_coldcache(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coldcache", *arguments], cwd=folder, capture_output=True, text=True, timeout=120
    )


def run_nbval(folder: Path, notebook: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        "-vv",
        "-p",
        "no:cacheprovider",
        f"notebooks/{notebook}.ipynb",
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_code_cell_of_a_committed_notebook_was_executed_in_order(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert all(output.output_type != "error" for cell in cells for output in cell.outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_committed_notebook_asks_a_question_and_begins_with_literal_parameters(path):
    cells = nbformat.read(path, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert cells[0].source.splitlines()[0].endswith("?")
    assert code[0].metadata.tags == ["parameters"]
    assert re.fullmatch(r'dataset = "../results/reference/dataset.nc"\nstudy = "[a-z-]+"', code[0].source)
    assert any("finding" in cell.metadata.get("tags", []) for cell in code)


#: What notebooks import: all else of this package is behind `analysis`.
IMPORTED = ("coldcache.analysis", "matplotlib", "numpy", "seaborn", "xarray")


def read_code(path: Path) -> list[str]:
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_committed_notebook_holds_no_path_and_no_time(path):
    text = path.read_text()
    assert "papermill" not in nbformat.read(path, as_version=4).metadata
    assert not re.search(r"/(home|root|tmp|mnt|work)/", text)
    assert not re.search(r"20\d\d-\d\d-\d\dT", text)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_committed_notebook_defines_nothing_reads_no_file_and_has_short_cells(path):
    sources = read_code(path)
    assert max(source.count("\n") + 1 for source in sources) <= 15
    tree = ast.parse("\n".join(sources))
    for node in ast.walk(tree):
        assert not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.While, ast.With))
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        assert all(name.startswith(IMPORTED) for name in names)
        called = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        assert called not in ("open", "glob", "rcParams", "rc", "split", "read_csv", "open_dataset")


@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem != "claims"], ids=lambda path: path.stem)
def test_a_figure_is_drawn_in_its_cell_by_seaborn_or_matplotlib(path):
    drawing = [source for source in read_code(path) if "fig.Picture(" in source or "fig.picture_of(" in source]
    assert drawing
    for source in drawing:
        assert re.search(
            r"\b(sns|axes|values|over)\.(lineplot|scatterplot|histplot|barplot|heatmap|errorbar|step)\(", source
        )


def read_studies() -> dict[str, dict]:
    return {path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / "config/studies").glob("*.yaml")}


def test_every_notebook_that_a_study_names_is_there():
    known = {path.stem for path in NOTEBOOKS}
    for study, design in read_studies().items():
        assert set(design["notebooks"]) <= known, study


def make_copy(folder: Path) -> Path:
    """Return a folder with the reference campaign, unsealed, and the notebooks, where a log can be changed."""
    shutil.copytree(ROOT / "raw" / "reference", folder / "raw" / "reference")
    (folder / "raw" / "reference" / "SHA256SUMS").unlink()
    shutil.copytree(ROOT / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    return folder


def collect(folder: Path) -> None:
    done = run_coldcache(folder, "collect", "--campaign=reference", "--results=results/reference")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_changing_one_number_in_one_raw_log_makes_nbval_fail_with_a_readable_difference(tmp_path):
    folder = make_copy(tmp_path)
    log = folder / "raw/reference/quick/random/operation=random-read,threads=2/r3/stdout.txt"
    content = log.read_bytes()
    rate = next(record for record in read_log(content) if record.metric == "rate")
    # The third digit: far less than the trials differ from each other.
    place = rate.offset + 2
    log.write_bytes(content[:place] + (b"1" if content[place : place + 1] != b"1" else b"2") + content[place + 1 :])
    collect(folder)

    done = run_nbval(folder, "random-iops")

    # The log contradicts itself now, so that its trial is void: its value is gone from the table.
    reasons = (folder / "results/reference/reasons.csv").read_text()
    assert "iops, runtime and total_ios contradict each other" in reasons
    assert done.returncode == 1, done.stdout
    # pytest marks what the notebook holds by + and what was found now by -.
    lines = [line.strip() for line in done.stdout.splitlines() if "<td>" in line]
    assert any(line.startswith("+") and f"{rate.value / 1000:.4g}" in line for line in lines)
    assert any(line.startswith("-") and "–" in line for line in lines)


@pytest.mark.slow
def test_nbval_passes_on_unchanged_logs(tmp_path):
    folder = make_copy(tmp_path)
    collect(folder)
    done = run_nbval(folder, "random-iops")
    assert done.returncode == 0, done.stdout
