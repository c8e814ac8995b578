"""Which differences a plan's repetitions can show, by the noise of an earlier campaign."""

from pathlib import Path

import numpy as np
import xarray as xr

from coldcache.core.errors import CampaignError, DatasetError
from coldcache.core.vocabulary import METRIC_OF_OPERATION
from coldcache.dataset.reader import open_sweep
from coldcache.statistics.dependence import widening
from coldcache.statistics.power import describe_power, smallest_difference
from coldcache.statistics.stopping import LEAST_REPETITIONS


def describe_plan_power(campaign: str, study: str, sweep: str, repetitions: int) -> str:
    """Return which difference between two cases of a sweep a number of repetitions shows.

    Parameters
    ----------
    campaign : str
        The campaign in `results/` whose noise is taken.
    study, sweep : str
        The sweep, of that campaign, too.
    repetitions : int
        Runs of each case in the plan.

    Returns
    -------
    str
        ``5 runs per case show 12 % with 80 % power; 23 runs per case (now 5) would show 5 % with 80 % power``.

    Raises
    ------
    CampaignError
        If the campaign has no dataset.
    """
    dataset = Path("results", campaign, "dataset.nc")
    if not dataset.is_file():
        raise CampaignError(
            f"{dataset} is missing: no noise to plan with; run python -m coldcache collect --campaign {campaign}"
        )
    try:
        spread, correlation = measure_noise(open_sweep(dataset, study, sweep))
    except DatasetError:
        spread, correlation = np.nan, 0.0
    if not spread > 0:
        return f"which difference it can show is not known: {campaign} has no case of it with two runs"
    if repetitions < LEAST_REPETITIONS:
        shown = f"{repetitions} runs per case show no difference: {LEAST_REPETITIONS} are the fewest"
    else:
        wider = spread * widening(repetitions, correlation, 0.95)
        shown = (
            f"{repetitions} runs per case show {100 * smallest_difference(wider, repetitions):.2g} % with 80 % power"
        )
    more = describe_power(spread, repetitions)
    return f"{shown}, by the noise of {campaign}" + (f"; {more}" if "(now" in more else "")


def measure_noise(cube: xr.Dataset) -> tuple[float, float]:
    """Return the noise of a ratio of two cases within a round, and the correlation of neighbouring ratios.

    Returns
    -------
    spread : float
        Standard deviation of the logarithm of a ratio; NaN without a case that has two runs. Of several operations, the
        largest.
    correlation : float
        As the cube states it.
    """
    spreads, correlations = [], [0.0]
    for operation in cube.operation.values.tolist():
        metric = METRIC_OF_OPERATION.get(operation)
        if metric not in cube:
            continue
        values = cube[metric].sel(operation=operation)
        positive = values.where(values > 0).transpose(..., "repetition").values
        rows = np.log(positive.reshape(-1, positive.shape[-1]))
        rows = rows[(~np.isnan(rows)).sum(axis=1) > 1]
        if not len(rows):
            continue
        noise = rows - np.nanmean(rows, axis=1, keepdims=True)
        freedom = int((~np.isnan(rows)).sum() - len(rows))
        if len(rows) > 1:
            noise = noise - np.nanmean(noise, axis=0)
            freedom -= rows.shape[1] - 1
        if freedom > 0:
            spreads.append(float(np.sqrt(2 * np.nansum(noise**2) / freedom)))
            correlations.append(float(values.attrs.get("correlation_of_ratios", 0.0)))
    return max(spreads, default=np.nan), max(correlations)
