"""The committed notebooks: executed to the last cell, free of what differs from run to run, and guarded by nbval."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from coldcache.notebook import NotebookError, execute
from coldcache.tools import read_log

ROOT = Path(__file__).parents[1]
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
    assert code[0].source == 'dataset = "../results/reference/dataset.nc"\nstudy = "quick"'
    assert any("finding" in cell.metadata.get("tags", []) for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_committed_notebook_holds_no_path_no_time_and_no_logic(path):
    notebook = nbformat.read(path, as_version=4)
    text = path.read_text()
    assert "papermill" not in notebook.metadata
    assert not re.search(r"/(home|root|tmp|mnt|work)/", text)
    assert not re.search(r"20\d\d-\d\d-\d\dT", text)
    assert not any(re.search(r"^\s*(def|class|for .*:$)", cell.source, re.M) for cell in notebook.cells)


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


def make_notebook(path: Path, *sources: str) -> Path:
    cells = [nbformat.v4.new_markdown_cell("# Why?"), *(nbformat.v4.new_code_cell(source) for source in sources)]
    cells[1].metadata["tags"] = ["parameters"]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}}), path)
    return path


def test_execute_hands_over_the_dataset_relative_to_the_notebook(tmp_path):
    (tmp_path / "notebooks").mkdir()
    notebook = make_notebook(tmp_path / "notebooks/why.ipynb", 'dataset = ""\nstudy = ""', "print(dataset, study)")
    output = tmp_path / "executed.ipynb"
    execute(notebook, output, tmp_path / "logs/why.ipynb", tmp_path / "results/dataset.nc", "quick")
    assert nbformat.read(output, as_version=4).cells[-1].outputs[0].text == "../results/dataset.nc quick\n"


def test_execute_names_the_cell_that_fails_and_leaves_no_page(tmp_path):
    notebook = make_notebook(tmp_path / "why.ipynb", "dataset = ''", "1 / 0")
    log = tmp_path / "log.ipynb"
    with pytest.raises(NotebookError) as caught:
        execute(notebook, tmp_path / "executed.ipynb", log)
    assert str(caught.value) == (f"{notebook}, cell 2: ZeroDivisionError: division by zero; the notebook is in {log}")
    assert not (tmp_path / "executed.ipynb").exists()


def test_execute_says_in_one_line_that_a_campaign_has_no_data_for_the_question(tmp_path):
    notebook = make_notebook(
        tmp_path / "why.ipynb", "dataset = ''", "from coldcache.estimates import NoData\nraise NoData('nothing counts')"
    )
    execute(notebook, tmp_path / "executed.ipynb", tmp_path / "log.ipynb")
    cells = nbformat.read(tmp_path / "executed.ipynb", as_version=4).cells
    assert [cell.source for cell in cells] == ["# Why?", "No answer from this campaign: nothing counts."]
