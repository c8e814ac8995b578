"""A Slurm cluster of four nodes on this machine, and a clone of the project on what its nodes share."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SITE = """\
site: lab
title: Four nodes in namespaces
targets:
  shared: {{path: {target}}}
clients:
  nodes: 4
  cores: {cores}
  launcher: srun
limits: {{bytes: 64 MiB, seconds: 60 s, walltime: 1 h}}
thresholds:
  {{shortest_run: 1 ms, foreign_share: 1000000, foreign_cpu: 2, load_per_core: 1000000, least_free: 0, fill_drift: 1}}
"""

STUDY = """\
study: spread
title: A study of seconds on one, two and four nodes
question: Does every step of the way hold on several nodes?
repetitions: 1
notebooks: []

sweeps:
  servers:
    title: fio's servers
    tools: [fio]
    operations: [write, read]
    seconds: 0.2 s
    factors:
      nodes: [1, 2, 4]
      threads: [5]
      transfer_size: [64 KiB]
      file_size: [1 MiB]

  clients:
    title: IOzone in cluster mode
    tools: [iozone]
    operations: [write]
    # Every process writes its whole file, however late it starts.
    options: {iozone: ["-x"]}
    factors:
      threads: [1, 6]
      transfer_size: [64 KiB]
      file_size: [1 MiB]
"""

LONG = """\
study: long
title: Many trials on four nodes
question: What is left when something ends half-way?
repetitions: 6
notebooks: []

sweeps:
  writes:
    title: fio's servers
    tools: [fio]
    operations: [write]
    seconds: 0.2 s
    factors:
      nodes: [4]
      threads: [4]
      transfer_size: [64 KiB]
      file_size: [1 MiB]
"""

PROGRAMS = ("slurmctld", "slurmd", "squeue", "munged", "ip", "nsenter", "unshare", "fio")

COPIED = ("Snakefile", "environment.yml", "pyproject.toml", "workflow", "config", "notebooks", "slurm")


class Lab:
    """A running cluster, and a clone of the project in which commands run on its login node.

    Parameters
    ----------
    folder : Path
        Where its files lie.
    process : int
        The login node's first process.
    script : Path
        What started it.
    """

    def __init__(self, folder: Path, process: int, script: Path):
        self.folder, self.process, self.script = folder, process, script
        self.clone, self.target = folder / "clone", folder / "target"
        self.environment = {
            **os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip

    def inside(self, *command: str) -> list[str]:
        """Return a command as it runs on the login node, in the clone."""
        return ["nsenter", f"--target={self.process}", "--mount", "--net", "--uts", "--ipc", "--pid",
                f"--wd={self.clone}", *command]  # fmt: skip

    def start(self, *command: str) -> subprocess.Popen:
        """Start a command on the login node, in a session of its own."""
        return subprocess.Popen(
            self.inside(*command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
            env=self.environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def run(self, *command: str, seconds: float = 240) -> str:
        """Run a command on the login node, and return what it prints; it must end well and in time."""
        process = self.start(*command)
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            raise AssertionError(f"{' '.join(command)} did not end within {seconds} s:\n{said[-4000:]}") from None
        assert process.returncode == 0, f"{' '.join(command)}\n{said[-6000:]}\n{self.logs()}"
        return said

    def snakemake(self, campaign: str, study: str, *more: str) -> list[str]:
        """Return the command that measures a study on the cluster."""
        return ["snakemake", "--profile", "slurm", "--config", f"campaign={campaign}", f"studies={study}", "site=lab",
                "--", *more]  # fmt: skip

    def in_job(self, command: str, nodes: int, seconds: float = 120) -> str:
        """Run a shell command in a job of its own, and return what it prints."""
        said = self.folder / "job.txt"
        said.unlink(missing_ok=True)
        words = [
            f"--nodes={nodes}",
            f"--ntasks={nodes}",
            f"--cpus-per-task={os.cpu_count()}",
            "--exclusive",
            "--time=5",
        ]
        self.run("sbatch", "--wait", *words, f"--output={said}", f"--wrap={command}", seconds=seconds)
        return said.read_text()

    def lose(self, number: int) -> None:
        """Let a node vanish, and wait until Slurm knows it."""
        self.run("bash", str(self.script), "lose", str(self.folder), str(number))
        self.wait(lambda: "down" in self.run("sinfo", "--noheader", f"--nodes=n{number}", "--format=%T"))

    def restore(self, number: int) -> None:
        """Start a node that vanished."""
        self.run("bash", str(self.script), "node", str(self.folder), str(number))

    def on_node(self, number: int, *command: str) -> None:
        """Run a command on a node, past Slurm."""
        parent = int((self.folder / f"spool/n{number}.pid").read_text())
        child = self.run("cat", f"/proc/{parent}/task/{parent}/children").strip()
        self.run("nsenter", f"--target={child}", "--mount", *command)

    def stories(self, campaign: str) -> dict[str, dict]:
        """Return what each trial of a campaign tells, by its folder."""
        folder = self.clone / "raw" / campaign
        paths = sorted(folder.glob("*/*/*/r*/trial.json"))
        return {str(path.parent.relative_to(folder)): json.loads(path.read_text()) for path in paths}

    def logs(self) -> str:
        """Return the end of what the jobs said last."""
        logs = sorted(self.clone.glob("logs/slurm/*/*/*.log"), key=lambda log: log.stat().st_mtime)
        return "\n".join(f"== {log}\n{log.read_text()[-2500:]}" for log in logs[-2:])

    def wait(self, holds: Callable[[], object], seconds: float = 90) -> None:
        """Wait until something holds."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, f"it did not come to hold within {seconds} s\n{self.logs()}"
            time.sleep(0.1)


