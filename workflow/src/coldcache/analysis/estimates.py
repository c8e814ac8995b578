"""One metric of one sweep: every run, and the median of every case with its interval."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.analysis.captions import describe_marks, describe_modes, describe_reached, describe_room, describe_trials
from coldcache.analysis.format import format_interval, format_suspect
from coldcache.analysis.question import Question
from coldcache.analysis.report_links import mark_of, page_of
from coldcache.analysis.results import Peak, Ratio
from coldcache.core.errors import DatasetError, NoData
from coldcache.dataset.published import PublishedValue
from coldcache.dataset.reader import COUNTED, narrow_to, open_sweep
from coldcache.statistics.dependence import Rounds, rounds_of
from coldcache.statistics.intervals import Interval, interval_over
from coldcache.statistics.ratios import paired_ratio
from coldcache.statistics.scaling.usl import LEAST_LEVELS_OF_LAW, UniversalScalability, fit_scalability

#: Coverage of every interval, where there are enough repetitions for it.
LEVEL = 0.95


@dataclass(frozen=True)
class Estimates:
    """One metric of one sweep.

    Attributes
    ----------
    cube : Dataset
        The sweep, as `dataset.reader.open_sweep` returns it.
    metric, unit : str
        A variable of the cube, and its stored unit.
    cells : Dataset
        ``estimate``, ``low``, ``high`` and ``n`` over the dims of the cube without ``repetition``, as
        `median_interval` returns them.
    question : Question
        What the sweep was designed to answer.
    published : tuple of PublishedValue
        What documents state of the same.
    ceilings : dict of str to float
        Limits of the system by name, in `unit`.
    is_stated : bool
        Whether tables leave out cases of which no trial states the metric, though trials count.
    silent : dict of str to str
        Why no figure of an operation counts, by operation.
    """

    cube: xr.Dataset
    metric: str
    unit: str
    cells: xr.Dataset
    question: Question = field(default_factory=Question)
    published: tuple[PublishedValue, ...] = ()
    ceilings: dict[str, float] = field(default_factory=dict)
    is_stated: bool = False
    silent: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The stem of files about the sweep."""
        return self.question.name

    @property
    def heading(self) -> str:
        """The title of the sweep with the items that it serves."""
        return self.question.heading

    @property
    def path(self) -> str:
        """The sweep as a page names it, ``study/sweep``."""
        return f"{self.cube.attrs['study']}/{self.cube.attrs['sweep']}"

    @property
    def factor(self) -> str | None:
        """The factor of the system that the sweep varies; None if it varies none."""
        return self.question.factor

    @property
    def quantity(self) -> str:
        """The metric as the label of an axis."""
        known = {"rate": "operations", "elapsed": "time", "count": "calls"}
        return known.get(self.metric, self.metric.replace("_", " "))

    @property
    def runs(self) -> xr.DataArray:
        """The metric of every trial, in `unit`; NaN where a trial is void or missing."""
        return self.cube[self.metric]

    def operations(self) -> list[str]:
        """Return the operations of the sweep, the one with the highest estimate first, one without any last."""
        highest = self.cells.estimate.max([dim for dim in self.cells.estimate.dims if dim != "operation"]).fillna(-1)
        return [str(name) for name in highest.sortby(highest, ascending=False).operation.values]

    def peak(self, operation: str) -> Peak:
        """Return where an operation has its highest estimate; one in memory, or of two modes, only where all are.

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
        best = cells.isel(threads=int(self.telling.sel(operation=operation).fillna(-1).argmax("threads")))
        place = {"operation": operation, "threads": int(best.threads)}
        median, low, high = (float(best[name]) for name in ("estimate", "low", "high"))
        page, suspect = self.page(place), self.count_suspect(place)
        has_run = self.cube.verdict.sel(operation=operation).isin([*COUNTED, "void"]).any("repetition")
        edge = _name_edge(int(best.threads), cells.threads.where(cells.n > 0, drop=True), int(has_run.sum()))
        return Peak(int(best.threads), median, low, high, int(best.n), page, suspect, self.runs_of(place), edge)

    def runs_of(self, levels: Mapping[str, Any]) -> tuple[float, ...]:
        """Return the trials of one case that count, in `unit`, in the order of their rounds."""
        values = self.runs.sel(levels).squeeze(drop=True).values.reshape(-1)
        return tuple(float(value) for value in values if value == value)

    @cached_property
    def rounds(self) -> Rounds:
        """How trials depend on their rounds, measured over all cases of the sweep."""
        return rounds_of(self.runs)

    def count_suspect(self, levels: Mapping[str, Any]) -> int:
        """Return how many trials of the cells with these levels are suspect."""
        return int((self.cube.verdict.sel(levels) == "suspect").sum())

    def is_in_memory(self, levels: Mapping[str, Any]) -> bool:
        """Return whether at least half of the figures of the cells with these levels did not reach the storage."""
        counted, memory = (figures.sel(levels).sum() for figures in self._counted)
        return bool((memory > 0) & (2 * memory >= counted))

    def has_two_modes(self, levels: Mapping[str, Any]) -> bool:
        """Return whether trials of the cells with these levels have two typical figures, which no median describes."""
        return bool(self._two_modes.sel(levels).any())

    @cached_property
    def telling(self) -> xr.DataArray:
        """The estimates of `cells` without those in memory or of two modes; all of an operation that has no others."""
        counted, memory = (figures.sum("repetition") for figures in self._counted)
        stored = (memory == 0) | (2 * memory < counted)
        found = self.cells.estimate
        for wanted in (stored, ~self._two_modes.any("repetition")):
            kept = found.where(wanted)
            there = kept.notnull().any([dim for dim in kept.dims if dim != "operation"])
            found = kept.where(there, found)
        return found

    @cached_property
    def _two_modes(self) -> xr.DataArray:
        codes = self.cube.get("codes", self.cube.verdict)
        return xr.apply_ufunc(lambda texts: np.char.find(texts.astype(str), "two-modes") >= 0, codes)

    @cached_property
    def _counted(self) -> tuple[xr.DataArray, xr.DataArray]:
        """Return which trials have a figure, and which of these did their work without reaching the storage."""
        counted = self.runs.notnull()
        return counted, counted & (self.cube.reached == "memory") if "reached" in self.cube else counted & False

    def count_cold(self, levels: Mapping[str, Any]) -> tuple[int, int]:
        """Return how many trials of the cells with these levels read only data proved cold, and how many read."""
        cold = self.cube.cold.sel(levels).where(self.cube.verdict.sel(levels).isin(COUNTED), "not applicable")
        return int((cold == "cold").sum()), int((cold != "not applicable").sum())

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
        found = paired_ratio(self.runs.sel(above).squeeze(drop=True), self.runs.sel(below).squeeze(drop=True))
        return self.as_ratio(found)

    def as_ratio(self, found: Interval) -> Ratio:
        """Return the ratio of two of the sweep's cases with the page of the sweep."""
        page = page_of(self.cube.attrs["study"], self.cube.attrs["sweep"])
        return Ratio(found.estimate, found.low, found.high, found.n, page, found.runs, found.rounds)

    def page(self, levels: Mapping[str, Any]) -> str | None:
        """Return the page of the case with these levels and the mark of its figure there; None where there is none.

        Parameters
        ----------
        levels : mapping of str to object
            Levels that choose one cell of the cube, ``operation`` among them.
        """
        named = [str(case) for case in self.cube.case.sel(levels).values.reshape(-1) if case]
        return self._page_of(str(levels["operation"]), named[0]) if named else None

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

    def format_peak(self, peak: Peak) -> str:
        """Return a peak with its interval, ``1.2 GB/s (1.1 to 1.3 GB/s)``, linked to its trials.

        Where some of its trials are suspect, the brackets say how many.
        """
        flag = format_suspect(peak.suspect, peak.n)
        return format_interval(
            peak.estimate, peak.low, peak.high, self.unit, peak.n, peak.page, flag, peak.runs,
            rounds=self.rounds,
        )  # fmt: skip

    def format_cell(self, levels: Mapping[str, Any]) -> str:
        """Return the estimate of one case with its interval, linked to its trials, as `format_peak` shows a peak."""
        cell = self.cells.sel(levels)
        flag = format_suspect(self.count_suspect(levels), int(cell.n))
        return format_interval(
            float(cell.estimate), float(cell.low), float(cell.high), self.unit, int(cell.n), self.page(levels), flag,
            self.runs_of(levels), rounds=self.rounds,
        )  # fmt: skip

    @property
    def tool(self) -> str:
        """The tool that measured, with its versions: ``ior 3.3.0, 4.0.0``."""
        return f"{self.cube.attrs['tool']} {', '.join(self.cube.attrs['tool_version'].split())}".strip()

    def caption(self, *notes: str | None, has_runs: bool = True) -> str:
        """Return how to read a figure: marks, trials, cold reads, what stayed in memory, tool, then each note once.

        Without `has_runs` it explains no marks of single trials.
        """
        parts = [
            describe_marks(self.cells.n, has_runs),
            *describe_room(self.cells),
            *describe_trials(self.cube, has_runs),
            *describe_reached(self.cube, self.metric, has_runs),
        ]
        parts += describe_modes(self.cube)
        parts += [f"{sentence}." for sentence in self.describe_silent()]
        return " ".join([*parts, self.origin(), *dict.fromkeys(note for note in notes if note)])

    def caption_cells(self) -> str:
        """Return how to read a map: cells, trials, cold reads, and tool."""
        parts = ["Each cell is the median of a case.", *describe_trials(self.cube, has_marks=False)]
        parts += describe_modes(self.cube, "In brackets:")
        return " ".join([*parts, *(f"{sentence}." for sentence in self.describe_silent()), self.origin()])

    def describe_silent(self) -> list[str]:
        """Return why an operation has no valid figure, for each such operation, without a full stop."""
        return [f"No figure of {name.replace('-', ' ')}: {why}" for name, why in self.silent.items()]

    def origin(self) -> str:
        """Return the tool that measured, and the scale where it is not the document's."""
        return f"Tool: {self.tool}." + (
            f" Scale: {self.question.why.removeprefix('scaled down: ')}." if self.question.why else ""
        )

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
        trials = self.runs.transpose(*dims, "repetition").values.reshape(len(frame), -1).tolist()
        counts = self._count_planned().transpose(*dims).values.reshape(-1)
        planned = [tuple(row[:count]) for row, count in zip(trials, counts, strict=True)]
        table = frame[[*dims, "median", "low", "high", "n"]].assign(trials=planned)
        return table[self._has_row().transpose(*dims).values.reshape(-1)].reset_index(drop=True)

    def _count_planned(self) -> xr.DataArray:
        """Return how many repetitions each cell has; other cells may have more."""
        numbers = xr.DataArray(np.arange(1, self.cube.sizes["repetition"] + 1), dims="repetition")
        return numbers.where(self.cube.verdict != "", 0).max("repetition")

    def _has_row(self) -> xr.DataArray:
        """Return whether each cell is a case that `table` shows."""
        shown = self.cube.verdict != ""
        if self.is_stated:
            shown &= ~(self.cube.verdict.isin(COUNTED) & self.runs.isnull())
        return shown.any("repetition")


