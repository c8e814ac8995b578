"""Every sweep of a study at a glance, for studies without a design, such as imported logs."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from coldcache.analysis.estimates import Estimates, estimate
from coldcache.analysis.format import format_interval
from coldcache.analysis.questions.time_series import find_series, format_series, summarise_series
from coldcache.analysis.tables import Table
from coldcache.core.errors import NoData
from coldcache.core.units import show_rate
from coldcache.dataset.reader import list_sweeps, open_sweep

#: The figure of a sweep: the first of these that its logs state; a rate is shown as well.
_THROUGHPUTS = ("throughput", "throughput_per_core", "throughput_per_process", "throughput_children")

#: Estimates that a finding lists; of more it lists the highest of each metric.
_MOST_LISTED = 8


class Overview:
    """The estimates of every sweep of a study; notebooks and pages display it as a table for each.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`.
    study : str
        The study.

    Raises
    ------
    NoData
        If no trial of the study counts.
    """

    def __init__(self, dataset: str | Path, study: str):
        self.study = study
        self.found: dict[str, Estimates] = {}
        for sweep in list_sweeps(Path(dataset), study):
            cube = open_sweep(Path(dataset), study, sweep)
            metrics = [metric for metric in _THROUGHPUTS if metric in cube][:1]
            metrics += [metric for metric in ("rate",) if metric in cube]
            for metric in metrics or [metric for metric in ("count", "elapsed") if metric in cube][:1]:
                self.found[f"{sweep}, {metric.replace('_', ' ')}"] = replace(
                    estimate(dataset, study, sweep, metric), is_stated=True
                )
        self.series = summarise_series(find_series(dataset, study))
        if not self.found and self.series.empty:
            raise NoData(f"no trial of {study} counts: see the page on validity")

    def finding(self) -> str:
        """Return one sentence with the highest estimate of each table, of many tables of each metric, and of series."""
        listed, among = self.found, ""
        if len(listed) > _MOST_LISTED:
            rising = sorted(listed, key=lambda name: float(listed[name].cells.estimate.fillna(-1).max()))
            leading = {listed[name].metric: name for name in rising}
            listed, among = {name: listed[name] for name in leading.values()}, f" of {len(listed)} tables"
        highest = [f"{name} {_show_highest(estimates)}" for name, estimates in listed.items()]
        peaks = [
            f"{row.sweep} {row.operation} {show_rate(row.peak, row.unit)}" for row in self.series.itertuples()
        ]  # fmt: skip
        parts = [f"Highest medians{among}: {'; '.join(highest)}."] if highest else []
        parts += [f"Peaks of series (p99.9): {'; '.join(peaks)}."] if peaks else []
        return " ".join(parts)

    def tables(self) -> list[Table]:
        """Return a table for each sweep and metric, one row per case, and one of all series."""
        tables = [Table.of(found, f"{name}, by {found.tool}".strip()) for name, found in self.found.items()]
        tables += [] if self.series.empty else [_tabulate_series(self.series)]
        for name, table in zip([*self.found, "series"], tables, strict=False):
            table.name = f"{self.study}-{name}".replace(", ", "-").replace(" ", "-")
        return tables

    def save(self, dataset: str | Path) -> "Overview":
        """Write the numbers beside the dataset as `tables/*.csv`, and return the overview."""
        for table in self.tables():
            table.save(dataset, table.name)
        return self

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        bundles = [table._repr_mimebundle_() for table in self.tables()]
        return {kind: "\n".join(bundle[kind] for bundle in bundles) for kind in ("text/plain", "text/html")}


def _show_highest(estimates: Estimates) -> str:
    operation = estimates.operations()[0]
    cells = estimates.cells.sel(operation=operation)
    best = int(cells.estimate.fillna(-1).values.argmax())
    estimated, low, high, n = (float(cells[name].values.reshape(-1)[best]) for name in ("estimate", "low", "high", "n"))
    runs = estimates.runs.sel(operation=operation).transpose(*cells.estimate.dims, "repetition").values
    mine = runs.reshape(-1, runs.shape[-1])[best]
    shown = format_interval(
        estimated, low, high, estimates.unit, int(n), runs=mine[mine == mine].tolist(),
        correlation=estimates.correlation,
    )  # fmt: skip
    return f"{operation} {shown}"


def _tabulate_series(series: pd.DataFrame) -> Table:
    caption = "Series over time: the median of their points, and the 99.9th percentile with its 95 % interval"
    return Table(format_series(series), series, caption)
