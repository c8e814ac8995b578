"""What one sweep of a campaign says of one metric: every trial, and the estimate and interval of every case."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.analysis.format import show_interval, tell_suspect
from coldcache.analysis.report_links import mark_of, page_of
from coldcache.core.errors import DatasetError, NoData
from coldcache.dataset.published import PublishedValue
from coldcache.dataset.reader import COUNTED, open_sweep
from coldcache.statistics.bounds import reach_of_order
from coldcache.statistics.intervals import Interval, interval_over
from coldcache.statistics.ratios import paired_ratio
from coldcache.statistics.scaling.usl import LEAST_LEVELS, UniversalScalability, fit_scalability

#: Coverage of every interval, where there are repetitions enough for it.
LEVEL = 0.95

#: What is told of reads whose bytes are not proved to come from the device.
NOT_PROVED = ("warm", "mixed", "unproved")


class Peak(NamedTuple):
    """The number of threads at which an operation has its highest estimate, that estimate, and where its trials are.

    ``suspect`` counts the suspect ones among its `n` trials.
    """

    threads: int
    estimate: float
    low: float
    high: float
    n: int
    page: str = ""
    suspect: int = 0

    @property
    def at(self) -> str:
        """The number of threads in words: ``1 thread``, ``4 threads``."""
        return f"{self.threads:,} thread{'s' if self.threads != 1 else ''}"


class Ratio(Interval):
    """The ratio of two cases of a sweep, and the page that leads to the trials of both."""

    page = ""


class Asked(NamedTuple):
    """What a sweep was made for: its names, the tables and figures that it serves, and the factor of the system.

    ``why`` tells at which scale it was measured, or why it was not; ``factor`` is what of the system it varies.
    """

    study: str = ""
    sweep: str = ""
    title: str = ""
    items: tuple[str, ...] = ()
    file_layout: str = ""
    why: str = ""
    factor: str = ""

    @property
    def name(self) -> str:
        """The stem of files about the sweep."""
        return f"{self.study}-{self.sweep}"

    @property
    def heading(self) -> str:
        """The title of the sweep, with what it serves: ``Figure: title``."""
        return f"{self.title} ({'; '.join(self.items)})" if self.items else self.title


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
    asked : Asked
        What the sweep was made for.
    published : tuple of PublishedValue
        What documents state of the same.
    ceilings : dict of str to float
        Limits of the system by name, in `unit`.
    is_stated : bool
        Whether tables leave out cases of which no trial states the metric, though trials count.
    """

    cube: xr.Dataset
    metric: str
    unit: str
    cells: xr.Dataset
    asked: Asked = Asked()
    published: tuple[PublishedValue, ...] = ()
    ceilings: dict[str, float] = {}
    is_stated: bool = False

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
        place = {"operation": operation, "threads": int(best.threads)}
        median, low, high = (float(best[name]) for name in ("estimate", "low", "high"))
        page, suspect = self.page(place), self.count_suspect(place)
        return Peak(int(best.threads), median, low, high, int(best.n), page, suspect)

    def count_suspect(self, levels: Mapping[str, Any]) -> int:
        """Return how many trials of the cells with these levels are suspect."""
        return int((self.cube.verdict.sel(levels) == "suspect").sum())

    def growth(self, operation: str) -> Ratio:
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

    def ratio(self, above: dict[str, Any], below: dict[str, Any]) -> Ratio:
        """Return the typical ratio of two cases, paired by repetition, with its interval.

        Parameters
        ----------
        above, below : dict
            Levels that choose one case each.
        """
        found = paired_ratio(self.values.sel(above).squeeze(drop=True), self.values.sel(below).squeeze(drop=True))
        ratio = Ratio(*found)
        ratio.page = page_of(self.cube.attrs["study"], self.cube.attrs["sweep"])
        return ratio

    def page(self, levels: Mapping[str, Any]) -> str:
        """Return the page of the case with these levels and the mark of its figure there; empty where there is none.

        Parameters
        ----------
        levels : mapping of str to object
            Levels that choose one cell of the cube, ``operation`` among them.
        """
        named = [str(case) for case in self.cube.case.sel(levels).values.reshape(-1) if case]
        return self._page_of(str(levels["operation"]), named[0]) if named else ""

    def pages(self) -> list[str]:
        """Return the page of each row of `table`."""
        dims = list(self.cells.estimate.dims)
        cases = self.cube.case.where(self._has_row(), "").transpose(*dims, "repetition").values
        operations = self.cube.operation.values
        found = []
        for place in np.ndindex(cases.shape[:-1]):
            named = [str(case) for case in cases[place] if case]
            if named:
                found.append(self._page_of(str(operations[place[dims.index("operation")]]), named[0]))
        return found

    def _page_of(self, operation: str, case: str) -> str:
        study, sweep = self.cube.attrs["study"], self.cube.attrs["sweep"]
        return f"{page_of(study, sweep, case)}#{mark_of(operation, self.metric)}"

    def show(self, found: Peak | Interval) -> str:
        """Return an estimate with its interval, ``1.2 GB/s (1.1 to 1.3 GB/s)``, that leads to its trials.

        Where some of its trials are suspect, the brackets tell how many.
        """
        page, suspect = getattr(found, "page", ""), getattr(found, "suspect", 0)
        return show_interval(found.estimate, found.low, found.high, self.unit, page, tell_suspect(suspect, found.n))

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
        colds = {name: int((cold == name).sum()) for name in ("cold", *NOT_PROVED)}
        if any(colds.values()):
            parts.append("Reads: " + ", ".join(f"{count} {name}" for name, count in colds.items() if count) + ".")
        if any(colds[name] for name in NOT_PROVED):
            parts.append("Diamonds: reads that are not proved cold.")
        return " ".join([*parts, self.origin()])

    def origin(self) -> str:
        """Return by which tool the figures were made, and at which scale where it is not the document's."""
        return f"Tool: {self.tool}." + (f" Scale: {self.asked.why}." if self.asked.why else "")

    def table(self) -> pd.DataFrame:
        """Return one row per case.

        Returns
        -------
        DataFrame
            A column per dim with its level; ``median``, ``low``, ``high`` in the stored unit; ``n``; and ``trials``,
            the tuple of the values of all repetitions, NaN where one is void or missing. Combinations of levels that
            are no case have no row; where `is_stated`, nor have cases whose trials count and state no such figure.
        """
        dims = list(self.cells.estimate.dims)
        frame = self.cells.to_dataframe().reset_index().rename(columns={"estimate": "median"})
        trials = self.values.transpose(*dims, "repetition").values.reshape(len(frame), -1)
        table = frame[[*dims, "median", "low", "high", "n"]].assign(trials=[tuple(row) for row in trials.tolist()])
        return table[self._has_row().transpose(*dims).values.reshape(-1)].reset_index(drop=True)

    def _has_row(self) -> xr.DataArray:
        """Return whether each cell is a case that `table` shows."""
        shown = self.cube.verdict != ""
        if self.is_stated:
            shown &= ~(self.cube.verdict.isin(COUNTED) & self.values.isnull())
        return shown.any("repetition")


def fit_law(estimates: Estimates, operation: str) -> UniversalScalability | None:
    """Return the Universal Scalability Law of one operation; None where too few thread counts have a rate."""
    rates = estimates.values.sel(operation=operation).transpose("threads", "repetition")
    if int(rates.notnull().any("repetition").sum()) < LEAST_LEVELS:
        return None
    return fit_scalability(rates.threads.values, rates.values)


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
    except DatasetError as error:
        raise NoData(f"the campaign has no sweep {study}/{sweep}") from error
    if metric not in cube:
        raise NoData(f"no trial of {study}/{sweep} counts: see the page on validity")
    return Estimates(cube, metric, str(cube[metric].attrs["units"]), interval_over(cube[metric], level=LEVEL))
