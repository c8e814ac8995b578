"""The two ways to set up, by uv and by conda, give the same versions of the same packages."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml

PIN = re.compile(r"([A-Za-z0-9._-]+)==([^ ;]+)(?: ; (.+))?")


@pytest.fixture
def locked(root):
    pins = {}
    for line in (root / "envs/requirements.lock").read_text().splitlines():
        if line and line[0] not in " #":
            name, version, marker = PIN.fullmatch(line.removesuffix("\\").strip()).groups()
            pins.setdefault(name, set()).add((version, marker))
    return pins


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


def test_conda_brings_python_as_the_package_asks(root, environment):
    package = tomllib.loads((root / "pyproject.toml").read_text())
    required = package["project"]["requires-python"]
    assert [part for part in environment["dependencies"] if isinstance(part, str)] == [f"python {required}", "pip"]


def test_every_pin_carries_a_hash(root):
    blocks = re.split(r"\n(?=[^ #])", (root / "envs/requirements.lock").read_text())
    assert [block.split("==")[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_the_lock_holds_every_dependency_that_the_package_names(root, locked):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    named = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    missing = {re.split(r"[<>=;\[ ]", name)[0].lower() for name in named} - locked.keys()
    assert missing == set()


def test_what_runs_here_is_what_is_locked(locked):
    listed = subprocess.run(
        [sys.executable, "-c", "import importlib.metadata as m; [print(d.name, d.version) for d in m.distributions()]"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    installed = dict(line.lower().replace("_", "-").split() for line in listed.stdout.splitlines())
    for name in ("numpy", "pandas", "xarray", "pydantic", "snakemake", "pytest"):
        assert installed[name] in {version for version, _ in locked[name]}, name
