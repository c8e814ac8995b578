#!/usr/bin/env python3
"""Build the report of the reference campaign: from raw logs, with nothing to do, and with one log changed."""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from costs import PYTHON, ROOT, SNAKEMAKE, cost_of, least, make_project
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

_SEAL = "from pathlib import Path; from coldcache.campaign.seal import write_sums; write_sums(Path('raw/reference'))"


def measure() -> Iterator[tuple[str, Measurement]]:
    """Yield the time of the three ways to build the reference campaign's report."""
    with make_project("") as folder:
        (folder / "config/studies/bench.yaml").unlink()
        shutil.copytree(ROOT / "raw/reference", folder / "raw/reference")
        (folder / "empty.smk").write_text("rule all:\n    input:\n        [],\n")
        whole = cost_of(_BUILD, folder).seconds
        if not (folder / "results/reference/report/index.html").is_file():
            sys.exit("bench: there is no report")
        empty = [*SNAKEMAKE, "--snakefile", "empty.smk"]
        turns = [(cost_of(_BUILD, folder), cost_of(empty, folder)) for _ in range(3)]
        nothing, bare = (least(column).seconds for column in zip(*turns, strict=True))
        cells = cost_of([PYTHON, "-c", _CELLS], folder).seconds
        change_log(folder / "raw/reference")
        cost_of([PYTHON, "-c", _SEAL], folder)
        changed = cost_of(_BUILD, folder).seconds
    yield "report-all", Measurement(whole, cells)
    yield "report-nothing", Measurement(nothing, bare)
    yield "report-one-log", Measurement(changed)


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
