"""Both ways to set up, by uv and by conda, give the same versions; what is imported is declared and explained."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
import yaml

PIN = re.compile(r"([A-Za-z0-9._-]+)==([^ ;]+)(?: ; (.+))?")

#: What the extras of pyproject.toml add to the user's lock, a lock each; `aws` is in that of the tests.
EXTRAS = ("test", "lab")


def read_lock(path):
    pins = {}
    for line in path.read_text().splitlines():
        if line and line[0] not in " #":
            name, version, marker = PIN.fullmatch(line.removesuffix("\\").strip()).groups()
            pins.setdefault(name, set()).add((version, marker))
    return pins


def normal(name):
    return re.sub(r"[-_.]+", "-", re.split(r"[<>=;\[ ]", name)[0]).lower()


@pytest.fixture
def locked(root):
    return read_lock(root / "envs/requirements.lock")


@pytest.fixture
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text())["project"]


@pytest.fixture
def environment(root):
    return yaml.safe_load((root / "environment.yml").read_text())


def test_environment_yml_pins_what_the_lock_pins(locked, environment):
    (listed,) = (part["pip"] for part in environment["dependencies"] if isinstance(part, dict))
    assert listed[0] == "--editable ."
    pins = {}
    for line in listed[1:]:
        name, version, marker = PIN.fullmatch(line).groups()
        pins.setdefault(name, set()).add((version, marker))
    assert pins == locked
    assert len(pins) > 100


def test_conda_brings_python_as_the_package_asks(project, environment):
    required = project["requires-python"]
    assert [part for part in environment["dependencies"] if isinstance(part, str)] == [f"python {required}", "pip"]


def test_the_users_environment_holds_nothing_that_only_tests_need(locked):
    assert {"pytest", "playwright", "mypy", "ruff", "boto3", "jupyterlab", "cffconvert"} & locked.keys() == set()


@pytest.mark.parametrize("lock", ["requirements", *EXTRAS, "uv", "fuzz", "peers", "rocrate"])
def test_every_pin_carries_a_hash_and_no_address(root, lock):
    text = (root / f"envs/{lock}.lock").read_text()
    blocks = re.split(r"\n(?=[^ #])", text)
    assert [block.split("==")[0] for block in blocks if "--hash=sha256:" not in block] == []
    assert "://" not in text


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_adds_to_the_users_lock_and_changes_no_version(root, locked, extra):
    added = read_lock(root / f"envs/{extra}.lock")
    for name in added.keys() & locked.keys():
        assert {version for version, _ in added[name]} == {version for version, _ in locked[name]}, name


def test_the_locks_hold_every_dependency_that_the_package_names(root, project, locked):
    for extra, lock in [("test", "test"), ("lab", "lab"), ("aws", "test")]:
        named = {
            normal(name)
            for name in (*project["optional-dependencies"]["study"], *project["optional-dependencies"][extra])
        }
        assert named - locked.keys() - read_lock(root / f"envs/{lock}.lock").keys() == set()


def imported(*folders):
    """Return the distributions that files of these folders import, by the name that each declares."""
    known = packages_distributions()
    found = {}
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module]
            else:
                continue
            for module in modules:
                if "{" not in module and module.split(".")[0] not in sys.stdlib_module_names:
                    found.setdefault(module.split(".")[0], set()).add(path.name)
    return {normal(name): sorted(files) for module, files in found.items() for name in known.get(module, [])}


def test_whatever_the_package_imports_is_declared(root, project):
    declared = {name for extra in ("study", "aws", "parquet") for name in project["optional-dependencies"][extra]} | {
        "coldcache",
        "botocore",
    }
    found = imported(root / "workflow/src")
    assert found.keys() - {normal(name) for name in declared} == set(), found


def test_every_dependency_has_a_reason_and_one_that_is_not_imported_says_so(root, project):
    page = (root / "docs/dependencies.md").read_text()
    rows = dict(re.findall(r"^\| `([a-z0-9.-]+)` \| (.+) \|$", page, re.MULTILINE))
    extras = project["optional-dependencies"].values()
    declared = {normal(name) for names in extras for name in names}
    assert rows.keys() == declared
    found = imported(root / "workflow/src", root / "tests").keys()
    silent = {name for name in declared - found if "not imported" not in rows[name]}
    assert silent == set()


def test_what_runs_here_is_what_is_locked(root, locked):
    locked = {**locked, **read_lock(root / "envs/test.lock")}
    listed = subprocess.run(
        [sys.executable, "-c", "import importlib.metadata as m; [print(d.name, d.version) for d in m.distributions()]"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    installed = dict(line.lower().replace("_", "-").split() for line in listed.stdout.splitlines())
    for name in ("numpy", "pandas", "xarray", "pydantic", "snakemake", "pytest"):
        assert installed[name] in {version for version, _ in locked[name]}, name


def test_every_action_of_the_workflows_is_named_by_a_hash_and_its_release(root):
    used = [
        line.strip(" -")
        for path in sorted((root / ".github/workflows").glob("*.yml"))
        for line in path.read_text().splitlines()
        if "uses:" in line and "./" not in line
    ]
    assert len(used) >= 9
    assert [line for line in used if not re.fullmatch(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []
