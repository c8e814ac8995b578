"""Tables under the figures: short enough to read, exact enough to guard the numbers."""

from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from coldcache.estimates import Estimates, show_ratio
from coldcache.statistics import Interval
from coldcache.units import scale_of, show_rate

_FIGURES = ("median", "low", "high")


class Table:
    """A table that notebooks and pages display as it is, and that nbval compares.

    Parameters
    ----------
    shown : DataFrame
        Its cells as they are to be read; units stand beside the figures.
    numbers : DataFrame
        The same in stored units, at full precision.
    caption : str
        What it holds.
    """

    def __init__(self, shown: pd.DataFrame, numbers: pd.DataFrame, caption: str):
        self.shown, self.numbers, self.caption = shown, numbers, caption

    @classmethod
    def of(cls, estimates: Estimates, caption: str) -> "Table":
        """Return one row per case with its median, interval and number of trials."""
        numbers = estimates.table()
        return cls(_in_words(numbers, estimates.unit), _with_unit(numbers, estimates.unit), caption)

    @classmethod
    def of_ratios(
        cls, workloads: dict[str, Estimates], ratios: dict[str, dict[str, Interval]], reference: str, caption: str
    ) -> "Table":
        """Return one row per workload and level of the write cache, with its ratio to the level `reference`.

        Parameters
        ----------
        workloads : dict of str to Estimates
            By name; dims must include ``write_cache``.
        ratios : dict of str to dict of str to Interval
            The ratio of each other level to `reference`, by workload and level.
        reference : str
            The level that the others are divided by.
        caption : str
            What the table holds.
        """
        shown: list[pd.DataFrame] = []
        numbers: list[pd.DataFrame] = []
        for name, estimates in workloads.items():
            cells = estimates.table()[["write_cache", *_FIGURES, "n", "trials"]]
            found = [ratios[name].get(level) for level in cells.write_cache]
            words = _in_words(cells, estimates.unit)
            in_words = ["" if ratio is None else show_ratio(ratio) for ratio in found]
            words.insert(words.columns.get_loc("n"), f"ratio to {reference}", in_words)
            figures = _with_unit(cells, estimates.unit)
            for part in ("estimate", "low", "high"):
                figures[f"ratio {part}"] = [1.0 if ratio is None else getattr(ratio, part) for ratio in found]
            for frame, rows in ((words, shown), (figures, numbers)):
                frame.insert(0, "workload", name)
                rows.append(frame)
        return cls(pd.concat(shown), pd.concat(numbers), caption)

    def save(self, dataset: str | Path, name: str) -> "Table":
        """Write the numbers beside the dataset as `tables/<name>.csv`, and return the table."""
        path = Path(dataset).parent / "tables" / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        self.numbers.to_csv(path, index=False)
        return self

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        html = self.shown.to_html(index=False, border=0, escape=True, classes="coldcache-table", justify="left")
        html = html.replace("<thead>", f"<caption>{escape(self.caption)}</caption><thead>", 1)
        return {
            "text/plain": self.shown.to_string(index=False),
            "text/html": html.replace("<th>", '<th scope="col">'),
        }


def _in_words(numbers: pd.DataFrame, unit: str) -> pd.DataFrame:
    shown = numbers.copy()
    for name in _FIGURES:
        shown[name] = [show_rate(value, unit) if value == value else "none" for value in numbers[name]]
    shown["trials"] = [_show_trials(values, unit) for values in numbers["trials"]]
    return shown.rename(columns={name: name.replace("_", " ") for name in shown.columns})


def _show_trials(values: tuple[float, ...], unit: str) -> str:
    """Return every trial's value with four digits, so that no number of a log can change unseen."""
    there = [value for value in values if value == value]
    if not there:
        return ""
    divisor, name = scale_of(min(there), unit)
    return " ".join(f"{value / divisor:.4g}" if value == value else "–" for value in values) + f" {name}"


def _with_unit(numbers: pd.DataFrame, unit: str) -> pd.DataFrame:
    columns = {name: f"{name} ({unit})" for name in (*_FIGURES, "trials")}
    spaced = [" ".join(map(repr, values)) for values in numbers["trials"]]
    return numbers.assign(trials=spaced).rename(columns=columns)
