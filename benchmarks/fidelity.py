#!/usr/bin/env python3
"""Test whether the runner changes what it measures: compare rates with a run by hand, and watch it during a run."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from costs import COLDCACHE, CONFIG, DESIGN, PYTHON, SNAKEMAKE, cost_of, make_project
from figures import Measurement, tell

from coldcache.statistics.ratios import paired_ratio
from coldcache.tools import read_file

PAIRS = 60
#: The folder of the files for the run by hand.
BY_HAND = "by-hand"
#: How long the runner is watched while its tool runs, and how long the tool runs, in s.
_WATCHED, _RUN = 10, 14
#: How often it is watched: other load of the machine can only add to what it takes.
_ROUNDS = 3

_SWEEP = """\
  {name}:
    title: Random reads that pass the page cache
    tools: [fio]
    operations: [random-read]
    seconds: {seconds} s
    factors: {{threads: [1], transfer_size: [4 KiB], file_size: [64 MiB], direct_io: [where-possible]}}
"""
_STUDY = """\
study: bench
title: The same with and without the runner
question: Does the runner change what it measures?
repetitions: 1
notebooks: []
sweeps:
"""

_LOOP = "import subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)"


def measure() -> Iterator[tuple[str, Measurement]]:
    """Yield the ratio of rates with its interval, and the load of the runner while a tool runs."""
    names = [f"pair-{number}" for number in range(PAIRS)]
    study = _STUDY + "".join(_SWEEP.format(name=name, seconds=1) for name in names)
    # In memory, where no device's variation hides what the runner adds.
    with make_project(study, in_memory=True) as folder:
        pairs = [measure_pair(folder, name, own_first=bool(number % 2)) for number, name in enumerate(names)]
    through, by_hand = zip(*pairs, strict=True)
    ratio = paired_ratio(through, by_hand)
    yield "fidelity", Measurement(ratio.estimate, low=ratio.low, high=ratio.high)
    own, loop = zip(*(watch_both() for _ in range(_ROUNDS)), strict=True)
    for number, name in enumerate(("disturbance-cpu", "disturbance-io")):
        yield name, Measurement(min(load[number] for load in own), min(load[number] for load in loop))


def watch_both() -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the load of the runner while a tool runs, and that of a loop that starts the tool, as `watch` does."""
    with make_project(_STUDY + _SWEEP.format(name="long", seconds=_RUN)) as folder:
        own = watch([*SNAKEMAKE, *CONFIG, "--", "measure_all"], folder)
        command = read_plan(folder)["long"]
        prepare(folder, "long", command)
        return own, watch([PYTHON, "-c", _LOOP, *command], folder)


def measure_pair(folder: Path, name: str, own_first: bool) -> tuple[float, float]:
    """Return the rate through the pipeline and that of the same command by hand, in 1/s, one right after the other."""
    command = read_plan(folder)[name]

    def through() -> float:
        cost_of([*COLDCACHE, "measure", *DESIGN, f"--block=bench.{name}", f"--manifest=results/{name}.json"], folder)
        return read_rate(folder / f"raw/bench/bench/{name}/only/r0/stdout.txt")

    def by_hand() -> float:
        prepare(folder, name, command)
        log = folder / f"{name}.txt"
        with log.open("wb") as output:
            cost_of(command, folder, output=output)
        shutil.rmtree(folder / BY_HAND / "bench" / name)
        return read_rate(log)

    first, second = (through, by_hand) if own_first else (by_hand, through)
    rates = first(), second()
    return rates if own_first else rates[::-1]


def read_plan(folder: Path) -> dict[str, list[str]]:
    """Return the command line of each sweep's only trial, for a folder next to the one that the runner uses."""
    plan = [*COLDCACHE, "plan", "--study=bench", "--site=bench", "--format=jsonl"]
    found = subprocess.run(plan, cwd=folder, capture_output=True, text=True, check=True)
    trials = [json.loads(line) for line in found.stdout.splitlines()]
    return {trial["sweep"]: [word.replace("scratch/coldcache", BY_HAND) for word in trial["argv"]] for trial in trials}


def prepare(folder: Path, name: str, command: list[str]) -> None:
    """Lay out the files that a command reads: complete, and written to the device."""
    place = folder / BY_HAND / "bench" / name
    place.mkdir(parents=True, exist_ok=True)
    size = next(int(word.partition("=")[2]) for word in command if word.startswith("--size="))
    fill = ["dd", "if=/dev/urandom", f"of={place}/t0", "bs=1M", f"count={size // 2**20}", "conv=fsync", "status=none"]
    cost_of(fill, folder)


def read_rate(log: Path) -> float:
    """Return the rate that a log states, in 1/s."""
    return next(record.value for record in read_file(log) if record.metric == "rate" and record.statistic == "value")


def watch(command: list[str], folder: Path) -> tuple[float, float]:
    """Return the load of all processes other than fio while it runs: share of one core in %, and bytes of disk I/O."""
    process = psutil.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while "fio" not in map(name_of, process.children(recursive=True)):
            if process.poll() is not None:
                sys.exit("bench: fio did not run")
            time.sleep(0.05)
        # The runner's work before and after its tool does not disturb the tool.
        time.sleep(1)
        beside = [process, *(child for child in process.children(recursive=True) if name_of(child) not in ("fio", ""))]
        began, before = time.monotonic(), [look(one) for one in beside]
        time.sleep(_WATCHED)
        seconds, after = time.monotonic() - began, [look(one) for one in beside]
        if process.wait() != 0:
            sys.exit("bench: what was watched failed")
    finally:
        if process.poll() is None:
            process.kill()
    processor, transferred = (sum(column) for column in zip(*after, strict=True))
    processor_before, transferred_before = (sum(column) for column in zip(*before, strict=True))
    return 100 * (processor - processor_before) / seconds, transferred - transferred_before


def name_of(process: psutil.Process) -> str:
    """Return the name of a process; empty if it has ended."""
    try:
        return process.name()
    except psutil.NoSuchProcess:
        return ""


def look(process: psutil.Process) -> tuple[float, float]:
    """Return the processor time of a process, in s, and its bytes from and to disks."""
    times, transfers = process.cpu_times(), process.io_counters()
    return times.user + times.system, transfers.read_bytes + transfers.write_bytes


if __name__ == "__main__":
    tell(measure())
