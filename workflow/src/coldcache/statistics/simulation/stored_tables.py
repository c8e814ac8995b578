"""Store the tables of the simulation: `python -m coldcache simulate` computes them again.

They take minutes and only depend on the statistics. A digest of the sources lies beside them, so that a test detects
when a change of the statistics has made them outdated.
"""

import ast
import hashlib
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from coldcache.statistics.neighbours import store_products
from coldcache.statistics.simulation import curves, rounds, verdicts
from coldcache.statistics.simulation import intervals as campaigns
from coldcache.statistics.simulation import tests as decisions

#: Where they lie.
TABLES_FOLDER = Path(__file__).with_suffix("")

_DIGEST, _COSTS = "sources.sha256", "costs.csv"

#: Every table by name.
TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "coverage": campaigns.coverage_table,
    "rounds": rounds.rounds_table,
    "few": rounds.few_table,
    "knees": curves.knee_table,
    "anomalies": curves.anomaly_table,
    "scalability": curves.scalability_table,
    "verdicts": verdicts.verdict_table,
    "power": decisions.power_table,
    "corrections": decisions.correction_table,
    "stopping": decisions.stopping_table,
    "series": decisions.series_table,
    "marks": decisions.mark_table,
}


def measure_tables(folder: Path = TABLES_FOLDER) -> pd.DataFrame:
    """Write every table, and return the cost of each: ``table``, ``rows``, ``seconds`` (of one core).

    First simulate what the statistics themselves store.
    """
    store_products()
    folder.mkdir(parents=True, exist_ok=True)
    costs = []
    for name, measure in TABLES.items():
        start = time.process_time()
        table = measure()
        costs.append((name, len(table), round(time.process_time() - start, 1)))
        table.round(6).to_csv(folder / f"{name}.csv", index=False)
    found = pd.DataFrame(costs, columns=["table", "rows", "seconds"])
    found.to_csv(folder / _COSTS, index=False)
    (folder / _DIGEST).write_text(digest_sources() + "\n")
    return found


def read_stored_table(name: str, folder: Path = TABLES_FOLDER) -> pd.DataFrame:
    """Return a stored table; ``costs`` holds the cost of each.

    Raises
    ------
    FileNotFoundError
        If there is no such table.
    """
    return pd.read_csv(folder / f"{name}.csv", keep_default_na=False)


def stored_digest(folder: Path = TABLES_FOLDER) -> str:
    """Return the digest of the sources with which the tables were computed."""
    return (folder / _DIGEST).read_text().strip()


def digest_sources() -> str:
    """Return a digest of the statistics and the simulation; comments, docstrings and imports do not count."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for folder in (package / "simulation", package, package / "scaling"):
        for path in sorted(folder.glob("*.py")):
            if path != Path(__file__):
                digest.update(ast.dump(_without_words(ast.parse(path.read_bytes()))).encode())
    return digest.hexdigest()


def _without_words(tree: ast.Module) -> ast.Module:
    """Return a module without docstrings and imports, which change no result."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node, clean=False) else node.body
            node.body = [part for part in body if not isinstance(part, ast.Import | ast.ImportFrom)]
    return tree
