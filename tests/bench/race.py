#!/usr/bin/env python3
"""Print how fast the program itself is, each figure beside its goal. Run from the project's root by `make bench`."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path.cwd()
_STUDY = """\
study: bench
title: Trials that end at once
question: What does the runner cost beside the tool?
repetitions: {repetitions}
notebooks: []
sweeps:
  create:
    title: Creating a few files
    tools: [fio]
    operations: [file-create]
    factors: {{threads: [1], files: [10]}}
    seconds: 0.01
"""
_SITE = "site: bench\ntitle: A folder\ntargets: {scratch: {path: scratch, make: true}}\n"


def runner_cpu(repetitions: int) -> float:
    """Return the CPU time of a runner with its imports, without its tools, in s."""
    with tempfile.TemporaryDirectory(dir=ROOT / "logs") as folder:
        for name, text in (("studies", _STUDY.format(repetitions=repetitions)), ("sites", _SITE)):
            path = Path(folder, "config", name, "bench.yaml")
            path.parent.mkdir(parents=True)
            path.write_text(text)
        program = (
            "import resource, sys; from coldcache.__main__ import main; main(sys.argv[1:]);"
            "used = resource.getrusage(resource.RUSAGE_SELF); print(used.ru_utime + used.ru_stime)"
        )
        arguments = ["measure", "--campaign=bench", "--studies=bench", "--site=bench", "--block=bench.create"]
        command = [sys.executable, "-c", program, *arguments, "--manifest=manifest.json"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        return float(done.stdout)


def runner_cpu_per_trial() -> float:
    """Return the CPU time of the runner per trial, in ms: the slope between few and many trials."""
    few, many = 5, 55
    return 1000 * (runner_cpu(many) - runner_cpu(few)) / (many - few)


def seconds_of(*command: str, cwd: Path = ROOT) -> float:
    """Return the wall time of a command in s."""
    began = time.monotonic()
    subprocess.run(command, cwd=cwd, check=True, capture_output=True)
    return time.monotonic() - began


def setup_seconds() -> float:
    """Return how long `.venv` takes from nothing in a clone, with every download in uv's cache, in s."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        return seconds_of("bash", "envs/setup.sh", cwd=Path(folder))


def figures() -> Iterator[tuple[str, float, str, float]]:
    """Yield what was measured, the figure, its unit and its goal."""
    yield "runner, CPU per trial beside the tool", runner_cpu_per_trial(), "ms", 10
    shutil.rmtree(ROOT / "results" / "reference", ignore_errors=True)
    yield "raw logs of the reference campaign to its report", seconds_of("make", "reference"), "s", 90
    yield "the same with nothing to do", seconds_of("make", "reference"), "s", 6
    yield "set-up from nothing, downloads in the cache", setup_seconds(), "s", 60
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield "peak memory of the largest process of all these", peak, "MiB", 1024


def main() -> int:
    """Print the table; return 1 if a goal was missed."""
    table = Table("what", "measured", "goal", title=f"{os.cpu_count()} cores, Python {sys.version.split()[0]}")
    missed = 0
    for what, figure, unit, goal in figures():
        met = figure <= goal
        missed += not met
        table.add_row(what, f"{figure:.3g} {unit}", f"≤ {goal:g} {unit}{'' if met else '  missed'}")
    Console(width=110).print(table)
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
