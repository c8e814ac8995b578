"""The page on adding a figure is followed to the letter in a copy of the project, and three files are touched."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/add-a-figure.md").read_text()

#: The parts of the project that the three files meet.
PARTS = ("config", "notebooks", "workflow", "tests", "pyproject.toml", "docs")


def run(words: list[str], folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder / "workflow/src")}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def make_notebook(text: str) -> nbformat.NotebookNode:
    """Return the notebook whose cells a block of the page shows."""
    cells = []
    for part in text.split("# %%")[1:]:
        head, _, body = part.partition("\n")
        if head.strip() == "[markdown]":
            lines = [line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()]
            cells.append(nbformat.v4.new_markdown_cell("\n".join(lines)))
            continue
        cells.append(nbformat.v4.new_code_cell(body.strip()))
        cells[-1].metadata["tags"] = head.split()
    language = {"language_info": {"name": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=language)


@pytest.fixture
def project(tmp_path) -> Path:
    """Return a copy of the project under version control."""
    folder = tmp_path / "clone"
    folder.mkdir()
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__", ".*", "specimens"))
        else:
            shutil.copy(source, folder / part)
    (folder / ".gitignore").write_text("__pycache__/\nlogs/\nresults/\n.pytest_cache/\n")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        run([*git, *words], folder)
    return folder


@pytest.mark.slow
def test_a_figure_touches_the_three_files_that_the_page_shows(project, invent):
    cells, test = fenced("py")
    (line,) = fenced("yaml")
    notebook = project / "notebooks/latency-over-rate.ipynb"
    nbformat.write(make_notebook(cells), notebook)
    study = project / "config/studies/quick.yaml"
    named = yaml.safe_load(study.read_text())["notebooks"]
    study.write_text(re.sub(r"^notebooks: .*\n", line, study.read_text(), flags=re.MULTILINE))
    assert [name for name in yaml.safe_load(line)["notebooks"] if name != "latency-over-rate"] == named
    (project / "tests/project/test_latency_over_rate.py").write_text(test)

    touched = run(["git", "status", "--porcelain", "--untracked-files=all"], project).splitlines()
    assert sorted(words.split()[-1] for words in touched) == [
        "config/studies/quick.yaml", "notebooks/latency-over-rate.ipynb", "tests/project/test_latency_over_rate.py",
    ]  # fmt: skip

    executed = project / "results/executed.ipynb"
    run(
        [
            sys.executable, "-m", "coldcache", "notebook", f"--notebook={notebook}", f"--output={executed}",
            "--log=logs/log.ipynb", f"--dataset={invent('dell-lustre')}", "--study=dell-lustre",
        ],
        project,
    )  # fmt: skip
    outputs = [output for cell in nbformat.read(executed, as_version=4).cells for output in cell.get("outputs", [])]
    assert "<svg" in "".join(output.get("data", {}).get("text/html", "") for output in outputs)
    assert "mean latency" in "".join(output.get("data", {}).get("text/markdown", "") for output in outputs)

    tests = ["tests/project/test_latency_over_rate.py", "tests/project/test_notebooks.py"]
    chosen = ["-k", "latency_over_rate or latency-over-rate and (no_path or defines_nothing or drawn_in)"]
    passed = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, *chosen], project)
    assert re.search(r"\b4 passed\b", passed)
    run([sys.executable, "-m", "ruff", "check", "--quiet", *(words.split()[-1] for words in touched[1:])], project)
