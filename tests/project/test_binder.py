"""A Binder session has the user's pins and JupyterLab, and opens on the reference campaign."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

BINDER = Path(__file__).parents[2] / ".binder"


def test_a_session_installs_the_users_lock_and_that_of_jupyterlab():
    lines = (BINDER / "requirements.txt").read_text().splitlines()
    named = [(BINDER / line.removeprefix("-r ")).resolve() for line in lines]
    assert named == [BINDER.parent / "envs/requirements.lock", BINDER.parent / "envs/lab.lock"]
    assert "python-3.11" in (BINDER / "runtime.txt").read_text()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_session_opens_with_the_report_and_the_notebooks_of_the_reference_campaign(clone, tmp_path):
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    # The packages of the locks are there, their setuptools too; the project is not installed yet.
    (site,) = venv.glob("lib/python*/site-packages")
    for old in [*site.glob("setuptools*"), *site.glob("_distutils_hack*")]:
        shutil.rmtree(old)
    (site / "distutils-precedence.pth").unlink(missing_ok=True)
    (site / "locked.pth").write_text(sysconfig.get_path("purelib") + "\n")
    path = os.pathsep.join([str(venv / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PATH": path}
    done = subprocess.run(
        ["bash", str(clone / ".binder/postBuild")], cwd=clone, env=environment, capture_output=True, text=True,
        timeout=800, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = subprocess.run(
        [str(venv / "bin/python"), "-c", "import coldcache; print(coldcache.__file__)"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(found.stdout.strip()).is_relative_to(clone)
    assert (clone / "results/reference/report/index.html").is_file()
    assert (clone / "lab/reference/quick/random-iops.ipynb").is_file()
