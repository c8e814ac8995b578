"""How far the statistics hold: the tables of the simulation, with labels where they do not."""

from pathlib import Path
from typing import Any

import pandas as pd

from coldcache.analysis.tables import Table
from coldcache.statistics.simulation.intervals import TOO_NARROW, TOO_WIDE
from coldcache.statistics.simulation.rounds import DRIFT
from coldcache.statistics.simulation.stored_tables import TABLES, read_table

#: What each table holds.
CAPTIONS = {
    "coverage": "Share of campaigns, in %, whose 95 % interval covers the truth, over the repetitions of a case; "
    "† not to be trusted: too narrow; ‡ wider than stated",
    "rounds": "Share of campaigns whose 95 % intervals of a median and of a ratio cover the truth, if each round "
    "resembles the one before it; the correlation is measured over the 24 cases of a sweep, and widens intervals; "
    "seen: share of cases with a round in the mode of the median, more than which no interval covers",
    "knees": "Share of curves with 5 % noise whose knee is found within one level, and covered by its interval",
    "anomalies": "Share of curves in which a point is held for an anomaly: where it is none, and where it is 20 % low",
    "scalability": "Share of curves whose 95 % intervals cover contention, coherency, and rates beyond the last level",
    "verdicts": "Share of false verdicts on claims about peaks at the 5 % level; naive: rounds that choose also test",
    "errors": "Share of campaigns of five pairs with a false difference, a false alikeness, and a true alikeness found",
    "power": "Share of campaigns that find a true ratio as large as the smallest detectable one; 0.8 is promised",
    "corrections": "Sets of 20 comparisons, half of them real: any false finding, share of false ones, real ones found",
    "stopping": "The stop rule: mean repetitions, share that got narrow enough, coverage of the interval it ends with",
    "series": "Share of series whose interval of a percentile covers the truth, by the correlation of neighbours",
    "marks": "Share of clean cases with a mark, and of values 20 % low that are marked",
}  # fmt: skip

_MARKS = {TOO_NARROW: " †", TOO_WIDE: " ‡"}


class Reliability:
    """The tables of the simulation; notebooks and pages display them one below the other."""

    def __init__(self) -> None:
        self.tables = {name: read_table(name) for name in TABLES}

    def finding(self) -> str:
        """Return how many of the settings tried hold what they state, by kind."""
        coverage, rounds, knees, errors = (self.tables[name] for name in ("coverage", "rounds", "knees", "errors"))
        medians = coverage[(coverage.statistic == "median") & (coverage.n >= 5)]
        drifting = rounds.noise == DRIFT
        steady = rounds[~drifting]
        shares, mild = steady[["median", "ratio"]], steady.correlation < 0.8
        return (
            f"On simulated campaigns with skewed, drifting and bimodal noise, 95 % intervals of medians from five "
            f"repetitions on cover at least {100 * medians.coverage.min():.1f} %. If each round resembles the one "
            f"before by up to {rounds.correlation.max():g}, widened intervals of medians and ratios cover "
            f"{100 * shares.min().min():.1f} to {100 * shares.max().max():.1f} %, at least "
            f"{100 * shares[mild].min().min():.1f} % up to 0.4; a drift counts as correlation, and "
            f"widens those of medians too much. Knees are found within one level in 95 % of curves with 5 % "
            f"noise in {(knees.label == 'as stated').sum()} of {len(knees)} settings; tests keep their error rate with "
            f"{(errors.label == 'as stated').sum()} of {len(errors)} kinds of noise."
        )

    def warnings(self) -> str:
        """Return one line of Markdown for each table with settings that are not to be trusted."""
        lines = []
        for name, table in self.tables.items():
            if "label" in table:
                wide = int((table.label == TOO_WIDE).sum())
                count = int(table.label.str.startswith("not to be trusted").sum()) - wide
                wider = f", {wide} are wider than stated" if wide else ""
                if count + wide:
                    lines.append(f"- {name}: {count} of {len(table)} settings are not to be trusted{wider}.")
        return "\n".join(lines) or "All settings hold what they state."

    def costs(self) -> str:
        """Return the cost of running the simulation again."""
        return f"Running these simulations again takes {read_table('costs').seconds.sum():.0f} s of one core."

    def show(self) -> list[Table]:
        """Return one table for each kind of statement."""
        shown = []
        for name, table in self.tables.items():
            shown.append(Table(_pivot(table) if name == "coverage" else _in_words(table), table, CAPTIONS[name]))
            shown[-1].name = f"simulated-{name}"
        return shown

    def save(self, dataset: str | Path) -> "Reliability":
        """Write the tables beside the dataset as `tables/simulated-*.csv`, and return them."""
        for table in self.show():
            table.save(dataset, table.name)
        return self

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        bundles = [table._repr_mimebundle_() for table in self.show()]
        return {kind: "\n".join(bundle[kind] for bundle in bundles) for kind in ("text/plain", "text/html")}


def _pivot(table: pd.DataFrame) -> pd.DataFrame:
    """Return coverage in percent, one row per statistic and noise, over the repetitions."""
    shown = table.assign(
        cell=[f"{100 * row.coverage:.1f}{_MARKS.get(row.label, '')}" for row in table.itertuples()]
    ).pivot_table(index=["statistic", "noise"], columns="n", values="cell", aggfunc="first", sort=False)
    return shown.reset_index().rename_axis(columns=None)


def _in_words(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with three digits for every share and no underscores in its head."""
    shown = table.copy()
    for name in shown.select_dtypes("float").columns:
        shown[name] = [f"{value:.3g}" for value in shown[name]]
    return shown.rename(columns={name: name.replace("_", " ") for name in shown.columns})
