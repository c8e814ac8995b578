"""Rates that the limits predict for each case of a sweep, and how far the measured rates are from them."""

from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_factor
from coldcache.analysis.tables import Table
from coldcache.core.units import show_rate
from coldcache.core.vocabulary import METRIC_OF_OPERATION, SET_FACTORS
from coldcache.dataset.reader import open_model
from coldcache.design.model.predict import predict_case
from coldcache.design.model.specification import Specification
from coldcache.design.settings.model import ModelSetting
from coldcache.statistics.intervals import reached_level
from coldcache.statistics.models.nfs_rpcs import bound_rate


def predict_sweep(dataset: str | Path, sweep: Estimates) -> xr.DataArray | None:
    """Return the rate that limits predict for each case of a sweep: of a scale model, or of an NFS client's network.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`.
    sweep : Estimates
        Throughput in B/s, or the rate of random transfers or of files in 1/s; other metrics have no prediction.

    Returns
    -------
    DataArray or None
        In the unit of the sweep over the dims of ``sweep.cells``, NaN where no limit bounds a case; None where no case
        has a prediction.
    """
    law = _find_law(dataset, sweep)
    rates = xr.full_like(sweep.cells.estimate, np.nan)
    for levels in _list_levels(rates):
        known = {**sweep.cube.attrs, **levels}
        # A cube keeps truth values as texts.
        known["direct_io"] = known.get("direct_io") == "true"
        operation = str(known.get("operation", ""))
        if METRIC_OF_OPERATION.get(operation) != sweep.metric:
            continue
        rate = law(operation, known)
        if rate is not None:
            rates.loc[levels] = rate
    return rates if bool(rates.notnull().any()) else None


def _find_law(dataset: str | Path, sweep: Estimates) -> Callable[[str, Mapping[str, Any]], float | None]:
    """Return the function that predicts rates: of the scale model if it controls all levels, else of the limits."""
    model = open_model(Path(dataset), sweep.question.study)
    settings = {factor: ModelSetting.model_validate(kind) for factor, kind in model.get("settings", {}).items()}
    in_force = {*map(str, sweep.cells.estimate.dims), *sweep.cube.attrs} & set(SET_FACTORS)
    if not model or in_force - settings.keys():
        return bound_rate
    specification = Specification.model_validate(model["specification"])
    return lambda operation, levels: predict_case(specification, settings, operation, levels).rate


def tabulate_predictions(dataset: str | Path, sweep: Estimates) -> Table | None:
    """Return a table of the measured rate of each case, the predicted one, and their ratio; None without prediction."""
    predicted = predict_sweep(dataset, sweep)
    if predicted is None:
        return None
    numbers, shown = [], []
    for levels in _list_levels(predicted):
        cell, rate = sweep.cells.sel(levels), float(predicted.sel(levels))
        median = float(cell.estimate)
        if not np.isfinite(median):
            continue
        numbers.append({
            **levels, "measured": median, "low": float(cell.low), "high": float(cell.high),
            "level": reached_level(int(cell.n)) if np.isfinite(float(cell.low)) else np.nan, "predicted": rate,
            "ratio": median / rate, "trials": int(cell.n),
        })  # fmt: skip
        shown.append({
            "case": _name(levels), "measured": sweep.format_cell(levels),
            "predicted": show_rate(rate, sweep.unit) if np.isfinite(rate) else "no limit",
            "measured over predicted": f"{median / rate:.3f}" if np.isfinite(rate) else "–",
        })  # fmt: skip
    return Table(pd.DataFrame(shown), pd.DataFrame(numbers), f"{sweep.heading}: measured, and predicted by the limits")


def describe_distance(dataset: str | Path, sweep: Estimates) -> str | None:
    """Return a sentence on how far the measured rates of each operation are from the predicted ones."""
    predicted = predict_sweep(dataset, sweep)
    if predicted is None:
        return None
    ratios = sweep.cells.estimate / predicted
    parts = []
    for operation in sweep.operations():
        own = ratios.sel(operation=operation) if "operation" in ratios.dims else ratios
        found = own.values[np.isfinite(own.values)]
        if found.size:
            parts.append(f"{operation}s reach {found.min():.3f} to {found.max():.3f} times the prediction")
    return f"{sweep.heading}: {', '.join(parts)} in {int(ratios.notnull().sum())} cases." if parts else None


def _list_levels(cells: xr.DataArray) -> list[dict[str, Any]]:
    names = [str(dim) for dim in cells.dims]
    levels = [cells[name].values.tolist() for name in names]
    return [dict(zip(names, chosen, strict=True)) for chosen in product(*levels)]


def _name(levels: Mapping[str, Any]) -> str:
    return ", ".join(
        str(level) if name == "operation" else format_factor(name, level) for name, level in levels.items()
    )
