"""A package of somebody else brings a tool along, as docs/add-a-tool.md says; a broken one disturbs no other tool."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/add-a-tool.md").read_text()

#: The module of the page.
MODULE = re.search(r"^```py\n# workflow/src/coldcache/tools/dd\.py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
PROJECT = re.search(r"^```toml\n# pyproject\.toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]

STUDY = """
study: own
title: One file
question: How fast is dd?
repetitions: 1
sweeps:
  sweep:
    title: One file
    tool: dd
    operations: [write, read]
    factors: {threads: [1], transfer_size: [64 KiB], file_size: [16 MiB]}
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder into which the package of the page was built and installed."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "source").mkdir()
    (folder / "source/pyproject.toml").write_text(PROJECT)
    (folder / "source/coldcache_dd.py").write_text(MODULE)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps", "--no-index"]
    target = folder / "installed"
    subprocess.run([*pip, "--no-build-isolation", "--target", str(target), str(folder / "source")], check=True)
    return target


@pytest.fixture
def with_package(project):
    """Run the program with a folder of packages on its path."""

    def run(folder, *arguments):
        path = os.pathsep.join([str(folder), str(ROOT / "workflow/src")])
        return subprocess.run(
            [sys.executable, "-m", "coldcache", *arguments], capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip

    return run


@pytest.fixture
def draft(tmp_path):
    """Write a package as pip installs it: an entry point, and the module that it names."""

    def write(point, text):
        folder = tmp_path / "packages"
        (folder / "somebodys-1.0.dist-info").mkdir(parents=True)
        (folder / "somebodys-1.0.dist-info/METADATA").write_text(
            "Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n"
        )
        (folder / "somebodys-1.0.dist-info/entry_points.txt").write_text(f"[coldcache.tools]\n{point} = somebodys\n")
        (folder / "somebodys.py").write_text(text)
        return folder

    return write


@pytest.mark.slow
def test_a_study_is_measured_and_a_log_read_with_the_tool_of_a_package(installed, with_package):
    Path("config/studies/own.yaml").write_text(STUDY)
    measure = ["measure", "--campaign=own", "--studies=own", "--site=here", "--block=own.sweep", "--manifest=done.json"]
    done = with_package(installed, *measure)
    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(path.read_text()) for path in Path("raw/own").rglob("trial.json")]
    assert {(outcome["tool"], outcome["exit_status"]) for outcome in outcomes} == {("dd", 0)}
    assert with_package(installed, "collect", "--campaign=own", "--results=results/own").returncode == 0
    verdicts = Path("results/own/verdicts.csv").read_text()
    assert verdicts.count(",valid,") + verdicts.count(",suspect,") == 2
    log = next(path.parent / "stdout.txt" for path in Path("raw/own").rglob("trial.json"))
    said = with_package(installed, "parse", str(log))
    assert said.returncode == 0
    assert {json.loads(line)["tool"] for line in said.stdout.splitlines()} == {"dd"}
    assert re.search(r"^yes  dd +[0-9.]+$", with_package(installed, "check", "here").stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("point", "text", "reason"),
    [
        ("dd", "1 / 0", "somebodys of the package somebodys cannot be loaded (ZeroDivisionError: division by zero)"),
        ("dd", "TOOL = 'dd'\n\ndef read(log):\n    return []\n",
         "somebodys of the package somebodys lacks recognise; see docs/add-a-tool.md"),
        ("dd", MODULE + "\nTRAITS = 1\n", "TRAITS of somebodys of the package somebodys are no coldcache.tools"),
    ],
)  # fmt: skip
def test_a_broken_package_is_named_where_it_is_asked_for_and_nowhere_else(draft, with_package, point, text, reason):
    folder = draft(point, text)
    done = with_package(folder, "plan", "--study", "tiny", "--site", "here")
    assert (done.returncode, done.stderr) == (0, "")
    Path("config/studies/own.yaml").write_text(STUDY)
    done = with_package(folder, "plan", "--study", "own", "--site", "here")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        f'coldcache: config/studies/own.yaml, line 9, sweeps.sweep: tool: "dd" cannot be used: {reason}'
    )
    assert done.stderr.count("\n") == 1


def test_a_name_that_is_taken_stays_that_of_the_project(draft, with_package):
    folder = draft("fio", MODULE)
    code = "import coldcache.tools as t; print(t.TOOLS['fio'].__name__); print(t.REFUSED_TOOLS)"
    path = os.pathsep.join([str(folder), str(ROOT / "workflow/src")])
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path}
    ).stdout
    reason = "the package somebodys calls a tool fio, as another one does; remove one of them"
    assert said == f"coldcache.tools.fio.command\n{ {'fio': reason} }\n"


def test_a_package_that_only_reads_logs_brings_a_reader(draft):
    text = "TOOL = 'mine'\n\ndef recognise(log):\n    return log.startswith(b'MINE')\n\ndef read(log):\n    return []\n"
    folder = draft("mine", text)
    code = "import coldcache.tools as t; print(t.READERS[-1].TOOL, t.find_readers(b'MINE')[0].TOOL, 'mine' in t.TOOLS)"
    path = os.pathsep.join([str(folder), str(ROOT / "workflow/src")])
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path}
    ).stdout
    assert said == "mine mine False\n"
