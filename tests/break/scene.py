"""A project with a campaign of seconds, in which a fault is staged and its outcome compared with the plan."""

import csv
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

STUDY = """\
study: break
title: A campaign of seconds
question: Is it whole, whatever happens?
repetitions: 3
notebooks: []
sweeps:
  transfers:
    title: Transfers
    tools: [fio]
    operations: [write, read]
    seconds: 50 ms
    options: {fio: ['--rate=40m']}
    factors: {threads: [1, 2], transfer_size: [64 KiB], file_size: [4 MiB], direct_io: [where-possible]}
"""
SITE = """\
site: break
title: A folder
targets: {scratch: {path: TARGET, make: true}}
limits: {bytes: 16 MiB, seconds: 3 s}
thresholds:
  {shortest_run: 1 ms, foreign_share: 1000000, load_per_core: 1000000, foreign_cpu: 2, least_free: 0, fill_drift: 1}
"""
BLOCK = "break.transfers"


class Scene:
    """A project in a folder of its own.

    Parameters
    ----------
    folder : Path
        Empty.
    target : str
        The folder that is measured.
    """

    def __init__(self, folder: Path, target: str = "scratch"):
        self.folder, self.raw = folder, folder / "raw/break"
        for kind, text in (("studies", STUDY), ("sites", SITE.replace("TARGET", target))):
            path = folder / "config" / kind / "break.yaml"
            path.parent.mkdir(parents=True)
            path.write_text(text)
        self.path = os.environ["PATH"]

    def words(self, campaign: str = "break") -> list[str]:
        """Return the command that runs the campaign's only block."""
        words = [sys.executable, "-m", "coldcache", "measure", f"--campaign={campaign}", "--studies=break"]
        return [*words, "--site=break", f"--block={BLOCK}", f"--manifest=results/{campaign}/{BLOCK}.json"]

    def start(self, campaign: str = "break") -> subprocess.Popen:
        """Start the runner in a session of its own."""
        return subprocess.Popen(
            self.words(campaign), cwd=self.folder, env={**os.environ, "PATH": self.path}, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def measure(self, campaign: str = "break") -> subprocess.CompletedProcess:
        """Run the runner to its end."""
        return self.run(self.words(campaign))

    def coldcache(self, *arguments: str) -> subprocess.CompletedProcess:
        """Run another step of the program."""
        return self.run([sys.executable, "-m", "coldcache", *arguments])

    def run(self, words: list[str]) -> subprocess.CompletedProcess:
        """Run a command in the project."""
        environment = {**os.environ, "PATH": self.path}
        return subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    def replace_fio(self, script: str, at: int) -> None:
        """Let a shell script run at one call of fio, counted from 1, before or in place of it; REAL is fio itself."""
        real = shutil.which("fio", path=self.path)
        programs = self.folder / "bin"
        programs.mkdir(exist_ok=True)
        (programs / "fio").write_text(
            f'#!/bin/sh\n[ "$1" = --version ] && exec {real} --version\n'
            "n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n >n\n"
            f'if [ $n = {at} ]; then {script.replace("REAL", str(real))}; fi\nexec {real} "$@"\n'
        )
        (programs / "fio").chmod(0o755)
        self.path = f"{programs}{os.pathsep}{os.environ['PATH']}"

    def stories(self) -> dict[str, dict]:
        """Return what each trial's `trial.json` holds, by its key."""
        return {
            str(path.parent.relative_to(self.raw)): json.loads(path.read_text())
            for path in sorted(self.raw.rglob("trial.json"))
        }

    def wait_for(self, pattern: str, runner: subprocess.Popen) -> Path | None:
        """Return the first file below the project that a pattern finds; None once the runner has ended."""
        while runner.poll() is None:
            found = next(iter(self.folder.glob(pattern)), None)
            if found:
                return found
            time.sleep(0.002)
        return None

    def tools(self, runner: int) -> list[int]:
        """Return the processes that a runner has started and that run now."""
        try:
            return [int(child) for child in Path(f"/proc/{runner}/task/{runner}/children").read_text().split()]
        except OSError:
            return []

    def verdicts(self) -> dict[str, tuple[str, str]]:
        """Return verdict and codes of each trial, as the program collects them."""
        found = self.coldcache("collect", "--campaign=break", "--results=results/break")
        if found.returncode:
            raise AssertionError(f"collect: {found.stderr.strip()}")
        with (self.folder / "results/break/verdicts.csv").open() as file:
            return {
                f"{row['study']}/{row['sweep']}/{row['case']}/r{row['repetition']}": (row["verdict"], row["codes"])
                for row in csv.DictReader(file)
            }

    def complete(self) -> str:
        """Finish the campaign, seal it, and return what is not whole; empty where every trial is there once."""
        found = self.measure()
        if found.returncode:
            return f"it does not complete: {found.stderr.strip().splitlines()[-1]}"
        plan = self.coldcache("plan", "--study=break", "--site=break", "--format=jsonl")
        trials = [json.loads(line) for line in plan.stdout.splitlines()]
        planned = sorted(f"{one['study']}/{one['sweep']}/{one['case']}/r{one['repetition']}" for one in trials)
        there = self.stories()
        if sorted(there) != planned:
            return f"{len(there)} of {len(planned)} trials are there"
        if list(self.raw.rglob(".*partial*")):
            return "a partial folder is left"
        if sorted(path.name for path in (self.folder / "scratch/coldcache").glob("break/*")):
            return "files of trials are left on the target"
        for step in (["seal", "break"], ["seal", "--check", "break"]):
            found = self.coldcache(*step)
            if found.returncode:
                return f"{' '.join(step)}: {found.stderr.strip()}"
        return ""
