#!/usr/bin/env python3
"""Build the report of the reference campaign, from raw logs, with nothing to do, and with one log changed.

And wait for the first page of a campaign that has just been measured.
"""

import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from costs import CONFIG, EMPTY_WORKFLOW, PYTHON, ROOT, SNAKEMAKE, cost_of, cost_of_all, least, make_project
from figures import Measurement, tell

_BUILD = (*SNAKEMAKE, "--config", "campaign=reference")

#: The floor: the code of every executed notebook, in one process.
_CELLS = """\
import json, os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

notebooks = sorted(Path("results/reference/notebooks").resolve().glob("*/*.ipynb"))
os.chdir("notebooks")
for path in notebooks:
    cells = json.loads(path.read_text())["cells"]
    names = {"display": lambda *shown: None, "__name__": "__main__"}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    pyplot.close("all")
"""

#: Trials that take 15 s together.
_STUDY = """\
study: bench
title: A small campaign
question: How soon is there something to see?
repetitions: 6
notebooks: [random-iops]
sweeps:
  random:
    title: Random transfers
    tools: [fio]
    seconds: 200 ms
    operations: [random-read, random-write]
    factors:
      threads: [1, 2, 4, 8, 16]
      transfer_size: [4 KiB]
      file_size: [1 MiB]
"""

_SEAL = "from pathlib import Path; from coldcache.campaign.seal import write_sums; write_sums(Path('raw/reference'))"


def measure() -> Iterator[tuple[str, Measurement]]:
    """Yield the time of the three ways to build the reference campaign's report."""
    with make_project("") as folder:
        (folder / "config/studies/bench.yaml").unlink()
        shutil.copytree(ROOT / "raw/reference", folder / "raw/reference")
        (folder / "empty.smk").write_text(EMPTY_WORKFLOW)
        whole = cost_of(_BUILD, folder).seconds
        if not (folder / "results/reference/report/index.html").is_file():
            sys.exit("bench: there is no report")
        empty = [*SNAKEMAKE, "--snakefile", "empty.smk"]
        turns = [(cost_of(_BUILD, folder), cost_of(empty, folder)) for _ in range(3)]
        nothing, bare = (least(column).seconds for column in zip(*turns, strict=True))
        cells = cost_of([PYTHON, "-c", _CELLS], folder)
        each, count = cost_of_notebooks(folder)
        changed, processor = build_changed(folder)
    yield "report-all", Measurement(whole, cells.seconds)
    yield "notebook-cpu", Measurement(each, cells.processor / count)
    yield "first-page", Measurement(wait_for_first_page())
    yield "report-nothing", Measurement(nothing, bare)
    yield "report-nothing-more", Measurement(nothing - bare)
    yield "report-one-log", Measurement(changed, processor / len(os.sched_getaffinity(0)))


def cost_of_notebooks(folder: Path) -> tuple[float, int]:
    """Return the processor time per notebook of the campaign, in s, when all run once more, and their number.

    The start of the workflow's server and its imports count, and Snakemake's work beyond that for nothing to do.
    """
    notebooks = sorted((folder / "results/reference/notebooks").glob("*/*.ipynb"))
    asked = [str(path.relative_to(folder)) for path in notebooks]
    before = cost_of_all([*_BUILD, "--", *asked], folder)
    for path in notebooks:
        path.unlink()
    again = cost_of_all([*_BUILD, "--", *asked], folder)
    return (again.processor - before.processor) / len(notebooks), len(notebooks)


def build_changed(folder: Path) -> tuple[float, float]:
    """Return the wall time and the processor time, in s, of a build after one log has changed, of a build each."""
    costs = []
    for measure_cost in (cost_of, cost_of_all):
        change_log(folder / "raw/reference")
        cost_of([PYTHON, "-c", _SEAL], folder)
        costs.append(measure_cost(_BUILD, folder))
    return costs[0].seconds, costs[1].processor


def wait_for_first_page() -> float:
    """Return how long after the last trial of a campaign its report has a first page, in s."""
    with make_project(_STUDY) as folder:
        seen: list[float] = []
        page, ended = folder / "results/bench/report/index.html", threading.Event()

        def look() -> None:
            while not ended.is_set() and not page.is_file():
                time.sleep(0.02)
            seen.append(time.time())

        watcher = threading.Thread(target=look)
        watcher.start()
        try:
            cost_of([*SNAKEMAKE, *CONFIG], folder)
        finally:
            ended.set()
            watcher.join()
        last = max(path.stat().st_mtime for path in folder.glob("raw/bench/*/*/*/*/trial.json"))
        return seen[0] - last


def change_log(campaign: Path) -> None:
    """Change the mean latency of one trial by a nanosecond: notebooks show it, and claims depend on it."""
    for log in sorted(campaign.glob("quick/*/*/r0/stdout.txt")):
        text = log.read_text()
        mean = re.compile(r'("lat_ns" : \{[^}]*?"mean" : [1-9][0-9]*)([0-8])\b')
        changed = mean.sub(lambda old: old[1] + str(int(old[2]) + 1), text, count=1)
        if changed != text:
            log.write_text(changed)
            return
    sys.exit("bench: no log of the reference campaign states a latency")


if __name__ == "__main__":
    tell(measure())
