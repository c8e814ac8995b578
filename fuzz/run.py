#!/usr/bin/env python3
"""Fuzz for hours on all cores: readers of logs, and designs for a third of the time, and keep a tally.

Fuzzing runs in stretches. Each uses new seeds and, for readers, the corpus so far; findings do not stop it. At its
end, one line of JSON is added to the file of `--kept`: ``what`` (``readers`` or ``designs``), ``start``,
``commit``, ``seconds``, ``executions``, ``processor_seconds``, ``findings``. The last line that is printed has the sums
of the whole file, so that the hours of several starts add up. Inputs that were findings are in `logs/`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
LOGS = Path("logs")

#: Seconds of a stretch, which is the most that is lost when the machine stops.
STRETCH = 600

#: The targets of successive stretches.
TURNS = ("readers", "readers", "designs")

_EXECUTIONS = {
    "readers": re.compile(r"^stat::number_of_executed_units: *([0-9]+)$", re.MULTILINE),
    "designs": re.compile(r"^([0-9,]+) designs from seed ", re.MULTILINE),
}
_FINDING = {
    "readers": re.compile(r"Test unit written to (\S+)"),
    "designs": re.compile(r"^(seed [0-9]+): ", re.MULTILINE),
}


def main() -> int:
    """Fuzz until the time or the executions are used up; return 1 if an input was a finding."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    amount = parser.add_mutually_exclusive_group(required=True)
    amount.add_argument("--seconds", type=int, help="how long, of readers and designs")
    amount.add_argument("--runs", type=int, help="how many executions of readers, in one stretch")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="so many side by side")
    parser.add_argument("--kept", type=Path, required=True, help="the file of JSON lines")
    chosen = parser.parse_args()
    (LOGS / "fuzz").mkdir(parents=True, exist_ok=True)
    chosen.kept.parent.mkdir(parents=True, exist_ok=True)
    if chosen.runs:
        findings = keep(fuzz("readers", [f"-runs={chosen.runs}"], LOGS / "fuzz.log"), chosen.kept)
    else:
        with ThreadPoolExecutor(chosen.jobs) as pool:
            fuzz_on = partial(fuzz_until, time.monotonic() + chosen.seconds, chosen.kept)
            findings = sum(pool.map(fuzz_on, range(chosen.jobs)))
    print(json.dumps(add_up(chosen.kept)))
    return int(findings > 0)


def fuzz_until(end: float, kept: Path, worker: int) -> int:
    """Fuzz one stretch after the other, and return how many findings there were."""
    findings, turn = 0, worker
    while (left := round(end - time.monotonic())) > 0:
        what, seconds = TURNS[turn % len(TURNS)], min(STRETCH, left)
        limits = [f"-max_total_time={seconds}"] if what == "readers" else [f"--seconds={seconds}"]
        findings += keep(fuzz(what, limits, LOGS / f"fuzz-{worker}.log"), kept)
        turn += 1
    return findings


def keep(stretch: dict[str, Any], kept: Path) -> int:
    """Add a line to the tally, and return how many findings it has."""
    with kept.open("a") as file:
        file.write(json.dumps(stretch) + "\n")
    return len(stretch["findings"])


def fuzz(what: str, limits: list[str], report: Path) -> dict[str, Any]:
    """Run a fuzzer once, and return its line of the tally; end the program if it did nothing."""
    start, began = datetime.now(UTC), time.monotonic()
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty=+"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    words = [sys.executable, HERE / f"fuzz_{what}.py", *limits]
    if what == "readers":
        words += [
            "-max_len=6144", "-timeout=30", "-report_slow_units=30", "-print_final_stats=1",
            f"-dict={HERE / 'words.dict'}", f"-artifact_prefix={LOGS}/", LOGS / "fuzz", HERE / "corpus",
        ]  # fmt: skip
    with report.open("w") as file, subprocess.Popen(words, stdout=file, stderr=file) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    said = report.read_text(errors="replace")
    executions, findings = _EXECUTIONS[what].search(said), _FINDING[what].findall(said)
    if process.returncode and not findings:
        sys.exit(f"fuzz: {report}: status {process.returncode} without a finding:\n{said[-2000:]}")
    return {
        "what": what,
        "start": start.isoformat(timespec="seconds"),
        "commit": commit.stdout.strip(),
        "seconds": round(time.monotonic() - began, 1),
        "executions": int(executions[1].replace(",", "")) if executions else 0,
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "findings": findings,
    }


def add_up(kept: Path) -> dict[str, Any]:
    """Return the sums of all stretches of a file, by target."""
    stretches = [json.loads(line) for line in kept.read_text().splitlines()]
    chosen = {what: [stretch for stretch in stretches if stretch["what"] == what] for what in ("readers", "designs")}
    return {
        what: {
            "executions": sum(stretch["executions"] for stretch in some),
            "processor_hours": round(sum(stretch["processor_seconds"] for stretch in some) / 3600, 3),
            "findings": sorted({finding for stretch in some for finding in stretch["findings"]}),
        }
        for what, some in chosen.items()
    }


if __name__ == "__main__":
    sys.exit(main())
