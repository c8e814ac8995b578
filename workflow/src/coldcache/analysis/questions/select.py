"""Select the sweeps of a study that answer a question, with the reason where one has no data."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from coldcache.analysis.display import Display, Sentences
from coldcache.analysis.estimates import Estimates, median_interval
from coldcache.analysis.figures.heat import find_axes_of_map
from coldcache.analysis.format import format_factor, format_level, list_words
from coldcache.analysis.per_core_rates import add_streams, tabulate_core_rates
from coldcache.analysis.published_vs_measured import list_published
from coldcache.analysis.question import Question
from coldcache.analysis.questions.sweep_parts import counts, drop_levels, list_parts, list_silent, name_reason
from coldcache.analysis.sentences.subjects import IN_FLIGHT
from coldcache.analysis.tables import Table
from coldcache.core.vocabulary import FACTORS, METADATA_OPERATIONS, METRIC_OF_OPERATION, OPERATIONS, SET_FACTORS
from coldcache.dataset.published import PublishedValue, is_of
from coldcache.dataset.reader import COUNTED, narrow_to, open_limits, open_records, open_sweep, open_table

#: The kind of limit that bounds a metric.
_LIMITS = {"throughput": "rate", "rate": "iops"}

#: Where a limit is from, by the start of its name in the dataset.
_ORIGINS = {
    "": "stated limit", "found_": "limit in force", "measured_": "measured limit",
    "doubtful_": "measured, doubtful limit",
}  # fmt: skip


class SweepSelection:
    """The sweeps of a study that answer a question; iterates over the estimates of those that have data.

    Attributes
    ----------
    study : str
        The study.
    found : list of Estimates
        One per sweep that has data.
    absent : list of Question
        Sweeps that qualify and have no data, with the reason in ``why``.
    stated : dict of str to tuple of PublishedValue
        What documents state of the sweeps that have no data, or none that compares with it, by sweep.
    """

    def __init__(self, study: str, found: list[Estimates], absent: list[Question]):
        self.study, self.found, self.absent = study, found, absent
        self.stated: dict[str, tuple[PublishedValue, ...]] = {}

    def __iter__(self) -> Iterator[Estimates]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def over(self, factor: str, *settings: str) -> list[Estimates]:
        """Return the estimates of which each operation has a line per level of a setting over a factor.

        They are at several levels of the factor, and vary nothing else but settings: those that are given, or the one
        that its sweep asks for.
        """
        return [found for found in self._at_several(factor) if _varies_only(found, factor, *settings)]

    def crossed(self, factor: str) -> list[Estimates]:
        """Return the estimates at several levels of a factor that vary more than `over` returns."""
        return [found for found in self._at_several(factor) if not _varies_only(found, factor)]

    def _at_several(self, factor: str) -> list[Estimates]:
        return [found for found in self.found if found.cells.sizes.get(factor, 1) > 1]

    def without(self, factor: str) -> list[Estimates]:
        """Return the estimates at one level of a factor."""
        return [found for found in self.found if found.cells.sizes.get(factor, 1) == 1]

    def in_order(self, key: Callable[..., float], *given: str) -> "SweepSelection":
        """Return the selection with its sweeps in the order of a key, called with what is given; the lowest first."""
        found = sorted(self.found, key=lambda sweep: key(sweep, *given))
        ordered = SweepSelection(self.study, found, self.absent)
        ordered.stated = self.stated
        return ordered

    def leave_out(self, sweeps: Iterable[Estimates]) -> "SweepSelection":
        """Return the selection without some sweeps, which are shown otherwise."""
        names = {sweep.question.sweep for sweep in sweeps}
        rest = SweepSelection(self.study, [one for one in self.found if one.question.sweep not in names], self.absent)
        rest.stated = self.stated
        return rest

    def show(self, parts: Iterable[Any]) -> Display:
        """Return the display of each sweep, then a line for each sweep without data."""
        lines = (f"{question.heading}: no data ({escape(question.why, quote=False)})." for question in self.absent)
        return Display([*parts, *lines])

    def published(self, dataset: str | Path) -> Display:
        """Return a table of the published values of each sweep with the measured ones, saved as CSV, too."""
        tables = []
        for found in self.found:
            title = found.question.title
            caption = f"Published values of {title[:1].lower()}{title[1:]}, and what is measured here"
            if stated := self.stated.get(found.question.sweep, ()):
                why = f"rates of names by {found.tool} do not compare with those of another tool"
                caption = f"{title}: published only, since {why}"
                tables.append((found.name, Table.of_comparison(list_published(stated), caption)))
                continue
            tables.append((found.name, Table.of_published(found, caption)))
        shown = {found.question.sweep for found in self.found}
        for question in self.absent:
            numbers = list_published(() if question.sweep in shown else self.stated.get(question.sweep, ()))
            tables.append((question.name, Table.of_comparison(numbers, f"{question.title}: published only")))
        saved = [table.save(dataset, f"{name}-published") for name, table in tables if table is not None]
        return Display(saved)

    def caveat(self, text: str) -> Sentences:
        """Return a caveat, filled with the tools, transfer sizes and file sizes of the sweeps; nothing without data."""
        if not self.found:
            return Sentences([])
        words = {
            "tool": _join(found.tool for found in self.found),
            "transfer_size": _join(_level(found, "transfer_size") for found in self.found),
            "file_size": _join(_level(found, "file_size") for found in self.found),
        }
        return Sentences([text.format(**words)])


def _varies_only(found: Estimates, factor: str, *settings: str) -> bool:
    """Return whether estimates vary nothing but a factor and settings, or else that which their sweep asks for."""
    return set(found.cells.estimate.dims) <= {"operation", factor, *(settings or [found.factor])}


def _join(words: Iterable[str | None]) -> str:
    return list_words(dict.fromkeys(word for word in words if word)) or "several sizes"


def _level(found: Estimates, factor: str) -> str | None:
    return format_level(factor, found.cube.attrs[factor]) if factor in found.cube.attrs else None


def choose(
    dataset: str | Path, study: str, metric: str | None, operations: Sequence[str], file_layout: str | None = None,
    over: str | None = None, by: Sequence[str] = (), item: str = "", least: int = 2,
) -> SweepSelection:  # fmt: skip
    """Return the sweeps of a study that answer a question.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`.
    study : str
        The study.
    metric : str or None
        ``throughput``, ``rate``, ``elapsed``, ``latency`` or ``count``; for a count the calls that operations took.
        None for the metric by which the operations of a sweep are judged.
    operations : sequence of str
        A sweep qualifies when all its operations are among them.
    file_layout : str, optional
        The layout of its files, where it matters.
    over : str, optional
        A factor that it must vary, or only have where `least` is 1. Without `by`, a sweep that varies others, too, has
        estimates for each combination of their levels.
    by : sequence of str
        Factors of the system of which it must vary one at least; none of all when not given. The first that it varies
        becomes ``question.factor``.
    item : str
        Words that the items it serves must hold.
    least : int
        How many levels of `over` it must have.
    """
    path, varied = Path(dataset), over if least > 1 else None
    published, limits = _read_published(path, study), open_limits(path, study)
    selection = SweepSelection(study, [], [])
    for row in open_table(path, "sweeps", study).itertuples():
        planned = set(row.operations.split())
        if not planned <= set(operations) or item not in row.item or not _qualifies(row, file_layout, varied, by):
            continue
        items = tuple(part.strip() for part in row.item.split(";") if part.strip())
        question = Question(study, row.sweep, row.title, items, row.file_layout, row.why, _find_factor(row, by))
        of_sweep = tuple(value for value in published if is_of(value, items, row.file_layout, sorted(planned)))
        wanted = metric or METRIC_OF_OPERATION[row.operations.split()[0]]
        cube = open_sweep(path, study, question.sweep) if row.state == "measured" else xr.Dataset()
        cube = _of_operations(cube, planned, wanted)
        if not _has_figure(cube, wanted):
            why = question.why if row.state != "measured" else _explain_lack(_of_sweep(path, question), wanted)
            selection.absent.append(replace(question, why=why))
            selection.stated[question.sweep] = of_sweep
            continue
        if _is_incomparable(row, planned):
            selection.stated[question.sweep], of_sweep = of_sweep, ()
        ceilings = _find_ceilings({} if row.in_guest else limits, planned, wanted)
        parts = (
            _split(_with_dim(cube, over), question, over) if over and not by else [(_with_dim(cube, over), question)]
        )
        shown = [(part, asked) for part, asked in parts if _has_figure(part, wanted)]
        selection.found += [_estimate(part, wanted, asked, of_sweep, ceilings) for part, asked in shown]
        if lacking := [part for part, _ in parts if not _has_figure(part, wanted)]:
            title = f"{row.title}, {len(lacking)} of {len(parts)} combinations of levels"
            why = _explain_parts(lacking, _of_sweep(path, question), wanted)
            selection.absent.append(replace(question, title=title, why=why))
    return selection


def _is_incomparable(row: Any, operations: set[str]) -> bool:
    """Return whether a substitute measured rates of names, for which no two tools do the same."""
    return bool(row.in_place_of) and operations <= set(METADATA_OPERATIONS)


def _of_sweep(path: Path, question: Question) -> pd.DataFrame:
    """Return the verdicts of a sweep's trials; whoever reads them is executed again after a change of any verdict."""
    verdicts = open_table(path, "verdicts", question.study)
    return verdicts[verdicts.sweep == question.sweep]


def _explain_parts(parts: Iterable[xr.Dataset], trials: pd.DataFrame, metric: str) -> str:
    """Return why none of the trials of some parts of a sweep has a figure."""
    cases = {str(case) for part in parts for case in part.case.values.flat}
    return _explain_lack(trials[trials.case.isin(cases)], metric)


def _has_figure(cube: xr.Dataset, metric: str) -> bool:
    return metric in cube and bool(cube[metric].notnull().any())


def _explain_lack(trials: pd.DataFrame, metric: str) -> str:
    """Return why none of some trials has a figure."""
    is_void = (trials.verdict == "void").any() and not counts(trials)
    return name_reason(trials) if is_void else f"no trial states its {metric}"


def choose_all(dataset: str | Path, study: str, operations: Sequence[str] = ()) -> SweepSelection:
    """Return every sweep of a study, by the metric of its operations.

    A sweep of operations with several metrics, such as transfers and look-ups, has estimates for each. Sweeps that have
    no such figure, as imported logs may, have the first figure that their logs state.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`.
    study : str
        The study.
    operations : sequence of str
        A sweep qualifies when any of its operations is among them; every sweep when not given.
    """
    path = Path(dataset)
    limits, selection = open_limits(path, study), SweepSelection(study, [], [])
    verdicts, streams = open_table(path, "verdicts", study), _read_streams(path, study)
    for row in open_table(path, "sweeps", study).itertuples():
        if operations and set(operations).isdisjoint(row.operations.split()):
            continue
        items = tuple(part.strip() for part in row.item.split(";") if part.strip())
        question = Question(study, row.sweep, row.title, items, row.file_layout, row.why)
        cube = _add_streams(open_sweep(path, study, row.sweep), streams) if row.state == "measured" else xr.Dataset()
        parts = list_parts(cube)
        silent = list_silent(cube, parts, verdicts)
        for part in parts:
            own = {name: why for name, why in silent.items() if part.is_for(name)}
            asked = replace(question, part=part.name)
            chosen = drop_levels(_of_operations(cube, part.operations | own.keys(), part.metric), part.metric)
            ceilings = _find_ceilings({} if row.in_guest else limits, part.operations, part.metric)
            estimates = _estimate(chosen, part.metric, asked, (), ceilings)
            selection.found.append(replace(estimates, is_stated=True, silent=own))
            silent = {name: why for name, why in silent.items() if name not in own}
        if silent:
            words = "; ".join(f"{name.replace('-', ' ')}: {why}" for name, why in silent.items())
            selection.absent.append(replace(question, why=words))
        elif not parts:
            trials = verdicts[verdicts.sweep == row.sweep]
            why = question.why if row.state != "measured" else "no log states a figure of a whole run"
            why = name_reason(trials) if (trials.verdict == "void").any() and not counts(trials) else why
            selection.absent.append(replace(question, why=why))
    return selection


def _read_streams(path: Path, study: str) -> Callable[[], pd.DataFrame]:
    """Return a function that returns the rates of each stream of a study; it reads them when they are first needed."""
    return cache(lambda: tabulate_core_rates(open_records(path, study)))


def _add_streams(cube: xr.Dataset, read_streams: Callable[[], pd.DataFrame]) -> xr.Dataset:
    """Return a cube whose throughput is the sum of the streams in trials that state each stream alone."""
    if "throughput" not in cube or not bool((cube.throughput.isnull() & cube.verdict.isin(COUNTED)).any()):
        return cube
    streams = read_streams()
    streams = streams[streams.sweep == cube.attrs["sweep"]]
    return cube.assign(throughput=add_streams(cube.throughput, streams).assign_attrs(cube.throughput.attrs))


def choose_maps(dataset: str | Path, study: str, operations: Sequence[str]) -> list[Estimates]:
    """Return the sweeps of some operations that vary two numbers at many levels each, which a map shows best."""
    found = choose_all(dataset, study, operations)
    return [one for one in found if set(one.operations()) <= set(operations) and find_axes_of_map(one.cells)]


def _estimate(
    cube: xr.Dataset, metric: str, question: Question, published: tuple[PublishedValue, ...], ceilings: dict[str, float]
) -> Estimates:
    unit = str(cube[metric].attrs["units"])
    return Estimates(cube, metric, unit, median_interval(cube[metric]), question, published, ceilings)


def _split(cube: xr.Dataset, question: Question, over: str) -> list[tuple[xr.Dataset, Question]]:
    """Return the part of a cube for each combination of levels of its other factors, with the question of the part."""
    others = [str(dim) for dim in cube.dims if dim not in ("operation", over, "repetition")]
    levels = [cube[name].values.tolist() for name in others]
    parts = []
    for combination in product(*levels) if others else [()]:
        chosen = dict(zip(others, combination, strict=True))
        part = cube.sel(chosen, drop=True).assign_attrs({**cube.attrs, **chosen})
        words = ", ".join(format_factor(name, level) for name, level in chosen.items())
        stem = "-".join(f"{name}-{level}" for name, level in chosen.items()).replace("_", "-").replace(" ", "-")
        title = f"{question.title}, {words}" if words else question.title
        if bool((part.verdict != "").any()):
            parts.append((part, replace(question, title=title, part=stem)))
    return parts


def choose_settings(
    dataset: str | Path, study: str, factors: Sequence[str], metric: str | None = None
) -> SweepSelection:
    """Return the sweeps of a study that vary one of some factors of the system, with any operations."""
    return choose(dataset, study, metric, OPERATIONS, by=factors)


def _qualifies(row: Any, file_layout: str | None, over: str | None, by: Sequence[str]) -> bool:
    """Return whether a sweep has a file layout and varies what it must, and no setting unless `by` names one."""
    varied = set(row.varied.split())
    if (file_layout and row.file_layout != file_layout) or (over and over not in varied):
        return False
    return _find_factor(row, by) is not None if by else varied.isdisjoint(SET_FACTORS)


def _find_factor(row: Any, by: Sequence[str]) -> str | None:
    """Return the first of some factors of the system that a sweep varies; None if it varies none of them."""
    varied = set(row.varied.split()) & set(SET_FACTORS)
    return next((factor for factor in by if factor in varied), None)


def _of_operations(cube: xr.Dataset, operations: set[str], metric: str) -> xr.Dataset:
    """Return the part of a cube with the operations of the sweep, or with the calls that they took."""
    if "operation" not in cube.dims:
        return cube
    there = [str(name) for name in cube.operation.values]
    counted = [name for name in there if name.startswith("rpc-") or name == IN_FLIGHT]
    wanted = counted if metric == "count" else operations
    chosen = cube.sel(operation=[name for name in there if name in wanted])
    return narrow_to(chosen, metric) if metric in cube else chosen


def _with_dim(cube: xr.Dataset, over: str | None) -> xr.Dataset:
    """Return a cube with a dim for the factor, which is an attribute where only one level has data."""
    if not over or over in cube.dims or over not in cube.attrs:
        return cube
    wide = cube.expand_dims({over: [cube.attrs[over]]}, axis=1)
    wide[over].attrs = {"units": FACTORS[over].unit or "", "long_name": FACTORS[over].label}
    return wide


def _read_published(path: Path, study: str) -> list[PublishedValue]:
    rows = open_table(path, "published", study)[list(PublishedValue._fields)]
    values = [PublishedValue(*row) for row in rows.itertuples(index=False)]
    return [value._replace(threads=int(value.threads or 0) or None) for value in values]


def _find_ceilings(limits: dict[str, float], operations: set[str], metric: str) -> dict[str, float]:
    """Return the limits that bound a sweep's throughput, or its transfers per second."""
    if metric not in _LIMITS:
        return {}
    sides = sorted({side for name in operations if (side := name.removeprefix("random-")) in ("read", "write")})
    named: dict[str, float] = {}
    for start, label in _ORIGINS.items():
        keys = {f"{label} of {side}s": f"{start}{side}_{_LIMITS[metric]}" for side in sides}
        found = {name: limits[key] for name, key in keys.items() if key in limits}
        same = len(found) > 1 and len(set(found.values())) == 1
        named |= {label: next(iter(found.values()))} if same else found
    return named


def published_values(dataset: str | Path, study: str) -> list[PublishedValue]:
    """Return the published values of a source, as a campaign's dataset holds them."""
    return _read_published(Path(dataset), study)
