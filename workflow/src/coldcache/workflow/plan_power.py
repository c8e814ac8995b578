"""Which differences a plan's repetitions can show, by the noise that a campaign has found."""

from pathlib import Path

import numpy as np
import xarray as xr

from coldcache.core.errors import CampaignError, DatasetError
from coldcache.core.vocabulary import METRIC_OF_OPERATION
from coldcache.dataset.reader import open_sweep
from coldcache.design.study import Study
from coldcache.statistics.dependence import Rounds, rounds_of
from coldcache.statistics.power import describe_power


def describe_plan_power(study: Study, sweep: str, repetitions: int, campaign: str | None = None) -> str | None:
    """Return which difference between two cases of a sweep a number of repetitions shows.

    Parameters
    ----------
    study : Study
        The study.
    sweep : str
        One of its sweeps. Where the campaign has no two runs of a case of it, the noise is that of the sentinel.
    repetitions : int
        Runs of each case in the plan.
    campaign : str, optional
        The campaign in `results/` whose noise is taken; by default the latest one of this study.

    Returns
    -------
    str or None
        ``54 runs per case would show 5 % with 80 % power (5 show 16 %), by the noise of local``; None where no campaign
        is named and none has found any noise yet.

    Raises
    ------
    CampaignError
        If the campaign that is named has no dataset.
    """
    datasets = list_datasets(campaign)
    if campaign and not datasets[0].is_file():
        raise CampaignError(
            f"{datasets[0]}: missing, so there is no noise to plan with; snakemake --cores all --config "
            f"campaign={campaign} makes it"
        )
    sources = {sweep: "noise"} | ({study.sentinel.sweep: "sentinel"} if study.sentinel else {})
    for dataset in datasets:
        for name, what in sources.items():
            try:
                spread, rounds = measure_noise(open_sweep(dataset, study.study, name))
            except DatasetError:
                continue
            if spread > 0:
                return f"{describe_power(spread, repetitions, rounds=rounds)}, by the {what} of {dataset.parent.name}"
    return (
        f"which difference it can show is not known: {campaign} has no case of it with two runs" if campaign else None
    )


def list_datasets(campaign: str | None = None) -> list[Path]:
    """Return the dataset of a campaign, or those of all that have one, the latest first."""
    if campaign:
        return [Path("results", campaign, "dataset.nc")]
    return sorted(Path("results").glob("*/dataset.nc"), key=lambda path: path.stat().st_mtime, reverse=True)


def measure_noise(cube: xr.Dataset) -> tuple[float, Rounds]:
    """Return the noise of a ratio of two cases within a round, and how runs depend on their rounds.

    Returns
    -------
    spread : float
        Standard deviation of the logarithm of a ratio; NaN without a case that has two runs. Of several operations, the
        largest.
    rounds : Rounds
        Of that operation's metric.
    """
    spread, rounds = np.nan, Rounds()
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
            found = float(np.sqrt(2 * np.nansum(noise**2) / freedom))
            if not spread >= found:
                spread, rounds = found, rounds_of(cube[metric])
    return spread, rounds
