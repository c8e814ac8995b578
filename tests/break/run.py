#!/usr/bin/env python3
"""Stage each fault many times with the real program; print one table of how often all held, with the seed."""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from faults import FAULTS
from scene import Scene


def main() -> int:
    """Print the table, and return 1 where something did not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, help="how often each fault is staged; 10 to 200 times if left out")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("names", nargs="*", help="of faults; all when left out")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - {fault.__name__ for fault in FAULTS}
    if unknown:
        parser.error(f"unknown {unknown.pop()}; known are {', '.join(fault.__name__ for fault in FAULTS)}")
    print(f"seed {chosen.seed}")
    print(f"{'fault':20} {'times':>5} {'held':>5} {'seconds':>8}  what did not hold", flush=True)
    failed = 0
    for fault, (most, root) in FAULTS.items():
        if chosen.names and fault.__name__ not in chosen.names:
            continue
        if root and os.geteuid():
            print(f"{fault.__name__:20}     not staged: it needs root", flush=True)
            continue
        times = min(most, chosen.times or most)
        began, reasons = time.monotonic(), []
        for turn in range(times):
            moments = random.Random(f"{chosen.seed}/{fault.__name__}/{turn}")
            with tempfile.TemporaryDirectory(prefix="break-") as folder:
                reasons.append(fault(Scene(Path(folder) / "p"), moments))
        held = sum(not reason for reason in reasons)
        failed += times - held
        first = next((reason for reason in reasons if reason), "")
        print(f"{fault.__name__:20} {times:5} {held:5} {time.monotonic() - began:8.1f}  {first}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
