"""The long table of all records, one cube per sweep that is derived from it, and `dataset.nc`, which holds both."""

import math

import pandas as pd
import xarray as xr

from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS, NAME_FACTORS, Factor
from coldcache.dataset.reader import COUNTED
from coldcache.dataset.tables import _PLACE, _as_text, _plain

#: Stands for a level that a log does not tell, where a number is needed; the cube holds NaN instead.
_UNKNOWN = -1

#: The dim of a cube whose factors, crossed, would have far more cells than it has trials: the levels of all of them,
#: as a case is named by them.
_LEVELS = "levels"

#: Cells of a cube, and cells per trial, beyond both of which its factors are not crossed.
_MOST_CELLS, _MOST_CELLS_PER_TRIAL = 200_000, 100


def build_cube(records: pd.DataFrame, settings: pd.DataFrame | None = None) -> xr.Dataset:
    """Return one sweep as a cube.

    Parameters
    ----------
    records : DataFrame
        The rows of one sweep of the long table.
    settings : DataFrame, optional
        The rows of the sweep that `tabulate_settings` returns.

    Returns
    -------
    Dataset
        Dims ``operation``, every factor with more than one level, and ``repetition``; factors with one level are
        attributes. Foreign logs of many systems leave nearly all cells of such a cube empty: theirs has the one dim
        ``levels`` in place of its factors, with the name of each case. ``throughput`` (B/s), ``rate`` (1/s),
        ``elapsed`` and ``latency`` (s, the mean) where the sweep has them, NaN where a trial is void or missing;
        ``case``, ``verdict`` and ``cold`` beside them, and for each factor that was put in force what the system said
        of it, as ``write_cache_read``; empty where the sweep has no such case or repetition. Study and sweep are
        attributes, too.
    """
    records = _as_counted(records)
    # Factors and verdicts are those of a trial: one row of each trial and operation tells them.
    trials = records.drop_duplicates(["operation", "case", "repetition"])
    dims = ["operation", *_choose_dims(trials), "repetition"]
    if _is_sparse(trials, dims):
        records, trials = (table.assign(**{_LEVELS: table.case}) for table in (records, trials))
        dims = ["operation", _LEVELS, "repetition"]
    index = _complete(trials, dims).drop_duplicates(dims)
    beside = ["case", "verdict", "cold"]
    if settings is not None and len(settings):
        read = settings.pivot(index=["case", "repetition"], columns="factor", values="read").add_suffix("_read")
        index = index.join(read, on=["case", "repetition"])
        beside += list(read.columns)
    cube = xr.Dataset.from_dataframe(index.set_index(dims)[beside]).fillna("")
    figures = records.statistic.isin(("value", "mean")) & (records.share == "") & records.verdict.isin(COUNTED)
    counted = _complete(records[figures], dims)
    there = set(counted.metric.unique())
    for metric in [name for name in UNIT_OF_METRIC if name in there]:
        chosen = choose_figures(counted[counted.metric == metric], metric).drop_duplicates(dims)
        cube[metric] = xr.DataArray.from_series(chosen.set_index(dims)["value"])
        cube[metric].attrs["units"] = UNIT_OF_METRIC[metric]
    factors = {**FACTORS, **LEARNT_FACTORS, _LEVELS: Factor(None, "levels of all factors")}
    for factor in dims[1:-1]:
        if cube[factor].dtype.kind in "if" and _UNKNOWN in cube[factor]:
            cube[factor] = cube[factor].where(cube[factor] != _UNKNOWN)
        cube[factor].attrs = {"units": factors[factor].unit or "", "long_name": factors[factor].label}
    fixed = {name: trials[name].dropna().unique() for name in factors if name in trials and name not in dims}
    cube.attrs = {factor: _plain(levels[0]) for factor, levels in fixed.items() if len(levels) == 1}
    cube.attrs["study"], cube.attrs["sweep"] = str(trials.study.iloc[0]), str(trials.sweep.iloc[0])
    cube.attrs["tool"] = " ".join(sorted(trials.tool.unique()))
    cube.attrs["tool_version"] = " ".join(sorted(set(trials.tool_version) - {""}))
    return cube


