#!/usr/bin/env python3
"""Stage each fault many times with the real program, and print a table of how often the campaign survived.

With `--kept`, each campaign is noted as it ends, and one that was noted with the same seed is not staged again: a suite
may run in parts, and is printed as a whole.
"""

import argparse
import json
import math
import multiprocessing
import os
import platform
import random
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from itertools import repeat
from pathlib import Path
from typing import Any

from scene import Scene
from staged import FAULTS
from undisturbed import share

from coldcache.measure.host.inventory import describe_system

Fault = Callable[[Scene, random.Random, int], str]

#: If a fault could not be staged often enough in this many campaigns, it comes too late.
_CAMPAIGNS = 10

# The program and Snakemake are those of the interpreter that runs this.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def main() -> int:
    """Stage the requested faults, print the table, and return 1 if a campaign did not survive one."""
    chosen = _parse()
    if chosen.undisturbed:
        share(chosen.undisturbed)
    print(f"seed {chosen.seed}", file=sys.stderr, flush=True)
    parts = [
        (fault, part)
        for fault, count in FAULTS.items()
        if fault.__name__ in chosen.names and not (count.root and os.geteuid())
        for part in range(math.ceil(_times(fault, chosen) / count.together))
    ]
    # Each fault comes early once, so that an interrupted suite has results for all of them.
    parts.sort(key=lambda one: one[1])
    # Workers are forked from this process and share what it has measured.
    for measure in dict.fromkeys(FAULTS[fault].before for fault, _ in parts):
        measure()
    with ProcessPoolExecutor(chosen.jobs, multiprocessing.get_context("fork")) as pool:
        kept = [one for noted in pool.map(_stage_part, parts, repeat(chosen)) for one in noted]
    print_table(kept, chosen.seed, chosen.names)
    return 1 if any(one["reason"] for one in kept) else 0


def _times(fault: Fault, chosen: argparse.Namespace) -> int:
    """Return how often a fault is staged in total."""
    times = FAULTS[fault].times
    return times if chosen.times is None else min(chosen.times, times)


def _stage_part(asked: tuple[Fault, int], chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """Stage a fault as often as one campaign allows, in several campaigns if it comes too late; return the notes."""
    fault, part = asked
    together = FAULTS[fault].together
    noted = {one["turn"]: one for one in _read(chosen.kept, chosen.seed) if one["fault"] == fault.__name__}
    turns = range(part * _CAMPAIGNS, (part + 1) * _CAMPAIGNS)
    left = min(together, _times(fault, chosen) - part * together)
    found = []
    for turn in turns:
        one = noted.get(turn) or _stage(fault, chosen.seed, turn, left)
        left -= one["times"]
        if left > 0 and turn == turns[-1]:
            one["reason"] = one["reason"] or "it comes too late, again and again"
        found.append(one)
        if turn not in noted:
            _note(one, chosen.kept)
        if left <= 0:
            break
    return found


def _note(one: dict[str, Any], path: Path | None) -> None:
    """Print what failed in a campaign, and store it."""
    if one["reason"]:
        print(f"{one['fault']}, {one['turn']}: {one['reason']}", file=sys.stderr, flush=True)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(one) + "\n")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, help="how often each fault is staged at most; 1 to 200 times if left out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many campaigns run at the same time")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--kept", type=Path, help="a file of JSON lines, one for each campaign")
    parser.add_argument("--undisturbed", type=Path, help="a file in which processes share undisturbed campaigns")
    parser.add_argument("names", nargs="*", help="of faults; all when left out")
    chosen = parser.parse_args()
    known = [fault.__name__ for fault in FAULTS]
    unknown = set(chosen.names) - set(known)
    if unknown:
        parser.error(f"unknown {unknown.pop()}; known are {', '.join(known)}")
    chosen.names = chosen.names or known
    return chosen


def _read(path: Path | None, seed: int) -> list[dict[str, Any]]:
    """Return the stored campaigns with a seed."""
    lines = path.read_text().splitlines() if path and path.is_file() else []
    return [one for one in map(json.loads, lines) if one["seed"] == seed]


def _stage(fault: Fault, seed: int, turn: int, times: int) -> dict[str, Any]:
    """Stage a fault several times in one campaign, and return the note on it."""
    moments = random.Random(f"{seed}/{fault.__name__}/{turn}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="break-") as folder:
        scene = Scene(Path(folder) / "p")
        try:
            reason = fault(scene, moments, times)
        except Exception as error:
            # An outcome that the suite cannot read counts as a failure, too.
            reason = f"{type(error).__name__}: {str(error)[:200]}"
    return {
        "fault": fault.__name__, "seed": seed, "turn": turn, "times": max(scene.staged, bool(reason)),
        "seconds": round(time.monotonic() - began, 1), "reason": reason, "day": datetime.now(UTC).date().isoformat(),
    }  # fmt: skip


def print_table(kept: list[dict[str, Any]], seed: int, names: list[str]) -> None:
    """Print how often each fault was staged and survived, where and when, as Markdown."""
    days = sorted({one["day"] for one in kept}) or [datetime.now(UTC).date().isoformat()]
    system = describe_system()
    print(
        f"{' to '.join(dict.fromkeys((days[0], days[-1])))}, seed {seed}: {_count_held(kept):,} of "
        f"{sum(one['times'] for one in kept):,} faults in {len(kept):,} campaigns held. "
        f"{system['os']}, Linux {platform.release()}, {system['cores']} cores of {system['processor']}, "
        f"{system['memory_bytes'] / 2**30:.0f} GiB.\n"
    )
    print("| fault | what is done | times | campaigns | held | seconds | what did not hold |")
    print("|---|---|---:|---:|---:|---:|---|")
    for fault, count in FAULTS.items():
        if fault.__name__ not in names:
            continue
        own = [one for one in kept if one["fault"] == fault.__name__]
        reasons = [one["reason"] for one in own if one["reason"]]
        why = (
            reasons[0].replace("|", "\\|") if reasons else "not staged: it needs root" if count.root and not own else ""
        )
        done = (fault.__doc__ or "").removesuffix(".")
        seconds = sum(one["seconds"] for one in own)
        counts = f"{sum(one['times'] for one in own)} | {len(own)} | {_count_held(own)} | {seconds:,.0f}"
        print(f"| `{fault.__name__}` | {done} | {counts} | {why} |")


def _count_held(kept: list[dict[str, Any]]) -> int:
    """Return how many faults were staged in campaigns that survived."""
    return sum(one["times"] for one in kept if not one["reason"])


if __name__ == "__main__":
    sys.exit(main())
