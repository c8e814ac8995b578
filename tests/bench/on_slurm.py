#!/usr/bin/env python3
"""Print what a block of 100 trivial trials costs over Slurm beside them, and how soon 2,000 jobs are submitted."""

import importlib.util
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

import yaml

_ROOT = Path(__file__).resolve().parents[2]
_SPEC = importlib.util.spec_from_file_location("lab", _ROOT / "tests/cluster/conftest.py")
assert _SPEC and _SPEC.loader
cluster = importlib.util.module_from_spec(_SPEC)
sys.modules["lab"] = cluster
_SPEC.loader.exec_module(cluster)

_FACTORS = {"nodes": [1], "threads": [1], "transfer_size": ["64 KiB"], "file_size": ["64 KiB"]}
_TRIVIAL = {"title": "t", "tools": ["fio"], "operations": ["write"], "seconds": "10 ms", "factors": _FACTORS}
_SIZES = ["4 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB"]
_GRID = {**_TRIVIAL, "factors": {**_FACTORS, "transfer_size": _SIZES}}


class _Whole(yaml.SafeDumper):
    """YAML without aliases."""

    def ignore_aliases(self, data):
        """Write everything out."""
        return True


def write_study(lab, name, repetitions, sweeps):
    """Write a study beside those of the tests."""
    study = {"study": name, "title": "t", "question": "q?", "repetitions": repetitions, "notebooks": [],
             "sweeps": sweeps}  # fmt: skip
    (lab.clone / f"config/studies/{name}.yaml").write_text(yaml.dump(study, Dumper=_Whole))


def time_block(lab):
    """Print how long 100 trials of some milliseconds take over Slurm, and of that the trials."""
    write_study(lab, "trivial", 100, {"writes": _TRIVIAL})
    began = time.time()
    lab.run(*lab.snakemake("trivial", "trivial", "measure_all"), seconds=900)
    whole = time.time() - began
    stories = lab.stories("trivial").values()
    assert len(stories) == 100
    first = min(datetime.fromisoformat(story["start"]) for story in stories).timestamp()
    last = max(datetime.fromisoformat(story["end"]) for story in stories).timestamp()
    print(
        f"100 trials over Slurm: {whole:.1f} s, of which trials {last - first:.1f} s, {first - began:.1f} s before and "
        f"{began + whole - last:.1f} s after them"
    )


def time_submission(lab):
    """Print how soon, and with how much memory, the first of 2,000 jobs with 100,000 trials is submitted."""
    write_study(lab, "many", 10, {f"s{number:04}": _GRID for number in range(2000)})
    began = time.monotonic()
    head = lab.start(*lab.snakemake("many", "many", "measure_all"))
    while not lab.jobs():
        time.sleep(0.1)
    seconds = time.monotonic() - began
    # Nothing else there is as large.
    peaks = lab.run("sh", "-c", "grep -hs VmHWM /proc/[0-9]*/status || :").splitlines()
    used = max(int(peak.split()[1]) for peak in peaks) / 1024
    print(f"2,000 jobs with 100,000 trials: the first is submitted after {seconds:.1f} s, {used:.0f} MiB")
    head.kill()


def main() -> None:
    """Print both, where a cluster in namespaces can run."""
    reason = cluster.why_not()
    if reason:
        print(f"on_slurm: {reason}; not run")
        return
    with tempfile.TemporaryDirectory() as folder, cluster.running(_ROOT, Path(folder)) as lab:
        profile = lab.clone / "slurm/profile.yaml"
        profile.write_text((_ROOT / "slurm/profile.yaml").read_text())
        time_block(lab)
        time_submission(lab)


if __name__ == "__main__":
    main()
