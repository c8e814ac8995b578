#!/usr/bin/env python3
"""Stage each fault many times with the real program; print one table of how often all held.

With `--kept`, each staging is noted as it ends, and one that was noted with the same seed is not staged again: a suite
that takes hours may run in parts, and is printed as a whole.
"""

import argparse
import json
import os
import platform
import random
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from faults import FAULTS
from scene import Scene

from coldcache.provenance import describe_system

Fault = Callable[[Scene, random.Random], str]

# The program, Snakemake and what they call are those of the interpreter that runs this.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def main() -> int:
    """Stage what is asked for, print the table, and return 1 where something did not hold."""
    chosen = _parse()
    kept = _read(chosen.kept, chosen.seed) if chosen.kept else []
    for fault, (most, root) in FAULTS.items():
        if fault.__name__ not in chosen.names or (root and os.geteuid()):
            continue
        for turn in range(min(most, most if chosen.times is None else chosen.times)):
            if any((one["fault"], one["turn"]) == (fault.__name__, turn) for one in kept):
                continue
            kept.append(_stage(fault, chosen.seed, turn))
            if chosen.kept:
                chosen.kept.parent.mkdir(parents=True, exist_ok=True)
                with chosen.kept.open("a") as file:
                    file.write(json.dumps(kept[-1]) + "\n")
            if kept[-1]["reason"]:
                print(f"{fault.__name__}, {turn}: {kept[-1]['reason']}", file=sys.stderr, flush=True)
    print_table([one for one in kept if one["fault"] in chosen.names], chosen.seed, chosen.names)
    return 1 if any(one["reason"] for one in kept if one["fault"] in chosen.names) else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, help="how often each fault is staged at most; 1 to 200 times if left out")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--kept", type=Path, help="a file of JSON lines, one for each staging")
    parser.add_argument("names", nargs="*", help="of faults; all when left out")
    chosen = parser.parse_args()
    known = [fault.__name__ for fault in FAULTS]
    unknown = set(chosen.names) - set(known)
    if unknown:
        parser.error(f"unknown {unknown.pop()}; known are {', '.join(known)}")
    chosen.names = chosen.names or known
    return chosen


def _read(path: Path, seed: int) -> list[dict[str, Any]]:
    """Return the stagings that were noted with a seed."""
    lines = path.read_text().splitlines() if path.is_file() else []
    return [one for one in map(json.loads, lines) if one["seed"] == seed]


def _stage(fault: Fault, seed: int, turn: int) -> dict[str, Any]:
    """Stage a fault once, and return what is noted of it."""
    moments = random.Random(f"{seed}/{fault.__name__}/{turn}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="break-") as folder:
        try:
            reason = fault(Scene(Path(folder) / "p"), moments)
        except Exception as error:
            # What the suite itself cannot read of an outcome does not hold either.
            reason = f"{type(error).__name__}: {str(error)[:200]}"
    seconds = round(time.monotonic() - began, 1)
    day = datetime.now(UTC).date().isoformat()
    return {"fault": fault.__name__, "seed": seed, "turn": turn, "seconds": seconds, "reason": reason, "day": day}


def print_table(kept: list[dict[str, Any]], seed: int, names: list[str]) -> None:
    """Print how often each fault was staged and all held, where and when, as Markdown."""
    days = sorted({one["day"] for one in kept}) or [datetime.now(UTC).date().isoformat()]
    held = sum(not one["reason"] for one in kept)
    system = describe_system()
    print(
        f"{' to '.join(dict.fromkeys((days[0], days[-1])))}, seed {seed}: {held:,} of {len(kept):,} stagings held. "
        f"{system['os']}, Linux {platform.release()}, {system['cores']} cores of {system['processor']}, "
        f"{system['memory_bytes'] / 2**30:.0f} GiB.\n"
    )
    print("| fault | what is done | times | held | seconds | what did not hold |")
    print("|---|---|---:|---:|---:|---|")
    for fault, (_, root) in FAULTS.items():
        if fault.__name__ not in names:
            continue
        own = [one for one in kept if one["fault"] == fault.__name__]
        reasons = [one["reason"] for one in own if one["reason"]]
        why = reasons[0].replace("|", "\\|") if reasons else "not staged: it needs root" if root and not own else ""
        done = (fault.__doc__ or "").removesuffix(".")
        counts = f"{len(own)} | {len(own) - len(reasons)} | {sum(one['seconds'] for one in own):,.0f}"
        print(f"| `{fault.__name__}` | {done} | {counts} | {why} |")


if __name__ == "__main__":
    sys.exit(main())
