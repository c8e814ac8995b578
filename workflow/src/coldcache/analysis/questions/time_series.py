"""Rates over time that logs state point by point: CloudWatch's minutes, fio's intervals."""

from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MultipleLocator

from coldcache.analysis.figures.axes import set_x
from coldcache.analysis.figures.style import INK
from coldcache.analysis.sentences.subjects import PLURALS, capitalise
from coldcache.core.units import show_rate
from coldcache.core.vocabulary import DATA_OPERATIONS
from coldcache.dataset.reader import COUNTED, open_records
from coldcache.design.case_names import ONLY
from coldcache.statistics.percentiles import percentile

#: Series in one figure; more would hide each other.
MOST_SERIES = 6

#: Minutes from which an axis is in minutes.
_MINUTES = 2

#: Metrics of all processes together; a sentence names any other metric.
_WHOLE = ("throughput", "rate")

_PER_PROCESS = "_per_process"


@dataclass(frozen=True, slots=True)
class Series:
    """One rate over time.

    Attributes
    ----------
    sweep, case, operation, metric, unit : str
        What it is of, and its stored unit.
    times : array of float
        In s, rising.
    values : array of float
        In `unit`.
    part : str
        The process that it is of, or how many are summed; empty where the log states a single series.
    """

    sweep: str
    case: str
    operation: str
    metric: str
    unit: str
    times: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    part: str = ""

    @property
    def is_process(self) -> bool:
        """Whether it is of one process among others."""
        return self.part.startswith("process ")

    @property
    def name(self) -> str:
        """The name by which it differs from other series of its sweep and unit."""
        parts = [part for part in self.case.split(",") if part != ONLY and not part.startswith("operation=")]
        return ", ".join([self.operation, *parts, *filter(None, [self.part])])


def find_series(dataset: str | Path, study: str) -> list[Series]:
    """Return every series of a study whose trial counts, in the order of the logs; none where no log has any.

    The processes of a trial are also summed: that series comes before them.
    """
    keys = ["sweep", "case", "repetition", "operation", "metric", "unit"]
    records = open_records(Path(dataset), study, [*keys, "verdict", "share", "time", "value"])
    points = records[records.time.notna() & records.verdict.isin(COUNTED)]
    found = []
    for (sweep, case, _, operation, metric, unit), rows in points.groupby(keys, sort=False):
        # A point of a log with a single series is a share by its moment, not by its process.
        processes = rows.share.where(~rows.share.str.startswith("time="), "")
        shares = [
            (str(share), of_share.sort_values("time", kind="stable")) for share, of_share in rows.groupby(processes)
        ]
        is_several = len(shares) > 1
        parts = [
            Series(
                sweep, case, operation, metric, unit, ordered.time.to_numpy(), ordered.value.to_numpy(),
                share.replace("=", " ") if is_several else "",
            )
            for share, ordered in shares
        ]  # fmt: skip
        found += [sum_processes(parts), *parts] if is_several else parts
    return found


def sum_processes(processes: list[Series]) -> Series:
    """Return the sum of the series of several processes, over windows that begin at the same moments for all.

    A window is as long as the typical distance of two points; within it the points of a process are averaged. Windows
    in which a process has no point are left out: a sum without it would be too low.
    """
    width = float(np.median(np.concatenate([np.diff(one.times) for one in processes])))
    begin = min(one.times.min() for one in processes)
    # Points lie at the ends of their windows, some a little late: rounding puts them where they belong.
    frames = [
        pd.Series(one.values).groupby(np.rint((one.times - begin) / width).astype(int)).mean() for one in processes
    ]
    total = pd.concat(frames, axis="columns", join="inner").sum(axis="columns").sort_index()
    first = processes[0]
    return Series(
        first.sweep, first.case, first.operation, first.metric.removesuffix(_PER_PROCESS), first.unit,
        begin + width * total.index.to_numpy(dtype=float), total.to_numpy(), f"all {len(processes)} processes",
    )  # fmt: skip


def group_series(series: list[Series]) -> dict[tuple[str, str, str], list[Series]]:
    """Group series that can share a figure: same sweep, metric (of a process or of all) and unit."""
    groups: dict[tuple[str, str, str], list[Series]] = {}
    for one in series:
        groups.setdefault((one.sweep, one.metric.removesuffix(_PER_PROCESS), one.unit), []).append(one)
    return groups


