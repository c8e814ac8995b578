"""Both ways to set up, by uv and by conda, give the same versions; what is imported is declared and explained."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions, packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

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


def read_code(path):
    """Return the Python of a module, or that of a notebook's cells."""
    if path.suffix == ".py":
        return path.read_text()
    cells = json.loads(path.read_text())["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def imported(*folders):
    """Return the distributions that files of these folders import, by the name that each declares."""
    known = packages_distributions()
    found = {}
    for path in (path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".ipynb")):
        for node in ast.walk(ast.parse(read_code(path))):
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


#: Files that run with a lock of their own, in another environment.
ELSEWHERE = {"validate_crate.py"}


@pytest.mark.parametrize(
    ("folders", "extras"),
    [
        (["workflow/src"], ["study", "aws", "parquet"]),
        (["notebooks"], ["study"]),
        (["benchmarks", "faults", "fuzz", "mutants", "tests"], ["study", "test"]),
    ],
    ids=lambda names: "-".join(names).replace("/", "-"),
)
def test_whatever_is_imported_is_declared(root, project, folders, extras):
    declared = {normal(name) for extra in extras for name in project["optional-dependencies"][extra]}
    # boto3 is botocore with names for people.
    allowed = declared | {"coldcache"} | ({"botocore"} if "boto3" in declared else set())
    found = imported(*(root / folder for folder in folders))
    assert {name: files for name, files in found.items() if name not in allowed and set(files) - ELSEWHERE} == {}


def test_every_dependency_has_a_reason_and_one_that_is_not_imported_says_so(root, project):
    page = (root / "docs/dependencies.md").read_text()
    rows = dict(re.findall(r"^\| `([a-z0-9.-]+)` \| (.+) \|$", page, re.MULTILINE))
    extras = project["optional-dependencies"].values()
    declared = {normal(name) for names in extras for name in names}
    assert rows.keys() == declared
    found = imported(*(root / folder for folder in ("workflow/src", "mutants", "tests"))).keys()
    silent = {name for name in declared - found if "not imported" not in rows[name]}
    assert silent == set()


@pytest.fixture(scope="module")
def installed():
    """The distributions of this environment by name."""
    return {normal(one.metadata["Name"]): one for one in distributions()}


def list_files(distribution):
    """Return the files of a distribution that are there, without bytecode."""
    paths = [Path(os.path.normpath(file.locate())) for file in distribution.files or () if file.suffix != ".pyc"]
    return [path for path in paths if path.is_file()]


def megabytes(files):
    """Return the space that files take on disk in MiB, as `du -m` counts it."""
    return sum(path.stat().st_blocks for path in files) * 512 / 2**20


def test_the_users_environment_fits_a_quota(root, installed, locked):
    extras = {name for extra in EXTRAS for name in read_lock(root / f"envs/{extra}.lock")} - locked.keys()
    added = {path for name in extras & installed.keys() for path in list_files(installed[name])}
    # Environments and browsers of tests are in folders of their own.
    parts = [Path(sys.prefix, name) for name in ("bin", "include", "lib", "share", "etc")]
    found = [path for part in parts for path in part.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    users = [path for path in found if path not in added and not path.is_symlink()]
    # The bytecode of what a study imports takes 70 MB in 3,000 files more.
    assert len(users) <= 12_000
    assert megabytes(users) <= 430


def needed_by(names, installed):
    """Return the distributions that some need, themselves included."""
    found, open_ = set(), list(names)
    while open_:
        name = open_.pop()
        if name in installed and name not in found:
            found.add(name)
            for need in map(Requirement, installed[name].requires or ()):
                if need.marker is None or need.marker.evaluate({"extra": ""}):
                    open_.append(normal(need.name))
    return found


@pytest.mark.parametrize("extra", ["study", "test"])
def test_each_dependency_weighs_what_its_row_says(root, project, installed, extra):
    page = (root / "docs/dependencies.md").read_text()
    stated = dict(re.findall(r"^\| `([a-z0-9.-]+)` \| .+ \| ([0-9.]+(?: in all)?) \|", page, re.MULTILINE))
    named = {normal(name) for part in ("study", extra) for name in project["optional-dependencies"][part]}
    off = {}
    for name in map(normal, project["optional-dependencies"][extra]):
        counted = {name}
        if stated[name].endswith("in all"):
            others = needed_by({other for other in named if name not in needed_by({other}, installed)}, installed)
            counted = needed_by({name}, installed) - others
        measured = sum(megabytes(list_files(installed[one])) for one in counted)
        if abs(measured - float(stated[name].split()[0])) > max(0.5, 0.25 * measured):
            off[name] = round(measured, 1)
    assert off == {}


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
