#!/usr/bin/env python3
"""Print how fast the program is: each figure beside its goal, the floor, and with --peers other programs."""

import argparse
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import ledger
from costs import PYTHON, ROOT
from figures import Measurement
from rich.console import Console
from rich.table import Table

from coldcache.analysis.questions.program_speed import read_entries
from coldcache.analysis.questions.program_speed_goals import FIGURES, format_speed

#: Each suite is a separate program, so that none affects another's results.
SUITES = ("trials", "plans", "logs", "datasets", "slurm", "reports", "fidelity")

#: Those that take a quarter of an hour or more run only when named.
LONG_SUITES = ("large_report", "checks")


def main() -> int:
    """Print the table, store its figures on request, and return 1 if a goal was missed or a suite failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="install other programs and measure them, too")
    parser.add_argument("--store", action="store_true", help="keep the figures, and renew the pages that quote them")
    parser.add_argument("--pages", action="store_true", help="renew the pages from what is kept, and measure nothing")
    known = [*SUITES, *LONG_SUITES]
    suites = f"of {', '.join(known)}; all but the last two when left out"
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=suites)
    chosen = parser.parse_args()
    if unknown := set(chosen.suites) - set(known):
        parser.error(f"unknown {unknown.pop()}; known are {', '.join(known)}")
    if chosen.pages:
        ledger.renew_pages(read_entries())
        return 0
    (ROOT / "logs").mkdir(exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    machine = ledger.describe_machine()
    found: dict[str, Measurement] = {}
    failed = []
    for suite in chosen.suites or SUITES:
        try:
            found |= run(suite, chosen.peers)
        except subprocess.CalledProcessError:
            failed.append(suite)
    show(found, machine)
    if chosen.store:
        entries = ledger.keep(found, machine)
        ledger.renew_pages(entries)
    if failed:
        print(f"bench: no figures of {', '.join(failed)}: an error ended it", file=sys.stderr)
    return int(bool(failed) or any(not FIGURES[name].is_met(measured.value) for name, measured in found.items()))


def run(suite: str, peers: bool) -> dict[str, Measurement]:
    """Return the figures of one suite; raises `CalledProcessError` if it fails, which has printed why."""
    began = time.monotonic()
    words = [PYTHON, str(Path(__file__).with_name(f"{suite}.py"))]
    words += ["--peers"] if peers and suite == "trials" else []
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            lines = process.stdout.read().splitlines()
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            sys.exit("bench: interrupted")
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    print(f"{suite}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return {name: Measurement(**fields) for name, fields in map(json.loads, lines)}


def show(found: dict[str, Measurement], machine: str) -> None:
    """Print the table."""
    peers = list(dict.fromkeys(peer for measured in found.values() for peer in measured.peers))
    table = Table("what", "measured", "goal", "over the floor", *peers, title=machine, title_justify="left")
    for name, measured in found.items():
        figure, ratio = FIGURES[name], measured.ratio()
        missed = "" if figure.is_met(measured.value) else "  missed"
        own = {peer: format_speed(value, figure.unit) for peer, value in measured.peers.items()}
        table.add_row(
            figure.what, ledger.show_measured(measured, figure.unit), figure.format_goal() + missed,
            "" if ratio is None else f"{ratio:.3g}", *(own.get(peer, "") for peer in peers),
        )  # fmt: skip
    Console(width=None if sys.stdout.isatty() else 150).print(table)


if __name__ == "__main__":
    sys.exit(main())
