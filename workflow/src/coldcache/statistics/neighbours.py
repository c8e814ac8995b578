"""How alike neighbouring runs of a case are, and how alike they are expected to be for each correlation.

What is expected is simulated, once for all: `neighbours.csv` has it for as many rounds as campaigns have.
"""

import csv
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

import numpy as np

from coldcache.statistics.array import Array, mean_there
from coldcache.statistics.series import simulate

#: The largest correlation that an interval can be widened for.
MOST_CORRELATION = 0.9

#: Correlations for which the expected products are simulated; those between are interpolated.
CORRELATIONS = np.linspace(0, MOST_CORRELATION, 19)

#: Series simulated for each of them.
FEWER_SERIES = 10_000

#: Numbers of rounds whose expected products are stored, and where.
STORED = range(3, 41)
PRODUCTS = Path(__file__).with_name("neighbours.csv")

_COLUMNS = ("n", "ranked", "correlation", "mean", "spread")

#: Decimals that are the same on every processor.
_DIGITS = 12


def neighbour_products(rows: Array, ranked: bool) -> Array:
    """Return the sum of products of neighbours within each row, over that of their squares; NaN for an empty row."""
    values = rows
    if ranked:
        values = np.where(np.isnan(rows), np.nan, _ranks(rows))
        values = values - mean_there(values, -1)[..., None]
    squares = np.nansum(values**2, axis=-1)
    products = np.nansum(values[..., 1:] * values[..., :-1], axis=-1)
    return np.where(squares > 0, products / np.where(squares > 0, squares, 1), np.nan)


def _ranks(rows: Array) -> Array:
    """Return the rank of each value within its row; equal values share the mean of theirs."""
    order = rows.argsort(axis=-1, kind="stable")
    ordered = np.take_along_axis(rows, order, -1)
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(rows.shape[-1], dtype=float), rows.shape), -1)
    if (ordered[..., 1:] == ordered[..., :-1]).any():
        turned = rows[..., ::-1].argsort(axis=-1, kind="stable").argsort(axis=-1)
        ranks = (ranks + turned[..., ::-1]) / 2
    return ranks


@lru_cache(maxsize=64)
def expected_products(n: int, ranked: bool) -> tuple[Array, Array]:
    """Return mean and standard deviation of what `neighbour_products` finds in `n` rounds, for `CORRELATIONS`."""
    return _read_products()[n, ranked] if n in STORED else simulate_products(n, ranked)


def simulate_products(n: int, ranked: bool) -> tuple[Array, Array]:
    """Return mean and standard deviation of what `neighbour_products` finds, for each of `CORRELATIONS`."""
    found = []
    for correlation in CORRELATIONS:
        series = simulate(n, float(correlation), FEWER_SERIES)
        products = neighbour_products(series - series.mean(axis=1, keepdims=True), ranked)
        found.append((products.mean(), products.std()))
    means, spreads = np.array(found).T
    return np.maximum.accumulate(means), spreads


def store_products(path: Path = PRODUCTS) -> None:
    """Simulate the expected products again, and store them."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for n in STORED:
            for ranked in (False, True):
                rows = np.stack([CORRELATIONS, *simulate_products(n, ranked)], axis=1).round(_DIGITS).tolist()
                writer.writerows([n, int(ranked), *row] for row in rows)


@cache
def _read_products() -> dict[tuple[int, bool], tuple[Array, Array]]:
    with PRODUCTS.open(newline="") as file:
        _, *rows = csv.reader(file)
    found = {}
    for (n, ranked), of_key in groupby(rows, key=lambda row: row[:2]):
        means, spreads = np.array([row[3:] for row in of_key], float).T
        found[int(n), ranked == "1"] = (means, spreads)
    return found
