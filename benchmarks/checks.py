#!/usr/bin/env python3
"""Time every test, and those of one changed module, in a clone of the last commit that is set up."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from costs import ROOT
from figures import Measurement, tell

#: A module in the middle of the tree: others import it, and it imports others.
_CHANGED = "workflow/src/coldcache/dataset/cubes.py"

#: What the environment says of this process, not of the clone.
_OWN = {"VIRTUAL_ENV", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"}


def measure() -> Iterator[tuple[str, Measurement]]:
    """Yield the time of `make test FAST=1` after a change, and of `make test` with every tool."""
    (ROOT / "logs").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        _run_make(clone, "venv-test", "setup")
        with (clone / _CHANGED).open("a") as module:
            module.write("# A change.\n")
        fast, _ = _run_make(clone, "test", "FAST=1")
        subprocess.run(["git", "checkout", "--quiet", "--", _CHANGED], cwd=clone, check=True)
        whole, busy = _run_make(clone, "test", "IOZONE=1")
    yield "test-fast", Measurement(fast)
    yield "test-all", Measurement(whole, busy / len(os.sched_getaffinity(0)))


def _run_make(clone: Path, *words: str) -> tuple[float, float]:
    """Return the time that make takes in a clone, and the processor time of all cores, in s; end if it fails.

    The processor time is the machine's: some of what tests start, such as a daemon, is nobody's child.
    """
    log = ROOT / "logs/bench-checks.log"
    environment = {name: value for name, value in os.environ.items() if name not in _OWN}
    began, before = time.monotonic(), _busy_cpu()
    with log.open("a") as said:
        done = subprocess.run(
            ["make", *words],
            cwd=clone,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            check=False,
        )
    if done.returncode:
        sys.exit(f"bench: make {' '.join(words)} failed; its output is in {log}")
    return time.monotonic() - began, _busy_cpu() - before


def _busy_cpu() -> float:
    """Return the processor time since boot that was not idle, waiting or stolen by a host, in s."""
    spent = psutil.cpu_times()
    return spent.user + spent.nice + spent.system + spent.irq + spent.softirq


if __name__ == "__main__":
    tell(measure())
