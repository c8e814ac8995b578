"""Tables under the figures: short enough to read, exact enough to guard the numbers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from coldcache.analysis.estimates import LEVEL, Estimates, fit_law
from coldcache.analysis.format import (
    describe_width,
    format_interval,
    format_level,
    format_ratio,
    show_interval,
    show_level,
)
from coldcache.analysis.outputs import place_save
from coldcache.analysis.paired_ratios import pairs, reference_level
from coldcache.analysis.published_vs_measured import compare_published
from coldcache.analysis.report_links import lead, page_of_trial
from coldcache.analysis.scaling import find_scaling
from coldcache.analysis.sentences import best_combinations, layout_ratios, name_level, shorten_reason, why_no_ratio
from coldcache.analysis.table_html import show_html, show_text
from coldcache.core.csv_file import write_csv
from coldcache.core.units import scale_of, show_rate
from coldcache.core.vocabulary import FACTORS
from coldcache.statistics.intervals import reached_level
from coldcache.statistics.scaling.usl import UniversalScalability

_FIGURES = ("median", "low", "high")


class Table:
    """A table that notebooks and pages display as it is, and that nbval compares.

    Parameters
    ----------
    shown : DataFrame
        Its cells in words, figures with their units. Markup links to the evidence.
    numbers : DataFrame
        The same in stored units, at full precision.
    caption : str
        What it holds.
    """

    def __init__(self, shown: pd.DataFrame, numbers: pd.DataFrame, caption: str):
        self.shown, self.numbers, self.caption, self.name = shown, numbers, caption, ""

    @classmethod
    def of(cls, estimates: Estimates, caption: str) -> "Table":
        """Return one row per case with its median, interval and number of trials."""
        numbers = estimates.table()
        return cls(_in_words(numbers, estimates), _with_unit(numbers, estimates.unit), caption)

    @classmethod
    def of_pairs(cls, estimates: Estimates, factor: str, caption: str) -> "Table":
        """Return one row per case and level of a factor, with the ratio to the reference level and its interval."""
        reference = reference_level(estimates, factor)
        rows = []
        for pair in pairs(estimates, factor):
            below, above = ({**pair.place, factor: level} for level in (reference, pair.level))
            rows.append({
                **pair.place, factor: pair.level,
                "reference": float(estimates.cells.estimate.sel(below)),
                "median": float(estimates.cells.estimate.sel(above)),
                "ratio": pair.ratio.estimate, "low": pair.ratio.low, "high": pair.ratio.high,
                "level": LEVEL if pair.ratio.low == pair.ratio.low else float("nan"), "pairs": pair.ratio.n,
            })  # fmt: skip
        numbers = pd.DataFrame(rows)
        if numbers.empty:
            return cls(numbers, numbers, f"{caption}: no pair has trials that count on both sides")
        shown = _levels_in_words(numbers)
        for name in ("reference", "median"):
            shown[name] = [show_rate(value, estimates.unit) for value in numbers[name]]
        ratios = [Markup(format_ratio(pair.ratio)) for pair in pairs(estimates, factor)]
        shown["ratio"] = pd.Series(ratios, dtype=object)
        shown = shown.drop(columns=["low", "high", "level"]).rename(
            columns={"reference": format_level(factor, reference)}
        )
        named = {"reference": f"median at {format_level(factor, reference)} ({estimates.unit})",
                 "median": f"median ({estimates.unit})", "ratio": "ratio (1)", "low": "ratio low (1)",
                 "high": "ratio high (1)", "level": "level (1)"}  # fmt: skip
        return cls(_spaced(shown), _with_units(numbers.rename(columns=named)), caption)

    @classmethod
    def of_scaling(cls, found: Iterable[Estimates], caption: str) -> "Table":
        """Return one row per sweep and operation: peak, knee, plateau, sustained rate and the law's two costs."""
        rows, words = [], []
        for estimates in found:
            described = find_scaling(estimates)
            for operation in estimates.operations():
                row = described.sel(operation=operation)
                law = fit_law(estimates, operation)
                figures = {name: float(row[name]) for name in map(str, described.data_vars) if name != "why"}
                costs = {"contention": law.contention, "coherency": law.coherency} if law else dict[str, float]()
                rows.append({"sweep": estimates.question.sweep, "operation": operation, "unit": estimates.unit,
                             **figures, **costs})  # fmt: skip
                words.append(_scaling_in_words(estimates, operation, figures, str(row["why"].values), law))
        numbers = pd.DataFrame(rows).rename(columns=_SCALING_UNITS)
        shown = pd.DataFrame(words, dtype=object)
        several = shown.sweep.nunique() > 1 if len(shown) else False
        empty = [name for name in shown if (shown[name] == "–").all() or (name == "sweep" and not several)]
        return cls(shown.drop(columns=empty), numbers, caption)

    @property
    def is_empty(self) -> bool:
        """Whether it has no row: it is not displayed."""
        return self.shown.empty

    @classmethod
    def of_published(cls, estimates: Estimates, caption: str) -> "Table | None":
        """Return one row per published value of a sweep with the measured one; None where none is published."""
        return cls.of_comparison(compare_published(estimates), caption)

    @classmethod
    def of_comparison(cls, numbers: pd.DataFrame, caption: str) -> "Table | None":
        """Return published and measured values in words; None where there is none."""
        if numbers.empty:
            return None
        shown = numbers[["item", "operation", "at", "statistic", "published", "grade"]].copy()
        shown["measured here"] = [
            format_interval(row.measured, row.low, row.high, row.unit, row.n) if row.measured == row.measured else "–"
            for row in numbers.itertuples()
        ]
        return cls(shown, numbers, caption)

    @classmethod
    def of_layouts(cls, one: Estimates, many: Estimates, caption: str) -> "Table":
        """Return one row per operation and number of threads that two layouts of files share, with their ratio."""
        found = [
            (name, threads, ratio)
            for name in one.operations()
            if name in many.cells.operation.values
            for threads, ratio in layout_ratios(one, many, name)
        ]
        rows = [
            {"operation": name, "threads (1)": threads, "ratio (1)": ratio.estimate, "ratio low (1)": ratio.low,
             "ratio high (1)": ratio.high, "level (1)": LEVEL if ratio.low == ratio.low else float("nan"),
             "pairs (1)": ratio.n}
            for name, threads, ratio in found
        ]  # fmt: skip
        if reason := why_no_ratio(one, many):
            caption = f"{caption}: not compared, {reason}"
        words = [
            {"operation": name, "threads": f"{threads:,}", "ratio": format_ratio(ratio), "pairs": ratio.n}
            for name, threads, ratio in found
        ]
        return cls(pd.DataFrame(words), pd.DataFrame(rows), caption)

    @classmethod
    def of_best(cls, estimates: Estimates, factors: Sequence[str], caption: str) -> "Table":
        """Return one row per operation and number of threads with the fastest combination of levels."""
        numbers = pd.DataFrame(best_combinations(estimates, factors))
        shown = _levels_in_words(numbers)
        shown["median"] = [show_rate(value, estimates.unit) for value in numbers["median"]]
        shown["lowest"] = [show_rate(value, estimates.unit) for value in numbers["lowest"]]
        named = {"median": f"median ({estimates.unit})", "lowest": f"lowest ({estimates.unit})"}
        return cls(_spaced(shown), _with_units(numbers.rename(columns=named)), caption)

    @classmethod
    def of_headlines(cls, best: Iterable[tuple[Estimates, Mapping[str, Any]]], caption: str) -> "Table":
        """Return one row per case: its figure with interval and level, its levels, runs, flagged ones and cold reads.

        A figure whose work did not reach the storage says so in place of its cold reads. Fewer than five runs have no
        interval.

        Parameters
        ----------
        best : iterable of (Estimates, mapping of str to object)
            A sweep and the levels of one of its cases, ``operation`` among them.
        caption : str
            What the table holds.
        """
        rows, words = [], []
        for sweep, levels in best:
            cell, flagged = sweep.cells.sel(levels), sweep.count_suspect(levels)
            median, low, high, n = float(cell.estimate), float(cell.low), float(cell.high), int(cell.n)
            at = ", ".join(
                name_level(name, level) for name, level in levels.items()
                if name != "operation" and sweep.cells.sizes[name] > 1
            )  # fmt: skip
            level = reached_level(n, level=LEVEL) if low == low else float("nan")
            colds = sweep.count_cold(levels)
            rows.append({
                "operation": levels["operation"], "metric": sweep.metric, "at": at, "unit": sweep.unit,
                "median": median, "low": low, "high": high, "level (1)": level, "n": n, "suspect": flagged,
                "proved cold": colds[0], "reads": colds[1],
            })  # fmt: skip
            words.append({
                "operation": str(levels["operation"]).replace("-", " "),
                "median": lead(show_rate(median, sweep.unit), sweep.page(levels)),
                "interval": _show_interval(low, high, sweep, levels, level) if low == low else "none",
                "at": at or "–", "runs": n, "flagged": flagged or "–",
                "cold": "in memory" if sweep.is_in_memory(levels) else f"{colds[0]}/{colds[1]}" if colds[1] else "–",
            })  # fmt: skip
        # A column of strings would lose the links: pandas makes it one of plain text.
        return cls(pd.DataFrame(words, dtype=object), pd.DataFrame(rows), caption)

    @classmethod
    def plain(cls, numbers: pd.DataFrame, caption: str, shown: pd.DataFrame | None = None) -> "Table":
        """Return a table of a frame whose headings carry their units; `shown` is the same in words where it differs."""
        return cls(_grouped(numbers) if shown is None else shown, numbers, caption)

    def save(self, dataset: str | Path, name: str) -> "Table":
        """Write the numbers as `tables/<name>.csv` where `outputs.place_save` says, and return the table."""
        self.name = name
        write_csv(self.numbers, place_save(dataset, "tables", f"{name}.csv"))
        return self

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        html = show_html(self.shown, self.caption, self.name)
        return {"text/plain": show_text(self.shown), "text/html": html}


