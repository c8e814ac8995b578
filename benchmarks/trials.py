#!/usr/bin/env python3
"""Measure the overhead of a trial without its tool, and how many files it leaves."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import peers
from costs import CONFIG, EMPTY_WORKFLOW, PYTHON, ROOT, SNAKEMAKE, Cost, cost_of, least, make_project
from figures import Measurement, tell

TRIALS = 2000
_ROUNDS = 2

_STUDY = f"""\
study: bench
title: Trials that end at once
question: What does the runner cost beside the tool?
repetitions: {TRIALS // 20}
notebooks: []
sweeps:
  write:
    title: Nothing at all
    tools: [fio]
    operations: [write]
    factors: {{threads: {list(range(1, 21))}, transfer_size: [4 KiB], file_size: [4 KiB]}}
"""

#: Replaces the tool: it ends as soon as it has started.
TOOL = '#!/bin/sh\n[ "$1" = --version ] && echo fio-3.33\nexit 0\n'

#: A part of the floor: the minimum work for a trial with its evidence, which no power failure may take. Arguments are
#: the folder, the number of trials, and an outcome.
_LOOP = """\
import json, os, subprocess, sys
from pathlib import Path

outcome = json.loads(Path(sys.argv[3]).read_bytes())
device = os.stat(sys.argv[3]).st_dev
counters = ["/proc/stat", "/proc/self/mountinfo", f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat"]
there = [Path(counter) for counter in counters if Path(counter).exists()]


def flush(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


for trial in range(int(sys.argv[2])):
    folder = Path(sys.argv[1], str(trial))
    folder.mkdir(parents=True)
    before = [counter.read_bytes() for counter in there]
    with (folder / "stdout.txt").open("wb") as output, (folder / "stderr.txt").open("wb") as errors:
        subprocess.run(["fio", f"--numjobs={trial % 20 + 1}", "--rw=write"], stdout=output, stderr=errors, check=True)
    after = [counter.read_bytes() for counter in there]
    (folder / "trial.json").write_text(json.dumps(outcome, indent=1))
    flush(folder / "trial.json")
    flush(folder)
"""


def measure(with_peers: bool) -> Iterator[tuple[str, Measurement]]:
    """Yield the processor time and the files per trial, alternating with the floor and the peers."""
    others = peers.set_up() if with_peers else {}
    costs: dict[str, list[Cost]] = {}
    files: dict[str, float] = {}
    for turn in range(_ROUNDS):
        with make_project(_STUDY) as folder, tempfile.TemporaryDirectory(dir=ROOT / "logs") as beside:
            programs = folder / "bin"
            programs.mkdir()
            (programs / "fio").write_text(TOOL)
            (programs / "fio").chmod(0o755)
            run = [*SNAKEMAKE, *CONFIG, "--", "measure_all"]
            costs.setdefault("own", []).append(cost_of(run, folder, programs))
            outcomes = list(folder.glob("raw/bench/*/*/*/*/trial.json"))
            if len(outcomes) != TRIALS:
                sys.exit(f"bench: not all of {TRIALS} trials are there")
            loop = [PYTHON, "-c", _LOOP, f"{beside}/loop", str(TRIALS), str(outcomes[0])]
            costs.setdefault("loop", []).append(cost_of(loop, folder, programs))
            (folder / "empty.smk").write_text(EMPTY_WORKFLOW)
            costs.setdefault("empty", []).append(cost_of([*SNAKEMAKE, "--snakefile", "empty.smk"], folder))
            for name, peer in others.items() if turn == 0 else ():
                place = Path(beside, name)
                costs.setdefault(name, []).append(cost_of(peer.prepare(place, TRIALS), place, programs))
                files[name] = peer.count_files(place) / TRIALS
    each = {name: 1000 * least(found).processor / TRIALS for name, found in costs.items()}
    own, floor = each.pop("own"), each.pop("loop") + each.pop("empty")
    yield "trial-cpu", Measurement(own, floor, peers=each)
    yield "trial-files", Measurement(_files_per_trial(), 2, peers=files)


def _files_per_trial() -> float:
    """Return how many files a trial of the reference campaign has, including logs of rates over time."""
    listed = subprocess.run(["git", "ls-files", "raw/reference"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [Path(line) for line in listed.stdout.splitlines()]
    trials = {path.parent for path in files if path.name == "trial.json"}
    return sum(path.parent in trials for path in files) / len(trials)


if __name__ == "__main__":
    tell(measure("--peers" in sys.argv))