def median_interval(runs: xr.DataArray) -> xr.Dataset:
    """Return the median over repetitions with its interval, the one estimate of every figure and table.

    Parameters
    ----------
    runs : DataArray
        Any unit; dims must include ``repetition``; NaN is a run that does not count.

    Returns
    -------
    Dataset
        ``estimate``, ``low`` and ``high`` in the unit of `runs`, and ``n``, the runs that count, over the other dims.
        The interval is at `LEVEL`, by order statistics; its ends are NaN from fewer than five runs.
    """
    return interval_over(runs, level=LEVEL)


def _name_edge(threads: int, shown: xr.DataArray, tried: int) -> str | None:
    """Return which end of the range of threads that have a figure these are; None within it, and at one thread."""
    of = "tried" if shown.size == tried else "with a figure"
    if shown.size == 1:
        return "no other number was tried" if of == "tried" else "the only number with a figure"
    if threads == int(shown.max()):
        return f"the most {of}"
    return f"the fewest {of}" if threads == int(shown.min()) > 1 else None


def fit_law(estimates: Estimates, operation: str) -> UniversalScalability | None:
    """Return the Universal Scalability Law of one operation; None where its thread counts do not determine it."""
    rates = estimates.runs.sel(operation=operation).transpose("threads", "repetition")
    if int(rates.notnull().any("repetition").sum()) < LEAST_LEVELS_OF_LAW:
        return None
    try:
        return fit_scalability(rates.threads.values, rates.values)
    except NoData:
        return None


def estimate(dataset: str | Path, study: str, sweep: str, metric: str) -> Estimates:
    """Return the estimates of one metric of a sweep.

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
    cube = narrow_to(cube, metric)
    return Estimates(cube, metric, str(cube[metric].attrs["units"]), median_interval(cube[metric]))