def _show_interval(low: float, high: float, sweep: Estimates, levels: Mapping[str, Any], level: float) -> Markup:
    """Return the interval of a case with its level; where only its width is named, it links to the ends."""
    page = sweep.page(levels) if describe_width(low, high) else None
    return lead(show_interval(low, high, sweep.unit), page) + f" ({show_level(level)})"


def _in_words(numbers: pd.DataFrame, estimates: Estimates) -> pd.DataFrame:
    """Return a table in words: medians link to the trials of their case, and each trial to its log."""
    unit, shown, pages = estimates.unit, _levels_in_words(numbers), estimates.pages()
    for name in shown.select_dtypes("float").columns.difference(_FIGURES):
        # Foreign logs state a factor for some cases only; pandas then makes a column of integers one of floats.
        shown[name] = [f"{value:.15g}" if value == value else "not stated" for value in numbers[name]]
    for name in _FIGURES:
        shown[name] = [show_rate(value, unit) if value == value else "none" for value in numbers[name]]
    linked = [lead(text, page) for text, page in zip(shown["median"], pages, strict=True)]
    shown["median"] = pd.Series(linked, dtype=object)
    trials = [_show_trials(values, unit, page) for values, page in zip(numbers["trials"], pages, strict=True)]
    shown["trials"] = pd.Series(trials, dtype=object)
    levels = sorted(
        {show_level(reached_level(n)) for n, low in zip(numbers["n"], numbers["low"], strict=True) if low == low}
    )
    if levels:
        head = " or ".join(levels) + " by n" * (len(levels) > 1)
        shown = shown.rename(columns={"low": f"low ({head})", "high": f"high ({head})"})
    else:
        shown = shown.drop(columns=["low", "high"])
    return shown.rename(columns={name: name.replace("_", " ") for name in shown.columns})


