"""A file of the working folder replaces the program's; what is not there comes with the program."""

from pathlib import Path

import pytest

from coldcache.core.program_files import PROGRAM, SOURCES, find_file, list_files, show_path


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "config/sites").mkdir(parents=True)
    (tmp_path / "config/sites/mine.yaml").write_text("mine")
    (tmp_path / "config/sites/local.yaml").write_text("also mine")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_program_is_the_clone_with_its_sources(root):
    assert root == PROGRAM
    assert root / "workflow/src" == SOURCES


def test_a_file_of_the_working_folder_comes_first():
    assert find_file(Path("config/sites/local.yaml")) == Path("config/sites/local.yaml")
    assert find_file(Path("config/sites/reference.yaml")) == PROGRAM / "config/sites/reference.yaml"


def test_a_file_that_neither_has_keeps_its_path(folder):
    assert find_file(Path("config/sites/none.yaml")) == Path("config/sites/none.yaml")
    assert find_file(folder / "none.yaml") == folder / "none.yaml"


def test_files_are_listed_once_by_name():
    found = list_files(Path("config/sites"), "*.yaml")
    shipped = {path.name for path in (PROGRAM / "config/sites").glob("*.yaml")}
    assert [path.name for path in found] == sorted(shipped | {"mine.yaml"})
    assert Path("config/sites/local.yaml") in found and PROGRAM / "config/sites/local.yaml" not in found


def test_of_an_absolute_folder_or_the_working_folder_only_its_own_files_count(folder):
    assert list_files(folder / "config/sites", "m*.yaml") == [folder / "config/sites/mine.yaml"]
    assert list_files(Path(), "*.cff") == []


def test_a_path_below_the_working_folder_is_shown_relative_to_it(folder):
    assert show_path(folder / "config/sites") == "config/sites"
    assert show_path(PROGRAM / "Snakefile") == f"{PROGRAM}/Snakefile"
