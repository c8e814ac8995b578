"""Sentences and titles on how operations grow with threads, and where they level off."""

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_growth, format_ratio
from coldcache.analysis.sentences.subjects import PLURALS, capitalise, list_measured
from coldcache.core.units import show_rate
from coldcache.statistics.scaling.describe import describe_scaling
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: The reason for no plateau where rates are known at few numbers of threads only.
TOO_FEW = "too few numbers of threads to tell a plateau"


def describe_growth(estimates: Estimates) -> str:
    """Return how each operation grows from the fewest threads to the most, as a title."""
    threads = estimates.cells.threads
    growths = {name: estimates.growth(name) for name in list_measured(estimates)}
    ends = f"from {int(threads.min()):,} to {int(threads.max()):,} threads"
    if len(growths) > 1 and all(format_growth(ratio) == "show no growth" for ratio in growths.values()):
        runs = sorted({ratio.n for ratio in growths.values()})
        counted = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        named = capitalise(" and ".join(PLURALS.get(name, name) for name in growths))
        return f"{named} do not speed up measurably {ends} ({counted} runs each)"
    parts = [f"{PLURALS.get(name, name)} {format_growth(ratio)}" for name, ratio in growths.items()]
    return capitalise(f"{', '.join(parts)} {ends}")


def describe_latencies(estimates: Estimates) -> str | None:
    """Return the mean latency of each operation at the fewest threads and at the most; None where nothing counts."""
    threads = estimates.cells.threads
    first, last = int(threads.min()), int(threads.max())
    parts = []
    for name in list_measured(estimates):
        ratio, cells = estimates.growth(name), estimates.cells.estimate.sel(operation=name)
        if ratio.n < LEAST_REPETITIONS:
            parts.append(f"multiplies the mean latency of {PLURALS.get(name, name)} by {format_ratio(ratio)}")
            continue
        if ratio.low <= 1 <= ratio.high:
            parts.append(f"makes no measurable difference to {PLURALS.get(name, name)}")
            continue
        ends = [show_rate(float(cells.sel(threads=count)), estimates.unit) for count in (first, last)]
        verb = "raises" if ratio.estimate > 1 else "lowers"
        change = f"{verb} the mean latency of {PLURALS.get(name, name)} from {ends[0]} to {ends[1]}"
        parts.append(f"{change}, {format_ratio(ratio)}")
    return f"Going from {first:,} to {last:,} threads {'; '.join(parts)}." if parts else None


def describe_plateaus(estimates: Estimates) -> str | None:
    """Return where each operation levels off, or that it still rises, as a sentence.

    Operations with rates at too few numbers of threads are left out; None where all are.
    """
    described = describe_scaling(estimates.runs)
    said: dict[str, list[str]] = {}
    for name in list_measured(estimates):
        row = described.sel(operation=name)
        plateau, why = float(row.plateau_from), shorten_reason(str(row["why"].values))
        if why == TOO_FEW:
            continue
        from_where = f"{plateau:,.0f} thread{'s' if plateau != 1 else ''}"
        level = f"level from {from_where} on, at {show_rate(float(row.sustained), estimates.unit)} or more"
        said.setdefault(why or level, []).append(PLURALS.get(name, name))
    parts = "; ".join(f"{' and '.join(names)}: {what}" for what, names in said.items())
    return f"{capitalise(parts)}." if parts else None


def shorten_reason(why: str) -> str | None:
    """Return in a few words why a curve has no plateau; None where it has one."""
    if "still rises" in why:
        return why.partition(": measure")[0]
    return TOO_FEW if why else None
