"""Which sweeps of a study answer a question, and why the others of its kind have no answer."""

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import xarray as xr

from coldcache.analysis.estimates import LEVEL, Asked, Estimates
from coldcache.analysis.format import show_level
from coldcache.analysis.published_vs_measured import set_alone
from coldcache.analysis.tables import Table
from coldcache.core.vocabulary import FACTORS, METRIC_OF_OPERATION, OPERATIONS, SET_FACTORS
from coldcache.dataset.published import PublishedValue, is_of
from coldcache.dataset.reader import open_limits, open_sweep, open_table
from coldcache.statistics.intervals import interval_over

#: Limits that a site states, by the direction that they bound.
_LIMITS = {"read": ("read_rate", "stated limit of reads"), "write": ("write_rate", "stated limit of writes")}


class Shown:
    """Several things that a notebook displays one after the other: figures, tables, lines of text, or sentences.

    Parameters
    ----------
    parts : iterable
        Pictures, tables and texts; None and empty texts are left out.
    of : {"things", "sentences"}
        Sentences are Markdown, each a paragraph; a text among things is a line of its own.
    """

    def __init__(self, parts: Iterable[Any], of: str = "things"):
        self.parts = [part for part in parts if part is not None and not (isinstance(part, str) and not part)]
        self.of = of

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        if self.of == "sentences":
            text = "\n\n".join(self.parts)
            return {"text/plain": text, "text/markdown": text}
        bundles = [_show_line(part) if isinstance(part, str) else part._repr_mimebundle_() for part in self.parts]
        return {kind: "\n".join(bundle[kind] for bundle in bundles) for kind in ("text/plain", "text/html")}


def _show_line(text: str) -> dict[str, str]:
    return {"text/plain": text, "text/html": f'<p class="coldcache-absent">{escape(text)}</p>'}


class Choice:
    """The estimates of the sweeps of a study that answer a question; iterates over those that have data.

    Attributes
    ----------
    study : str
        The study.
    found : list of Estimates
        One per sweep that has data.
    absent : list of Asked
        Sweeps that qualify and have no data, with the reason in ``why``.
    stated : dict of str to tuple of PublishedValue
        What documents state of the sweeps that have no data, by sweep.
    """

    def __init__(self, study: str, found: list[Estimates], absent: list[Asked]):
        self.study, self.found, self.absent = study, found, absent
        self.stated: dict[str, tuple[PublishedValue, ...]] = {}

    def __iter__(self) -> Iterator[Estimates]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def show(self, shown: Iterable[Any]) -> Shown:
        """Return what is displayed of each sweep, followed by a line for each that has no data."""
        lines = [f"{asked.heading}: no data ({asked.why})." for asked in self.absent]
        if not self.found and not self.absent:
            lines = [f"The study {self.study} has no sweep that asks this."]
        return Shown([*shown, *lines])

    def tables(self, tables: Iterable[Any]) -> Shown:
        """Return a table of each sweep; what has no data is told where its figure would stand."""
        return Shown(tables)

    def tell(self, sentences: Iterable[str]) -> Shown:
        """Return the sentences about all sweeps, a paragraph each; nothing where there is none."""
        return Shown(list(sentences), of="sentences")

    def show_published(self, dataset: str | Path) -> Shown:
        """Return a table of the published values of each sweep with what was measured of them, saved as CSV, too."""
        tables = []
        for found in self.found:
            table = Table.of_published(
                found, f"Published values of {found.asked.title.lower()}, and what is measured here"
            )
            tables.append(table and table.save(dataset, f"{found.asked.name}-published"))
        for asked in self.absent:
            numbers = set_alone(self.stated.get(asked.sweep, ()))
            table = Table.of_beside(numbers, f"{asked.title}: published only")
            tables.append(table and table.save(dataset, f"{asked.name}-published"))
        stated = any(table is not None for table in tables)
        return Shown(tables if stated else ["No published value is of what was measured here."])

    def note(self, text: str) -> Shown:
        """Return a caveat, filled with the tools, transfer sizes and file sizes of the sweeps; nothing without data."""
        if not self.found:
            return Shown([], of="sentences")
        words = {
            "tool": _join(found.tool for found in self.found),
            "transfer_size": _join(_levels(found, "transfer_size") for found in self.found),
            "file_size": _join(_levels(found, "file_size") for found in self.found),
        }
        return Shown([text.format(**words)], of="sentences")


