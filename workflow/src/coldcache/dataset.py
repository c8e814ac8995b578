"""`dataset.nc`: the long table of all records, and one cube per sweep that is derived from it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.campaign import Campaign
from coldcache.parts import name_share
from coldcache.records import UNIT_OF_METRIC
from coldcache.terms import FACTORS, LEARNT_FACTORS, METRIC_OF_OPERATION
from coldcache.trials import Collected

#: Trials that count in estimates; suspect ones are marked wherever they stand.
COUNTED = ("valid", "suspect")

#: Stands for a level that a log does not tell, where a number is needed; the cube holds NaN instead.
_UNKNOWN = -1


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
    rows: list[dict[str, Any]] = []
    for trial in trials:
        story = trial.story
        shared = {
            "study": story["study"], "sweep": story["sweep"], "case": story["case"],
            "repetition": story["repetition"], "tool": story["tool"], "tool_version": story["tool_version"] or "",
            "verdict": trial.judgement.verdict, "codes": " ".join(trial.judgement.codes),
            "cold": trial.judgement.cold, "log": trial.log,
            **{factor: story["factors"].get(factor) for factor in FACTORS},
            **{factor: story["factors"][factor] for factor in LEARNT_FACTORS if factor in story["factors"]},
        }  # fmt: skip
        for record in trial.records:
            rows.append({
                **shared, "operation": record.operation, "metric": record.metric, "statistic": record.statistic,
                "value": record.value, "unit": record.unit, "definition": record.definition, "offset": record.offset,
                "length": record.length, "printed": record.printed, "caveats": " ".join(record.caveats),
                "share": name_share(record), "time": record.factors.get("time", np.nan),
            })  # fmt: skip
        stated = {record.operation for record in trial.records}
        for operation in (operation for operation in story["operations"] if operation not in stated):
            metric = METRIC_OF_OPERATION.get(operation, "throughput")
            rows.append({
                **shared, "operation": operation, "metric": metric, "statistic": "value", "value": np.nan,
                "unit": UNIT_OF_METRIC[metric], "definition": "", "offset": -1, "length": 0, "printed": "",
                "caveats": "", "share": "", "time": np.nan,
            })  # fmt: skip
    return pd.DataFrame(rows)


def tabulate_verdicts(trials: Iterable[Collected]) -> pd.DataFrame:
    """Return one row per trial: ``study sweep case repetition verdict codes cold reasons seconds``."""
    return pd.DataFrame([
        {
            "study": trial.story["study"], "sweep": trial.story["sweep"], "case": trial.story["case"],
            "repetition": trial.story["repetition"], "verdict": trial.judgement.verdict,
            "codes": " ".join(trial.judgement.codes), "cold": trial.judgement.cold,
            "reasons": "; ".join(trial.judgement.reasons),
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
    """Return one row per trial and setting: ``study sweep case repetition factor asked read read_after where``."""
    columns = ["study", "sweep", "case", "repetition"]
    levels = ["asked", "read", "read_after", "where"]
    rows = [
        [*(trial.story[column] for column in columns), factor, *(found.get(level, "") for level in levels)]
        for trial in trials
        for factor, found in trial.story["settings"].items()
    ]
    return pd.DataFrame(rows, columns=[*columns, "factor", *levels])


def build_cube(records: pd.DataFrame) -> xr.Dataset:
    """Return one sweep as a cube.

    Parameters
    ----------
    records : DataFrame
        The rows of one sweep of the long table.

    Returns
    -------
    Dataset
        Dims ``operation``, every factor with more than one level, and ``repetition``; factors with one level are
        attributes. ``throughput`` (B/s), ``rate`` (1/s), ``elapsed`` and ``latency`` (s, the mean) where the sweep
        has them, NaN where a trial is void or missing; ``verdict`` and ``cold`` beside them, empty where the sweep has
        no such case or repetition.
    """
    dims = ["operation", *_choose_dims(records), "repetition"]
    table = _complete(records, dims)
    index = table.drop_duplicates(dims).set_index(dims)
    cube = xr.Dataset.from_dataframe(index[["verdict", "cold"]]).fillna("")
    counted = table[table.verdict.isin(COUNTED)]
    for metric, unit in UNIT_OF_METRIC.items():
        chosen = _choose_figures(counted[counted.metric == metric], metric).drop_duplicates(dims)
        if len(chosen):
            cube[metric] = xr.DataArray.from_series(chosen.set_index(dims)["value"])
            cube[metric].attrs["units"] = unit
    factors = {**FACTORS, **LEARNT_FACTORS}
    for factor in dims[1:-1]:
        if cube[factor].dtype.kind in "if":
            cube[factor] = cube[factor].where(cube[factor] != _UNKNOWN) if _UNKNOWN in cube[factor] else cube[factor]
        cube[factor].attrs = {"units": factors[factor].unit or "", "long_name": factors[factor].label}
    fixed = {name: records[name].dropna().unique() for name in factors if name in records and name not in dims}
    cube.attrs = {factor: _plain(levels[0]) for factor, levels in fixed.items() if len(levels) == 1}
    cube.attrs["tool"] = " ".join(sorted(records.tool.unique()))
    cube.attrs["tool_version"] = " ".join(sorted(set(records.tool_version) - {""}))
    return cube


def _choose_dims(records: pd.DataFrame) -> list[str]:
    """Return the factors that tell the cases of a sweep apart, without those that follow from the others."""
    factors = [factor for factor in (*FACTORS, *LEARNT_FACTORS) if factor in records]
    last = {"file_size", "files", *LEARNT_FACTORS} - {"phase"}
    dims = [factor for factor in factors if factor not in last and records[factor].dropna().nunique() > 1]
    # A factor that every case states tells them apart better than one that some logs leave out.
    for factor in sorted(factors, key=lambda name: bool(records[name].isna().any())):
        if factor not in dims and _count_mixed(records, [*dims, factor]) < _count_mixed(records, dims):
            dims.append(factor)
    return dims


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


def _choose_figures(records: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows of one metric, ordered so that the figure of each trial comes before others of the trial.

    A trial's figure is the one that the log states for it, else the mean over what it repeated; of latencies the mean
    comes first. Of several elapsed times or latencies the longest is taken, which holds the others. A figure up to a
    stonewall comes last; figures of a share of the trial are left out.
    """
    order = {"mean": 0, "value": 1} if metric == "latency" else {"value": 0, "mean": 1}
    whole = records[records.statistic.isin(order) & (records.share == "")]
    longest = -whole["value"] if metric in ("elapsed", "latency") else 0
    stonewalled = whole.caveats.str.contains("stonewalled", regex=False)
    return whole.assign(_order=whole.statistic.map(order), _last=stonewalled, _longest=longest).sort_values(
        ["_order", "_last", "_longest"], kind="stable"
    )


