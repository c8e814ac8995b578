#!/usr/bin/env python3
"""Build, save and open a dataset of 1,000,000 records."""

import json
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from costs import PYTHON, ROOT, cost_of
from figures import Measurement, tell

RECORDS = 1_000_000
#: The log whose records every trial has.
_LOG = ROOT / "tests/specimens/fio-3.33-shared.json"


def measure() -> Iterator[tuple[str, Measurement]]:
    """Yield the time of building, saving and opening, each in a separate process, with its floor."""
    with tempfile.TemporaryDirectory(dir=ROOT / "logs") as folder:
        own, memory = _run("own", Path(folder))
        floor, _ = _run("floor", Path(folder))
    for step in ("build", "save", "open"):
        yield f"dataset-{step}", Measurement(own[step], floor[step])
    yield "dataset-memory", Measurement(memory)


def _run(what: str, folder: Path) -> tuple[dict[str, float], float]:
    with tempfile.TemporaryFile() as output:
        cost = cost_of([PYTHON, __file__, what, folder], output=output)
        output.seek(0)
        return json.loads(output.read()), cost.memory


def time_own(folder: Path) -> dict[str, float]:
    """Return how long the program takes for each step, in s."""
    from coldcache.campaign.campaign import read_campaign
    from coldcache.dataset.reader import open_records
    from coldcache.dataset.tables import tabulate_records
    from coldcache.dataset.writer import save_dataset
    from coldcache.tools import read_file

    path, campaign, making = folder / "dataset.nc", read_campaign(ROOT / "raw/reference"), array("d")
    began = time.monotonic()
    table = tabulate_records(_clock(make_trials(), making))
    built = time.monotonic()
    save_dataset(campaign, table, path)
    saved, count, each = time.monotonic(), len(table), len(read_file(_LOG))
    del table
    opening = time.monotonic()
    opened = open_records(path)
    ended = time.monotonic()
    assert len(opened) == count == RECORDS // each * each
    return {"build": built - began - sum(making), "save": saved - built, "open": ended - opening}


def _clock(trials: Iterator[Any], making: "array[float]") -> Iterator[Any]:
    """Yield trials one by one, as a campaign is read, and keep how long each took to make, in s."""
    while True:
        began = time.monotonic()
        trial = next(trials, None)
        making.append(time.monotonic() - began)
        if trial is None:
            return
        yield trial


def time_floor(folder: Path) -> dict[str, float]:
    """Return how long pandas takes with the tuples alone, in s."""
    import pandas as pd

    records, path = [record for trial in make_trials() for record in trial.records], folder / "table.pickle"
    began = time.monotonic()
    table = pd.DataFrame.from_records(records, columns=records[0]._fields)
    built = time.monotonic()
    table.to_pickle(path)
    saved = time.monotonic()
    pd.read_pickle(path)
    return {"build": built - began, "save": saved - built, "open": time.monotonic() - saved}


def make_trials() -> Iterator[Any]:
    """Yield trials of a large sweep, five per case, with the records of a real log and different values."""
    from coldcache.campaign.trials import CollectedTrial
    from coldcache.core.outcome import Outcome
    from coldcache.tools import read_file
    from coldcache.verdicts.judge import Judgement

    records = read_file(_LOG)
    operations = list(dict.fromkeys(record.operation for record in records))
    for number in range(RECORDS // len(records)):
        case, repetition = divmod(number, 5)
        factors = {
            "threads": 1 + case // 100, "transfer_size": 4096 * (1 + case // 10 % 10), "file_size": 2**30,
            "queue_depth": 1 + case % 10, "file_layout": "file-per-thread", "direct_io": True,
        }  # fmt: skip
        name = ",".join(f"{factor}={factors[factor]}" for factor in ("threads", "transfer_size", "queue_depth"))
        outcome = Outcome("bench", "reads", name, repetition, tuple(operations), factors, "fio", "3.33")
        own = [record._replace(value=record.value * (1 + number * 1e-6)) for record in records]
        yield CollectedTrial(f"bench/reads/{name}/r{repetition}", outcome, own, Judgement("valid", (), (), "cold"))


if __name__ == "__main__":
    if len(sys.argv) == 1:
        tell(measure())
    else:
        print(json.dumps({"own": time_own, "floor": time_floor}[sys.argv[1]](Path(sys.argv[2]))))
