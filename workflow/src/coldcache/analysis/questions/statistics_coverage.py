"""How far the statistics hold: the tables of the simulation, with labels where they do not."""

import pandas as pd

from coldcache.statistics.simulation.labels import NONE_GIVEN, TOO_NARROW, TOO_WIDE
from coldcache.statistics.simulation.stored_tables import TABLES, read_stored_table
from coldcache.statistics.simulation.verdicts import FAMILY

#: What each table holds.
CAPTIONS = {
    "coverage": "Share of campaigns, in %, whose interval of a median covers it, by the repetitions of a case that do "
    "not depend on their rounds; the interval of five states 93.8 %, the others 95 %; † too narrow; ‡ too wide",
    "rounds": "Share of campaigns whose 95 % intervals cover the truth, if rounds drift or each run of a case "
    "resembles the one before it: of a median over the campaign's rounds, of the ratio of two cases, and of the change "
    "of a case between two campaigns; drift and correlation are measured over the 24 cases of a sweep; given: the "
    "share of cases that have an interval; error: the largest standard error of these shares",
    "few": "The same in a sweep of six cases, which show a correlation less well",
    "knees": "Share of curves with 5 % noise whose knee is found within one level, and is covered by its interval "
    "where one is given; narrowest: the least width, in steps between thread counts",
    "anomalies": "Share of curves in which a point is taken for an anomaly: where it is none, and where it is 20 % low",
    "scalability": "Share of curves whose 95 % intervals cover contention, coherency, and rates beyond the last level",
    "verdicts": "Share of false verdicts by kind of claim at the 5 % level, at the worst of four noises, and share of "
    "true claims found that lie 20 % beyond the limit; in the last rows, of campaigns with any false verdict after "
    "Holm's correction",
    "power": "Share of campaigns that find a true ratio as large as the smallest detectable one; 0.8 is promised",
    "corrections": "Sets of 20 comparisons, half of them real: any false finding, share of false ones, real ones found",
    "stopping": "The stop rule: mean repetitions, share that got narrow enough, coverage of the interval it ends with",
    "series": "Share of series whose interval of a percentile covers the truth, by the correlation of neighbours",
    "marks": "Share of clean cases with a mark, and of values 20 % low that are marked",
}  # fmt: skip

_MARKS = {TOO_NARROW: " †", TOO_WIDE: " ‡"}


class Reliability:
    """The tables of the simulation, by name.

    Attributes
    ----------
    tables : dict of str to DataFrame
        As stored; `CAPTIONS` says what each of them holds.
    """

    def __init__(self) -> None:
        self.tables = {name: read_stored_table(name) for name in TABLES}

    def title(self) -> str:
        """Return how often intervals of medians cover the truth, as a title."""
        shares = 100 * self.tables["coverage"].coverage
        return f"Intervals of a median cover the truth in {shares.min():.0f} to {shares.max():.0f} % of campaigns"

    def finding(self) -> str:
        """Return how far intervals, verdicts and knees hold what they state, in a few sentences."""
        rounds, verdicts, knees = (self.tables[name] for name in ("rounds", "verdicts", "knees"))
        shares = _numbers(rounds[rounds.label != NONE_GIVEN], "median", "ratio", "change")
        few = _numbers(self.tables["few"].query(f"label != '{NONE_GIVEN}'"), "median", "ratio")
        independent = _numbers(self.tables["few"].query("correlation == 0"), "median", "ratio")
        covered = _numbers(knees[knees.given > 0], "covered")
        none = "; ".join(
            f"{row.noise} at {row.rounds} rounds and a correlation of {row.correlation:g}: {_percent(1 - row.given)} % "
            f"have none, {_percent(row.given * (1 - float(row.median)))} % one that misses"
            for row in rounds[rounds.label == NONE_GIVEN].itertuples()
        )
        refused = f" Cases mostly have none with {none}." if none else ""
        return (
            f"On simulated campaigns with skewed, drifting and bimodal noise, and correlations of neighbouring runs up "
            f"to {rounds.correlation.max():g}, 95 % intervals of medians, ratios and changes from "
            f"{rounds.rounds.min()} to {rounds.rounds.max()} rounds cover {_percent(shares.min())} to "
            f"{_percent(shares.max())} % in sweeps of 24 cases.{refused} Six cases show a correlation less well: "
            f"there intervals of independent runs cover at least {_percent(independent.min())} %, of correlated ones "
            f"at least {_percent(few.min())} %. Verdicts on claims of one kind are false in at most "
            f"{_percent(verdicts.false_verdicts.max())} % of campaigns, on all together in at most "
            f"{_percent(verdicts[verdicts.claim == FAMILY].false_verdicts.max())} %. Intervals of knees cover at least "
            f"{_percent(covered.min())} % and span at least one step of the thread counts."
        )

    def warnings(self) -> str:
        """Return one line of Markdown for each table with settings that are not to be trusted."""
        lines = []
        for name, table in self.tables.items():
            if "label" in table:
                wide = int((table.label == TOO_WIDE).sum())
                count = int(table.label.str.startswith("not to be trusted").sum()) - wide
                wider = f", {wide} {'is' if wide == 1 else 'are'} wider than stated" if wide else ""
                verb = "is" if count == 1 else "are"
                if count + wide:
                    lines.append(f"- {name}: {count} of {len(table)} settings {verb} not to be trusted{wider}.")
        return "\n".join(lines) or "All settings hold what they state."

    def costs(self) -> str:
        """Return the cost of running the simulation again."""
        return f"Running these simulations again takes {read_stored_table('costs').seconds.sum():.0f} s of one core."

    def in_words(self, name: str) -> pd.DataFrame:
        """Return a table with its numbers as text; that of the coverage has a column per number of repetitions."""
        return _pivot(self.tables[name]) if name == "coverage" else _in_words(self.tables[name])


def _numbers(table: pd.DataFrame, *columns: str) -> pd.Series:
    """Return the numbers in some columns of a table, one after the other; an empty cell is none."""
    return pd.concat([pd.to_numeric(table[column]) for column in columns]).dropna()


def _percent(share: float) -> str:
    """Return a share in percent with one decimal."""
    return f"{100 * share:.1f}"


def _pivot(table: pd.DataFrame) -> pd.DataFrame:
    """Return coverage in percent, one row per noise, over the repetitions."""
    shown = table.assign(
        cell=[f"{100 * row.coverage:.1f}{_MARKS.get(row.label, '')}" for row in table.itertuples()]
    ).pivot_table(index="noise", columns="n", values="cell", aggfunc="first", sort=False)
    return shown.reset_index().rename_axis(columns=None)


def _in_words(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with three digits for every share and no underscores in its head."""
    shown = table.copy()
    for name in shown.select_dtypes("float").columns:
        shown[name] = [f"{value:.3g}" for value in shown[name]]
    return shown.rename(columns={name: name.replace("_", " ") for name in shown.columns})
