"""The figures of every sweep of a study without a design, such as imported logs."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from coldcache.analysis.estimates import Estimates, estimate
from coldcache.analysis.format import format_interval
from coldcache.analysis.question import Question
from coldcache.analysis.questions.time_series import find_series, summarise_series
from coldcache.core.errors import NoData
from coldcache.core.units import show_range, show_rate
from coldcache.dataset.reader import list_sweeps, open_sweep

#: The figure of a sweep: the first of these that its logs state; a rate is shown as well.
_THROUGHPUTS = ("throughput", "throughput_per_core", "throughput_per_process", "throughput_children")

#: Estimates that a finding lists; of more it lists the highest of each metric.
_MOST_LISTED = 8


class LogFigures:
    """The estimates of every sweep of a study, and the summary of its series.

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

    Attributes
    ----------
    sweeps : dict of str to Estimates
        By the sweep and its metric: ``ior, throughput``.
    series : DataFrame
        One row per series over time, as `summarise_series` returns it.
    """

    def __init__(self, dataset: str | Path, study: str):
        self.study = study
        self.sweeps: dict[str, Estimates] = {}
        for sweep in list_sweeps(Path(dataset), study):
            cube = open_sweep(Path(dataset), study, sweep)
            metrics = [metric for metric in _THROUGHPUTS if metric in cube][:1]
            metrics += [metric for metric in ("rate",) if metric in cube]
            for metric in metrics or [metric for metric in ("count", "elapsed") if metric in cube][:1]:
                words = metric.replace("_", " ")
                question = Question(study, sweep, sweep, part=words.replace(" ", "-"))
                self.sweeps[f"{sweep}, {words}"] = replace(
                    estimate(dataset, study, sweep, metric), question=question, is_stated=True
                )
        self.series = summarise_series(find_series(dataset, study))
        if not self.sweeps and self.series.empty:
            raise NoData(f"no trial of {study} counts: see the page on validity")

    def finding(self) -> str:
        """Return one sentence with the highest estimate of each table, of many tables of each metric, and of series."""
        listed, among = self.sweeps, ""
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

    def by_metric(self) -> dict[str, list[Estimates]]:
        """Return the sweeps by the metric that they state."""
        found: dict[str, list[Estimates]] = {}
        for sweep in self.sweeps.values():
            found.setdefault(sweep.metric, []).append(sweep)
        return found


def title_medians(sweeps: list[Estimates]) -> str:
    """Return the lowest and the highest median of some sweeps of one metric, as a title."""
    medians = [float(median) for sweep in sweeps for median in sweep.cells.estimate.values.ravel() if median == median]
    cases = f"{len(medians):,} case{'s' if len(medians) != 1 else ''}"
    return f"{sweeps[0].quantity.capitalize()} of {cases}: {show_range(min(medians), max(medians), sweeps[0].unit)}"


def tabulate_medians(sweeps: list[Estimates]) -> pd.DataFrame:
    """Return a row per case with a figure, of some sweeps of one metric: its sweep, its levels, its median."""
    median = f"median ({sweeps[0].unit})"
    tables = [
        sweep.table().drop(columns=["low", "high", "trials"]).assign(sweep=sweep.question.sweep) for sweep in sweeps
    ]
    found = pd.concat(tables, ignore_index=True).dropna(subset="median")
    levels = [name for name in found if name not in ("sweep", "median", "n")]
    return found[["sweep", *levels, "median", "n"]].rename(columns={"median": median, "n": "n (1)"})


def _show_highest(estimates: Estimates) -> str:
    operation = estimates.operations()[0]
    cells = estimates.cells.sel(operation=operation)
    best = int(cells.estimate.fillna(-1).values.argmax())
    estimated, low, high, n = (float(cells[name].values.reshape(-1)[best]) for name in ("estimate", "low", "high", "n"))
    runs = estimates.runs.sel(operation=operation).transpose(*cells.estimate.dims, "repetition").values
    mine = runs.reshape(-1, runs.shape[-1])[best]
    shown = format_interval(
        estimated, low, high, estimates.unit, int(n), runs=mine[mine == mine].tolist(),
        rounds=estimates.rounds,
    )  # fmt: skip
    return f"{operation} {shown}"
