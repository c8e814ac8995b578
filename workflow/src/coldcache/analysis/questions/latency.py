"""How long transfers take: the median of them and the 99th percentile, over threads and against the rate."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from coldcache.analysis.captions import describe_marks
from coldcache.analysis.estimates import Estimates, median_interval
from coldcache.analysis.figures.marks import say, say_case
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.report_links import lead
from coldcache.analysis.tables import Table
from coldcache.core.units import show_rate
from coldcache.core.vocabulary import OPERATIONS
from coldcache.dataset.reader import COUNTED, open_records

#: The percentiles of a trial's transfers that are shown.
PERCENTILES = ("p50", "p99")

#: The columns of records that it needs.
_COLUMNS = ("sweep", "repetition", "operation", "metric", "statistic", "value", "share", "verdict", "threads")


@dataclass(frozen=True, slots=True)
class Latencies:
    """Percentiles of the latency of a sweep over threads.

    Attributes
    ----------
    sweep : Estimates
        The rates of the sweep, over ``operation`` and ``threads``.
    runs : DataArray
        Seconds by ``line`` (operation and percentile), ``threads`` and ``repetition``; NaN where no trial counts.
    """

    sweep: Estimates
    runs: xr.DataArray

    def points(self) -> pd.DataFrame:
        """Return a row per line and number of threads.

        Returns
        -------
        DataFrame
            Columns ``line operation threads``, ``rate`` in 1/s, ``latency low high`` in µs, ``n``; and ``page``, the
            page of the case with what it says.
        """
        cells, rows = median_interval(self.runs), []
        for line in cells.line.values.tolist():
            operation = line.rpartition(" ")[0]
            for threads in cells.threads.values.tolist():
                cell = cells.sel(line=line, threads=threads)
                place = {"operation": operation, "threads": threads}
                latency, low, high, n = (float(cell[name]) for name in ("estimate", "low", "high", "n"))
                if latency != latency:
                    continue
                says = say_case({"operation": line, "threads": threads}, latency, low, high, int(n), "s")
                rows.append({
                    "line": line, "operation": operation, "threads": threads,
                    "rate": float(self.sweep.cells.estimate.sel(place)), "latency": 1e6 * latency, "low": 1e6 * low,
                    "high": 1e6 * high, "n": int(n), "page": say(self.sweep.page(place) or "", says),
                })  # fmt: skip
        return pd.DataFrame(rows)

    def micros(self) -> xr.Dataset:
        """Return the medians over repetitions with their intervals in µs, by ``line`` and ``threads``."""
        return median_interval((1e6 * self.runs).assign_attrs(self.runs.attrs))

    def title(self) -> str:
        """Return the median and the 99th percentile at the most threads, as a sentence."""
        last = self.points().query("threads == threads.max()").set_index("line").latency
        told = [
            f"{operation.replace('-', ' ')}s: half within {show_rate(last[f'{operation} p50'] / 1e6, 's')}, "
            f"99 % within {show_rate(last[f'{operation} p99'] / 1e6, 's')}"
            for operation in dict.fromkeys(line.rpartition(" ")[0] for line in last.index)
            if {f"{operation} {name}" for name in PERCENTILES} <= set(last.index)
        ]
        text = f"With {int(self.runs.threads.max()):,} threads {'; '.join(told)}"
        return text if told else "Latency of each percentile"

    def picture(self, figure: Figure) -> Picture:
        """Return a drawn figure of the percentiles with its title and how to read it."""
        marks = describe_marks(self.micros().n, has_runs=False)
        caption = f"Lines: the transfers' median (p50) and 99th percentile (p99). {marks} {self.sweep.origin()}"
        return Picture(
            figure, self.title(), caption, [self.sweep.path],
            numbers=self.points().drop(columns="page"),
        )  # fmt: skip

    def table(self, caption: str) -> Table:
        """Return a row per operation and number of threads, in words; its numbers have one per percentile."""
        points = self.points()
        numbers = points.drop(columns="page")
        links = [
            lead(show_rate(us / 1e6, "s"), page.partition(" ")[0])
            for us, page in zip(points.latency, points.page, strict=True)
        ]
        named = points.assign(percentile=points.line.str.rpartition(" ")[2], shown=pd.Series(links, dtype=object))
        rows = []
        for (operation, threads), cell in named.groupby(["operation", "threads"], sort=False):
            latencies = dict(zip(cell.percentile, cell.shown, strict=True))
            rows.append({
                "operation": operation, "threads": threads, **{name: latencies.get(name, "") for name in PERCENTILES},
                "rate": show_rate(cell["rate"].iloc[0], "1/s"), "n": cell.n.max(),
            })  # fmt: skip
        shown = pd.DataFrame(rows, dtype=object)
        named = {"rate": "rate (1/s)", "latency": "latency (µs)", "low": "low (µs)", "high": "high (µs)"}
        return Table(shown, numbers.rename(columns=named), caption)


def find_latencies(
    dataset: str | Path, sweep: Estimates, operations: Collection[str] = OPERATIONS
) -> Latencies | None:  # fmt: skip
    """Return the percentiles that the logs of a sweep state; None where they state none, or of other operations.

    Of several latencies in one log the longest is taken: it holds the others.
    """
    if not set(sweep.operations()) <= set(operations) or set(sweep.cells.estimate.dims) != {"operation", "threads"}:
        return None
    study, name = sweep.path.split("/")
    records = open_records(Path(dataset), study, _COLUMNS)
    stated = records[
        (records.sweep == name) & (records.metric == "latency") & records.statistic.isin(PERCENTILES)
        & records.verdict.isin(COUNTED) & (records.share == "") & records.operation.isin(sweep.operations())
    ]  # fmt: skip
    if stated.empty:
        return None
    longest = stated.groupby(["operation", "statistic", "threads", "repetition"]).value.max()
    lines = [f"{operation} {statistic}" for operation in sweep.operations() for statistic in PERCENTILES]
    threads, repetitions = sweep.cells.threads.values, sweep.runs.repetition.values
    values = np.full((len(lines), len(threads), len(repetitions)), np.nan)
    for (operation, statistic, at, repetition), value in longest.items():
        where = lines.index(f"{operation} {statistic}"), list(threads).index(int(at)), int(repetition)
        values[where] = value
    runs = xr.DataArray(
        values, {"line": lines, "threads": threads, "repetition": repetitions}, ("line", "threads", "repetition"),
        attrs=dict(sweep.cube.latency.attrs) if "latency" in sweep.cube else {},
    )  # fmt: skip
    return Latencies(sweep, runs)
