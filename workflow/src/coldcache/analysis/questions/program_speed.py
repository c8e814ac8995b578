"""The speed of the program itself: the stored figures of the bench, their goals, and their trend over commits."""

import json
from collections.abc import Iterable
from pathlib import Path
from textwrap import fill
from typing import Any

import pandas as pd

from coldcache.analysis.questions.program_speed_goals import FIGURES, format_speed
from coldcache.analysis.tables import Table
from coldcache.core.errors import NoData

#: A line for each figure, commit and machine.
STORED = Path(__file__).with_suffix(".jsonl")

LedgerEntry = dict[str, Any]


def read_entries(path: Path = STORED) -> list[LedgerEntry]:
    """Return every figure that `make bench STORE=1` has kept, the oldest first."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def latest(entries: Iterable[LedgerEntry]) -> dict[str, LedgerEntry]:
    """Return the newest entry of each figure, in the order of the goals."""
    newest = {entry["figure"]: entry for entry in entries}
    return {name: newest[name] for name in FIGURES if name in newest}


class Speed:
    """The stored figures of the machine that measured last.

    Raises
    ------
    NoData
        If none is stored.
    """

    def __init__(self, entries: list[LedgerEntry] | None = None):
        stored = read_entries() if entries is None else entries
        if not stored:
            raise NoData("make bench STORE=1 has kept no figure")
        self.machine: str = stored[-1]["machine"]
        self.entries = [entry for entry in stored if entry["machine"] == self.machine]
        self.newest = latest(self.entries)
        self.missed = [name for name, entry in self.newest.items() if not FIGURES[name].is_met(entry["value"])]

    def finding(self) -> str:
        """Return how many goals are kept, on what machine and when, and which are not, as a sentence."""
        kept = len(self.newest) - len(self.missed)
        date = max(entry["date"] for entry in self.newest.values())
        said = f"{kept} of {len(self.newest)} goals for the program itself are kept on {self.machine} ({date})."
        missed = "; ".join(FIGURES[name].what for name in self.missed)
        return said + (f" Missed: {missed}." if missed else "")

    def list_shares(self) -> pd.DataFrame:
        """Return one row per figure: ``what`` with its value, ``share`` of its goal (1 is the goal), and ``row``."""
        names = [
            fill(f"{FIGURES[name].what}: {format_speed(entry['value'], FIGURES[name].unit)}", 44)
            for name, entry in self.newest.items()
        ]
        shares = [FIGURES[name].share(entry["value"]) for name, entry in self.newest.items()]
        return pd.DataFrame({"what": names, "share": shares, "row": range(len(names))})

    def title(self) -> str:
        """Return how many goals are kept, as a title."""
        return f"{len(self.newest) - len(self.missed)} of {len(self.newest)} goals are kept"

    def caption(self) -> str:
        """Return how to read a figure of the goals."""
        return (
            "Each mark is the newest figure over its goal; of a rate, its goal over the figure; of a range, the "
            "distance from its middle. Left of the dashed line the goal is kept."
        )

    def tabulate_goals(self) -> Table:
        """Return one row per figure with its goal, its floor, and why it misses its goal."""
        rows = []
        for name, entry in self.newest.items():
            figure, floor = FIGURES[name], entry["floor"]
            rows.append({
                "what": figure.what, "measured": format_speed(entry["value"], figure.unit),
                "goal": figure.format_goal(), "missed": figure.describe_miss(entry["value"], floor) or "",
                "floor": "" if floor is None else f"{format_speed(floor, figure.unit)}: {figure.floor}",
                "commit": entry["commit"],
            })  # fmt: skip
        numbers = pd.DataFrame([
            {key: entry[key] for key in ("figure", "value", "floor", "low", "high", "commit", "date", "load")}
            | {"unit": FIGURES[name].unit, "least": FIGURES[name].least, "most": FIGURES[name].most}
            for name, entry in self.newest.items()
        ])  # fmt: skip
        return Table(pd.DataFrame(rows), numbers, f"Each figure with its goal and its floor, on {self.machine}")

    def trend(self) -> pd.DataFrame:
        """Return a row per commit, in their order, and a column per figure that two of them have."""
        table = pd.DataFrame(self.entries)
        wide = table.pivot_table(index="commit", columns="figure", values="value", aggfunc="last", sort=False)
        known = [name for name in FIGURES if name in wide and wide[name].notna().sum() > 1]
        return wide[known].dropna(how="all")

    def list_trend(self) -> pd.DataFrame:
        """Return one row per figure and commit that has it: ``what`` with its unit, ``commit``, ``value``, ``most``."""
        rows = [
            {"what": _wrap(f"{FIGURES[name].what}, {FIGURES[name].unit or '1'}"), "commit": str(commit)[:7] + mark,
             "value": value, "most": FIGURES[name].most}
            for name, values in self.trend().items()
            for commit, value in values.dropna().items()
            for mark in ["+" if str(commit).endswith("+") else ""]
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["what", "commit", "value", "most"])

    def describe_trend(self) -> str | None:
        """Return over how many commits figures are known, and which changed the most; None where there is no trend."""
        trend = self.trend()
        if trend.empty:
            return None
        known = {name: trend[name].dropna() for name in trend}
        ratios = {name: values.iloc[-1] / values.iloc[0] for name, values in known.items() if values.iloc[0]}
        changed = max(ratios, key=lambda name: abs(ratios[name] - 1))
        return f"Over {len(trend)} commits this changed most, {ratios[changed]:.2f} times: {FIGURES[changed].what}"

    def tabulate_trend(self) -> Table:
        """Return one row per figure and a column per commit."""
        trend = self.trend()
        shown = pd.DataFrame({"what": [FIGURES[name].what for name in trend]})
        for commit, values in trend.iterrows():
            shown[str(commit)] = [
                "" if value != value else format_speed(value, FIGURES[str(name)].unit) for name, value in values.items()
            ]
        return Table(shown, trend.T.reset_index(), "The same figures commit by commit; + marks files that differ")


def _wrap(text: str) -> str:
    """Return a title in lines that fit a panel."""
    return fill(text, 32)
