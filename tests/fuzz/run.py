#!/usr/bin/env python3
"""Fuzz the readers of logs for hours: `fuzz_readers.py` again and again, whatever it finds, and a tally of all of it.

Each stretch starts with other seeds and with what was learnt before. As it ends, one line of JSON is added to the file
of `--kept`: ``start``, ``commit``, ``seconds``, ``executions``, ``processor_seconds``, ``findings``. The last line that
is printed has the sums of the whole file, so that the hours of several starts add up. Inputs that were findings stand
in `logs/`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LOGS = Path("logs")
_EXECUTIONS = re.compile(r"^stat::number_of_executed_units: *([0-9]+)$", re.MULTILINE)
_FINDING = re.compile(r"Test unit written to (\S+)")

#: Seconds of a stretch: so much is lost at most when the machine stops.
STRETCH = 600


def main() -> int:
    """Fuzz until the time or the executions are used up; return 1 if an input was a finding."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    amount = parser.add_mutually_exclusive_group(required=True)
    amount.add_argument("--seconds", type=int, help="how long")
    amount.add_argument("--runs", type=int, help="how many executions, in one stretch")
    parser.add_argument("--kept", type=Path, required=True, help="the file of JSON lines")
    chosen = parser.parse_args()
    (LOGS / "fuzz").mkdir(parents=True, exist_ok=True)
    chosen.kept.parent.mkdir(parents=True, exist_ok=True)
    end, findings = time.monotonic() + (chosen.seconds or 0), 0
    limits = [f"-runs={chosen.runs}"] if chosen.runs else []
    while limits or time.monotonic() < end:
        left = max(1, min(STRETCH, round(end - time.monotonic())))
        stretch = fuzz(limits or [f"-max_total_time={left}"])
        findings += len(stretch["findings"])
        with chosen.kept.open("a") as file:
            file.write(json.dumps(stretch) + "\n")
        if limits:
            break
    print(json.dumps(add_up(chosen.kept)))
    return int(findings > 0)


def fuzz(limits: list[str]) -> dict[str, Any]:
    """Run the fuzzer once, and return what it did; end the program if it did nothing."""
    start, began = datetime.now(UTC), time.monotonic()
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty=+"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    words = [
        sys.executable, HERE / "fuzz_readers.py", *limits, "-max_len=6144", "-timeout=120", "-print_final_stats=1",
        f"-dict={HERE / 'words.dict'}", f"-artifact_prefix={LOGS}/", LOGS / "fuzz", HERE / "corpus",
    ]  # fmt: skip
    report = LOGS / "fuzz.log"
    with report.open("w") as file, subprocess.Popen(words, stdout=file, stderr=file) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    said = report.read_text(errors="replace")
    executions, findings = _EXECUTIONS.search(said), _FINDING.findall(said)
    if process.returncode and not findings:
        sys.exit(f"fuzz: {report}: status {process.returncode} without a finding:\n{said[-2000:]}")
    return {
        "start": start.isoformat(timespec="seconds"),
        "commit": commit.stdout.strip(),
        "seconds": round(time.monotonic() - began, 1),
        "executions": int(executions[1]) if executions else 0,
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "findings": findings,
    }


def add_up(kept: Path) -> dict[str, Any]:
    """Return what all stretches of a file did together."""
    stretches = [json.loads(line) for line in kept.read_text().splitlines()]
    return {
        "stretches": len(stretches),
        "executions": sum(stretch["executions"] for stretch in stretches),
        "processor_hours": round(sum(stretch["processor_seconds"] for stretch in stretches) / 3600, 3),
        "findings": sorted({finding for stretch in stretches for finding in stretch["findings"]}),
    }


if __name__ == "__main__":
    sys.exit(main())
