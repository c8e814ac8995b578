"""Rates in few and in many directories, and the files and directories of a study at its full scale."""

from pathlib import Path

import pandas as pd
import xarray as xr

from coldcache.analysis.questions.select import SweepSelection
from coldcache.analysis.sentences import PLURALS
from coldcache.core.errors import NoData
from coldcache.core.units import show_rate
from coldcache.dataset.reader import open_table
from coldcache.statistics.intervals import reached_level


def join_directories(selection: SweepSelection) -> xr.DataArray:
    """Return the runs of several sweeps as one array over the files per directory, which each of them fixes.

    Returns
    -------
    DataArray
        In 1/s; dims ``operation``, ``items_per_directory`` and ``repetition``; NaN where a sweep has no such run.

    Raises
    ------
    NoData
        If no sweep was measured.
    """
    if not selection.found:
        raise NoData("no sweep on files per directory was measured")
    parts = [
        _drop_single_levels(found.runs).expand_dims(items_per_directory=[int(found.cube.attrs["items_per_directory"])])
        for found in selection
    ]
    joined = xr.concat(parts, "items_per_directory", join="outer", coords="minimal", compat="override")
    return joined.sortby("items_per_directory").transpose("operation", "items_per_directory", "repetition")


def _drop_single_levels(runs: xr.DataArray) -> xr.DataArray:
    """Return runs without the dims of factors with one level; one operation, or one repetition, stays a dim."""
    single = [dim for dim, size in runs.sizes.items() if size == 1 and dim not in ("operation", "repetition")]
    return runs.squeeze(single, drop=True)


def compare_directories(selection: SweepSelection) -> pd.DataFrame:
    """Return one row per sweep and operation: what it fixes, and its rate with the interval in 1/s."""
    rows = []
    for found in selection:
        attributes = found.cube.attrs
        for operation in found.operations():
            cell = found.cells.sel(operation=operation).squeeze()
            rows.append({
                "operation": operation, "threads (1)": int(attributes.get("threads", 0)),
                "directories per thread (1)": int(attributes.get("directories_per_thread", 0)),
                "files per directory (1)": int(attributes.get("items_per_directory", 0)),
                "median (1/s)": float(cell.estimate), "low (1/s)": float(cell.low), "high (1/s)": float(cell.high),
                "level (1)": reached_level(int(cell.n)) if float(cell.low) == float(cell.low) else float("nan"),
            })  # fmt: skip
    return pd.DataFrame(rows)


def describe_directories(selection: SweepSelection) -> str | None:
    """Return the rate of each operation in few and many directories; None where nothing was measured."""
    table = compare_directories(selection)
    if table.empty:
        return None
    if table["files per directory (1)"].nunique() == 1:
        files = int(table["files per directory (1)"].iloc[0])
        return f"Each directory holds {files:,} files: there is nothing to compare it with."
    parts = []
    for operation, rows in table.groupby("operation", sort=False):
        rates = [
            f"{show_rate(row[4], '1/s')} with {row[3]:,} files per directory"
            for row in rows.itertuples(index=False, name=None)
        ]
        parts.append(f"{PLURALS.get(str(operation), str(operation))} {', '.join(rates)}")
    return f"For the same number of threads: {'; '.join(parts)}."


def tabulate_design(dataset: str | Path, study: str) -> dict[str, pd.DataFrame]:
    """Return by sweep how many directories and files each number of threads makes at the study's full scale."""
    designs = open_table(Path(dataset), "designs", study)
    found = {}
    for sweep, rows in designs.groupby("sweep", sort=False):
        each = rows.files.where(rows.files > 0, rows.directories_per_thread * rows.items_per_directory)
        found[str(sweep)] = pd.DataFrame({
            "threads (1)": rows.threads, "directories per thread (1)": rows.directories_per_thread,
            "files per directory (1)": rows.items_per_directory, "files (1)": rows.threads * each,
        })  # fmt: skip
    return found


def describe_design(dataset: str | Path, study: str) -> str | None:
    """Return the fewest and the most files that each sweep makes; None where no sweep is on files."""
    parts = []
    for sweep, table in tabulate_design(dataset, study).items():
        least, most = int(table["files (1)"].min()), int(table["files (1)"].max())
        parts.append(f"{sweep} {least:,}" + (f" to {most:,}" if most > least else ""))
    return f"Files at full scale: {'; '.join(parts)}." if parts else None
