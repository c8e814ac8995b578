"""Throughput for each physical core, against what SAS Grid asks for."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import xarray as xr

from coldcache.analysis.estimates import Estimates, median_interval
from coldcache.analysis.per_core_rates import add_streams, tabulate_core_rates
from coldcache.analysis.questions.select import SweepSelection, published_values
from coldcache.analysis.sentences import PLURALS, name_level
from coldcache.core.units import show_rate
from coldcache.dataset.reader import open_records
from coldcache.statistics.intervals import reached_level

#: The document that states the thresholds.
_SOURCE = "sas-grid"


def thresholds(dataset: str | Path) -> dict[str, float]:
    """Return what SAS Grid asks of each physical core, in B/s, by name; nothing where no document states it."""
    for value in published_values(dataset, _SOURCE):
        if value.workload == "requirement" and value.unit == "B/s":
            return {show_rate(end, "B/s"): end for end in (value.low, value.high)}
    return {}


def per_core(selection: SweepSelection, needed: dict[str, float], dataset: str | Path) -> SweepSelection:
    """Return estimates for each core, where each core has one stream: the throughput over the threads.

    A log that states each stream alone has no throughput of all: there a core's rate is the size of its file over the
    mean time of the streams, as the document takes it. Where the threads follow from another factor, such as the
    instance type, they are no dim of the result.
    """
    streams = tabulate_core_rates(open_records(Path(dataset), selection.study))
    return SweepSelection(selection.study, [_divide(found, needed, streams) for found in selection], selection.absent)


def _divide(found: Estimates, needed: dict[str, float], streams: pd.DataFrame) -> Estimates:
    cube = found.cube.assign(
        {found.metric: add_streams(found.runs, streams[streams.sweep == found.cube.attrs["sweep"]])}
    )
    threads = cube.threads if "threads" in cube.dims else int(cube.attrs.get("threads", 1))
    stated = {**found.runs.attrs, "units": found.unit}
    cube = cube.assign({found.metric: (cube[found.metric] / threads).assign_attrs(stated)})
    if "threads" in cube.dims and found.question.factor:
        cube = _drop_threads(cube, found.question.factor)
    asked = {f"asked of each core ({end})": rate for end, rate in zip(("least", "most"), needed.values(), strict=False)}
    return replace(found, cube=cube, cells=median_interval(cube[found.metric]), ceilings=asked)


def _drop_threads(cube: xr.Dataset, factor: str) -> xr.Dataset:
    """Return a cube without the dim of threads: each level of the factor has one number of them."""
    others = [dim for dim in cube.verdict.dims if dim not in ("threads", factor)]
    place = (cube.verdict != "").any(others).argmax("threads")
    return cube.isel(threads=place).drop_vars("threads")


def describe_cores(found: Estimates, needed: dict[str, float]) -> str:
    """Return at how many levels each operation reaches the least that is asked for, as a sentence."""
    return f"{found.question.title}: {_describe_demand(found, needed)}."


def title_cores(found: Estimates, needed: dict[str, float]) -> str:
    """Return the same as a title."""
    demand = _describe_demand(found, needed)
    return demand[:1].upper() + demand[1:]


def _describe_demand(found: Estimates, needed: dict[str, float]) -> str:
    least = min(needed.values(), default=0.0)
    parts = []
    for name in found.operations():
        cells = found.cells.estimate.sel(operation=name)
        known = cells[cells.notnull().values]
        meets = int((known >= least).sum())
        parts.append(f"{PLURALS.get(name, name)} in {meets} of {known.size} case{'s' if known.size != 1 else ''}")
    return f"at least {show_rate(least, 'B/s')} for each core: {', '.join(parts)}"


def tabulate_cores(found: Estimates, needed: dict[str, float]) -> pd.DataFrame:
    """Return one row per level and operation: throughput for each core in MB/s, and its share of the demand."""
    rows = []
    low, high = min(needed.values(), default=0.0), max(needed.values(), default=0.0)
    for row in found.table().to_dict("records"):
        dim = next(name for name in row if name not in ("operation", "median", "low", "high", "n", "trials"))
        rate = row["median"]
        meets = "no data" if rate != rate else "all" if rate >= high else "the least" if rate >= low else "no"
        rows.append({
            "operation": row["operation"], "of": name_level(dim, row[dim]), "median per core (MB/s)": rate / 1e6,
            "low (MB/s)": row["low"] / 1e6, "high (MB/s)": row["high"] / 1e6,
            "level (1)": reached_level(row["n"]) if row["low"] == row["low"] else float("nan"),
            "n (1)": row["n"], "meets": meets,
        })  # fmt: skip
    return pd.DataFrame(rows)


def show_cores(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `tabulate_cores` in words, without the bounds of intervals where no row has any."""
    rates = {"median per core": "median per core (MB/s)", "low": "low (MB/s)", "high": "high (MB/s)"}
    if numbers["low (MB/s)"].isna().all():
        del rates["low"], rates["high"]
    shown = {
        head: [show_rate(1e6 * value, "B/s") if value == value else "none" for value in numbers[column]]
        for head, column in rates.items()
    }
    named = numbers[["operation", "of"]].rename(columns={"of": "at"})
    return named.assign(**shown, n=numbers["n (1)"], meets=numbers.meets)
