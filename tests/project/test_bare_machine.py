"""The workflow starts without an activated environment, with a full /tmp, and says where Slurm is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from snakemake_executor_plugin_slurm_steady import explain_absence

CONFIG = ["--config", "campaign=x", "studies=tiny", "site=here"]


def run(*arguments, folder, **more):
    return subprocess.run(
        [Path(sys.executable).parent / "snakemake", *arguments, *CONFIG], capture_output=True, text=True, check=False,
        timeout=280, cwd=folder, **more,
    )  # fmt: skip


def test_snakemake_runs_without_an_activated_environment(clone):
    bare = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"} | {"PATH": os.defpath}
    found = run("--cores", "1", "results/x/blocks/tiny.files.json", folder=clone, env=bare)
    assert found.returncode == 0, found.stderr
    assert Path("results/x/blocks/tiny.files.json").is_file()


def test_a_full_folder_of_temporary_files_stops_nothing(clone, mount_namespace):
    Path("full").mkdir()
    prepare = "mount -t tmpfs -o size=4k none full; head -c 4096 /dev/zero > full/x; export TMPDIR=$PWD/full"
    targets = ["results/x/blocks/tiny.files.json", "results/x/blocks/tiny.transfers.json"]
    found = subprocess.run(
        mount_namespace(prepare, ["snakemake", "--cores", "2", *targets, *CONFIG]), capture_output=True, text=True,
        check=False, timeout=280,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "Traceback" not in found.stderr
    assert all(Path(target).is_file() for target in targets)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "Slurm is not installed on this machine (sinfo is not on PATH)"),
        ("echo 'sinfo: error: no controller' >&2; exit 1",
         "Slurm does not answer on this machine (sinfo: error: no controller)"),
    ],
)  # fmt: skip
def test_the_profile_of_slurm_on_a_machine_without_it_is_one_line(clone, tmp_path, answer, reason):
    (tmp_path / "bin").mkdir()
    for name in ("bash", "fio", "tee", "mkdir", "cat", "which", "qemu-nbd"):
        (tmp_path / "bin" / name).symlink_to(f"/usr/bin/{name}")
    for name in ("sinfo", "squeue") if answer else ():
        (tmp_path / "bin" / name).write_text(f"#!/bin/bash\n{answer}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    # The folder of the interpreter itself is put first.
    environment = {**os.environ, "PATH": str(tmp_path / "bin")}
    found = run("--profile", "slurm", "results/x/blocks/tiny.files.json", folder=clone, env=environment)
    assert found.returncode == 1
    line = f"coldcache: --profile slurm: {reason}; without --profile slurm this machine measures"
    assert found.stderr.splitlines()[-1] == line
    assert found.stderr.count("Slurm") == 1
    assert "Traceback" not in found.stderr + found.stdout
    assert not Path("raw/x").exists()


def test_slurm_that_answers_is_used(tmp_path, monkeypatch):
    (tmp_path / "sinfo").write_text("#!/bin/bash\necho 'debug*'\n")
    (tmp_path / "sinfo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert explain_absence() is None
