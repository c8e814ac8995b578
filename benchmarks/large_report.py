#!/usr/bin/env python3
"""Build the report of 100,000 trials and open it: how long, how much memory, how many files, how soon something shows.

400 cases are measured with fio, and each is then copied 250 times, later by two seconds each time, as if it had been
measured again. `run.py` runs it only when it is named. Another number of copies may be its argument.
"""

import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

import psutil
from costs import CONFIG, PYTHON, SNAKEMAKE, cost_of, make_project, write_study
from figures import Measurement, tell

_CAMPAIGN = Path("raw/bench")

#: How often each case is there.
REPETITIONS = 250

#: Threads, transfer sizes and file sizes of each operation.
_GRID = """\
      threads: [1, 2, 4, 8, 16]
      transfer_size: [4 KiB, 8 KiB, 16 KiB, 32 KiB, 64 KiB]
      file_size: [128 KiB, 256 KiB, 512 KiB, 1 MiB]
"""

#: Shorter trials would be void: fio's clock ticks every millisecond.
_STUDY = """\
study: bench
title: A large campaign
question: How long does a report of many trials take?
repetitions: {repetitions}
notebooks: [random-iops, throughput-over-threads]
sweeps:
  random:
    title: Random transfers
    tools: [fio]
    seconds: 300 ms
    operations: [random-read, random-write]
    factors:
{grid}
  sequential:
    title: Sequential transfers
    tools: [fio]
    seconds: 300 ms
    operations: [read, write]
    factors:
{grid}
"""

#: A trial of this length, on a machine that does something else, too, counts.
_THRESHOLDS = "thresholds: {shortest_run: 1 ms, load_per_core: 1000000}\n"

_BEGIN = """\
from coldcache.campaign.begin import begin
from coldcache.workflow.configuration import read_design

begin(read_design({"campaign": "bench", "studies": "bench", "site": "bench"}))
"""

#: What a log says of when fio ended, and its mean latencies.
_ENDED = re.compile(r'"timestamp" : (\d+),\n  "timestamp_ms" : (\d+),\n  "time" : "[^"]*"')
_MEAN = re.compile(r'"mean" : (\d+)\.(\d+)')

#: What a page shows first, in s after it was asked for: text or picture.
_FIRST_PAINT = """\
() => new Promise(done => new PerformanceObserver(list => done(list.getEntriesByName("first-contentful-paint")[0]
    .startTime / 1000)).observe({type: "paint", buffered: true}))
"""

_CHROMIUM = Path("/usr/bin/chromium")


def measure(repetitions: int) -> Iterator[tuple[str, Measurement]]:
    """Yield the cost of the report of a campaign that has so many copies of each trial."""
    with make_project(_write_study(1)) as folder:
        site = folder / "config/sites/bench.yaml"
        site.write_text(site.read_text() + _THRESHOLDS)
        cost_of([*SNAKEMAKE, *CONFIG, "--", "measure_all"], folder)
        print(f"{lay_trials(folder, repetitions):,} trials", file=sys.stderr)
        with watch_memory() as peak:
            seconds = cost_of([*SNAKEMAKE, *CONFIG], folder).seconds
        report = folder / "results/bench/report"
        files = sum(path.is_file() for path in report.rglob("*"))
        paint = time_first_paint(report / "index.html")
    for name, value in (("seconds", seconds), ("memory", peak[0]), ("files", files), ("paint", paint)):
        yield f"large-{name}", Measurement(value)


@contextmanager
def watch_memory() -> Iterator[list[float]]:
    """Yield the most memory that any process below this one has had, in MB, ten times a second while the block runs.

    Commands of the workflow are forked from a server, whose children no accounting of the kernel adds to the workflow.
    """
    peak, ended = [0.0], threading.Event()

    def look() -> None:
        while not ended.wait(0.1):
            for process in psutil.Process().children(recursive=True):
                with suppress(psutil.Error):
                    peak[0] = max(peak[0], process.memory_info().rss / 1e6)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield peak
    finally:
        ended.set()
        watcher.join()


def time_first_paint(page: Path, rounds: int = 5) -> float:
    """Return the median time until Chromium shows something of a page from the disk, in s."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=_CHROMIUM if _CHROMIUM.exists() else None, args=["--no-sandbox"]
        )
        times = []
        for _ in range(rounds):
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            opened = context.new_page()
            opened.goto(page.resolve().as_uri(), wait_until="commit")
            times.append(float(opened.evaluate(_FIRST_PAINT)))
            context.close()
        browser.close()
    return statistics.median(times)


def lay_trials(folder: Path, repetitions: int) -> int:
    """Replace the campaign of a project by one that repeats each of its trials, and return their number."""
    once = folder / "once"
    (folder / _CAMPAIGN).rename(once)
    shutil.rmtree(folder / "results", ignore_errors=True)
    write_study(folder, _write_study(repetitions))
    subprocess.run([PYTHON, "-c", _BEGIN], cwd=folder, check=True)
    shutil.copy(once / "hosts.json", folder / _CAMPAIGN)
    seed, count = random.Random(1), 0
    for first in sorted(once.rglob("r0")):
        outcome, log = (first / "trial.json").read_text(), (first / "stdout.txt").read_text()
        for repetition, later in enumerate(_list_moments(count, repetitions)):
            place = folder / _CAMPAIGN / first.relative_to(once).with_name(f"r{repetition}")
            place.mkdir(parents=True)
            (place / "trial.json").write_text(_repeat(outcome, repetition, later))
            (place / "stdout.txt").write_text(_delay(log, later, seed.randint(10, 200)))
            (place / "stderr.txt").touch()
        count += repetitions
    shutil.rmtree(once)
    return count


def _write_study(repetitions: int) -> str:
    return _STUDY.format(repetitions=repetitions, grid=_GRID)


def _list_moments(count: int, repetitions: int) -> Iterator[timedelta]:
    return (timedelta(seconds=2 * number) for number in range(count, count + repetitions))


def _repeat(outcome: str, repetition: int, later: timedelta) -> str:
    """Return a `trial.json` as that of another repetition, which ran later."""
    stated = json.loads(outcome)
    for moment in (stated["start"], stated["end"]):
        delayed = (datetime.fromisoformat(moment) + later).isoformat(timespec="milliseconds")
        outcome = outcome.replace(moment, delayed)
    return outcome.replace('"repetition": 0,', f'"repetition": {repetition},')


def _delay(log: str, later: timedelta, slower: int) -> str:
    """Return a log of fio as that of a run that ended later, with longer latencies."""

    def move(moment: re.Match[str]) -> str:
        seconds, milliseconds = (int(moment[1]), int(moment[2]))
        ended = seconds + int(later.total_seconds())
        shown = time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(ended))
        moved = milliseconds + int(later.total_seconds()) * 1000
        return f'"timestamp" : {ended},\n  "timestamp_ms" : {moved},\n  "time" : "{shown}"'

    return _MEAN.sub(lambda mean: f'"mean" : {int(mean[1]) + slower}.{mean[2]}', _ENDED.sub(move, log))


if __name__ == "__main__":
    tell(measure(int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS))
