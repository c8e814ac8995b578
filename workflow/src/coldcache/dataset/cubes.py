"""Cubes: one xarray dataset per sweep, pivoted from the long table of all records."""

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.trial_figure import LONGEST_COUNTS, is_headline, rank_figure
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS, METRIC_OF_OPERATION, NAME_FACTORS, Factor
from coldcache.dataset.reader import COUNTED, OPERATIONS_DIM
from coldcache.dataset.table_io import find_changes
from coldcache.verdicts.modes import describe_modes
from coldcache.verdicts.thresholds import Thresholds

#: Placeholder for an unknown numeric level while pivoting; the cube holds NaN.
_UNKNOWN = -1

#: The single dim of a cube whose crossed factors would have far more cells than trials; its labels are case names.
_LEVELS = "levels"

#: What the dims of cubes are, beside operations and repetitions.
_DIMS = {
    **FACTORS, **LEARNT_FACTORS, _LEVELS: Factor(None, "levels of all factors"),
    OPERATIONS_DIM: Factor(None, "operations"),
}  # fmt: skip

#: Factors are not crossed if the cube would exceed both of these: cells, and cells per trial.
_MOST_CELLS, _MOST_CELLS_PER_TRIAL = 200_000, 100

#: Columns from which the figure of a trial is chosen; some tables have no definitions.
_FIGURE_COLUMNS = ("metric", "statistic", "value", "definition", "caveats", "share")

#: The code of a trial of which any operation has two typical figures.
_TWO_MODES = "two-modes"

#: Columns that locate a record in its log; a cube has none of them.
_LOG_COLUMNS = ["log", "offset", "length", "printed"]


def build_cube(
    records: pd.DataFrame, settings: pd.DataFrame | None = None, thresholds: Thresholds | None = None,
    is_foreign: bool = False,
) -> xr.Dataset:  # fmt: skip
    """Return one sweep as a cube.

    Parameters
    ----------
    records : DataFrame
        The rows of one sweep of the long table (`tabulate_records`).
    settings : DataFrame, optional
        The rows of the same sweep of the table of settings (`tabulate_settings`).
    thresholds : Thresholds, optional
        The site's.
    is_foreign : bool
        Whether the logs were imported.

    Returns
    -------
    Dataset
        Dims: ``operation``, every factor with more than one level, and ``repetition``; a factor with one level is an
        attribute, as are ``study``, ``sweep``, ``tool`` and ``tool_version``. If crossed factors would leave nearly
        all cells empty, as with imported logs of many systems, one dim ``levels`` with the case names replaces them.
        Texts have the dim ``operations``, too, where no factor separates cases that share an operation, as writes and
        reads share calls of a network file system; so have the metrics of what they share, and all of imported logs.

        Variables: ``throughput`` (B/s), ``rate`` (1/s), ``elapsed`` and ``latency`` (s; latency is the mean) if the
        sweep has them, NaN for void and missing trials, each with its ``definition``; ``case``, ``verdict``, ``cold``,
        ``reached`` and ``codes``; and for each setting the value read back, such as ``write_cache_read``. Texts are
        empty where the sweep has no such case or repetition. Of the codes of a trial ``two-modes`` is only at those of
        its operations whose figures have them.

    Raises
    ------
    ValueError
        If two trials would share a cell, which is an error of this program.
    """
    records = _restore_integers(records)
    # Factors and verdicts belong to a trial, so one row per trial and operation is enough.
    trials = _drop_repeated(records, ["operation", "case", "repetition"])
    records, trials, dims = _lay_out(records, trials)
    index = _complete(trials, dims)
    _refuse_repeated(index, dims)
    labels = ["case", "verdict", *(name for name in ("cold", "reached", "codes") if name in index)]
    if settings is not None and len(settings):
        read = settings.pivot(index=["case", "repetition"], columns="factor", values="read").add_suffix("_read")
        index = index.join(read, on=["case", "repetition"])
        labels += list(read.columns)
    levels = dict(zip(dims, pd.MultiIndex.from_frame(index[dims]).levels, strict=True))
    cube = xr.Dataset(_spread_texts(index[labels], _find_cells(index, levels), levels), coords=levels)
    figures = records.statistic.isin(("value", "mean")) & (records.share == "") & records.verdict.isin(COUNTED)
    needed = [name for name in (*dims, *_FIGURE_COLUMNS) if name in records]
    shared = set(index.operation) if is_foreign else _find_shared(index)
    cube = cube.assign(_spread_figures(_complete(records.loc[figures, needed], dims), levels, shared))
    if "codes" in cube:
        _limit_modes(cube, thresholds or Thresholds())
    for factor in dims[1:-1]:
        if cube[factor].dtype.kind in "if" and _UNKNOWN in cube[factor]:
            cube[factor] = cube[factor].where(cube[factor] != _UNKNOWN)
        cube[factor].attrs = {"units": _DIMS[factor].unit or "", "long_name": _DIMS[factor].label}
    return cube.assign_attrs(_list_fixed(trials, [name for name in _DIMS if name not in dims]))