def _levels_in_words(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return a copy with levels in words: sizes with units, counts whole."""
    shown = numbers.copy()
    for name in shown.columns:
        if name in FACTORS and name != "threads" and shown[name].dtype.kind in "if":
            shown[name] = [format_level(name, level) if level == level else "not stated" for level in numbers[name]]
    return shown


def _grouped(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return a copy in which whole numbers have commas and others four digits."""
    shown = numbers.copy()
    for name in shown.columns:
        if shown[name].dtype.kind == "i":
            shown[name] = [f"{value:,}" for value in numbers[name]]
        elif shown[name].dtype.kind == "f":
            shown[name] = [four_digits(value) if value == value else "–" for value in numbers[name]]
    return _spaced(shown)


def four_digits(value: float) -> str:
    """Return a number without a unit, with four digits or all those before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _spaced(shown: pd.DataFrame) -> pd.DataFrame:
    """Return a table with headings in words; one without a unit says nothing of it."""
    return shown.rename(columns={name: str(name).removesuffix(" (1)").replace("_", " ") for name in shown.columns})


def _show_trials(values: tuple[float, ...], unit: str, page: str) -> Markup:
    """Return every trial's value with four digits, so that a change of any number of a log shows."""
    there = [value for value in values if value == value]
    if not there:
        return Markup("")
    divisor, name = (1.0, "") if unit == "1" else scale_of(min(there), unit)
    case_page, _, mark = page.partition("#")
    printed = [f"{value:,.0f}" if unit == "1" else four_digits(value / divisor) for value in values]
    shown = [
        lead(printed[repetition], page_of_trial(case_page, repetition), mark) if value == value else "–"
        for repetition, value in enumerate(values)
    ]
    return Markup(" ").join(shown) + (f" {name}" if name else "")


def _with_unit(numbers: pd.DataFrame, unit: str) -> pd.DataFrame:
    columns = {name: f"{name} ({unit})" for name in (*_FIGURES, "trials")}
    spaced = [" ".join(map(repr, values)) for values in numbers["trials"]]
    levels = [
        reached_level(n) if low == low else float("nan") for n, low in zip(numbers["n"], numbers["low"], strict=True)
    ]
    numbers = numbers.assign(level=levels)[[*_before(numbers, "n"), "level", "n", "trials"]].rename(
        columns={"level": "level (1)"}
    )
    return _with_units(numbers.assign(trials=spaced).rename(columns=columns))


def _before(numbers: pd.DataFrame, name: str) -> list[str]:
    """Return the columns before one of them."""
    columns = [str(column) for column in numbers.columns]
    return columns[: columns.index(name)]


def _with_units(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return a copy whose headings of factors carry their units."""
    units = {name: FACTORS[name].unit for name in numbers.columns if name in FACTORS}
    return numbers.rename(columns={name: f"{name} ({unit})" for name, unit in units.items() if unit})


def _scaling_in_words(
    estimates: Estimates, operation: str, figures: dict[str, float], why: str, law: UniversalScalability | None
) -> dict[str, Any]:
    def rate(name: str) -> str:
        low, high = figures[f"{name}_low"], figures[f"{name}_high"]
        found, n = figures[name], int(estimates.cells.n.sel(operation=operation).max())
        return format_interval(found, low, high, estimates.unit, n) if found == found else "–"

    plateau = figures["plateau_from"]
    place = {"operation": operation, "threads": figures["peak_threads"]}
    page = estimates.page(place) if figures["peak_threads"] == figures["peak_threads"] else None
    fall = figures["last_to_plateau"]
    return {
        "sweep": estimates.question.sweep,
        "operation": operation,
        "peak": lead(rate("peak"), page),
        "at threads": f"{figures['peak_threads']:,.0f}",
        "plateau from": f"{plateau:,.0f}" if plateau == plateau else f"none: {shorten_reason(why)}",
        "sustained": rate("sustained"),
        "last over plateau": f"{fall:.3g}" if fall == fall else "–",
        "contention": f"{law.contention:.2g}" if law else "–",
        "coherency": f"{law.coherency:.2g}" if law else "–",
    }


_SCALING_UNITS = {
    "peak_threads": "peak_threads (1)", "knee": "knee (1)", "knee_low": "knee_low (1)", "knee_high": "knee_high (1)",
    "plateau_from": "plateau_from (1)",
}  # fmt: skip
