"""The throughput of each physical core, by two definitions of the document sas-grid.

``rhel_iotest.sh`` divides the size of one file by the mean elapsed time of its processes; the last to finish decides
when a job of all cores is done. The document asks for 100 to 125 MB/s per physical core.
"""

import pandas as pd
import xarray as xr

from coldcache.dataset.reader import COUNTED

#: Least and comfortable throughput of one physical core that SAS Grid asks for, in B/s.
LEAST, COMFORTABLE = 100e6, 125e6

_TRIAL = ["study", "sweep", "case", "repetition"]


def tabulate_core_rates(records: pd.DataFrame) -> pd.DataFrame:
    """Return the throughput of each core, one row per trial that counts.

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
        trial = dict(zip(columns, key, strict=True))
        # A log that states its group alone holds only the last process to finish.
        if len(processes) != trial["threads"]:
            continue
        size = float(processes.file_size.iloc[0])
        by_mean = size / processes["value"].mean()
        rows.append({
            **trial, "by_mean_elapsed": by_mean, "by_last_finisher": size / processes["value"].max(),
            "judgement": judge_core(by_mean),
        })  # fmt: skip
    return pd.DataFrame(rows, columns=[*columns, "by_mean_elapsed", "by_last_finisher", "judgement"])


def add_streams(throughput: xr.DataArray, rates: pd.DataFrame) -> xr.DataArray:
    """Return the throughput of every trial; the sum of its streams where a log states each stream alone.

    Parameters
    ----------
    throughput : DataArray
        Of one sweep, in B/s; NaN where a trial has none. Its dims identify a trial.
    rates : DataFrame
        What `tabulate_core_rates` returns of the same trials.

    Returns
    -------
    DataArray
        Same dims and unit; where `throughput` was NaN, the threads times the rate of each by the mean time.
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
