"""An archive holds the program that rebuilds it, with the studies and claims of the working folder."""

from pathlib import Path

from coldcache.core.program_files import PROGRAM
from coldcache.report.archive.program_copy import copy_program, name_version


def test_the_program_is_copied_with_what_belongs_to_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config/studies").mkdir(parents=True)
    Path("config/studies/mine.yaml").write_text("study: mine\n")
    Path("config/sites").mkdir()
    Path("config/sites/secret.yaml").write_text("site: secret\n")
    copy_program(Path("copy"))
    for name in ("Snakefile", "workflow/Snakefile", "workflow/src/coldcache/__main__.py", "envs/requirements.lock",
                 "config/published/values.csv", "config/schema/study.json", "config/studies/quick.yaml",
                 "notebooks/random-iops.ipynb", "LICENSE"):  # fmt: skip
        assert Path("copy", name).read_bytes() == (PROGRAM / name).read_bytes(), name
    assert Path("copy/config/studies/mine.yaml").read_text() == "study: mine\n"


def test_sites_caches_and_tests_are_left_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copy_program(Path("copy"))
    assert not Path("copy/config/sites").exists()
    assert not Path("copy/tests").exists()
    assert not [*Path("copy").rglob("__pycache__"), *Path("copy").rglob("*.pyc"), *Path("copy").rglob("*.egg-info")]


def test_a_file_of_the_working_folder_replaces_the_programs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config/studies").mkdir(parents=True)
    Path("config/studies/quick.yaml").write_text("study: quick\n")
    copy_program(Path("copy"))
    assert Path("copy/config/studies/quick.yaml").read_text() == "study: quick\n"


def test_the_version_names_the_commit_of_a_clone():
    number, _, commit = name_version().partition(" ")
    assert number == "0.1.0"
    assert commit == "" or (commit.startswith("(commit ") and len(commit.removesuffix("-dirty)").strip("()")) >= 47)
