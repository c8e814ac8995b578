"""Digests of the slices of a `dataset.nc`; a notebook runs again if a slice that it read has changed."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd
import xarray as xr

from coldcache.dataset.reader import open_limits, open_model, rows_of
from coldcache.dataset.slices import (
    EVERYTHING,
    TABLES_OF_CAMPAIGN,
    TABLES_OF_STUDIES,
    place_digest,
    slice_of_claims,
    slice_of_limits,
    slice_of_sweep,
    slice_of_table,
)

Names = Mapping[str, Sequence[str]]
Tables = Mapping[str, pd.DataFrame]
Cubes = Mapping[str, xr.Dataset]


def digest_tables(sweeps: Names, tables: Tables) -> dict[str, str]:
    """Return the digest of each slice of the tables of a campaign's dataset.

    Parameters
    ----------
    sweeps : mapping of str to sequence of str
        The sweeps of each study in the campaign's design.
    tables : mapping of str to DataFrame
        Every table of the dataset, by its name.
    """
    found = {slice_of_table(name): _digest_table(tables[name]) for name in TABLES_OF_CAMPAIGN}
    for study in sweeps:
        for name in TABLES_OF_STUDIES:
            found[slice_of_table(name, study)] = _digest_table(rows_of(tables[name], study))
    return found


def digest_cubes(sweeps: Names, cubes: Cubes) -> dict[str, str]:
    """Return the digest of each sweep.

    Parameters
    ----------
    sweeps : mapping of str to sequence of str
        The sweeps of each study in the campaign's design; a sweep without a cube has a digest, too.
    cubes : mapping of str to Dataset
        Every cube of the dataset, by the name of its group.
    """
    return {
        slice_of_sweep(study, sweep): _digest_cube(cubes.get(f"/{study}/{sweep}", xr.Dataset()))
        for study, names in sweeps.items()
        for sweep in names
    }


def write_digests(results: Path, studies: Iterable[str], digests: Mapping[str, str]) -> None:
    """Write the digest of each slice of a campaign's dataset.

    Parameters
    ----------
    results : Path
        The campaign's folder of results, with `dataset.nc`; the digests go to its folder `digests/`.
    studies : iterable of str
        The studies of the campaign, whose limits have a digest each.
    digests : mapping of str to str
        Those of tables and sweeps, as `digest_tables` and `digest_cubes` return them.
    """
    every = dict(digests)
    for study in studies:
        limits = open_limits(results / "dataset.nc", study)
        model = open_model(results / "dataset.nc", study)
        every[slice_of_limits(study)] = _digest(repr([*sorted(limits.items()), *sorted(model.items())]).encode())
    every[EVERYTHING] = _digest(repr(sorted(every.items())).encode())
    _write(results, every)


def write_claim_digests(results: Path, studies: Iterable[str], claims: pd.DataFrame, *tables: pd.DataFrame) -> None:
    """Write, for each study, a digest of everything that the page on its claims shows.

    Parameters
    ----------
    results : Path
        The campaign's folder of results.
    studies : iterable of str
        The studies of the campaign.
    claims : DataFrame
        Every claim with its ``source`` and ``verdict``; each page shows how many there are of each.
    *tables : DataFrame
        Other tables with a column ``source``. A page shows the rows of its study, or all rows if it has none.
    """
    counts = _digest_table(claims.groupby(["source", "verdict"], as_index=False).size())
    for study in studies:
        own = [rows if len(rows := rows_of(table, study)) else table for table in (claims, *tables)]
        digest = _digest(counts.encode(), *(_digest_table(rows).encode() for rows in own))
        _write(results, {slice_of_claims(study): digest})


def _write(results: Path, digests: Mapping[str, str]) -> None:
    for name, digest in digests.items():
        path = Path(place_digest(results, name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(digest + "\n", encoding="utf-8")


def _digest_table(table: pd.DataFrame) -> str:
    columns = [*zip(table.columns, map(str, table.dtypes), strict=True)]
    return _digest(repr(columns).encode(), pd.util.hash_pandas_object(table, index=False).to_numpy().tobytes())


def _digest_cube(cube: xr.Dataset) -> str:
    parts = [repr(sorted(cube.attrs.items())).encode()]
    for name in sorted(map(str, cube.variables)):
        variable = cube[name].variable
        parts.append(repr((name, variable.dims, variable.shape, sorted(variable.attrs.items()))).encode())
        parts.append(pd.util.hash_array(variable.values.ravel()).tobytes())
    return _digest(*parts)


def _digest(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