def _join(words: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(word for word in words if word)) or "several sizes"


def _levels(found: Estimates, factor: str) -> str:
    return show_level(factor, found.cube.attrs[factor]) if factor in found.cube.attrs else ""


def choose(
    dataset: str | Path, study: str, metric: str, operations: str, file_layout: str = "", over: str = "", by: str = "",
    item: str = "",
) -> Choice:  # fmt: skip
    """Return the sweeps of a study that answer a question.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`.
    study : str
        The study.
    metric : str
        ``throughput``, ``rate``, ``elapsed``, ``latency`` or ``count``; for a count the calls that operations took.
        Empty for what the operations of a sweep are judged by.
    operations : str
        Names parted by blanks; a sweep qualifies when all its operations are among them.
    file_layout : str
        The layout of its files, where it matters.
    over : str
        A factor that it must vary.
    by : str
        Factors of the system, parted by blanks, of which it must vary one at least; none of all when not given. The
        first that it varies becomes ``asked.factor``.
    item : str
        Words that what it serves must hold.
    """
    path = Path(dataset)
    sweeps = open_table(path, "sweeps", study)
    published, limits = _read_published(path, study), open_limits(path, study)
    choice = Choice(study, [], [])
    for row in sweeps.itertuples():
        asked_for = set(row.operations.split())
        factor = _qualify(row, file_layout, over, by.split())
        if factor is None or not asked_for <= set(operations.split()) or item not in row.item:
            continue
        items = tuple(part.strip() for part in row.item.split(";") if part.strip())
        asked = Asked(study, row.sweep, row.title, items, row.file_layout, row.why, factor)
        of_sweep = tuple(value for value in published if is_of(value, items, row.file_layout, sorted(asked_for)))
        wanted = metric or METRIC_OF_OPERATION[row.operations.split()[0]]
        cube = open_sweep(path, study, asked.sweep) if row.state == "measured" else xr.Dataset()
        cube = _of_operations(cube, asked_for, wanted)
        if wanted not in cube or not bool(cube[wanted].notnull().any()):
            why = asked.why if row.state != "measured" else f"no trial states its {wanted}"
            choice.absent.append(asked._replace(why=why))
            choice.stated[asked.sweep] = of_sweep
            continue
        cube = _with_dim(cube, over)
        choice.found.append(Estimates(
            cube, wanted, str(cube[wanted].attrs["units"]), interval_over(cube[wanted], level=LEVEL), asked,
            of_sweep, _find_ceilings(limits, asked_for, wanted),
        ))  # fmt: skip
    return choice


def choose_settings(dataset: str | Path, study: str, factors: str, metric: str = "") -> Choice:
    """Return the sweeps of a study that vary one of some factors of the system, whatever their operations are."""
    return choose(dataset, study, metric, " ".join(OPERATIONS), by=factors)


def _qualify(row: Any, file_layout: str, over: str, by: list[str]) -> str | None:
    """Return the factor of the system that a sweep varies, empty where none is asked for; None where it is another."""
    varied = row.varied.split()
    if (file_layout and row.file_layout != file_layout) or (over and over not in varied):
        return None
    of_system = set(varied) & set(SET_FACTORS)
    if not by:
        return None if of_system else ""
    return next((factor for factor in by if factor in of_system), None)


def _of_operations(cube: xr.Dataset, operations: set[str], metric: str) -> xr.Dataset:
    """Return the part of a cube that is of what the sweep asks: its operations, or the calls that they took."""
    if "operation" not in cube.dims:
        return cube
    there = [str(name) for name in cube.operation.values]
    wanted = [name for name in there if name.startswith("rpc-")] if metric == "count" else operations
    return cube.sel(operation=[name for name in there if name in wanted])


def _with_dim(cube: xr.Dataset, over: str) -> xr.Dataset:
    """Return a cube with the dim, also where one level of it has data only and stands among the attributes."""
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
    """Return the limits that bound a sweep's throughput."""
    if metric != "throughput":
        return {}
    named = [_LIMITS.get(operation.rpartition("-")[2], ("", "")) for operation in sorted(operations)]
    found = {label: limits[key] for key, label in named if key in limits}
    same = len(found) > 1 and len(set(found.values())) == 1
    return {"stated limit": next(iter(found.values()))} if same else found


def published_values(dataset: str | Path, study: str) -> list[PublishedValue]:
    """Return the published values of a source, as a campaign's dataset holds them."""
    return _read_published(Path(dataset), study)
