"""The long table of all records, one cube per sweep that is derived from it, and `dataset.nc`, which holds both."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import numpy as np
import pandas as pd
import xarray as xr

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.stop_rule import is_done, weigh
from coldcache.campaign.trials import Collected
from coldcache.core.parts import name_share
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS, METRIC_OF_OPERATION, NAME_FACTORS, Factor
from coldcache.dataset.cube_io import write_cube
from coldcache.dataset.reader import COUNTED
from coldcache.dataset.table_io import write_table
from coldcache.design.cases import Trial
from coldcache.verdicts.drift import Drift, Moment, figure_of

#: Stands for a level that a log does not tell, where a number is needed; the cube holds NaN instead.
_UNKNOWN = -1

#: The dim of a cube whose factors, crossed, would have far more cells than it has trials: the levels of all of them,
#: as a case is named by them.
_LEVELS = "levels"

#: Cells of a cube, and cells per trial, beyond both of which its factors are not crossed.
_MOST_CELLS, _MOST_CELLS_PER_TRIAL = 200_000, 100

#: What leads a record to its log, which a cube does not.
_PLACE = ["log", "offset", "length", "printed", "definition"]

#: What of a record does not become a column as it is.
_UNTOLD = ("tool", "tool_version", "repetition", "caveats", "factors")


def tabulate_records(trials: Iterable[Collected]) -> pd.DataFrame:
    """Return the long table: one row per record, and one without a value for each operation that has none.

    Returns
    -------
    DataFrame
        Columns ``study sweep case repetition operation metric statistic value unit definition tool tool_version
        verdict codes cold log offset length printed caveats share time`` and every factor; values in B/s, 1/s, s or
        1. ``share`` names the process, client or moment of a figure that is not of its whole trial; ``time`` is that
        moment, in s.
    """
    records: list[Record] = []
    shares: list[str] = []
    logs: list[str] = []
    shared, counts = [], []
    for trial in trials:
        before = len(records)
        # Each process has a log of its own.
        series = [(log, own, f"process={process}") for process, (log, own) in enumerate(trial.series.items())]
        for log, own, share in ((trial.log, trial.records, ""), *series, (trial.log, _lacking(trial), "")):
            records += own
            logs += [log] * len(own)
            shares += [share] * len(own) if share else map(name_share, own)
        shared.append(_share(trial))
        counts.append(len(records) - before)
    # What the records of a trial have in common is told once per trial, and only then repeated.
    table = pd.DataFrame(shared).take(np.repeat(np.arange(len(counts)), counts)).reset_index(drop=True)
    places = {name: place for place, name in enumerate(Record._fields) if name not in _UNTOLD}
    told = pd.DataFrame({name: [record[place] for record in records] for name, place in places.items()})
    caveats = [" ".join(record.caveats) for record in records]
    times = [record.factors.get("time", np.nan) for record in records]
    return pd.concat([table, told], axis="columns").assign(log=logs, caveats=caveats, share=shares, time=times)


def _share(trial: Collected) -> dict[str, Any]:
    """Return what all records of a trial have in common."""
    story = trial.story
    # What tells no version before it runs may print one in its log.
    printed = (record.tool_version for record in trial.records if record.tool_version)
    return {
        "study": story["study"], "sweep": story["sweep"], "case": story["case"], "repetition": story["repetition"],
        "tool": story["tool"], "tool_version": story["tool_version"] or next(printed, ""),
        "verdict": trial.judgement.verdict, "codes": " ".join(trial.judgement.codes), "cold": trial.judgement.cold,
        **{factor: story["factors"].get(factor) for factor in FACTORS},
        **{factor: story["factors"][factor] for factor in LEARNT_FACTORS if factor in story["factors"]},
    }  # fmt: skip


def _lacking(trial: Collected) -> list[Record]:
    """Return a record without a value for each operation of a trial of which its log states nothing."""
    stated = {record.operation for record in trial.records}
    metrics = {
        operation: METRIC_OF_OPERATION.get(operation, "throughput")
        for operation in trial.story["operations"]
        if operation not in stated
    }
    return [
        Record("", None, operation, metric, "value", np.nan, UNIT_OF_METRIC[metric], None, "", -1, 0, "")
        for operation, metric in metrics.items()
    ]


def tabulate_verdicts(trials: Iterable[Collected]) -> pd.DataFrame:
    """Return one row per trial: ``study sweep case repetition verdict codes cold reasons start``."""
    return pd.DataFrame([
        {
            "study": trial.story["study"], "sweep": trial.story["sweep"], "case": trial.story["case"],
            "repetition": trial.story["repetition"], "verdict": trial.judgement.verdict,
            "codes": " ".join(trial.judgement.codes), "cold": trial.judgement.cold,
            "reasons": "; ".join(trial.judgement.reasons), "start": trial.story.get("start") or "",
        }
        for trial in trials
    ])  # fmt: skip


def tabulate_proofs(trials: Iterable[Collected]) -> pd.DataFrame:
    """Return one row per trial that read: ``study sweep case repetition cold`` and the figures that prove it, in B."""
    columns = ["study", "sweep", "case", "repetition"]
    figures = ["method", "file_bytes", "resident_bytes", "moved_bytes", "crossed_bytes", "why"]
    rows = [
        [*(trial.story[column] for column in columns), found.verdict, *(getattr(found, figure) for figure in figures)]
        for trial in trials
        if (found := trial.judgement.coldness) and found.verdict != "not applicable"
    ]
    table = pd.DataFrame(rows, columns=[*columns, "cold", *figures])
    sizes = [figure for figure in figures if figure.endswith("_bytes")]
    return table.astype(dict.fromkeys(sizes, "Float64")).round(0).astype(dict.fromkeys(sizes, "Int64"))


def tabulate_settings(trials: Iterable[Collected]) -> pd.DataFrame:
    """Return one row per trial and setting: ``study sweep case repetition factor level asked read read_after where``.

    ``asked`` is what is read when the level is in force; ``read_after`` is empty where it was not read again.
    """
    columns = ["study", "sweep", "case", "repetition"]
    levels = ["asked", "read", "read_after", "where"]
    rows = [
        [
            *(trial.story[column] for column in columns),
            factor, str(trial.story["factors"][factor]), *(found.get(level, "") for level in levels),
        ]
        for trial in trials
        for factor, found in trial.story["settings"].items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=[*columns, "factor", "level", *levels])


def tabulate_drift(trials: Iterable[Collected], allowed: float) -> pd.DataFrame:
    """Return one row per trial of a sentinel in the order of time, as a chart of the campaign's drift needs it.

    Columns ``study sweep case repetition start verdict figure unit drift allowed``: the figure in B/s or 1/s, how far
    it is off the median of the study's sentinel, and how far the site lets it be, as shares of the median. Trials
    that do not count have neither figure nor drift.
    """
    rows = []
    for trial in trials:
        if trial.story.get("sentinel"):
            counts = trial.judgement.verdict in COUNTED
            figure = figure_of(trial.story["operations"], trial.records) if counts else None
            metric = METRIC_OF_OPERATION[trial.story["operations"][0]]
            keys = [trial.story[key] for key in ("study", "sweep", "case", "repetition")]
            start = trial.story.get("start") or ""
            rows.append([*keys, start, trial.judgement.verdict, figure or np.nan, UNIT_OF_METRIC[metric]])
    columns = ["study", "sweep", "case", "repetition", "start", "verdict", "figure", "unit"]
    table = pd.DataFrame(rows, columns=columns).sort_values("start", kind="stable", ignore_index=True)
    there = table[table.figure.notna()]
    drifts = {study: Drift(map(Moment, own.start, own.figure)) for study, own in there.groupby("study")}
    table["drift"] = [drifts[study].of(figure) if study in drifts else np.nan
                      for study, figure in zip(table.study, table.figure, strict=True)]  # fmt: skip
    return table.assign(allowed=allowed)


def tabulate_repetitions(campaign: Campaign) -> pd.DataFrame:
    """Return one row per case that a stop rule ends: ``study sweep case trials relative_width asked reason``.

    ``reason`` is that of `statistics.stopping.Stop`, and ``goes on`` where the case is to be repeated still.
    """
    cases = {trial.case.key: trial.case for block in campaign.blocks() for trial in block.trials if trial.case.until}
    rows = []
    for case in cases.values():
        assert case.until is not None
        done = [number for number in range(case.most) if is_done(campaign.folder, Trial(case, number))]
        stop = weigh(campaign.folder, campaign.site, case) if done else None
        width, reason = (stop.relative_width, stop.reason or "goes on") if stop else (np.nan, "goes on")
        rows.append([case.study, case.sweep, case.name, len(done), width, case.until.relative_width, reason])
    return pd.DataFrame(rows, columns=["study", "sweep", "case", "trials", "relative_width", "asked", "reason"])


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


def _build_cubes(records: pd.DataFrame, settings: pd.DataFrame) -> dict[str, xr.Dataset]:
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


def _plain(level: Any) -> Any:
    """Return a level as NetCDF stores it: attributes know no booleans."""
    return str(level).lower() if isinstance(level, bool | np.bool_) else level


def _as_text(value: Any) -> str:
    """Return a level of a column of names; nothing where the trial has no such factor."""
    return "" if value is None or value != value else str(_plain(value))


def save_dataset(
    campaign: Campaign, records: pd.DataFrame, path: Path, settings: pd.DataFrame | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> dict[str, xr.Dataset]:  # fmt: skip
    """Write one NetCDF-4 file: the long tables as groups ``records`` and ``settings``, and a group per sweep.

    Parameters
    ----------
    campaign : Campaign
        Its name becomes an attribute, and the limits that its site states those of each study that is measured there.
    records : DataFrame
        The long table.
    path : Path
        Where the file goes.
    settings : DataFrame, optional
        As of `tabulate_settings`.
    tables : mapping of str to DataFrame, optional
        More tables about the campaign as a whole, by the name of their group.

    Returns
    -------
    dict of str to Dataset
        The cube of each sweep, by the name of its group.
    """
    settings = tabulate_settings([]) if settings is None else settings
    target = campaign.site.target
    limits = {"read_rate": target.read_rate, "write_rate": target.write_rate}
    stated = {name: rate for name, rate in limits.items() if rate is not None}
    cubes = _build_cubes(records, settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    with h5netcdf.File(temporary, "w") as file:
        file.attrs.update(campaign=campaign.name, Conventions="CF-1.11")
        for study in campaign.planned if stated else ():
            file.create_group(study.study).attrs.update(stated)
        for name, table in (tables or {}).items():
            write_table(file, name, table, "row")
        write_table(file, "records", records, "record")
        write_table(file, "settings", settings, "setting")
    with h5py.File(temporary, "a") as file:
        for name, cube in cubes.items():
            write_cube(file, name, cube)
    temporary.rename(path)
    return cubes
