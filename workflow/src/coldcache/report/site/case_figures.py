"""The values of a case's trials, as the pages of its trials, of the case and of its sweep show them."""

from collections.abc import Mapping, Sequence
from typing import Any

from coldcache.analysis.estimates import LEVEL
from coldcache.analysis.format import explain_no_interval, show_level
from coldcache.core.units import show_range, show_rate
from coldcache.dataset.reader import COUNTED
from coldcache.report.site.trials import LoggedValue, ReportedTrial
from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.intervals import interval


def name_figures(trials: Sequence[ReportedTrial]) -> list[tuple[str, str]]:
    """Return the operation and metric of the values of some trials."""
    return list(dict.fromkeys((figure.operation, figure.metric) for trial in trials for figure in trial.foremost))


def name_apart(trials: Sequence[ReportedTrial]) -> list[str]:
    """Return the anchors of values that logs state separately for each stream."""
    marks = (figure.place.name for trial in trials for figure in trial.figures if not figure.place.foremost)
    return [mark for mark in dict.fromkeys(marks) if not mark.startswith("byte-")]


def _put_in_words(operation: str, metric: str) -> str:
    return f"{operation} {metric.replace('_', ' ')}"


def head_columns(names: list[tuple[str, str]]) -> list[str]:
    """Return the column headings; they name the operation if there are several."""
    several = len({operation for operation, _ in names}) > 1
    return [_put_in_words(*name) if several else name[1].replace("_", " ").capitalize() for name in names]


def _show_range(low: float, high: float, unit: str) -> str:
    """Return an interval; the bounds of counts are whole numbers."""
    return f"{low:,.0f} to {high:,.0f}" if unit == "1" else show_range(low, high, unit)


def _show(value: float, unit: str) -> str:
    return f"{value:,.10g}" if unit == "1" else show_rate(value, unit)


def _find(trial: ReportedTrial, name: tuple[str, str]) -> LoggedValue | None:
    return next((figure for figure in trial.foremost if (figure.operation, figure.metric) == name), None)


def show_cell(trial: ReportedTrial, name: tuple[str, str]) -> dict[str, str] | None:
    """Return a value of a trial as its case shows it, with its mark; None if the log does not state it."""
    figure = _find(trial, name)
    return figure and {"mark": figure.place.name, "shown": _show(figure.value, figure.unit)}


def summarise(trials: Sequence[ReportedTrial], name: tuple[str, str], rounds: Rounds = INDEPENDENT) -> dict[str, Any]:
    """Return the median and interval, over the trials that count, of a value that at least one log states."""
    found = {trial.repetition: figure for trial in trials if (figure := _find(trial, name))}
    first = next(iter(found.values()))
    values = [found[trial.repetition].value for trial in trials
              if trial.verdict in COUNTED and trial.repetition in found]  # fmt: skip
    none = {"mark": first.place.name, "median": "none", "interval": "", "n": 0}
    if not values:
        return none
    estimated = interval(values, LEVEL, rounds)
    bounds = (
        f"{show_level(estimated.level)}: {_show_range(estimated.low, estimated.high, first.unit)}"
        if estimated.low == estimated.low
        else (explain_no_interval(estimated.n, rounds) or "")
    )
    return {**none, "median": _show(estimated.estimate, first.unit), "interval": bounds, "n": len(values)}


def group_by_metric(summaries: Mapping[tuple[str, str], dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the summaries of a case by metric, one per operation; they name the operation if there are several."""
    found: dict[str, list[dict[str, Any]]] = {}
    for (operation, metric), summary in summaries.items():
        found.setdefault(metric, []).append({**summary, "operation": operation})
    return {
        metric: of_metric if len(of_metric) > 1 else [{**of_metric[0], "operation": ""}]
        for metric, of_metric in found.items()
    }


def describe_figure(figure: LoggedValue) -> dict[str, Any]:
    """Return a value of a trial as its page shows it, with its bytes in the log."""
    place = figure.place
    return {
        "name": _put_in_words(figure.operation, figure.metric), "value": repr(figure.value), "unit": figure.unit,
        "shown": _show(figure.value, figure.unit), "printed": figure.printed,
        "begin": place.offset, "end": place.offset + place.length, "definition": figure.definition,
    }  # fmt: skip
