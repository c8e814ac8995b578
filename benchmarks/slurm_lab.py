"""A Slurm cluster of four nodes on this machine, and a clone of the project on what its nodes share."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import yaml

THRESHOLDS = {
    "shortest_run": "1 ms", "foreign_share": 1_000_000, "foreign_cpu": 2, "load_per_core": 1_000_000, "least_free": 0,
    "fill_drift": 1, "modes": 1_000_000,
}  # fmt: skip

#: Four threads of fio on all nodes, for a moment; so slow that fio's clock of 1 ms can measure it.
WRITES = {
    "title": "fio's servers", "tools": ["fio"], "operations": ["write"], "seconds": "0.2 s",
    "options": {"fio": ["--rate=5m"]},
    "factors": {"nodes": [4], "threads": [4], "transfer_size": ["64 KiB"], "file_size": ["1 MiB"]},
}  # fmt: skip

#: IOzone in cluster mode, in which every process writes its whole file, however late it starts.
CLIENTS = {
    "title": "IOzone in cluster mode", "tools": ["iozone"], "operations": ["write"], "options": {"iozone": ["-x"]},
    "factors": {"threads": [1, 6], "transfer_size": ["64 KiB"], "file_size": ["1 MiB"]},
}  # fmt: skip

#: A parameter of the kernel that each node's network has for itself.
PARAMETER = "/proc/sys/net/ipv4/tcp_keepalive_time"
SYSCTL = {"kind": "file", "path": PARAMETER, "values": {"short": "600", "long": "1200"}}

#: Repetitions and sweeps of each study.
STUDIES: dict[str, tuple[int, dict[str, Any]]] = {
    "spread": (1, {
        "servers": {**WRITES, "operations": ["write", "read"],
                    "factors": {**WRITES["factors"], "nodes": [1, 2, 4], "threads": [5]}},
        "clients": CLIENTS,
    }),
    "both": (1, {
        "servers": {**WRITES, "operations": ["write", "read"]},
        "clients": {**CLIENTS, "factors": {**CLIENTS["factors"], "threads": [6]}},
    }),
    "long": (6, {"writes": WRITES}),
    "single": (6, {"writes": {**WRITES, "factors": {**WRITES["factors"], "nodes": [1]}}}),
    "parted": (3, {"clients": {**CLIENTS, "factors": {**CLIENTS["factors"], "threads": [4]}}}),
    "tuned": (2, {"writes": {**WRITES, "settings": {"sysctl": "site"},
                             "factors": {**WRITES["factors"], "sysctl": ["short", "long"]}}}),
}  # fmt: skip

PROGRAMS = ("slurmctld", "slurmd", "squeue", "munged", "ssh", "dropbear", "ip", "nsenter", "unshare", "fio")

COPIED = ("Snakefile", "environment.yml", "pyproject.toml", "workflow", "config", "notebooks", "profiles", "slurm")


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

    @contextmanager
    def standing_still(self, process: subprocess.Popen) -> Iterator[None]:
        """Suspend a command that was started, and resume it at the end."""
        outside = psutil.Process(process.pid)
        (inside,) = outside.children()
        # nsenter stops and continues with what it started. Were both stopped at once, it would see that only after both
        # were continued, and stop for good (util-linux 2.38).
        inside.suspend()
        self.wait(lambda: outside.status() == psutil.STATUS_STOPPED)
        yield
        outside.resume()

    def snakemake(self, campaign: str, study: str, *more: str) -> list[str]:
        """Return the command that measures a study on the cluster."""
        return ["snakemake", "--profile", "slurm", "--config", f"campaign={campaign}", f"studies={study}", "site=lab",
                "--", *more]  # fmt: skip

    def measure(self, campaign: str, study: str, sweep: str) -> str:
        """Return the command by which a job measures a block."""
        return (
            f"python -m coldcache measure --campaign={campaign} --studies={study} --site=lab --block={study}.{sweep}"
            f" --manifest=results/{campaign}/blocks/{study}.{sweep}.json"
        )

    def submit(self, command: str, nodes: int) -> str:
        """Submit a shell command as a job of its own, and return its number."""
        words = ["sbatch", "--parsable", f"--nodes={nodes}", f"--ntasks={nodes}", f"--cpus-per-task={os.cpu_count()}",
                 "--exclusive", "--time=5", f"--output={self.folder / 'job.txt'}", f"--wrap={command}"]  # fmt: skip
        return self.run(*words).strip()

    def in_job(self, command: str, nodes: int) -> str:
        """Run a shell command in a job of its own, and return what it prints."""
        self.finish(self.submit(command, nodes))
        return (self.folder / "job.txt").read_text()

    def finish(self, job: str) -> None:
        """Wait for the end of a job."""
        self.wait(lambda: job not in self.jobs(), seconds=120)

    def lose(self, number: int) -> None:
        """Let a node vanish, and wait until Slurm knows it."""
        self.run("bash", str(self.script), "lose", str(self.folder), str(number))
        self.wait(lambda: "down" in self.run("sinfo", "--noheader", f"--nodes=n{number}", "--format=%T"))

    def restore(self, number: int) -> None:
        """Start a node that vanished."""
        self.run("bash", str(self.script), "node", str(self.folder), str(number))

    def on_node(self, number: int, *command: str) -> str:
        """Run a command on a node, past Slurm, and return what it prints."""
        parent = int((self.folder / f"spool/n{number}.pid").read_text())
        child = self.run("cat", f"/proc/{parent}/task/{parent}/children").strip()
        inside = ("--mount", "--net", "--uts", "--ipc", "--pid")
        return self.run("nsenter", f"--target={child}", *inside, *command)

    def signal_runner(self, name: str) -> None:
        """Send a signal to the runner that holds the target, past Slurm."""
        holder = json.loads((self.target / "coldcache/.lease.json").read_text())
        self.on_node(int(holder["host"].removeprefix("n")), "kill", f"-{name}", str(holder["pid"]))

    def silence(self, seconds: float) -> None:
        """Let no command of Slurm's be answered for a while."""
        self.run("bash", str(self.script), "silence", str(self.folder), str(seconds))

    def jobs(self) -> list[str]:
        """Return the jobs that wait or run."""
        return self.run("squeue", "--noheader", "--format=%i").split()

    def verdicts(self, campaign: str) -> dict[str, tuple[str, str]]:
        """Return the verdict of each trial of a campaign, by its case, with the rule that decided."""
        self.run("python", "-m", "coldcache", "collect", f"--campaign={campaign}", f"--results=results/{campaign}")
        rows = csv.DictReader((self.clone / f"results/{campaign}/verdicts.csv").read_text().splitlines())
        return {f"{row['sweep']} {row['case']} r{row['repetition']}": (row["verdict"], row["codes"]) for row in rows}

    def inodes(self, campaign: str) -> dict[Path, int]:
        """Return the file of each outcome, which a trial that is run again does not keep."""
        return {path: path.stat().st_ino for path in (self.clone / "raw" / campaign).glob("*/*/*/r*/trial.json")}

    def outcomes(self, campaign: str) -> dict[str, dict]:
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


