#!/usr/bin/env python3
"""Measure the overhead of a block on Slurm, and how soon the first of 1,000 jobs is submitted."""

import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil
import yaml
from costs import EMPTY_WORKFLOW, ROOT, cost_of
from figures import Measurement, tell
from slurm_lab import Lab, explain_no_cluster, run_cluster

_TRIALS, _SWEEPS, _JOBS = 100, 2000, 1000
_ROUNDS = 2

#: The longest job of the site, of which five minutes are spare: the 100,000 trials of the sweeps become so many jobs.
_WALLTIME = "427 s"

#: Prints the number of jobs of a campaign that has not begun.
_COUNT = """\
from coldcache.workflow.configuration import read_design

print(len(read_design({"campaign": "many", "studies": "many", "site": "lab"}).allocations))
"""

_FACTORS = {"nodes": [1], "threads": [1], "transfer_size": ["64 KiB"], "file_size": ["64 KiB"]}
_TRIVIAL = {"title": "t", "tools": ["fio"], "operations": ["write"], "seconds": "10 ms", "factors": _FACTORS}
_SIZES = ["4 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB"]
_GRID = {**_TRIVIAL, "factors": {**_FACTORS, "transfer_size": _SIZES}}


class _Whole(yaml.SafeDumper):
    """A YAML writer without aliases, which designs must not have."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True: aliases are never written."""
        return True


def measure() -> Iterator[tuple[str, Measurement]]:
    """Yield the cost of a block and of a submission; nothing, with the reason on stderr, if no cluster can run."""
    reason = explain_no_cluster()
    if reason:
        print(f"slurm: {reason}; not measured", file=sys.stderr)
        return
    (ROOT / "logs").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "logs") as folder, run_cluster(ROOT, Path(folder)) as lab:
        # The tests poll Slurm more often.
        (lab.clone / "slurm/profile.yaml").write_text((ROOT / "slurm/profile.yaml").read_text())
        (lab.clone / "empty.smk").write_text(EMPTY_WORKFLOW)
        write_study(lab, "trivial", _TRIALS, {"writes": _TRIVIAL})
        write_study(lab, "many", 10, {f"s{number:04}": _GRID for number in range(_SWEEPS)})
        blocks = [(time_block(lab, f"trivial{turn}"), time_empty_job(lab)) for turn in range(_ROUNDS)]
        yield "slurm-block", Measurement(*map(min, zip(*blocks, strict=True)))
        limit_jobs(lab)
        started = [(submit_first(lab, f"many{turn}"), start_snakemake(lab)) for turn in range(_ROUNDS)]
        own, floor = zip(*started, strict=True)
        for place, name in enumerate(("slurm-thousand", "slurm-thousand-memory")):
            yield name, Measurement(min(cost[place] for cost in own), min(cost[place] for cost in floor))


def write_study(lab: Lab, name: str, repetitions: int, sweeps: dict[str, Any]) -> None:
    """Write a study next to those of the tests."""
    study = {"study": name, "title": "t", "question": "q?", "repetitions": repetitions, "notebooks": [],
             "sweeps": sweeps}  # fmt: skip
    (lab.clone / f"config/studies/{name}.yaml").write_text(yaml.dump(study, Dumper=_Whole))


def time_block(lab: Lab, campaign: str) -> float:
    """Return the time of a command outside its trials, in s."""
    began = time.monotonic()
    lab.run(*lab.snakemake(campaign, "trivial", "measure_all"), seconds=900)
    seconds = time.monotonic() - began
    outcomes = lab.outcomes(campaign).values()
    if len(outcomes) != _TRIALS:
        sys.exit(f"bench: {len(outcomes)} of {_TRIALS} trials are there\n{lab.logs()}")
    stamps = [
        (datetime.fromisoformat(outcome["start"]), datetime.fromisoformat(outcome["end"])) for outcome in outcomes
    ]
    return seconds - sum((end - start).total_seconds() for start, end in stamps)


def time_empty_job(lab: Lab) -> float:
    """Return the time that Slurm takes for an empty job on one node, in s."""
    return cost_of(lab.inside("sbatch", "--wait", "--exclusive", "--output=/dev/null", "--wrap=true")).seconds


def limit_jobs(lab: Lab) -> None:
    """Shorten the site's longest job, and end the benchmark unless the sweeps then take 1,000 jobs."""
    site = lab.clone / "config/sites/lab.yaml"
    stated = yaml.safe_load(site.read_text())
    stated["limits"]["walltime"] = _WALLTIME
    site.write_text(yaml.safe_dump(stated))
    jobs = int(lab.run("python", "-c", _COUNT))
    if jobs != _JOBS:
        sys.exit(f"bench: the sweeps take {jobs} jobs, not {_JOBS}")


def submit_first(lab: Lab, campaign: str) -> tuple[float, float]:
    """Return the seconds until the first job is submitted, and Snakemake's peak memory until then, in MB."""
    began = time.monotonic()
    head = lab.start(*lab.snakemake(campaign, "many", "measure_all"))
    try:
        while not lab.jobs():
            if head.poll() is not None:
                sys.exit(f"bench: nothing was submitted: {head.communicate()[0][-2000:]}")
            time.sleep(0.1)
        seconds = time.monotonic() - began
        peaks = [_peak(process.pid) for process in psutil.Process(head.pid).children(recursive=True)]
    finally:
        os.killpg(head.pid, signal.SIGKILL)
        head.communicate()
        lab.run("scancel", "--user=root")
        lab.wait(lambda: not lab.jobs())
    return seconds, max(peaks)


def _peak(process: int) -> float:
    """Return the peak memory of a process, in MB; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return max((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM")), default=0.0)


def start_snakemake(lab: Lab) -> tuple[float, float]:
    """Return the cost of an empty rule in the same place, in s and MB."""
    cost = cost_of(lab.inside("snakemake", "--snakefile", "empty.smk", "--cores", "1", "--nolock"))
    return cost.seconds, cost.memory


if __name__ == "__main__":
    tell(measure())
