"""Whether the system held still while it was measured, and whether cases were repeated often enough."""

from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from coldcache.analysis.figures import Picture, draw_repetitions, draw_sentinel
from coldcache.analysis.tables import Table
from coldcache.core.units import show_rate
from coldcache.dataset.reader import COUNTED, open_table


class Sentinel(NamedTuple):
    """The case that a study repeats through a campaign.

    Attributes
    ----------
    study : str
        The study.
    trials : DataFrame
        Columns as `cubes.tabulate_drift` has them, and ``minutes`` since the first one; no row where there is none.
    """

    study: str
    trials: pd.DataFrame

    def tell(self) -> str:
        """Return how far the sentinel was off its median, as a sentence."""
        if self.trials.empty:
            return f"The study {self.study} names no sentinel: drift shows in its own trials alone."
        name, there = self.trials.sweep.iloc[0], self._counted()
        if there.empty:
            return f"None of the {len(self.trials)} trials of the sentinel {name} counts."
        allowed = there.allowed.iloc[0]
        beyond = int((there.drift.abs() > allowed).sum())
        return (
            f"The sentinel {name} ran {len(there)} times; it was at most {self._furthest():+.0%} off its median, "
            f"{f'{beyond} times' if beyond else 'never'} beyond the {allowed:.0%} that the site allows."
        )

    def draw(self, dataset: str | Path) -> Picture | None:
        """Return its chart, saved beside the dataset; None where nothing of it counts."""
        if self._counted().empty:
            return None
        picture = draw_sentinel(self.trials, f"The sentinel was at most {self._furthest():+.0%} off its median")
        return picture.save(dataset, f"{self.study}-sentinel")

    def tabulate(self, dataset: str | Path) -> Table | None:
        """Return its median and extremes, saved with every trial as CSV; None where nothing of it counts."""
        there = self._counted()
        if there.empty:
            return None
        unit = str(there.unit.iloc[0])
        figures = {"lowest": there.figure.min(), "median": there.figure.median(), "highest": there.figure.max()}
        shown = pd.DataFrame([{
            "sentinel": there.sweep.iloc[0], "trials": len(self.trials), "that count": len(there),
            **{name: show_rate(float(figure), unit) for name, figure in figures.items()},
            "furthest off": f"{self._furthest():+.1%}", "allowed": f"{there.allowed.iloc[0]:.0%}",
        }])  # fmt: skip
        columns = {"repetition": "repetition", "minutes": "time (min)", "verdict": "verdict",
                   "figure": f"figure ({unit})", "drift": "off the median (1)", "allowed": "allowed (1)"}  # fmt: skip
        numbers = self.trials[[*columns]].rename(columns=columns)
        table = Table(shown, numbers, "The sentinel through the campaign")
        return table.save(dataset, f"{self.study}-sentinel")

    def _counted(self) -> pd.DataFrame:
        return self.trials[self.trials.verdict.isin(COUNTED) & self.trials.figure.notna()]

    def _furthest(self) -> float:
        drift = self._counted().drift
        return float(drift[drift.abs().idxmax()])


class Repetitions(NamedTuple):
    """The cases of a study that a stop rule ends.

    Attributes
    ----------
    study : str
        The study.
    cases : DataFrame
        Columns as `cubes.tabulate_repetitions` has them; no row where there is no stop rule.
    """

    study: str
    cases: pd.DataFrame

    def tell(self) -> str:
        """Return how many cases ended for which reason, as a sentence."""
        if self.cases.empty:
            return f"The study {self.study} has no stop rule: its design names how often each case is repeated."
        parts = [
            f"{len(own)} {reason} ({_span(own.trials)})" for reason, own in self.cases.groupby("reason", sort=False)
        ]
        return f"A stop rule ends {len(self.cases)} cases: {', '.join(parts)}."

    def draw(self, dataset: str | Path) -> Picture | None:
        """Return a figure of the widths that were reached, saved beside the dataset; None where there is none."""
        if self.cases.empty or self.cases.relative_width.isna().all():
            return None
        narrow = int((self.cases.reason == "narrow enough").sum())
        picture = draw_repetitions(self.cases, f"{narrow} of {len(self.cases)} cases became as narrow as asked")
        return picture.save(dataset, f"{self.study}-repetitions")

    def tabulate(self, dataset: str | Path) -> Table | None:
        """Return one row per sweep and reason, saved with every case as CSV; None where there is no stop rule."""
        if self.cases.empty:
            return None
        rows: list[dict[str, Any]] = [
            {
                "sweep": sweep, "ended because": reason, "cases": len(own), "trials of each": _span(own.trials),
                "widest": f"{own.relative_width.max():.1%}" if own.relative_width.notna().any() else "–",
                "asked": f"{own.asked.iloc[0]:.1%}",
            }
            for (sweep, reason), own in self.cases.groupby(["sweep", "reason"], sort=False)
        ]  # fmt: skip
        named = {"trials": "trials (1)", "relative_width": "relative width (1)", "asked": "asked (1)"}
        table = Table(
            pd.DataFrame(rows), self.cases.drop(columns="study").rename(columns=named),
            "Cases by the reason why they were repeated no more, and the relative width of their intervals",
        )  # fmt: skip
        return table.save(dataset, f"{self.study}-repetitions")


def open_sentinel(dataset: str | Path, study: str) -> Sentinel:
    """Return the sentinel of a study as a campaign's dataset holds it."""
    own = open_table(Path(dataset), "drift", study)
    started = pd.to_datetime(own.start, errors="coerce", utc=True)
    return Sentinel(study, own.assign(minutes=(started - started.min()).dt.total_seconds() / 60))


def open_repetitions(dataset: str | Path, study: str) -> Repetitions:
    """Return the cases of a study that a stop rule ends."""
    return Repetitions(study, open_table(Path(dataset), "repetitions", study))


def _span(counts: pd.Series) -> str:
    """Return the fewest and the most of some counts of trials: ``5 trials``, ``5 to 11 trials``."""
    fewest, most = int(counts.min()), int(counts.max())
    return f"{fewest} trials" if fewest == most else f"{fewest} to {most} trials"
