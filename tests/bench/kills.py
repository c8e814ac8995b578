#!/usr/bin/env python3
"""Kill a runner at 50 random moments while it switches a loop device's write cache; print whether each was put back."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

KILLS = 50
_STUDY = """\
study: kills
title: A setting that is switched all the time
question: Is it as before?
repetitions: 1000
notebooks: []
sweeps:
  cache:
    title: Random writes with the write cache on and off
    tools: [fio]
    operations: [random-write]
    settings: {write_cache: site}
    seconds: 20 ms
    factors: {threads: [1], transfer_size: [4 KiB], file_size: [1 MiB], write_cache: [on, off]}
  stat:
    title: One file
    tools: [fio]
    operations: [file-stat]
    seconds: 10 ms
    repetitions: 1
    factors: {threads: [1], files: [1]}
"""
_SITE = """\
site: kills
title: A folder
targets: {scratch: {path: scratch, make: true}}
settings:
  write_cache: {kind: file, path: VALUE, values: {on: write back, off: write through}}
"""


def measure(sweep: str) -> list[str]:
    """Return the command that runs a block."""
    words = [sys.executable, "-m", "coldcache", "measure", "--campaign=kills", "--studies=kills", "--site=kills"]
    return [*words, f"--block=kills.{sweep}", f"--manifest={sweep}.json"]


def kill_once(folder: Path, value: Path, moment: float) -> tuple[str, str]:
    """Kill a runner a moment after its first change; return the value that it left, and that after the next start."""
    runner = subprocess.Popen(
        measure("cache"), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not (folder / "scratch/coldcache/.settings.json").exists():
        if runner.poll() is not None:
            sys.exit("kills: the runner ended by itself")
        time.sleep(0.001)
    time.sleep(moment)
    os.kill(runner.pid, signal.SIGKILL)
    runner.wait()
    left = value.read_text().strip()
    subprocess.run(measure("stat"), cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return left, value.read_text().strip()


def main() -> None:
    """Print how many kills left the value changed, and how often the next start put it back."""
    if os.geteuid() or not shutil.which("losetup"):
        print("kills: needs root and loop devices; not run")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "image").write_bytes(bytes(2**24))
        attach = ["losetup", "--find", "--show", str(folder / "image")]
        device = subprocess.run(attach, capture_output=True, text=True, check=True).stdout.strip()
        value = Path("/sys/block", Path(device).name, "queue/write_cache")
        try:
            value.write_text("write back")
            for kind, text in (("studies", _STUDY), ("sites", _SITE.replace("VALUE", str(value)))):
                path = folder / "config" / kind / "kills.yaml"
                path.parent.mkdir(parents=True)
                path.write_text(text)
            moments = random.Random(50)
            found = Counter(kill_once(folder, value, moments.uniform(0, 0.6)) for _ in range(KILLS))
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)
    for (left, after), times in sorted(found.items()):
        print(f"{times} kills left {left!r}; after the next start it is {after!r}")
    if any(after != "write back" for _, after in found):
        sys.exit("kills: a value was not put back")


if __name__ == "__main__":
    main()
