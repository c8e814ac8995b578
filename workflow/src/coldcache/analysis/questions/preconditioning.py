"""How the target was written before the first trial, and whether its rate was steady then."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from coldcache.core.units import show_bytes, show_percent, show_rate
from coldcache.dataset.reader import open_table

#: Rounds that show whether a rate is steady.
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Preconditioning:
    """What was written to a campaign's target before the first trial.

    Attributes
    ----------
    parts : DataFrame
        One row per pass and round, as the dataset has them; none for a target that was measured as it was found.
    """

    parts: pd.DataFrame

    def describe(self) -> str:
        """Return what was written, whether it became steady, and whether anything counted it, in sentences."""
        if self.parts.empty:
            return "The target was measured as it was found: nothing was written to fill it first."
        told = self._describe_fill()
        if self.parts.iloc[0].written_bytes > 0:
            return told
        return f"{told} How much of it the device or server took is not known, as neither counted it."

    def _describe_fill(self) -> str:
        first, rounds = self.parts.iloc[0], self.parts[self.parts.operation == "random-write"]
        passes = len(self.parts) - len(rounds)
        times = {1: "once", 2: "twice"}.get(passes, f"{passes} times")
        done = (
            f"Before the first trial {show_bytes(int(first.fill_bytes))} of {first.path} were written {times} from "
            f"beginning to end, then at random in {len(rounds)} rounds"
        )
        if first.is_steady:
            return f"{done}, until they were steady: {self._compare(rounds)}."
        reached = f"{len(rounds)} rounds" if first.ended_by == "rounds" else "time"
        reason = self._compare(rounds) if len(rounds) >= _ROUNDS else "only five rounds can show it"
        return (
            f"{done}. They were not steady when the limit of {reached} was reached: {reason}. The rates of trials may "
            "still be falling, too."
        )

    def _compare(self, rounds: pd.DataFrame) -> str:
        first, mean = self.parts.iloc[0], show_rate(float(rounds.rate.tail(_ROUNDS).mean()), "B/s")
        return (
            f"the last five differ by {show_percent(first.spread)} of their mean, {mean}, and change by "
            f"{show_percent(abs(first.slope))} along a line; steady are at most {show_percent(first.most_spread)} and "
            f"{show_percent(first.most_slope)}"
        )

    def in_words(self) -> pd.DataFrame:
        """Return one row per pass and round: its rate, and the place in its raw log that states it."""
        rows = list(self.parts.itertuples())
        return pd.DataFrame({
            "part": self.parts.part, "rate": [show_rate(row.rate, "B/s") for row in rows],
            "time": [f"{row.seconds:.3g} s" for row in rows], "log": self.parts.log,
            "bytes of the log": [f"{row.offset} to {row.offset + row.length}" for row in rows],
        })  # fmt: skip


def open_preconditioning(dataset: str | Path) -> Preconditioning:
    """Return what was written to a campaign's target before the first trial."""
    return Preconditioning(open_table(Path(dataset), "precondition"))