def _as_counted(records: pd.DataFrame) -> pd.DataFrame:
    """Return the records of a sweep with levels as whole numbers that are none only because other sweeps lack them."""
    floats = [name for name in (*FACTORS, *LEARNT_FACTORS) if name in records and records[name].dtype.kind == "f"]
    whole = [name for name in floats if (records[name] % 1 == 0).all()]
    return records.astype(dict.fromkeys(whole, "int64")) if whole else records


def build_cubes(records: pd.DataFrame, settings: pd.DataFrame) -> dict[str, xr.Dataset]:
    """Return the cube of each sweep, by the name of its group; of a large table no more than they need is copied."""
    told = _without_unstated(records.drop(columns=_PLACE, errors="ignore"))
    put = dict(iter(settings.groupby(["study", "sweep"])))
    return {
        f"/{study}/{sweep}": build_cube(_without_unstated(rows), put.get((study, sweep)))
        for (study, sweep), rows in told.groupby(["study", "sweep"], sort=False)
    }


def _without_unstated(records: pd.DataFrame) -> pd.DataFrame:
    """Return records without the factors that none of them states."""
    return records.drop(columns=[name for name in FACTORS if name in records and records[name].isna().all()])


def _choose_dims(records: pd.DataFrame) -> list[str]:
    """Return the factors that tell the cases of a sweep apart, without those that follow from the others."""
    factors = [factor for factor in (*FACTORS, *LEARNT_FACTORS) if factor in records]
    last = {"file_size", *NAME_FACTORS, *LEARNT_FACTORS} - {"phase"}
    dims = [factor for factor in factors if factor not in last and records[factor].dropna().nunique() > 1]
    mixed = _count_mixed(records, dims)
    # A factor that every case states tells them apart better than one that some logs leave out.
    for factor in sorted(factors, key=lambda name: bool(records[name].isna().any())):
        if mixed == 0:
            break
        if factor not in dims and (left := _count_mixed(records, [*dims, factor])) < mixed:
            dims.append(factor)
            mixed = left
    return dims


def _is_sparse(trials: pd.DataFrame, dims: list[str]) -> bool:
    """Return whether a cube with these dims would be large, and nearly empty."""
    cells = math.prod(trials[dim].nunique(dropna=False) for dim in dims)
    return cells > max(_MOST_CELLS, _MOST_CELLS_PER_TRIAL * len(trials))


def _count_mixed(records: pd.DataFrame, dims: list[str]) -> int:
    """Return how many cases would share a cell with another one."""
    return int((records.groupby(["operation", *dims], dropna=False).case.nunique() - 1).sum())


def _complete(records: pd.DataFrame, dims: list[str]) -> pd.DataFrame:
    """Return the records with a level of every dim: names as text, and a level for what a log does not tell."""
    table = records.copy()
    for dim in dims[1:-1]:
        if table[dim].dtype.kind in "if":
            table[dim] = table[dim].fillna(_UNKNOWN) if table[dim].hasnans else table[dim]
        else:
            table[dim] = table[dim].map(_as_text).replace("", "unknown")
    return table


def choose_figures(records: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows of one metric, ordered so that the figure of each trial comes before others of the trial.

    A trial's figure is the one that the log states for it, else the mean over what it repeated; of latencies the mean
    comes first. Of several elapsed times or latencies the longest is taken, which holds the others. A figure up to a
    stonewall comes last; figures of a share of the trial are left out.
    """
    order = {"mean": 0, "value": 1} if metric == "latency" else {"value": 0, "mean": 1}
    whole = records[records.statistic.isin(order) & (records.share == "")]
    longest = -whole["value"] if metric in ("elapsed", "latency") else 0
    stonewalled = whole.caveats.map({caveats: "stonewalled" in caveats for caveats in whole.caveats.unique()})
    return whole.assign(_order=whole.statistic.map(order), _last=stonewalled, _longest=longest).sort_values(
        ["_order", "_last", "_longest"], kind="stable"
    )