def explain_no_cluster(programs: tuple[str, ...] = PROGRAMS) -> str | None:
    """Return why no cluster can run here; None if one can."""
    if os.geteuid():
        return "a cluster in namespaces needs root"
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        return f"{missing[0]} is not on PATH: bash envs/setup.sh cluster"
    able = subprocess.run(
        ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "sh", "-c", "ip link add x type bridge"],
        capture_output=True, check=False, timeout=20,
    )  # fmt: skip
    return None if able.returncode == 0 else "this system allows no namespaces with a bridge"


@contextmanager
def run_cluster(root: Path, folder: Path, *more: str) -> Iterator[Lab]:
    """Run a cluster whose nodes are idle, with a fresh clone beside it."""
    script = root / "benchmarks/slurm_lab.sh"
    with (folder / "said.txt").open("wb") as log:
        outer = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "bash", str(script), "begin", str(folder), *more],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        end = time.monotonic() + 90
        while not (folder / "up").exists():
            logs = [folder / "said.txt", *folder.glob("log/*")]
            said = "\n".join(f"== {log}\n{log.read_text()[-2000:]}" for log in logs)
            assert time.monotonic() < end and outer.poll() is None, said
            time.sleep(0.05)
        process = int(Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text())
        yield prepare(Lab(folder, process, script), root)
    finally:
        # The first process of its namespaces takes all others with it.
        outer.kill()
        outer.wait()


def prepare(lab: Lab, root: Path) -> Lab:
    """Put a fresh clone beside the cluster: only the sites' files say where it is."""
    lab.clone.mkdir()
    lab.target.mkdir()
    for name in COPIED:
        if (root / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(root / name, lab.clone / name, ignore=ignored)
        else:
            shutil.copy(root / name, lab.clone)
    for name, launched in (("lab", {"launcher": "srun"}), ("lab-ssh", {"launcher": "ssh", "mpi": "mpirun"})):
        site = {
            "site": name, "title": "Four nodes in namespaces", "targets": {"shared": {"path": str(lab.target)}},
            "clients": {"nodes": 4, "cores": os.cpu_count(), **launched}, "thresholds": THRESHOLDS,
            "limits": {"bytes": "64 MiB", "seconds": "60 s", "walltime": "1 h"}, "settings": {"sysctl": SYSCTL},
        }  # fmt: skip
        (lab.clone / f"config/sites/{name}.yaml").write_text(yaml.safe_dump(site))
    for name, (repetitions, sweeps) in STUDIES.items():
        study = {
            "study": name, "title": f"A study of seconds: {name}", "question": "What is left when something fails?",
            "repetitions": repetitions, "notebooks": [], "sweeps": sweeps,
        }  # fmt: skip
        (lab.clone / f"config/studies/{name}.yaml").write_text(yaml.safe_dump(study))
    profile = lab.clone / "slurm/profile.yaml"
    asked = "seconds-between-status-checks: 10\n"
    text = profile.read_text()
    assert text.count(asked) == 1
    profile.write_text(text.replace(asked, "seconds-between-status-checks: 1\n"))
    return lab
