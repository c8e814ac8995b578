"""Sentences and titles on how operations grow with threads, and where they level off."""

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_growth, format_ratio, list_words
from coldcache.analysis.scaling import find_knee, find_scaling
from coldcache.analysis.sentences.peaks import title_extremes
from coldcache.analysis.sentences.subjects import capitalise, list_measured, name_operation
from coldcache.core.units import show_rate
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: The reason for no plateau where rates are known at few numbers of threads only.
TOO_FEW = "too few numbers of threads to show a plateau"


def describe_growth(estimates: Estimates) -> str:
    """Return how each operation grows from the fewest threads to the most, and from where it is level, as a title."""
    threads = estimates.cells.threads
    names = list_measured(estimates)
    growths = {name: estimates.growth(name) for name in names}
    if int(threads.min()) == int(threads.max()):
        return title_extremes(estimates)
    ends = f"from {int(threads.min()):,} to {int(threads.max()):,} threads"
    if len(growths) > 1 and all(format_growth(ratio) == "show no growth" for ratio in growths.values()):
        runs = sorted({ratio.n for ratio in growths.values()})
        counted = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        named = capitalise(list_words(name_operation(estimates, name) for name in names))
        return f"{named} do not speed up measurably {ends} ({counted} runs each)"
    parts = [
        f"{name_operation(estimates, name)} {format_growth(ratio, _find_ends(estimates, name))}"
        for name, ratio in growths.items()
    ]
    brackets = {part.partition(" (")[2] for part in parts}
    if len(parts) > 1 and len(brackets) == 1 and all(ratio.n < LEAST_REPETITIONS for ratio in growths.values()):
        # All have as few runs: it is said once.
        few = f" ({brackets.pop()}" if all(" (" in part for part in parts) else ""
        first, *others = (part.partition(" (")[0] for part in parts)
        rest = [other.replace(" go from ", " from ", 1) if " go from " in first else other for other in others]
        return capitalise(f"{', '.join([first, *rest])} {ends}{few}")
    return capitalise(f"{', '.join(parts)} {ends}{_say_knees(estimates, names)}")


def _find_ends(estimates: Estimates, operation: str) -> tuple[str, str] | None:
    """Return the medians at the fewest and at the most threads; None unless both are known."""
    cells = estimates.cells.estimate.sel(operation=operation)
    threads = cells.threads.values
    values = [float(cells.sel(threads=end)) for end in (threads.min(), threads.max())]
    if any(value != value for value in values):
        return None
    first, last = (show_rate(value, estimates.unit) for value in values)
    return first, last


def _say_knees(estimates: Estimates, names: list[str]) -> str:
    """Return from how many threads on each operation is level, as the end of a title; empty where one is not."""
    knees = [find_knee(estimates, name) for name in names]
    fewest = int(estimates.cells.threads.min())
    if any(knee is None or knee == fewest for knee in knees):
        return ""
    if len(set(knees)) == 1:
        return f"; level from {knees[0]:,} on"
    each = [f"{name_operation(estimates, name)} from {knee:,}" for name, knee in zip(names, knees, strict=True)]
    return f"; level: {', '.join(each)}"


def describe_latencies(estimates: Estimates) -> str | None:
    """Return the mean latency of each operation at the fewest threads and at the most; None where nothing counts."""
    threads = estimates.cells.threads
    first, last = int(threads.min()), int(threads.max())
    parts = []
    for name in list_measured(estimates):
        ratio, cells = estimates.growth(name), estimates.cells.estimate.sel(operation=name)
        if not ratio.n:
            # One end has no figure.
            continue
        if ratio.low != ratio.low:
            # Too few runs, or runs that allow no interval.
            parts.append(f"multiplies the mean latency of {name_operation(estimates, name)} by {format_ratio(ratio)}")
            continue
        if ratio.low <= 1 <= ratio.high:
            parts.append(f"makes no measurable difference to {name_operation(estimates, name)}")
            continue
        ends = [show_rate(float(cells.sel(threads=count)), estimates.unit) for count in (first, last)]
        verb = "raises" if ratio.estimate > 1 else "lowers"
        change = f"{verb} the mean latency of {name_operation(estimates, name)} from {ends[0]} to {ends[1]}"
        parts.append(f"{change}, {format_ratio(ratio)}")
    return f"Going from {first:,} to {last:,} threads {'; '.join(parts)}." if parts else None


def describe_plateaus(estimates: Estimates) -> str | None:
    """Return where each operation levels off, or that it still rises, as a sentence.

    Operations with rates at too few numbers of threads are left out; None where all are.
    """
    described = find_scaling(estimates)
    said: dict[str, list[str]] = {}
    for name in list_measured(estimates):
        row = described.sel(operation=name)
        plateau, why = float(row.plateau_from), shorten_reason(str(row["why"].values))
        if why == TOO_FEW:
            continue
        from_where = f"{plateau:,.0f} thread{'s' if plateau != 1 else ''}"
        level = f"level from {from_where} on, at {show_rate(float(row.sustained), estimates.unit)} or more"
        said.setdefault(why or level, []).append(name_operation(estimates, name))
    parts = "; ".join(f"{' and '.join(names)}: {what}" for what, names in said.items())
    return f"{capitalise(parts)}." if parts else None


def shorten_reason(why: str) -> str | None:
    """Return in a few words why a curve has no plateau; None where it has one."""
    if "still rises" in why:
        return why.partition(": measure")[0]
    return TOO_FEW if why else None
