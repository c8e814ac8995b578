"""docs/add-a-tool.md, followed to the letter in a copy: a study runs with the new tool, and no other file changes."""

import csv
import json
import sys

import pytest
from worked_example import WorkedExample

SWEEP = """\
  sweep:
    title: One file
    tools: [dd]
    operations: [write, read]
    factors:
      threads: [1]
      transfer_size: [64 KiB]
      file_size: [16 MiB]
"""

MYPY = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "-p", "coldcache.tools"]


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """Return the copy after everything that the page says."""
    example = WorkedExample("docs/add-a-tool.md", tmp_path_factory.mktemp("tool"))
    example.write_files()
    example.edit_files()
    # The tests and linters that the page runs last have tests of their own below.
    example.run_blocks(without="(?:make|pytest)")
    return example


def test_three_files_a_captured_log_and_the_schema_are_all_that_changes(example):
    assert example.list_changes() == {
        "workflow/src/coldcache/tools/dd.py",
        "workflow/src/coldcache/tools/__init__.py",
        "tests/tools/test_dd.py",
        "tests/specimens/dd-9.1-write.log",
        "config/schema/study.json",
    }


def test_the_test_of_the_page_passes_and_so_do_those_of_all_readers(example):
    files = ["tests/tools/test_dd.py", "tests/workflow/commands/test_schema.py", "tests/tools/test_tools.py"]
    # All tests of the first two, and of the third those of every reader and of the new specimen.
    chosen = ["-k", "test_dd or test_schema or dd-9.1 or every_reader"]
    example.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, *chosen])


def test_the_linters_accept_the_page(example):
    sources = [path for path in sorted(example.list_changes()) if path.endswith(".py")]
    example.run([sys.executable, "-m", "ruff", "check", "--no-cache", *sources])
    example.run([sys.executable, "-m", "ruff", "format", "--no-cache", "--check", *sources])
    example.run(MYPY)


def test_mypy_names_what_does_not_fit_the_protocol(example):
    module = example.folder / "workflow/src/coldcache/tools/dd.py"
    whole = module.read_text()
    module.write_text(whole.replace("def unfit(run: Run) -> str | None:", "def unfit(run: str) -> str | None:"))
    try:
        with pytest.raises(AssertionError, match=r'entry 4 has incompatible type "str": Module'):
            example.run(MYPY)
    finally:
        module.write_text(whole)


def test_a_study_is_measured_with_the_new_tool(example, tmp_path):
    example.measure(tmp_path, SWEEP)
    outcomes = [json.loads(path.read_text()) for path in tmp_path.glob("raw/tiny/**/trial.json")]
    assert [(outcome["tool"], outcome["exit_status"]) for outcome in outcomes] == [("dd", 0)] * 4
    with (tmp_path / "results/tiny/verdicts.csv").open(newline="") as file:
        verdicts = [row["verdict"] for row in csv.DictReader(file)]
    assert len(verdicts) == 4
    assert set(verdicts) <= {"valid", "suspect"}
