#!/usr/bin/env python3
"""Plan, dry-run and resume designs of 100,000 and 1,000,000 trials; all are measured already when resuming."""

from collections.abc import Iterator
from pathlib import Path

from costs import (
    COLDCACHE,
    CONFIG,
    DESIGN,
    EMPTY_WORKFLOW,
    PYTHON,
    SNAKEMAKE,
    Cost,
    cost_of,
    least,
    make_project,
    write_study,
)
from figures import Measurement, tell

MANY, MORE = 100_000, 1_000_000
_ROUNDS = 2

_STUDY = """\
study: bench
title: A large grid
question: How long does the plan take?
repetitions: 5
notebooks: []
sweeps:
  write:
    title: Random writes
    tools: [fio]
    operations: [random-write]
    factors:
      threads: {threads}
      transfer_size: {transfers}
      queue_depth: {depths}
      file_size: {files}
"""

#: The floor: a line for each trial of the same grid, without checks.
_LOOP = """\
import itertools, json, sys

def argv(threads, transfer, depth, size):
    return ["fio", f"--numjobs={threads}", f"--bs={transfer}", f"--iodepth={depth}", f"--size={size}"]

for levels in itertools.product(range(1, int(sys.argv[1]) + 1), range(10), range(1, 11), range(1, 11)):
    for repetition in range(5):
        print(json.dumps({"levels": levels, "repetition": repetition, "argv": argv(*levels)}))
"""

_RESUME = (*COLDCACHE, "measure", *DESIGN, "--block=bench.write", "--manifest=results/manifest.json")
_FIND = ("find", "raw/bench", "-name", "trial.json")


def design(trials: int) -> str:
    """Return a study of a number of trials: five of each combination of levels."""
    return _STUDY.format(
        threads=list(range(1, trials // 5000 + 1)), transfers=[512 * 2**power for power in range(10)],
        depths=list(range(1, 11)), files=[262144 * number for number in range(1, 11)],
    )  # fmt: skip


def commands(trials: int) -> dict[str, tuple[str, ...]]:
    """Return the steps before anything is measured, each with its floor."""
    return {
        "plan": (*COLDCACHE, "plan", "--study=bench", "--site=bench", "--format=jsonl"),
        "plan floor": (PYTHON, "-c", _LOOP, str(trials // 5000)),
        "dry-run": (*SNAKEMAKE, "--dry-run", *CONFIG),
        "dry-run floor": (*SNAKEMAKE, "--dry-run", "--snakefile", "empty.smk"),
    }


def measure() -> Iterator[tuple[str, Measurement]]:
    """Yield time, memory and growth of the three steps, alternating with their floors."""
    found: dict[tuple[str, int], list[Cost]] = {}
    with make_project(design(MANY), in_memory=True) as folder:
        (folder / "empty.smk").write_text(EMPTY_WORKFLOW)
        for trials, rounds in ((MANY, _ROUNDS), (MORE, 1)):
            write_study(folder, design(trials))
            for name, command in rounds * list(commands(trials).items()):
                found.setdefault((name, trials), []).append(cost_of(command, folder))
            cost_of([PYTHON, Path(__file__).with_name("lay_trials.py")], folder)
            for name, command in rounds * [("resume", _RESUME), ("resume floor", _FIND)]:
                found.setdefault((name, trials), []).append(cost_of(command, folder))
            cost_of(["rm", "-rf", "raw/bench"], folder)
    costs = {key: least(several) for key, several in found.items()}
    for step in ("plan", "dry-run", "resume"):
        own, floor = costs[step, MANY], costs[f"{step} floor", MANY]
        yield f"{step}-seconds", Measurement(own.seconds, floor.seconds)
        yield f"{step}-memory", Measurement(own.memory, floor.memory)
        # The floor, an empty rule, does not grow.
        below = None if step == "dry-run" else _growth(costs[f"{step} floor", MORE], floor)
        yield f"{step}-growth", Measurement(_growth(costs[step, MORE], own), below)


def _growth(large: Cost, small: Cost) -> float:
    return large.seconds / small.seconds / (MORE / MANY)


if __name__ == "__main__":
    tell(measure())
