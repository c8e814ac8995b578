"""Rates over time that logs state point by point: CloudWatch's minutes, fio's intervals."""

from collections import Counter
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
from coldcache.analysis.format import format_factor
from coldcache.analysis.sentences.subjects import PLURALS, capitalise
from coldcache.core.units import show_rate
from coldcache.core.vocabulary import DATA_OPERATIONS
from coldcache.dataset.reader import COUNTED, open_records
from coldcache.design.case_names import ONLY
from coldcache.statistics.percentiles import percentile

#: Names of series in one figure; more would hide each other.
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
    repetition : int
        Which run of its case it is of, from 0.
    pause : float
        The longest time in which one of the summed processes moved nothing while others did, in s; NaN where no
        processes are stated.
    """

    sweep: str
    case: str
    operation: str
    metric: str
    unit: str
    times: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    part: str = ""
    repetition: int = 0
    pause: float = np.nan

    @property
    def is_process(self) -> bool:
        """Whether it is of one process among others."""
        return self.part.startswith("process ")

    @property
    def is_sum(self) -> bool:
        """Whether it is the sum of several processes."""
        return self.part.startswith("all ")

    @property
    def name(self) -> str:
        """The name by which it differs from other series of its sweep and unit; runs of a case share it."""
        return ", ".join([self.operation, *self._parts])

    @property
    def in_brackets(self) -> str:
        """What its name says beside the operation, in brackets after a blank; empty where it says no more."""
        return f" ({', '.join(self._parts)})" if self._parts else ""

    @property
    def _parts(self) -> list[str]:
        parts = [part for part in self.case.split(",") if part != ONLY and not part.startswith("operation=")]
        return [*(_word_level(part) for part in parts), *filter(None, [self.part])]


def _word_level(part: str) -> str:
    """Return a level in the name of a case in words: ``target outage 5 s`` for ``target_outage=5.0``."""
    factor, stated, level = part.partition("=")
    try:
        return format_factor(factor, float(level)) if stated else part
    except ValueError:
        return format_factor(factor, level)


def find_series(dataset: str | Path, study: str) -> list[Series]:
    """Return every series of a study whose trial counts, in the order of the logs; none where no log has any.

    The processes of a trial are summed. Where a sweep has just one such trial, its processes come after the sum.
    """
    keys = ["sweep", "case", "repetition", "operation", "metric", "unit"]
    records = open_records(Path(dataset), study, [*keys, "verdict", "share", "time", "value"])
    points = records[records.time.notna() & records.verdict.isin(COUNTED)]
    found = []
    for (sweep, case, repetition, operation, metric, unit), rows in points.groupby(keys, sort=False):
        # A point of a log with a single series is a share by its moment, not by its process.
        processes = rows.share.where(~rows.share.str.startswith("time="), "")
        shares = [
            (str(share), of_share.sort_values("time", kind="stable")) for share, of_share in rows.groupby(processes)
        ]
        is_several = len(shares) > 1
        parts = [
            Series(
                sweep, case, operation, metric, unit, ordered.time.to_numpy(), ordered.value.to_numpy(),
                share.replace("=", " ") if is_several else "", int(repetition),
            )
            for share, ordered in shares
        ]  # fmt: skip
        found += [sum_processes(parts), *parts] if is_several else parts
    sums = Counter((one.sweep, one.unit) for one in found if one.is_sum)
    return [one for one in found if not one.is_process or sums[one.sweep, one.unit] == 1]


def sum_processes(processes: list[Series]) -> Series:
    """Return the sum of the series of several processes, over windows that begin at the same moments for all.

    A window is as long as the typical distance of two points; within it the points of a process are averaged. A process
    that logs no point while others do moved nothing. Windows before the first point of a process, and one that it
    misses at the end, are left out: a sum without it would be too low.
    """
    width = float(np.median(np.concatenate([np.diff(one.times) for one in processes])))
    begin, end = min(one.times.min() for one in processes), max(one.times.max() for one in processes)
    frames = [_average_windows(one, begin, end, width) for one in processes]
    total = pd.concat(frames, axis="columns", join="inner").sum(axis="columns").sort_index()
    first = processes[0]
    return Series(
        first.sweep, first.case, first.operation, first.metric.removesuffix(_PER_PROCESS), first.unit,
        begin + width * total.index.to_numpy(dtype=float), total.to_numpy(), f"all {len(processes)} processes",
        first.repetition, width * max(map(_count_silent, frames)),
    )  # fmt: skip


def _average_windows(process: Series, begin: float, end: float, width: float) -> pd.Series:
    """Return the mean of a process in each window from its first point on, 0 where it moved nothing."""
    # Points lie at the ends of their windows, some a little late: rounding puts them where they belong.
    windows = np.rint((process.times - begin) / width).astype(int)
    # A process that misses just the last window ended with the others.
    last = round((end - begin) / width)
    following = [*windows[1:], last + 1 if last - windows[-1] > 1 else windows[-1]]
    distances = np.rint(np.diff([*process.times, end]) / width)
    silent = [
        window
        for place, (one, other) in enumerate(zip(windows, following, strict=True)) if distances[place] > 1
        for window in range(one + 1, other)
    ]  # fmt: skip
    means = pd.Series(process.values).groupby(windows).mean()
    return pd.concat([means, pd.Series(0.0, index=pd.Index(silent, dtype=int))]).sort_index()


def _count_silent(means: pd.Series) -> int:
    """Return the most windows in a row in which a process moved nothing."""
    silent = means.eq(0)
    return int(silent.groupby((~silent).cumsum()).sum().max())


def group_series(series: list[Series]) -> dict[tuple[str, str, str], list[Series]]:
    """Group series that can share a figure: same sweep, metric (of a process or of all) and unit."""
    groups: dict[tuple[str, str, str], list[Series]] = {}
    for one in series:
        groups.setdefault((one.sweep, one.metric.removesuffix(_PER_PROCESS), one.unit), []).append(one)
    return groups


def list_points(series: list[Series]) -> pd.DataFrame:
    """Return the points of the series with the first `MOST_SERIES` names: ``series operation is_process run …``.

    Then ``seconds`` from the first point of each series and ``value`` in its stored unit; one row per point.
    """
    is_alone = all(one.is_sum for one in series)
    frames = [
        pd.DataFrame({
            "series": shorten(one.name.removesuffix(f", {one.part}") if is_alone else one.name, 60, placeholder=" …"),
            "operation": one.operation,
            "is_process": one.is_process, "run": one.repetition, "seconds": one.times - one.times.min(),
            "value": one.values,
        })
        for one in _choose_shown(series)
    ]  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def _choose_shown(series: list[Series]) -> list[Series]:
    """Return the series that one figure shows: those with the first names."""
    names = list(dict.fromkeys(one.name for one in series))[:MOST_SERIES]
    return [one for one in series if one.name in names]


def caption_series(series: list[Series]) -> str:
    """Return how to read a figure of series."""
    shown = _choose_shown(series)
    sizes = [len(one.values) for one in shown]
    counts = f"{sizes[0]:,}" if len(set(sizes)) == 1 else f"{min(sizes):,} to {max(sizes):,}"
    of = " of each line" if len(sizes) > 1 else ""
    left = len(series) - len(shown)
    more = f" {left} more series: see the table." if left > 0 else ""
    sums = " Bold: the sum over the same moments of all processes." if any(one.is_process for one in series) else ""
    runs = " A line for each run: the sum of its processes." if sum(one.is_sum for one in shown) > 1 else ""
    return f"Points: {counts}{of}.{sums}{runs} Dashed: the 99.9th percentile of the points.{more}"


def summarise_series(series: list[Series]) -> pd.DataFrame:
    """Return one row per series: its points, median, p99.9 with its interval, and greatest value, in its unit."""
    rows = []
    for one in series:
        peak = percentile(one.values)
        rows.append({
            "sweep": one.sweep, "case": one.case, "run": one.repetition, "part": one.part or "all",
            "operation": one.operation, "metric": one.metric, "unit": one.unit, "points": len(one.values),
            "median": float(np.median(one.values)), "peak": peak.estimate, "low": peak.low,
            "high": peak.high, "greatest": float(one.values.max()), "pause": one.pause,
        })  # fmt: skip
    columns = [
        "sweep", "case", "run", "part", "operation", "metric", "unit", "points", "median", "peak", "low", "high",
        "greatest", "pause",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def find_peaks(series: list[Series]) -> list[float]:
    """Return the 99.9th percentile of the points of each name that a figure shows, without those of processes."""
    points: dict[str, list[npt.NDArray[np.float64]]] = {}
    for one in _choose_shown(series):
        if not one.is_process:
            points.setdefault(one.name, []).append(one.values)
    return [percentile(np.concatenate(runs)).estimate for runs in points.values()]


def format_series(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `summarise_series` in words; a column that says the same of all rows is left out."""
    same = {"case": summary["case"] == ONLY, "run": summary["run"] == 0, "pause": summary["pause"].isna()}
    alone = [name for name, is_same in same.items() if is_same.all()]
    shown = summary.drop(columns=["unit", *alone]).rename(columns={"peak": "p99.9"})
    if "pause" in shown:
        shown["pause"] = [_show_pause(pause) for pause in summary["pause"]]
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


