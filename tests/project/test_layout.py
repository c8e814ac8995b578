"""The package is a dozen rooms, tests mirror them, and notebooks import the room for analysis."""

import ast
import json
from pathlib import Path

import pytest
from mirrors import PACKAGE, ROOT, TESTS, find_tested, find_tests, list_tests

#: Folders of tests that mirror no room: each tests the project as a whole, or programs outside the package.
SUITES = {"benchmarks", "browser", "cluster", "faults", "fuzz", "mutants", "project", "studies"}

#: Folders of tests that hold no tests.
SUPPORT = {"fixtures", "specimens"}

#: Packages that cells of notebooks may import.
TAUGHT = ("coldcache.analysis", "matplotlib", "numpy", "seaborn", "xarray")

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def list_folders(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(("__", "."))}


ROOMS = sorted(list_folders(PACKAGE))
TEST_FILES = list_tests()


def list_imports(notebook: Path) -> set[str]:
    cells = json.loads(notebook.read_text())["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    nodes = list(ast.walk(ast.parse(text)))
    found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return found | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_the_package_is_at_most_twelve_rooms_and_its_entry_point():
    assert len(ROOMS) <= 12
    assert {path.name for path in PACKAGE.iterdir() if path.is_file()} == {"__init__.py", "__main__.py"}


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_says_what_it_is_for_and_has_tests(room):
    assert ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text()))
    assert any(path.is_relative_to(TESTS / room) for path in TEST_FILES)


def test_every_folder_of_tests_is_a_room_or_a_named_suite():
    assert list_folders(TESTS) - SUPPORT - SUITES == set(ROOMS)


@pytest.mark.parametrize("test", TEST_FILES, ids=lambda path: str(path.relative_to(TESTS)))
def test_every_test_of_a_room_mirrors_a_module_at_the_same_path(test):
    assert find_tested(test), f"{test.relative_to(ROOT)} names no module of {test.parent.relative_to(TESTS)}"


def test_a_test_file_is_matched_by_module_package_or_aspect():
    assert find_tested(TESTS / "dataset/test_cubes.py") == PACKAGE / "dataset/cubes"
    assert find_tested(TESTS / "report/site/test_index_page_rendered.py") == PACKAGE / "report/site/index_page"
    assert find_tested(TESTS / "tools/test_fio_and_more.py") == PACKAGE / "tools/fio"
    assert find_tested(TESTS / "tools/fio/test_fio.py") == PACKAGE / "tools/fio"
    assert find_tested(TESTS / "dataset/test_rates.py") is None
    assert find_tested(TESTS / "tools/test_cubes.py") is None


def name_tests(*changed):
    return [str(test.relative_to(TESTS)) for test in find_tests(changed)]


def test_a_changed_module_concerns_its_tests_and_those_of_its_importers():
    found = name_tests("workflow/src/coldcache/analysis/predictions.py", "workflow/src/coldcache/analysis/lost.py")
    assert found == ["analysis/test_predictions.py"]
    concerned = name_tests("workflow/src/coldcache/core/units.py")
    assert {"core/test_units.py", "analysis/test_predictions.py"} <= set(concerned)
    assert "tools/fio/test_stamp.py" not in concerned
    assert "tools/fio/test_parse_refusals.py" in name_tests("workflow/src/coldcache/tools/fio/parse.py")


def test_a_changed_test_concerns_itself_and_a_page_those_of_all_pages():
    assert name_tests("tests/dataset/test_cubes.py", "tests/lost/test_x.py") == ["dataset/test_cubes.py"]
    assert name_tests("docs/speed.md") == ["project/test_docs.py"]
    assert name_tests("LICENSE", "envs/test.lock") == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_the_analysis_room_alone(notebook):
    others = {name for name in list_imports(notebook) if not f"{name}.".startswith(tuple(f"{top}." for top in TAUGHT))}
    assert not others
