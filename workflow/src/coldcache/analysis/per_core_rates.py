"""What each physical core gets, by the two traditions, and rates over time: the figures of the document sas-grid.

``rhel_iotest.sh`` divides the size of one file by the mean elapsed time of its processes; the last to finish decides
when a job of all cores is done. The document asks for 100 to 125 MB/s per physical core, and takes the p99.9 of the
windows of a series as the peak.
"""

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.dataset.reader import COUNTED

#: Least and comfortable throughput of one physical core that SAS Grid asks for, in B/s.
LEAST, COMFORTABLE = 100e6, 125e6

_TRIAL = ["study", "sweep", "case", "repetition"]


def tabulate_core_rates(records: pd.DataFrame) -> pd.DataFrame:
    """Return what each core gets, one row per trial that counts.

    Parameters
    ----------
    records : DataFrame
        The long table; of trials with one stream per physical core, each stream stated by itself.

    Returns
    -------
    DataFrame
        ``study sweep case repetition operation threads instance_type``, then in B/s per core ``by_mean_elapsed`` and
        ``by_last_finisher``, and ``judgement`` of the first, as `judge_core`.
    """
    elapsed = records[(records.metric == "elapsed") & (records.statistic == "value") & records.verdict.isin(COUNTED)]
    elapsed = elapsed[elapsed.time.isna() & elapsed.operation.isin(["write", "read"])]
    # Records of which none states a factor have no column of it.
    missing = {"file_size", "threads"} - set(elapsed.columns)
    elapsed = elapsed.assign(**dict.fromkeys(missing, float("nan"))).dropna(subset="file_size")
    columns = [*_TRIAL, "operation", "threads"] + (["instance_type"] if "instance_type" in elapsed else [])
    rows = []
    for key, processes in elapsed.groupby(columns, dropna=False):
        told = dict(zip(columns, key, strict=True))
        # A log that states its group alone tells only the last to finish.
        if len(processes) != told["threads"]:
            continue
        size = float(processes.file_size.iloc[0])
        by_mean = size / processes["value"].mean()
        rows.append({
            **told, "by_mean_elapsed": by_mean, "by_last_finisher": size / processes["value"].max(),
            "judgement": judge_core(by_mean),
        })  # fmt: skip
    return pd.DataFrame(rows, columns=[*columns, "by_mean_elapsed", "by_last_finisher", "judgement"])


def add_streams(throughput: xr.DataArray, rates: pd.DataFrame) -> xr.DataArray:
    """Return the throughput of every trial, with that of all streams where a log states each alone.

    Parameters
    ----------
    throughput : DataArray
        Of one sweep, in B/s; NaN where a trial has none. Its dims tell trials apart.
    rates : DataFrame
        What `tabulate_core_rates` returns of the same trials.

    Returns
    -------
    DataArray
        Same dims and unit; where `throughput` was NaN, the threads times what each got by the mean time.
    """
    values = throughput.copy()
    for row in rates.to_dict("records"):
        place = {dim: row[dim] for dim in values.dims}
        if bool(values.loc[place].isnull()):
            values.loc[place] = row["threads"] * row["by_mean_elapsed"]
    return values


def judge_core(rate: float) -> str:
    """Return whether a rate per physical core, in B/s, is enough: ``enough``, ``just enough`` or ``too little``."""
    if rate < LEAST:
        return "too little"
    return "enough" if rate >= COMFORTABLE else "just enough"


def tabulate_windows(records: pd.DataFrame) -> pd.DataFrame:
    """Return the rate of all processes over time.

    Parameters
    ----------
    records : DataFrame
        The long table; its rows with a ``time`` are the windows of each process, each of about the same length.

    Returns
    -------
    DataFrame
        ``study sweep case repetition operation window`` (counted from 0) ``time`` (s, its end) and ``rate`` (B/s,
        summed over the processes); a window that a process did not note is left out.
    """
    points = records[records.time.notna() & (records.metric == "throughput_per_process")]
    points = points[points.verdict.isin(COUNTED) & points.share.str.startswith("process=")]
    keys = [*_TRIAL, "operation"]
    gaps = points.groupby([*keys, "share"]).time.diff()
    length = gaps.groupby([points[key] for key in keys]).transform("median")
    points = points.assign(window=(points.time / length).round().fillna(1).astype(int) - 1)
    # A process that was late noted two windows in one; it has one rate there.
    alone = points.groupby([*keys, "window", "share"]).agg(time=("time", "max"), rate=("value", "mean")).reset_index()
    windows = alone.groupby([*keys, "window"])
    found = windows.agg(time=("time", "max"), rate=("rate", "sum"), processes=("share", "size")).reset_index()
    whole = found.processes == found.groupby(keys).processes.transform("max")
    return found[whole].drop(columns="processes").reset_index(drop=True)


def find_peak(rates: pd.Series) -> float:
    """Return the p99.9 of rates over time, which the document takes as the peak."""
    return float(np.quantile(rates, 0.999))
