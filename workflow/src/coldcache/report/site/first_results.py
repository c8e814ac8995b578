"""The first results of a campaign: one page of medians, there as soon as the logs are judged.

The report takes its place once it is built.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from coldcache.analysis.estimates import LEVEL
from coldcache.analysis.format import show_interval, show_level
from coldcache.campaign.campaign import RAW, Campaign, read_campaign
from coldcache.core.program_files import PROGRAM
from coldcache.core.units import show_rate
from coldcache.core.vocabulary import METRIC_OF_OPERATION
from coldcache.dataset.reader import list_sweeps, open_sweep
from coldcache.report.site.format import show_case
from coldcache.report.site.units import keep_units
from coldcache.report.site.validity import read_rows, read_validity
from coldcache.statistics.intervals import interval_over, reached_level

#: Of the report, and of its only file until the report is built.
_PAGE = "index.html"

_TEMPLATES = PROGRAM / "workflow/report/standalone"


def write_first_results(name: str, results: Path) -> Path | None:
    """Write the medians of a collected campaign as `report/index.html`; leave a report that is there as it is.

    Parameters
    ----------
    name : str
        The campaign.
    results : Path
        Its folder of results, as `collect` leaves it.

    Returns
    -------
    Path or None
        The page; None where there is a report.

    Raises
    ------
    CampaignError
        If the campaign or its verdicts cannot be read.
    DatasetError
        If the dataset cannot be read.
    """
    report = results / "report"
    if report.is_dir() and any(path.name != _PAGE for path in report.iterdir()):
        return None
    campaign = read_campaign(RAW / name)
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), undefined=StrictUndefined, autoescape=True, trim_blocks=True,
    )  # fmt: skip
    text = environment.get_template("first_results.html").render(
        campaign=name, title=f"First results of {name}", summary=read_validity(results).summary(),
        studies=list(_describe_studies(campaign, results)),
    )  # fmt: skip
    report.mkdir(exist_ok=True)
    unfinished = results / ".first-results"
    unfinished.write_text(keep_units(text), encoding="utf-8")
    return unfinished.rename(report / _PAGE)


def _describe_studies(campaign: Campaign, results: Path) -> Iterator[dict[str, Any]]:
    dataset = results / "dataset.nc"
    rows = read_rows(results / "verdicts.csv", {"study", "sweep", "case", "repetition"})
    trials = pd.Series([(row["study"], row["sweep"], row["case"]) for row in rows], dtype=object).value_counts()
    for study in campaign.studies:
        sweeps = [
            {"title": study.sweeps[name].title, "rows": rows}
            for name in list_sweeps(dataset, study.study)
            if (rows := list(_list_medians(open_sweep(dataset, study.study, name), trials)))
        ]
        if sweeps:
            yield {"title": study.title, "question": study.question, "sweeps": sweeps}


def _list_medians(cube: xr.Dataset, trials: pd.Series) -> Iterator[dict[str, Any]]:
    """Yield each case of a sweep and operation with its median, interval, and how many of its trials count."""
    study, sweep = cube.attrs["study"], cube.attrs["sweep"]
    dims = [str(dim) for dim in cube.case.dims if dim != "repetition"]
    named = cube.case.to_series()
    cases = named[named != ""].groupby(level=dims, sort=False).first()
    medians = {
        name: interval_over(cube[name].broadcast_like(cube.case)).to_dataframe(dims).to_dict("index")
        for name in ("throughput", "rate")
        if name in cube
    }
    for place, case in cases.items():
        operation = place[0] if isinstance(place, tuple) else place
        metric = METRIC_OF_OPERATION.get(operation, "throughput")
        # Calls of a protocol and counts have neither a throughput nor a rate; operations of imported logs may have one.
        if metric not in medians or (operation not in METRIC_OF_OPERATION and not medians[metric][place]["n"]):
            continue
        ran, words = str(operation).replace("-", " "), show_case(case, sweep)
        found, unit = medians[metric][place], cube[metric].units
        n = int(found["n"])
        yield {
            # A case of several operations does not name them.
            "case": words if words.startswith(ran) else f"{ran}, {words}",
            "median": show_rate(found["estimate"], unit) if n else "none",
            "interval": (
                f"{show_interval(found['low'], found['high'], unit)} ({show_level(reached_level(n, LEVEL))})"
                if found["low"] == found["low"]
                else ""
            ),
            "counted": n, "trials": int(trials[study, sweep, case]),
        }  # fmt: skip
