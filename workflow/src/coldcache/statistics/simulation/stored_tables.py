"""The tables of the simulation as they were measured once: `python -m coldcache simulate` measures them anew.

They take minutes, and follow from the statistics alone. What they were measured with is kept beside them as a digest,
so that a test tells when a change of the statistics has left them behind.
"""

import ast
import hashlib
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from coldcache.statistics.simulation import curves
from coldcache.statistics.simulation import intervals as campaigns
from coldcache.statistics.simulation import tests as decisions

#: Where they lie.
FOLDER = Path(__file__).with_name("tables")

_DIGEST, _COSTS = "sources.sha256", "costs.csv"

#: Every table by name.
TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "coverage": lambda: campaigns.coverage_table(methods=("order", "t")),
    "knees": curves.knee_table,
    "anomalies": curves.anomaly_table,
    "scalability": curves.scalability_table,
    "errors": decisions.error_table,
    "power": decisions.power_table,
    "corrections": decisions.correction_table,
    "stopping": decisions.stopping_table,
    "series": decisions.series_table,
    "marks": decisions.mark_table,
}


def measure_tables(folder: Path = FOLDER) -> pd.DataFrame:
    """Write every table, and return what each cost: ``table``, ``rows``, ``seconds`` (of one core)."""
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


def read_table(name: str, folder: Path = FOLDER) -> pd.DataFrame:
    """Return a table as it was measured; ``costs`` tells what each cost.

    Raises
    ------
    FileNotFoundError
        If there is no such table.
    """
    return pd.read_csv(folder / f"{name}.csv", keep_default_na=False)


def stored_digest(folder: Path = FOLDER) -> str:
    """Return the digest of the sources that the tables were measured with."""
    return (folder / _DIGEST).read_text().strip()


def digest_sources() -> str:
    """Return a digest of what the simulation tries and of itself, whatever their comments, docstrings and imports."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for folder in (package / "simulation", package, package / "scaling"):
        for path in sorted(folder.glob("*.py")):
            if path != Path(__file__):
                digest.update(ast.dump(_without_words(ast.parse(path.read_bytes()))).encode())
    return digest.hexdigest()


def _without_words(tree: ast.Module) -> ast.Module:
    """Return a module without its docstrings, and without imports, whose place changes no result."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node, clean=False) else node.body
            node.body = [part for part in body if not isinstance(part, ast.Import | ast.ImportFrom)]
    return tree
