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


@pytest.mark.parametrize("arguments", [["--list-rules"], ["--profile", "slurm", "--list-rules"]])
def test_a_snakemake_without_the_package_says_how_to_install_it(clone, tmp_path, arguments):
    # A module that is None cannot be imported; the plugins of Snakemake, which come with the package, do not need it.
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['coldcache.workflow.inputs'] = None\n")
    found = run(*arguments, folder=clone, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert found.returncode == 1
    line = "coldcache: Python has no coldcache.workflow.inputs where Snakemake runs: pip install 'coldcache[study]'"
    assert found.stderr.splitlines()[-1] == line
    assert "Traceback" not in found.stderr


def test_the_executor_for_slurm_stops_no_other_workflow_where_a_library_is_missing():
    hidden = "import sys; sys.modules['snakemake_executor_plugin_slurm'] = None; import snakemake_executor_plugin_"
    kind = "from snakemake_interface_executor_plugins.executors.base import AbstractExecutor; "
    code = f"{hidden}slurm_steady as found; {kind}print(issubclass(found.Executor, AbstractExecutor))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("True\n", "")


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
