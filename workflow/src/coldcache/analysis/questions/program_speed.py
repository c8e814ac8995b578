"""How fast the program itself is, as a page shows it: what the bench has stored, beside its goals and over commits."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from coldcache.analysis.figures import Picture, draw_goals, draw_trend
from coldcache.analysis.questions.program_speed_goals import FIGURES, show_value
from coldcache.analysis.tables import Table
from coldcache.core.errors import NoData

#: A line for each figure, commit and machine.
STORED = Path(__file__).with_suffix(".jsonl")

Entry = dict[str, Any]


def read_entries(path: Path = STORED) -> list[Entry]:
    """Return every figure that `make bench STORE=1` has kept, the oldest first."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def latest(entries: Iterable[Entry]) -> dict[str, Entry]:
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

    def __init__(self, entries: list[Entry] | None = None):
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

    def draw_goals(self) -> Picture:
        """Return how much of its goal each figure takes, as a figure."""
        shares = {
            f"{FIGURES[name].what}: {show_value(entry['value'], FIGURES[name].unit)}":
            FIGURES[name].share(entry["value"])
            for name, entry in self.newest.items()
        }  # fmt: skip
        kept = len(self.newest) - len(self.missed)
        return draw_goals(shares, f"{kept} of {len(shares)} goals are kept")

    def tabulate_goals(self) -> Table:
        """Return one row per figure with its goal, what it was held against, and why it misses its goal."""
        rows = [
            {
                "what": figure.what, "measured": show_value(entry["value"], figure.unit), "goal": figure.show_goal(),
                "missed": figure.tell_miss(entry["value"], entry["floor"]),
                "floor": "" if entry["floor"] is None else f"{show_value(entry['floor'], figure.unit)}: {figure.floor}",
                "commit": entry["commit"],
            }
            for name, entry in self.newest.items()
            for figure in [FIGURES[name]]
        ]  # fmt: skip
        numbers = pd.DataFrame([
            {key: entry[key] for key in ("figure", "value", "floor", "low", "high", "commit", "date", "load")}
            | {"unit": FIGURES[name].unit, "least": FIGURES[name].least, "most": FIGURES[name].most}
            for name, entry in self.newest.items()
        ])  # fmt: skip
        return Table(pd.DataFrame(rows), numbers, f"Each figure beside its goal and its floor, on {self.machine}")

    def trend(self) -> pd.DataFrame:
        """Return a row per commit, in their order, and a column per figure that two of them have."""
        table = pd.DataFrame(self.entries)
        wide = table.pivot_table(index="commit", columns="figure", values="value", aggfunc="last", sort=False)
        known = [name for name in FIGURES if name in wide and wide[name].notna().sum() > 1]
        return wide[known].dropna(how="all")

    def draw_trend(self) -> Picture | str:
        """Return each figure over the commits at which it was measured, as a figure; a line where there is no trend."""
        trend = self.trend()
        if trend.empty:
            return "No figure was measured at more than one commit on this machine."
        panels = {name: (FIGURES[name].what, FIGURES[name].unit, FIGURES[name].most) for name in trend}
        return draw_trend(trend, panels, self.tell_trend())

    def tell_trend(self) -> str:
        """Return over how many commits figures are known, and which changed the most, as a sentence."""
        trend = self.trend()
        if trend.empty:
            return ""
        ratios = {name: (values := trend[name].dropna()).iloc[-1] / values.iloc[0] for name in trend}
        changed = max(ratios, key=lambda name: abs(ratios[name] - 1) if ratios[name] == ratios[name] else 0.0)
        return f"Over {len(trend)} commits the most changed: {FIGURES[changed].what}, times {ratios[changed]:.2f}"

    def tabulate_trend(self) -> Table:
        """Return one row per figure and a column per commit."""
        trend = self.trend()
        shown = pd.DataFrame({"what": [FIGURES[name].what for name in trend]})
        for commit, values in trend.iterrows():
            shown[str(commit)] = [
                "" if value != value else show_value(value, FIGURES[str(name)].unit) for name, value in values.items()
            ]
        return Table(shown, trend.T.reset_index(), "The same figures commit by commit; + marks files that differ")
