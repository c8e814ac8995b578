"""docs/add-a-setting.md, followed to the letter in a copy: a level is put in force, and no other file changes."""

import json
import sys

import pytest
from worked_example import WorkedExample

SWEEP = """\
  sweep:
    title: Synchronous writes
    tools: [fio]
    operations: [write]
    seconds: 0.1 s
    settings: {write_mode: site}
    factors:
      threads: [1]
      transfer_size: [64 KiB]
      file_size: [1 MiB]
      write_mode: [async, sync]
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """Return the copy after everything that the page says."""
    example = WorkedExample("docs/add-a-setting.md", tmp_path_factory.mktemp("setting"))
    example.write_files()
    # The tests and linters that the page runs last have tests of their own below.
    example.run_blocks(without="(?:make|pytest)")
    return example


def test_three_files_and_the_schemas_are_all_that_changes(example):
    assert example.list_changes() == {
        "workflow/src/coldcache/design/settings/chattr.py",
        "workflow/src/coldcache/measure/settings/drivers/chattr.py",
        "tests/measure/settings/drivers/test_chattr.py",
        "config/schema/study.json",
        "config/schema/site.json",
    }


def test_the_tests_of_the_page_pass(example):
    script = "".join(block for block in example.fenced("bash") if block.startswith("pytest"))
    more = ["-p", "no:cacheprovider", "tests/workflow/commands/test_schema.py"]
    example.run([sys.executable, "-m", *script.split(), *more])


def test_the_linters_accept_the_page(example):
    sources = [path for path in sorted(example.list_changes()) if path.endswith(".py")]
    example.run([sys.executable, "-m", "ruff", "check", "--no-cache", *sources])
    example.run([sys.executable, "-m", "ruff", "format", "--no-cache", "--check", *sources])


def test_a_study_is_measured_at_both_levels(example, tmp_path):
    (setting,) = example.fenced("yml")
    example.measure(tmp_path, SWEEP, setting)
    outcomes = [json.loads(path.read_text()) for path in tmp_path.glob("raw/tiny/**/trial.json")]
    if not outcomes:
        pytest.skip("the file system of the temporary folder has no attributes")
    read = sorted((outcome["factors"]["write_mode"], outcome["settings"]["write_mode"]["read"]) for outcome in outcomes)
    assert read == [("async", "off")] * 2 + [("sync", "on")] * 2
    assert all(outcome["exit_status"] == 0 for outcome in outcomes)
