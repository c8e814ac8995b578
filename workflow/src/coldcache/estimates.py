"""What one sweep of a campaign says of one metric: every trial, and the estimate and interval of every case."""

from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr

from coldcache.dataset import open_sweep
from coldcache.errors import ColdCacheError
from coldcache.intervals import reach_of_order
from coldcache.ratios import paired_ratio
from coldcache.statistics import Interval, interval_over
from coldcache.units import show_rate

#: Coverage of every interval, where there are repetitions enough for it.
LEVEL = 0.95


class NoData(ColdCacheError):  # noqa: N818
    """A campaign in which nothing was measured that the question needs."""


class Peak(NamedTuple):
    """The number of threads at which an operation has its highest estimate, and that estimate."""

    threads: int
    estimate: float
    low: float
    high: float
    n: int

    @property
    def at(self) -> str:
        """The number of threads in words: ``1 thread``, ``4 threads``."""
        return f"{self.threads:,} thread{'s' if self.threads != 1 else ''}"


class Estimates(NamedTuple):
    """One metric of one sweep.

    Attributes
    ----------
    cube : Dataset
        The sweep, as `dataset.build_cube` makes it.
    metric, unit : str
        Which variable of the cube, and its stored unit.
    cells : Dataset
        ``estimate``, ``low``, ``high`` and ``n`` over the dims of the cube without ``repetition``: the median over
        repetitions and its interval.
    """

    cube: xr.Dataset
    metric: str
    unit: str
    cells: xr.Dataset

    @property
    def values(self) -> xr.DataArray:
        """The metric of every trial, in `unit`; NaN where a trial is void or missing."""
        return self.cube[self.metric]

    def operations(self) -> list[str]:
        """Return the operations of the sweep, the one with the highest estimate first, one without any last."""
        highest = self.cells.estimate.max([dim for dim in self.cells.estimate.dims if dim != "operation"]).fillna(-1)
        return [str(name) for name in highest.sortby(highest, ascending=False).operation.values]

    def peak(self, operation: str) -> Peak:
        """Return where an operation has its highest estimate.

        Parameters
        ----------
        operation : str
            One of the sweep's; the only other dim of the cube is ``threads``.

        Raises
        ------
        NoData
            If no trial of the operation counts.
        """
        cells = self._cells_of(operation)
        best = cells.isel(threads=int(cells.estimate.fillna(-1).argmax("threads")))
        return Peak(int(best.threads), float(best.estimate), float(best.low), float(best.high), int(best.n))

    def growth(self, operation: str) -> Interval:
        """Return the ratio of the most threads to the fewest, paired by repetition, with its interval.

        Raises
        ------
        NoData
            If no trial of the operation counts.
        """
        threads = self._cells_of(operation).threads
        fewest, most = int(threads.min()), int(threads.max())
        return self.ratio({"operation": operation, "threads": most}, {"operation": operation, "threads": fewest})

    def _cells_of(self, operation: str) -> xr.Dataset:
        if operation not in self.cells.operation or bool(self.cells.sel(operation=operation).estimate.isnull().all()):
            raise NoData(f"no trial of {operation} counts: see the page on validity")
        return self.cells.sel(operation=operation)

    def ratio(self, above: dict[str, Any], below: dict[str, Any]) -> Interval:
        """Return the typical ratio of two cases, paired by repetition, with its interval.

        Parameters
        ----------
        above, below : dict
            Levels that choose one case each.
        """
        return paired_ratio(self.values.sel(above).squeeze(drop=True), self.values.sel(below).squeeze(drop=True))

    def show(self, found: Peak | Interval) -> str:
        """Return an estimate with its interval in words, such as ``1.2 GB/s (1.1 GB/s to 1.3 GB/s)``."""
        return show_interval(found.estimate, found.low, found.high, self.unit)

    @property
    def tool(self) -> str:
        """The tool that measured, with its version."""
        return f"{self.cube.attrs['tool']} {self.cube.attrs['tool_version']}"

    def caption(self) -> str:
        """Return what a reader must know of the estimates: what stands for what, how many trials, how cold, by what."""
        verdict = self.cube.verdict
        parts = [_describe_bands(self.cells.n)]
        counted = {name: int((verdict == name).sum()) for name in ("valid", "suspect", "void", "missing")}
        parts.append("Trials: " + ", ".join(f"{count} {name}" for name, count in counted.items() if count) + ".")
        if counted["suspect"]:
            parts.append("Hollow dots: suspect.")
        cold = self.cube.cold.values[self.cube.cold.values != "not applicable"]
        colds = {name: int((cold == name).sum()) for name in ("cold", "warm", "mixed", "unproved")}
        if any(colds.values()):
            parts.append("Reads: " + ", ".join(f"{count} {name}" for name, count in colds.items() if count) + ".")
        parts.append(f"Tool: {self.tool}.")
        return " ".join(parts)

    def table(self) -> pd.DataFrame:
        """Return one row per case.

        Returns
        -------
        DataFrame
            A column per dim with its level; ``median``, ``low``, ``high`` in the stored unit; ``n``; and ``trials``,
            the tuple of the values of all repetitions, NaN where one is void or missing. Combinations of levels that
            are no case have no row.
        """
        dims = list(self.cells.estimate.dims)
        frame = self.cells.to_dataframe().reset_index().rename(columns={"estimate": "median"})
        trials = self.values.transpose(*dims, "repetition").values.reshape(len(frame), -1)
        table = frame[[*dims, "median", "low", "high", "n"]].assign(trials=[tuple(row) for row in trials.tolist()])
        is_case = (self.cube.verdict != "").any("repetition").transpose(*dims).values.reshape(-1)
        return table[is_case].reset_index(drop=True)