def list_points(series: list[Series]) -> pd.DataFrame:
    """Return one row per point of the first `MOST_SERIES` series: ``series operation is_process seconds value``.

    Seconds count from the first point of each series; values are in its stored unit.
    """
    frames = [
        pd.DataFrame({
            "series": shorten(one.name, 60, placeholder=" …"), "operation": one.operation,
            "is_process": one.is_process, "seconds": one.times - one.times.min(), "value": one.values,
        })
        for one in series[:MOST_SERIES]
    ]  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def caption_series(series: list[Series]) -> str:
    """Return how to read a figure of series."""
    sizes = [len(one.values) for one in series[:MOST_SERIES]]
    alike = len(sizes) > 1 and len(set(sizes)) == 1
    counts = f"{sizes[0]:,} of each line" if alike else ", ".join(f"{size:,}" for size in sizes)
    left = len(series) - MOST_SERIES
    more = f" {left} more series: see the table." if left > 0 else ""
    sums = " Bold: the sum over the same moments of all processes." if any(one.is_process for one in series) else ""
    return f"Points: {counts}.{sums} Dashed: the 99.9th percentile of the points.{more}"


def summarise_series(series: list[Series]) -> pd.DataFrame:
    """Return one row per series: its points, median, p99.9 with its interval, and greatest value, in its unit."""
    rows = []
    for one in series:
        peak = percentile(one.values)
        rows.append({
            "sweep": one.sweep, "case": one.case, "part": one.part or "all", "operation": one.operation,
            "metric": one.metric, "unit": one.unit, "points": len(one.values),
            "median": float(np.median(one.values)), "peak": peak.estimate, "low": peak.low,
            "high": peak.high, "greatest": float(one.values.max()),
        })  # fmt: skip
    columns = [
        "sweep", "case", "part", "operation", "metric", "unit", "points", "median", "peak", "low", "high", "greatest",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def find_peaks(series: list[Series]) -> list[float]:
    """Return the 99.9th percentile of each series that a figure shows, without those of single processes."""
    return [percentile(one.values).estimate for one in series[:MOST_SERIES] if not one.is_process]


def format_series(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `summarise_series` in words."""
    alone = ["case"] if (summary["case"] == ONLY).all() else []
    shown = summary.drop(columns=["unit", *alone]).rename(columns={"peak": "p99.9"})
    shown["metric"] = shown.metric.str.replace("_", " ")
    for name, column in (("median",) * 2, ("p99.9", "peak"), ("low",) * 2, ("high",) * 2, ("greatest",) * 2):
        shown[name] = [
            show_rate(value, unit) if abs(value) < np.inf else "not bounded"
            for value, unit in zip(summary[column], summary["unit"], strict=True)
        ]
    return shown


def describe_series(series: list[Series]) -> str | None:
    """Return the highest p99.9 of each sweep and metric, as a sentence; None without a series."""
    parts = []
    for (sweep, _, unit), group in group_series(series).items():
        peaks = [(percentile(one.values).estimate, one) for one in group]
        peak, one = max(peaks, key=lambda found: found[0])
        metric = one.metric
        of = "" if metric in _WHOLE else f" {metric.replace('_', ' ')}"
        parts.append(f"{sweep} {one.operation}{of} {show_rate(peak, unit)} over {len(one.values):,} points")
    return f"Peaks (p99.9): {'; '.join(parts)}." if parts else None


def title_series(group: list[Series]) -> str:
    """Return which series of a group peaks the highest, as a title."""
    peaks = [(percentile(one.values).estimate, one) for one in group]
    peak, one = max(peaks, key=lambda found: found[0])
    of = f" ({', '.join(parts)})" if (parts := one.name.split(", ")[1:]) else ""
    return f"{capitalise(PLURALS.get(one.operation, one.operation))}{of} peak at {show_rate(peak, one.unit)} (p99.9)"


def set_time(axes: Axes, points: pd.DataFrame) -> None:
    """Set the axis of time, in minutes where the series last longer than two, and name the total and the processes.

    Parameters
    ----------
    axes : Axes
        The points are drawn, in seconds.
    points : DataFrame
        As `list_points` returns them.
    """
    set_x(axes, "time, s", start=0)
    if points.seconds.max() > _MINUTES * 60:
        axes.xaxis.set_major_locator(MultipleLocator(_choose_step(points.seconds.max() / 60) * 60))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda second, _: f"{second / 60:g}"))
        axes.set_xlabel("time, min")
    ends = points.sort_values("seconds").groupby("series", sort=False).tail(1)
    several = bool(points.is_process.any())
    for is_process, name in ((False, "total" if several else ""), (True, "each process")):
        last = ends[ends.is_process == is_process]
        if name and len(last):
            axes.annotate(
                name, (1, float(last.value.median())), xycoords=("axes fraction", "data"), xytext=(6, 0),
                textcoords="offset points", va="center", color=INK, annotation_clip=False,
            )  # fmt: skip


def _choose_step(minutes: float) -> float:
    """Return the minutes between two ticks: at most seven fit."""
    return next((step for step in (1, 2, 5, 10, 20, 30, 60, 120) if minutes / step <= 7), minutes / 6)


def label_of(metric: str, operations: list[str]) -> str:
    """Return the label of an axis for series of a metric."""
    if metric == "rate":
        return "transfers" if set(operations) <= set(DATA_OPERATIONS) else "operations"
    return metric.replace("_", " ")