def _lay_out(records: pd.DataFrame, trials: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Return both tables with a column for each dim of their cube, and the dims."""
    dims = ["operation", *_choose_dims(trials), "repetition"]
    if is_mixed := _count_mixed(trials, dims[1:-1]) > 0:
        records, trials = map(_add_operations, (records, trials))
        dims.insert(-1, OPERATIONS_DIM)
    if _is_sparse(trials, dims) or (is_mixed and _count_mixed(trials, dims[1:-1])):
        records, trials = (table.assign(**{_LEVELS: table.case}) for table in (records, trials))
        dims = ["operation", _LEVELS, "repetition"]
    return records, trials, dims


def _add_operations(table: pd.DataFrame) -> pd.DataFrame:
    """Return records with the operations of their cases, as the names of these have them."""
    return table.assign(**{OPERATIONS_DIM: table.case.str.extract(r"(?:^|,)operation=([^,]*)", expand=False)})


def _refuse_repeated(index: pd.DataFrame, dims: list[str]) -> None:
    """Raise ValueError if two trials of an index share a cell of these dims: one of them would be lost."""
    repeated = index[index.duplicated(dims, keep=False)]
    if len(repeated):
        row = repeated.iloc[0]
        cases = ", ".join(sorted(repeated[(repeated[dims] == row[dims]).all(axis=1)].case))
        place = ", ".join(f"{dim} {row[dim]}" for dim in dims[1:])
        raise ValueError(f"{row.study}/{row.sweep}: {cases} share the cell of {row.operation} at {place}")


def _list_fixed(trials: pd.DataFrame, factors: list[str]) -> dict[str, Any]:
    """Return the factors with one level, and what else all trials share, as attributes of a cube."""
    fixed = {name: trials[name].dropna().unique() for name in factors if name in trials}
    return {factor: _plain(each[0]) for factor, each in fixed.items() if len(each) == 1} | {
        "study": str(trials.study.iloc[0]), "sweep": str(trials.sweep.iloc[0]),
        "tool": " ".join(sorted(trials.tool.unique())),
        "tool_version": " ".join(sorted(set(trials.tool_version.unique()) - {""})),
    }  # fmt: skip


def _spread_texts(columns: pd.DataFrame, cells: np.ndarray, levels: Mapping[str, pd.Index]) -> dict[str, Any]:
    """Return columns of texts as variables of a cube, empty where no row has its cell."""
    variables: dict[str, Any] = {}
    for name, column in columns.items():
        texts = np.full(_shape(levels), "", object)
        texts.flat[cells] = column.astype(object).where(column.notna(), "")
        variables[str(name)] = (list(levels), texts)
    return variables


def _limit_modes(cube: xr.Dataset, thresholds: Thresholds) -> None:
    """Keep the code for two modes only at the operations of a cube whose own figures have two."""
    codes = cube.codes.values
    for place in np.ndindex(codes.shape[:-1]):
        if not any(_TWO_MODES in text for text in codes[place]):
            continue
        metric = METRIC_OF_OPERATION.get(str(cube.operation.values[place[0]]))
        figures = cube[metric].broadcast_like(cube.codes).values[place].tolist() if metric in cube else []
        if describe_modes(figures, UNIT_OF_METRIC.get(metric or "", ""), thresholds) is None:
            codes[place] = [" ".join(code for code in text.split() if code != _TWO_MODES) for text in codes[place]]


def _spread_figures(counted: pd.DataFrame, every: Mapping[str, pd.Index], shared: set[str]) -> dict[str, Any]:
    """Return the foremost figure of each trial as variables of a cube, one for each metric, with NaN elsewhere.

    Only metrics of `shared` operations have the dim ``operations``.
    """
    variables: dict[str, Any] = {}
    there = set(counted.metric.unique())
    for metric in [name for name in UNIT_OF_METRIC if name in there]:
        ranked = choose_figures(counted[counted.metric == metric], metric)
        is_shared = not shared.isdisjoint(ranked.operation)
        levels = {dim: level for dim, level in every.items() if dim != OPERATIONS_DIM or is_shared}
        cells, foremost = np.unique(_find_cells(ranked, levels), return_index=True)
        chosen = ranked.iloc[foremost]
        values = np.full(_shape(levels), np.nan)
        values.flat[cells] = chosen["value"]
        attributes = {"units": UNIT_OF_METRIC[metric]}
        if "definition" in chosen:
            attributes["definition"] = "; ".join(sorted(filter(None, chosen.definition.unique())))
        variables[metric] = (list(levels), values, attributes)
    return variables


def _restore_integers(records: pd.DataFrame) -> pd.DataFrame:
    """Cast factor columns back to int64; pandas made them float because other sweeps lack the factor."""
    floats = [name for name in (*FACTORS, *LEARNT_FACTORS) if name in records and records[name].dtype.kind == "f"]
    whole = [name for name in floats if (records[name] % 1 == 0).all()]
    return records.astype(dict.fromkeys(whole, "int64")) if whole else records


def build_cubes(
    records: pd.DataFrame, settings: pd.DataFrame, thresholds: Thresholds | None = None, foreign: Collection[str] = (),
) -> dict[str, xr.Dataset]:  # fmt: skip
    """Return the cube of each sweep, by the name of its group.

    Parameters
    ----------
    records, settings : DataFrame
        The long table and the table of settings of a whole campaign.
    thresholds : Thresholds, optional
        The site's.
    foreign : collection of str
        The studies whose logs were imported.
    """
    # Columns that cubes do not need are dropped before the groups copy the rest of a large table.
    needed = _without_unstated(records.drop(columns=_LOG_COLUMNS, errors="ignore"))
    read_back = dict(iter(settings.groupby(["study", "sweep"])))
    return {
        f"/{study}/{sweep}": build_cube(
            _without_unstated(rows), read_back.get((study, sweep)), thresholds, study in foreign
        )
        for (study, sweep), rows in needed.groupby(["study", "sweep"], sort=False)
    }


def _without_unstated(records: pd.DataFrame) -> pd.DataFrame:
    """Drop the columns of factors that no record has."""
    return records.drop(columns=[name for name in FACTORS if name in records and _is_unstated(records[name])])


def _drop_repeated(records: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Return the first row of each combination of levels."""
    # The rows of a trial lie together: a comparison with the row before leaves few to sort out.
    changes = [find_changes(records[name].to_numpy()) for name in columns]
    return records[np.logical_or.reduce(changes)].drop_duplicates(columns)


def _is_unstated(column: pd.Series) -> bool:
    """Return whether no row has a level; most columns show with their first row that some have."""
    if not column.iloc[:1].isna().all():
        return False
    # Strides of 0: the first row's object is that of all rows.
    return column.to_numpy().strides == (0,) or bool(column.isna().all())


def _choose_dims(records: pd.DataFrame) -> list[str]:
    """Return the factors that distinguish the cases of a sweep, without those that follow from the others."""
    factors = [factor for factor in (*FACTORS, *LEARNT_FACTORS) if factor in records]
    last = {"file_size", *NAME_FACTORS, *LEARNT_FACTORS} - {"phase"}
    dims = [factor for factor in factors if factor not in last and records[factor].dropna().nunique() > 1]
    mixed = _count_mixed(records, dims)
    # Prefer factors that every case states over those that some logs leave out.
    for factor in sorted(factors, key=lambda name: bool(records[name].isna().any())):
        if mixed == 0:
            break
        if factor not in dims and (left := _count_mixed(records, [*dims, factor])) < mixed:
            dims.append(factor)
            mixed = left
    return dims


def _is_sparse(trials: pd.DataFrame, dims: list[str]) -> bool:
    """Return whether a cube with these dims would be large and nearly empty."""
    cells = math.prod(trials[dim].nunique(dropna=False) for dim in dims)
    return cells > max(_MOST_CELLS, _MOST_CELLS_PER_TRIAL * len(trials))


def _count_mixed(records: pd.DataFrame, dims: list[str]) -> int:
    """Return how many cases would share a cell with another case."""
    return int((records.groupby(["operation", *dims], dropna=False).case.nunique() - 1).sum())


def _find_shared(index: pd.DataFrame) -> set[str]:
    """Return the operations at more than one level of the dim of operations; none without that dim."""
    if OPERATIONS_DIM not in index:
        return set()
    counts = index.groupby("operation")[OPERATIONS_DIM].nunique()
    return set(counts[counts > 1].index)


def _complete(records: pd.DataFrame, dims: list[str]) -> pd.DataFrame:
    """Return the records with a level for every dim: names as text, and a placeholder for unknown levels."""
    table = records.copy()
    for dim in dims[1:-1]:
        if table[dim].dtype.kind in "if":
            table[dim] = table[dim].fillna(_UNKNOWN) if table[dim].hasnans else table[dim]
        else:
            table[dim] = table[dim].map(_name_level)
    return table


def choose_figures(records: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows of one metric that describe a whole trial, the preferred row of each trial first.

    The order is that of `rank_figure`. Among several elapsed times or latencies the longest comes first, since it
    includes the others. Rows of a share of the trial (one process, one moment) are left out.

    Parameters
    ----------
    records : DataFrame
        Rows of the long table.
    metric : str
        The metric of these rows.
    """
    whole = records[records.share == ""]
    ranks = {statistic: rank_figure(metric, statistic, "") for statistic in whole.statistic.unique()}
    whole = whole[whole.statistic.isin([statistic for statistic, rank in ranks.items() if rank is not None])]
    behind = {caveats: rank_figure(metric, "value", caveats) != rank_figure(metric, "value", "")
              for caveats in whole.caveats.unique()}  # fmt: skip
    # From the least to the most important key, as lexsort has it. It keeps the order of equal rows.
    keys = [-whole["value"].to_numpy()] if metric in LONGEST_COUNTS else []
    if "definition" in whole:
        # The parent's figure comes before the sum of its children's.
        headline = {text: is_headline(metric, text) for text in whole.definition.unique()}
        keys.append([not headline[text] for text in whole.definition.to_numpy()])
    keys.append([behind[caveats] for caveats in whole.caveats.to_numpy()])
    keys.append([ranks[statistic] for statistic in whole.statistic.to_numpy()])
    return whole.iloc[np.lexsort(keys)]


def _find_cells(table: pd.DataFrame, levels: Mapping[str, pd.Index]) -> np.ndarray:
    """Return the flat index of each row's cell in an array with a dim for each of these levels."""
    places = [level.get_indexer(pd.Index(table[dim])) for dim, level in levels.items()]
    return np.ravel_multi_index(tuple(places), _shape(levels))


def _shape(levels: Mapping[str, pd.Index]) -> tuple[int, ...]:
    return tuple(map(len, levels.values()))


def _plain(level: Any) -> Any:
    """Return a level as NetCDF stores it: attributes cannot be booleans."""
    return str(level).lower() if isinstance(level, bool | np.bool_) else level


def _name_level(value: Any) -> str:
    """Return a level as text: ``unknown`` if the trial has no such factor."""
    return "unknown" if value in (None, "") or value != value else str(_plain(value))