def _describe_bands(counts: xr.DataArray) -> str:
    """Return what points and bands are: bands cover 95 %, or what the range of few repetitions reaches."""
    most = int(counts.max())
    least = int(counts.where(counts > 0, most).min())
    if most < 2:
        return "Points: single trials; one repetition has no interval."
    reach = {n: f"{100 * min(reach_of_order(n), LEVEL):.3g} %" for n in (least, most) if n > 1}
    repetitions = f"{least} to {most}" if least < most else f"{most}"
    fewer = (
        f", none of {least}" if least == 1 else f", {reach[least]} of {least}" if reach[least] != reach[most] else ""
    )
    return (
        f"Points: median of {repetitions} repetitions; bands and bars: its {reach[most]} interval{fewer}; "
        "dots: single trials."
    )


def show_ratio(ratio: Interval) -> str:
    """Return a ratio with its interval in words: ``2.04 times (1.98 to 2.11)``; ``not known`` without a pair."""
    if ratio.n == 0:
        return "not known"
    shown = f"{ratio.estimate:.3g} times"
    return f"{shown} ({ratio.low:.3g} to {ratio.high:.3g})" if ratio.low == ratio.low else shown


def tell_growth(ratio: Interval) -> str:
    """Return what a ratio of many threads to few says, as the end of a sentence: ``grow 2.04 times``.

    An interval that holds 1 shows no growth; ``fall to 0.5 times`` is a ratio below 1. One repetition has no interval
    and says neither.
    """
    if ratio.n < 2:
        return "may or may not grow"
    if ratio.low > 1:
        return f"grow {ratio.estimate:.3g} times"
    return f"fall to {ratio.estimate:.3g} times" if ratio.high < 1 else "show no growth"


def show_interval(estimate: float, low: float, high: float, unit: str) -> str:
    """Return an estimate with its interval in words; without the interval where there is none."""
    shown = show_rate(estimate, unit)
    return f"{shown} ({show_rate(low, unit)} to {show_rate(high, unit)})" if low == low else shown


def estimate(dataset: str | Path, study: str, sweep: str, metric: str) -> Estimates:
    """Return what a sweep says of a metric.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`.
    study, sweep : str
        Which sweep.
    metric : str
        ``throughput``, ``rate``, ``elapsed`` or ``latency``.

    Raises
    ------
    NoData
        If the campaign has no such sweep, or no trial of it counts.
    """
    try:
        cube = open_sweep(Path(dataset), study, sweep)
    except KeyError as error:
        raise NoData(f"the campaign has no sweep {study}/{sweep}") from error
    if metric not in cube:
        raise NoData(f"no trial of {study}/{sweep} counts: see the page on validity")
    return Estimates(cube, metric, str(cube[metric].attrs["units"]), interval_over(cube[metric], level=LEVEL))
