"""A wheel that is built here and installed elsewhere has every file of the package, and runs without the clone."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

PACKAGE = Path("workflow/src/coldcache")

#: What the wheel has beside the modules, in `coldcache/program/`.
SHIPPED = (
    "Snakefile", "workflow/Snakefile", "workflow/rules", "workflow/report", "config", "notebooks",
    "docs/twelve-rules.md", "docs/glossary.md", "profiles", "slurm", "environment.yml", "envs/requirements.lock",
    "CITATION.cff", "LICENSE",
)  # fmt: skip

STUDY = """\
study: mine
title: Reads
question: How fast are reads?
repetitions: 1
notebooks: [every-sweep]
sweeps:
  reads:
    title: Random reads
    tools: [fio]
    operations: [random-read]
    seconds: 1 s
    factors: {threads: [1, 2], transfer_size: [4 KiB], file_size: [1 MiB], direct_io: [where-possible]}
"""


def list_tracked(root, *patterns):
    found = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=root, capture_output=True, check=True)
    return [Path(os.fsdecode(name)) for name in found.stdout.split(b"\0") if name]


@pytest.fixture(scope="module")
def open_folder():
    """A folder that every user may read; that of pytest is closed again whenever pytest starts."""
    with tempfile.TemporaryDirectory(prefix="coldcache-wheel-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def installed(root, open_folder):
    """The folder into which a wheel of the tracked files was installed."""
    # Setuptools leaves its own folders beside the sources: a copy keeps them out of the clone.
    source = open_folder / "source"
    for name in list_tracked(root, str(PACKAGE), "setup.py", "pyproject.toml", "README.md", *SHIPPED):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, source / name)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", open_folder, source]
    subprocess.run(build, check=True)
    (wheel,) = open_folder.glob("coldcache-*.whl")
    target = open_folder / "installed"
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", target, wheel], check=True)
    return target


@pytest.mark.slow
def test_every_tracked_file_of_the_package_is_in_the_wheel(root, installed):
    tracked = {name.relative_to(PACKAGE.parent) for name in list_tracked(root, str(PACKAGE))}
    assert any(name.suffix == ".csv" for name in tracked)
    there = {path.relative_to(installed) for path in installed.rglob("*") if path.is_file()}
    assert sorted(tracked - there) == []
    shipped = {Path("coldcache/program", name) for name in list_tracked(root, *SHIPPED)}
    assert sorted(shipped - there) == []


@pytest.mark.slow
def test_an_installed_wheel_parses_a_log_without_the_clone(root, installed, tmp_path):
    shutil.copyfile(root / "tests/specimens/ior-4.1.0-dev-both.txt", tmp_path / "ior.txt")
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    where = [sys.executable, "-c", "import coldcache; print(coldcache.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()).is_relative_to(installed)
    parse = [sys.executable, "-m", "coldcache", "parse", "ior.txt"]
    found = subprocess.run(parse, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert "write" in found.stdout and "read" in found.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("command", "package"), [(["plan"], "pydantic"), (["compare", "a", "b"], "rich")])
def test_without_the_libraries_a_command_says_how_to_install_them(installed, tmp_path, command, package):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    # -S leaves out the installed libraries.
    bare = [sys.executable, "-S", "-m", "coldcache", *command]
    found = subprocess.run(bare, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    line = f"coldcache: {command[0]} needs {package}, which is not installed: pip install 'coldcache[study]'\n"
    assert (found.returncode, found.stdout, found.stderr) == (1, "", line)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def home(open_folder):
    """An empty folder, and what starts a program as an ordinary user who owns it, if one can read this interpreter."""
    folder = open_folder / "home"
    folder.mkdir()
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if os.geteuid() or not shutil.which("setpriv"):
        return folder, []
    again = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import snakemake'], check=True)"
    reads = subprocess.run([*user, sys.executable, "-c", again], capture_output=True, check=False)
    if reads.returncode:
        return folder, []
    shutil.chown(folder, 65534, 65534)
    return folder, user


@pytest.mark.slow
def test_an_ordinary_user_runs_a_study_from_an_installed_wheel_in_an_empty_folder(installed, home):
    home, user = home
    environment = {**os.environ, "PYTHONPATH": str(installed), "HOME": str(home)}

    def call(*arguments, folder):
        done = subprocess.run(
            [*user, sys.executable, "-m", *arguments], cwd=folder, env=environment, capture_output=True,
            text=True, timeout=280,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    call("coldcache", "new", "mine", folder=home)
    (home / "mine/config/studies/mine.yaml").write_text(STUDY)
    call("snakemake", "--cores", "2", "--quiet", "all", folder=home / "mine")
    assert "random read" in (home / "mine/results/local/report/index.html").read_text()
    assert (home / "mine/raw/local/campaign.json").stat().st_uid == (65534 if user else os.geteuid())
    # The program's own studies are there, too.
    assert "quick/sequential" in call("coldcache", "plan", "--study", "quick", folder=home / "mine")