def _plain(level: Any) -> Any:
    """Return a level as NetCDF stores it: attributes know no booleans."""
    return str(level).lower() if isinstance(level, bool | np.bool_) else level


def _as_text(value: Any) -> str:
    """Return a level of a column of names; nothing where the trial has no such factor."""
    return "" if value is None or value != value else str(_plain(value))


def save_dataset(campaign: Campaign, records: pd.DataFrame, path: Path) -> None:
    """Write the long table and the cubes as one NetCDF-4 file: group ``records``, and a group per sweep."""
    table = records.copy()
    for column in table.select_dtypes(["object", "string"]):
        table[column] = table[column].map(_as_text)
    table.index.name = "record"
    groups = {"/": xr.Dataset(attrs={"campaign": campaign.name, "Conventions": "CF-1.11"})}
    groups["/records"] = xr.Dataset.from_dataframe(table).drop_vars("record")
    for (study, sweep), rows in records.groupby(["study", "sweep"], sort=False):
        groups[f"/{study}/{sweep}"] = build_cube(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    xr.DataTree.from_dict(groups).to_netcdf(temporary, engine="h5netcdf")
    temporary.rename(path)


def open_records(path: Path) -> pd.DataFrame:
    """Return the long table of a `dataset.nc`."""
    with xr.open_dataset(path, group="records", engine="h5netcdf") as table:
        return table.load().to_dataframe()


def list_sweeps(path: Path, study: str) -> list[str]:
    """Return the sweeps of a study in a `dataset.nc`; none where it has no such study."""
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        return [str(name) for name in tree[study].children] if study in tree.children else []


def open_sweep(path: Path, study: str, sweep: str) -> xr.Dataset:
    """Return the cube of one sweep of a `dataset.nc`.

    Raises
    ------
    KeyError
        If the campaign has no such sweep; the message names those that it has.
    """
    try:
        with xr.open_dataset(path, group=f"{study}/{sweep}", engine="h5netcdf") as cube:
            return cube.load()
    except (OSError, KeyError) as error:
        raise KeyError(f"{path} has no sweep {study}/{sweep}") from error
