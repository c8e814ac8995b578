"""Two campaigns measured here, the second slower in one case, and `compare` run on a copy of them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coldcache import __main__ as program

STUDY = """\
study: paced
title: Transfers at a given pace
question: Is a slowdown named, and nothing else?
repetitions: 5
notebooks: []

sweeps:
  transfers:
    title: Transfers of 64 KiB
    tools: [fio]
    operations: [random-write, random-read]
    seconds: 0.6 s
    factors:
      threads: [1, 2]
      transfer_size: [64 KiB]
      file_size: [4 MiB]
      direct_io: [where-possible]
"""


#: fio, held to a pace so that what else this machine does has no part in it; slower in one case of one campaign.
PACED = """\
#!/bin/sh
case "$*" in
*--version*) exec {fio} "$@" ;;
*--numjobs=2*--rw=randread*) exec {fio} "$@" --rate_iops={pace} ;;
*) exec {fio} "$@" --rate_iops=100 ;;
esac
"""


@pytest.fixture(scope="session")
def paced(tmp_path_factory):
    """A folder with two campaigns of which the second reads with two threads at 80 of 100 transfers a second."""
    folder = tmp_path_factory.mktemp("paced")
    (folder / "config/studies").mkdir(parents=True)
    (folder / "config/sites").mkdir()
    (folder / "config/studies/paced.yaml").write_text(STUDY)
    site = {"site": "here", "title": "Here", "targets": {"scratch": {"path": "scratch", "make": True}},
            "thresholds": {"shortest_run": "1 ms", "load_per_core": 1000000, "least_free": 0}}  # fmt: skip
    (folder / "config/sites/here.yaml").write_text(json.dumps(site))
    for campaign, pace in (("before", 100), ("after", 80)):
        fio = folder / "bin/fio"
        fio.parent.mkdir(exist_ok=True)
        fio.write_text(PACED.format(fio=shutil.which("fio"), pace=pace))
        fio.chmod(0o755)
        path = f"{fio.parent}:{Path(sys.executable).parent}:/usr/bin:/bin:/usr/sbin:/sbin"
        found = subprocess.run(
            [sys.executable, "-m", "coldcache", "measure", f"--campaign={campaign}", "--studies=paced", "--site=here",
             "--block=paced.transfers", f"--manifest=results/{campaign}/block.json"],
            cwd=folder, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "PATH": path},
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
    return folder


@pytest.fixture
def compare(paced, tmp_path, monkeypatch, capsys):
    """Run `compare` in a copy of the folder, once it has been changed."""
    shutil.copytree(paced / "raw", tmp_path / "raw")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = program.main(["compare", *arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run
