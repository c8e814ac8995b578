"""Every sweep of a study at a glance, for a study of which nothing is known beforehand, such as imported logs."""

from pathlib import Path
from typing import Any

from coldcache.dataset import list_sweeps, open_sweep
from coldcache.estimates import Estimates, NoData, estimate, show_interval
from coldcache.tables import Table

#: The figure that a sweep is shown by: the first of these that its logs state; a rate is shown beside it.
_THROUGHPUTS = ("throughput", "throughput_per_core", "throughput_per_process", "throughput_parent")


class Overview:
    """The estimates of every sweep of a study; notebooks and pages display it as a table for each.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`.
    study : str
        The study.

    Raises
    ------
    NoData
        If no trial of the study counts.
    """

    def __init__(self, dataset: str | Path, study: str):
        self.found: dict[str, Estimates] = {}
        for sweep in list_sweeps(Path(dataset), study):
            cube = open_sweep(Path(dataset), study, sweep)
            metrics = [metric for metric in _THROUGHPUTS if metric in cube][:1]
            metrics += [metric for metric in ("rate",) if metric in cube]
            for metric in metrics or [metric for metric in ("count", "elapsed") if metric in cube][:1]:
                self.found[f"{sweep}, {metric.replace('_', ' ')}"] = estimate(dataset, study, sweep, metric)
        if not self.found:
            raise NoData(f"no trial of {study} counts: see the page on validity")

    def finding(self) -> str:
        """Return one sentence with the highest estimate of each sweep and metric."""
        return "Highest medians: " + "; ".join(
            f"{name} {_show_highest(estimates)}" for name, estimates in self.found.items()
        ) + "."  # fmt: skip

    def tables(self) -> list[Table]:
        """Return a table for each sweep and metric, one row per case."""
        return [Table.of(found, f"{name}, by {found.tool}".strip()) for name, found in self.found.items()]

    def save(self, dataset: str | Path) -> "Overview":
        """Write the numbers beside the dataset as `tables/*.csv`, and return the overview."""
        for name, table in zip(self.found, self.tables(), strict=True):
            table.save(dataset, name.replace(", ", "-").replace(" ", "-"))
        return self

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        bundles = [table._repr_mimebundle_() for table in self.tables()]
        return {kind: "\n".join(bundle[kind] for bundle in bundles) for kind in ("text/plain", "text/html")}


def _show_highest(estimates: Estimates) -> str:
    operation = estimates.operations()[0]
    cells = estimates.cells.sel(operation=operation)
    best = int(cells.estimate.fillna(-1).values.argmax())
    estimated, low, high = (float(cells[name].values.reshape(-1)[best]) for name in ("estimate", "low", "high"))
    return f"{operation} {show_interval(estimated, low, high, estimates.unit)}"
