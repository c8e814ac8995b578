"""Whether the system stayed the same while it was measured, and whether cases were repeated often enough."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from coldcache.analysis.format import show_change, show_level
from coldcache.analysis.report_links import page_of
from coldcache.core.units import show_rate
from coldcache.dataset.reader import COUNTED, open_table
from coldcache.statistics.stopping import LOOKED_AT

#: The reason of a case whose interval became as narrow as the study asks.
NARROW = "narrow enough"


@dataclass(frozen=True, slots=True)
class SentinelTrials:
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

    def describe(self) -> str:
        """Return how far the sentinel was off its median, as a sentence."""
        if self.trials.empty:
            return f"The study {self.study} names no sentinel: drift shows in its own trials alone."
        name, there = self.trials.sweep.iloc[0], self.counted
        if there.empty:
            return f"None of the {len(self.trials)} trials of the sentinel {name} counts."
        allowed = there.allowed.iloc[0]
        beyond = int((there.drift.abs() > allowed).sum())
        return (
            f"The sentinel {name} ran {len(there)} times; it was at most {show_change(self._furthest())} off its "
            f"median, {f'{beyond} times' if beyond else 'never'} beyond the {100 * allowed:.3g} % that the site allows."
        )

    @property
    def counted(self) -> pd.DataFrame:
        """The trials that count."""
        return self.trials[self.trials.verdict.isin(COUNTED) & self.trials.figure.notna()]

    @property
    def unit(self) -> str:
        """The stored unit of the figures."""
        return str(self.trials.unit.iloc[0])

    @property
    def quantity(self) -> str:
        """What the figures are, as the label of an axis."""
        return {"B/s": "throughput", "1/s": "operations"}.get(self.unit, "figure")

    @property
    def path(self) -> str:
        """The sweep of the sentinel as ``study/sweep``."""
        return f"{self.study}/{self.trials.sweep.iloc[0]}"

    @property
    def allowed(self) -> float:
        """The site's tolerance: how far a trial of the sentinel may be from its median, as a share."""
        return float(self.trials.allowed.iloc[0])

    def title(self) -> str:
        """Return the title of a figure of the sentinel."""
        return f"The sentinel was at most {show_change(self._furthest())} off its median"

    def caption(self) -> str:
        """Return how to read a figure of the sentinel."""
        return (
            f"Dots: {len(self.trials):,} trials of {self.trials.sweep.iloc[0]}; hollow: suspect; crosses on the axis: "
            f"do not count. Line: their median. Dashed: {100 * self.allowed:.3g} % off it."
        )

    def numbers(self) -> pd.DataFrame:
        """Return one row per trial: when it ran, its verdict, its figure, and how far that is off the median."""
        columns = {
            "repetition": "repetition", "minutes": "time (min)", "verdict": "verdict",
            "figure": f"figure ({self.unit})", "drift": "off the median (1)", "allowed": "allowed (1)",
        }  # fmt: skip
        return self.trials[[*columns]].rename(columns=columns)

    def in_words(self, **figures: float) -> pd.DataFrame:
        """Return one row: how many trials ran and count, some figures of those that count, and the furthest off."""
        return pd.DataFrame([{
            "sentinel": self.trials.sweep.iloc[0], "trials": len(self.trials), "that count": len(self.counted),
            **{name: show_rate(float(figure), self.unit) for name, figure in figures.items()},
            "furthest off": show_change(self._furthest()), "allowed": f"{100 * self.allowed:.3g} %",
        }])  # fmt: skip

    def _furthest(self) -> float:
        drift = self.counted.drift
        return float(drift[drift.abs().idxmax()])


@dataclass(frozen=True, slots=True)
class Repetitions:
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

    def describe(self) -> str:
        """Return how many cases ended for which reason, as a sentence."""
        if self.cases.empty:
            return f"The study {self.study} has no stop rule: its design names how often each case is repeated."
        parts = [
            f"{reason} in {len(own)} ({_span(own.trials)})" for reason, own in self.cases.groupby("reason", sort=False)
        ]
        return f"A stop rule ends {len(self.cases)} case{'s' if len(self.cases) != 1 else ''}: {', '.join(parts)}."

    @property
    def known(self) -> pd.DataFrame:
        """The cases whose interval has a width, with ``page``, their page in the report."""
        if self.cases.empty:
            return self.cases
        known = self.cases[self.cases.relative_width > 0]
        return known.assign(page=[page_of(row.study, row.sweep, row.case) for row in known.itertuples()])

    def title(self) -> str:
        """Return the title of a figure of the widths."""
        narrow, most = int((self.cases.reason == NARROW).sum()), int(self.cases.trials.max())
        widths = " or ".join(f"±{100 * width / 2:.3g} %" for width in sorted(self.cases.asked.unique()))
        return f"{narrow or 'None'} of {len(self.cases)} cases reached {widths} within {most} runs"

    def caption(self) -> str:
        """Return how to read a figure of the widths."""
        left = len(self.cases) - len(self.known)
        more = f" {left} without a width: see the table." if left else ""
        return (
            f"Dots: {len(self.known):,} cases, {show_level(LOOKED_AT)} intervals; hollow: not as narrow as asked. "
            f"Dashed: the width that was asked for.{more}"
        )

    def caption_table(self) -> str:
        """Return what a table of the cases shows."""
        return (
            "Cases by the reason why they were repeated no more, and the relative width of the intervals that decide: "
            f"{show_level(LOOKED_AT)}, each case by itself"
        )

    def sweeps(self) -> list[str]:
        """Return the sweeps of the cases as ``study/sweep``."""
        return [f"{row.study}/{row.sweep}" for row in self.cases.itertuples()]

    def numbers(self) -> pd.DataFrame:
        """Return one row per case, with headings that state units."""
        named = {"trials": "trials (1)", "relative_width": "relative width (1)", "asked": "asked (1)"}
        return self.cases.drop(columns="study").rename(columns=named)


def open_sentinel(dataset: str | Path, study: str) -> SentinelTrials:
    """Return the sentinel of a study as a campaign's dataset holds it."""
    own = open_table(Path(dataset), "drift", study)
    started = pd.to_datetime(own.start, errors="coerce", utc=True)
    return SentinelTrials(study, own.assign(minutes=(started - started.min()).dt.total_seconds() / 60))


def open_repetitions(dataset: str | Path, study: str) -> Repetitions:
    """Return the cases of a study that a stop rule ends."""
    return Repetitions(study, open_table(Path(dataset), "repetitions", study))


def _span(counts: pd.Series) -> str:
    """Return the fewest and the most of some counts of trials: ``5 trials``, ``5 to 11 trials``."""
    fewest, most = int(counts.min()), int(counts.max())
    return f"{fewest} trials" if fewest == most else f"{fewest} to {most} trials"
