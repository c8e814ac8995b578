"""The throughput of each physical core, by two definitions of the document sas-grid.

``rhel_iotest.sh`` divides the size of one file by the mean elapsed time of its processes; the last to finish decides
when a job of all cores is done. Of streams that were ended before they had moved their files, what they moved counts.
The document asks for 100 to 125 MB/s per physical core.
"""

import pandas as pd
import xarray as xr

from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS
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
        ``study sweep case repetition operation``, the factors of the trial, then in B/s per core ``by_mean_elapsed``
        and ``by_last_finisher``, and ``judgement`` of the first, as `judge_core`.
    """
    stated = records[(records.statistic == "value") & records.verdict.isin(COUNTED)]
    stated = stated[stated.time.isna() & stated.operation.isin(["write", "read"])]
    # Records of which none states a factor have no column of it.
    missing = {"file_size", "threads"} - set(stated.columns)
    stated = stated.assign(**dict.fromkeys(missing, float("nan"))).dropna(subset="file_size")
    factors = [name for name in stated.columns if name in FACTORS or name in LEARNT_FACTORS]
    key = [*_TRIAL, "operation"]
    elapsed, calls = (stated[stated.metric == metric] for metric in ("elapsed", "count"))
    called, found = calls.groupby(key).indices, []
    for trial, places in sorted(elapsed.groupby(key).indices.items()):
        streams = elapsed["value"].to_numpy()[places]
        # A log that states its group alone holds only the last process to finish.
        if len(streams) != elapsed.threads.iloc[places[0]]:
            continue
        size = float(elapsed.file_size.iloc[places[0]])
        moved = _find_moved(size, len(streams), calls.iloc[called.get(trial, [])])
        found.append((places[0], moved / streams.mean(), moved / streams.max()))
    firsts, by_mean, by_last = zip(*found, strict=True) if found else ((), (), ())
    rates = elapsed.iloc[list(firsts)][[*key, *factors]].reset_index(drop=True)
    return rates.assign(
        by_mean_elapsed=by_mean, by_last_finisher=by_last, judgement=[judge_core(rate) for rate in by_mean]
    )


def _find_moved(size: float, streams: int, calls: pd.DataFrame) -> float:
    """Return the bytes that a stream of a trial moved in the mean: those of its calls, at most its whole file."""
    if len(calls) != streams or "transfer_size" not in calls or calls.transfer_size.isna().any():
        return size
    return min(size, float((calls["value"] * calls.transfer_size).mean()))


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
    if not set(map(str, values.dims)) <= set(rates.columns):
        return values
    for row in rates.to_dict("records"):
        # A cube has names for truth values.
        place = {dim: str(row[dim]).lower() if isinstance(row[dim], bool) else row[dim] for dim in values.dims}
        if bool(values.loc[place].isnull()):
            values.loc[place] = row["threads"] * row["by_mean_elapsed"]
    return values


def judge_core(rate: float) -> str:
    """Return whether a rate per physical core, in B/s, is enough: ``enough``, ``just enough`` or ``too little``."""
    if rate < LEAST:
        return "too little"
    return "enough" if rate >= COMFORTABLE else "just enough"