def describe_pauses(series: list[Series]) -> str | None:
    """Return how long a process moved nothing in the runs of each case, as a sentence; None where none ever paused."""
    pauses: dict[str, list[float]] = {}
    for one in series:
        if one.is_sum:
            pauses.setdefault(f"{one.sweep} {one.name.partition(',')[0]}{one.in_brackets}", []).append(one.pause)
    if not any(max(found) > 0 for found in pauses.values()):
        return None
    parts = [
        f"{name} {' to '.join(dict.fromkeys(map(_show_pause, (min(found), max(found)))))} over {len(found)} runs"
        for name, found in pauses.items()
    ]  # fmt: skip
    return f"Longest time in which a process moved nothing while others did: {'; '.join(parts)}."


def _show_pause(seconds: float) -> str:
    return "" if np.isnan(seconds) else f"{seconds:.3g} s" if seconds else "none"


def title_series(group: list[Series]) -> str:
    """Return which series of a group peaks the highest, as a title."""
    peaks = [(percentile(one.values).estimate, one) for one in group]
    peak, one = max(peaks, key=lambda found: found[0])
    subject = capitalise(PLURALS.get(one.operation, one.operation)) + one.in_brackets
    return f"{subject} peak at {show_rate(peak, one.unit)} (p99.9)"


def set_time(axes: Axes, points: pd.DataFrame) -> None:
    """Set the axis of time, in minutes where the series last longer than two, and name the lines.

    The total and the processes are named at their ends; other lines in a legend if they have several names.

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
    if (legend := axes.get_legend()) and (several or points.series.nunique() == 1):
        legend.remove()
    elif legend:
        legend.set_title("")
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