def why_not() -> str:
    """Return why no cluster can run here; empty where one can."""
    if os.geteuid():
        return "a cluster in namespaces needs root"
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing:
        return f"{missing[0]} is not on PATH: bash envs/setup.sh cluster"
    able = subprocess.run(
        ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "sh", "-c", "ip link add x type bridge"],
        capture_output=True, check=False, timeout=20,
    )  # fmt: skip
    return "" if able.returncode == 0 else "this system lets no namespaces with a bridge be made"


@pytest.fixture(scope="session")
def lab(root, tmp_path_factory) -> Iterator[Lab]:
    """A cluster whose nodes are idle; it ends with the last test that uses it."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("cluster")
    with (folder / "said.txt").open("wb") as said:
        outer = subprocess.Popen(
            ["bash", str(root / "tests/cluster/lab.sh"), "begin", str(folder)], stdin=subprocess.DEVNULL, stdout=said,
            stderr=said, start_new_session=True,
        )  # fmt: skip
    try:
        end = time.monotonic() + 60
        while not (folder / "up").exists():
            logs = [folder / "said.txt", *folder.glob("log/*")]
            assert time.monotonic() < end, "\n".join(f"== {log}\n{log.read_text()[-2000:]}" for log in logs)
            time.sleep(0.05)
        process = int(Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text())
        yield prepare(Lab(folder, process, root / "tests/cluster/lab.sh"), root)
    finally:
        # The first process of its namespaces takes all others with it.
        outer.kill()
        outer.wait()


def prepare(lab: Lab, root: Path) -> Lab:
    """Put a fresh clone beside the cluster: only the site's file says where it is."""
    lab.clone.mkdir()
    lab.target.mkdir()
    for name in COPIED:
        if (root / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(root / name, lab.clone / name, ignore=ignored)
        else:
            shutil.copy(root / name, lab.clone)
    # Of raw/ a clone has what claims are judged by, and the reference campaign, which is not needed here.
    shutil.copytree(root / "raw/published", lab.clone / "raw/published")
    (lab.clone / "config/sites/lab.yaml").write_text(SITE.format(target=lab.target, cores=os.cpu_count()))
    (lab.clone / "config/studies/spread.yaml").write_text(STUDY)
    (lab.clone / "config/studies/long.yaml").write_text(LONG)
    profile = lab.clone / "slurm/profile.yaml"
    asked = "slurm-init-seconds-before-status-checks: 10\n"
    text = profile.read_text()
    assert text.count(asked) == 1
    profile.write_text(text.replace(asked, "slurm-init-seconds-before-status-checks: 1\n"))
    return lab
