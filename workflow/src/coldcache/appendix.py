"""What stands behind the findings of a report: validity, methods and system, as the values of its templates."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from markupsafe import Markup

from coldcache.campaign import Campaign
from coldcache.conditions import Conditions, Values
from coldcache.intervals import reach_of_order
from coldcache.markup import code, facts, grouped_table, join, table
from coldcache.plan import Case
from coldcache.statistics import TRUSTED_FROM
from coldcache.terms import FACTORS, VERDICTS
from coldcache.units import show_bytes, show_seconds
from coldcache.validity import COLDNESS, Doubt, Validity
from coldcache.verdicts import RULES

#: Coverage of every interval, where there are repetitions enough for it.
LEVEL = 0.95

#: Names of what trials state, as people read them; what is not listed is shown under its own name.
_NAMES = {
    "os": "Operating system",
    "memory_bytes": "Memory",
    "hypervisor": "Virtual machine",
    "filesystem": "File system",
    "source": "Device or server",
    "device": "Device number",
    "read_ahead_kb": "Read-ahead",
    "nr_requests": "Requests in the queue",
}

#: How values are shown that are not shown as they are.
_SHOW: dict[str, Callable[[str], Any]] = {
    "memory_bytes": lambda size: show_bytes(float(size)),
    "read_ahead_kb": lambda size: f"{size} KiB",
    "logical_block_size": lambda size: f"{size} B",
    "hypervisor": lambda answer: {"True": "yes", "False": "no"}.get(answer, answer),
    "rotational": lambda answer: {"1": "yes", "0": "no"}.get(answer, answer),
}


def show_values(values: Values | None, show: Callable[[str], Any] = str) -> Markup:
    """Return the values of a condition as HTML: the value, or each of several with the number of its trials."""
    if not values:
        return Markup("not known")
    if len(values) == 1:
        return join(map(show, values))
    return join((f"{show(value)} ({count} trials)" for value, count in values.items()), "; ")


def show_levels(cases: Iterable[Case]) -> Markup:
    """Return the levels of each factor of some cases as HTML."""
    levels: dict[str, dict[str, None]] = {}
    for case in sorted(cases, key=lambda case: int(case.factors["threads"])):
        for factor, level in case.factors.items():
            shown = show_bytes(float(level)) if FACTORS[factor].unit == "B" else _show_level(level)
            levels.setdefault(factor, {})[shown] = None
    return join((f"{FACTORS[factor].label} {', '.join(names)}" for factor, names in levels.items()), "; ")


def show_share(share: float) -> str:
    """Return a share in per cent, with three digits."""
    return f"{100 * share:.3g}\N{NO-BREAK SPACE}%"


def _show_level(level: Any) -> str:
    return {"True": "yes", "False": "no"}.get(str(level), str(level))


def describe_validity(validity: Validity, campaign: str) -> dict[str, Any]:
    """Return the values of `validity.md`."""
    several = len({study for study, _ in validity.verdicts}) > 1
    doubts = ((_name_sweep(doubt.study, doubt.sweep, several), _show_doubt(doubt)) for doubt in validity.doubts)
    return {
        "summary": validity.summary(),
        "verdicts": _tabulate(validity.verdicts, "Trials", VERDICTS, several),
        "colds": _tabulate(validity.colds, "Reads", COLDNESS, several) if validity.colds else "",
        "doubts": grouped_table(("Case", "Repetition", "Verdict", "Reason"), doubts) if validity.doubts else "",
        "folder": f"raw/{campaign}/study/sweep/case/r followed by its repetition",
    }


def _tabulate(counts: Mapping[tuple[str, str], Mapping[str, int]], what: str, verdicts: Iterable[str], several: bool) -> Markup:
    head = ("Sweep", what, *(verdict.capitalize() for verdict in verdicts))
    rows = [
        (_name_sweep(study, sweep, several), sum(found.values()), *(found[verdict] for verdict in verdicts))
        for (study, sweep), found in counts.items()
    ]
    total = [sum(row[column] for row in rows) for column in range(1, len(head))]
    return table(head, [*rows, ("all", *total)], numbers=head[1:])


def _name_sweep(study: str, sweep: str, several: bool) -> str:
    return f"{study}/{sweep}" if several else sweep


def _show_doubt(doubt: Doubt) -> tuple[Any, ...]:
    return doubt.case, _show_range(doubt.repetitions), doubt.verdict, doubt.reason


def _show_range(repetitions: list[str]) -> str:
    """Return repetitions as few words: ``3``, ``0 and 2``, or ``0 to 4`` where none is left out."""
    first, last = repetitions[0], repetitions[-1]
    if len(repetitions) > 2 and int(last) - int(first) == len(repetitions) - 1:
        return f"{first} to {last}"
    return ", ".join(repetitions)


def describe_methods(campaign: Campaign, validity: Validity) -> dict[str, Any]:
    """Return the values of `methods.md`."""
    thresholds = campaign.site.thresholds
    rules = []
    for rule, verdict, judge in RULES:
        meaning = (judge.__doc__ or "").splitlines()[0].partition(": ")[2]
        rules.append((code(rule), verdict, meaning[:1].upper() + meaning[1:], validity.codes[rule]))
    counts = sorted({trial.case.repetitions for block in campaign.blocks() for trial in block.trials})
    reaches = " and ".join(f"{show_share(reach_of_order(n))} from {n}" for n in counts if 1 < n <= 5)
    return {
        "time_limit": show_seconds(campaign.site.limits.seconds),
        "seed": campaign.circumstances.seed,
        "rules": table(("Rule", "Verdict", "When", "Trials here"), rules, numbers=("Trials here",)),
        "colds": facts((
            ("cold", f"At least {show_share(thresholds.cold_share)} of its bytes crossed the device."),
            ("warm", f"At most {show_share(1 - thresholds.cold_share)} of its bytes did: most came from memory."),
            ("mixed", "A share in between did."),
            ("unproved", "Nothing counts the bytes that cross this device."),
        )),
        "level": show_share(LEVEL),
        "reach": f"The most that few repetitions can reach is {reaches}." if reaches else "",
        "trusted_from": TRUSTED_FROM["median", "order"],
    }  # fmt: skip


def describe_system(campaign: Campaign, conditions: Conditions) -> dict[str, Any]:
    """Return the values of `system.md`."""
    site, circumstances = campaign.site, campaign.circumstances
    limits, thresholds = site.limits, site.thresholds
    direct = "taken by the file system" if circumstances.direct_io else "not taken by the file system"
    target = [(f"Path of {site.target_name}", code(site.target.path)), *_name(conditions.target), ("O_DIRECT", direct)]
    return {
        "trials": conditions.trials,
        "machine": facts(_name(conditions.system)),
        "target": facts(target),
        "queue": facts(_name(conditions.queue)) if conditions.queue else "",
        "tools": facts(tool.split(" ", 1) for tool in conditions.tools),
        "site": f"Site {site.site}, {site.title}",
        "limits": facts((
            ("Client nodes", site.clients.nodes),
            ("Cores of all nodes", circumstances.cores),
            ("Bytes that a trial may keep", show_bytes(limits.bytes)),
            ("Time that a trial may take", show_seconds(limits.seconds)),
            ("Time to lay out its files", show_seconds(limits.layout_seconds)),
            ("Suspect when shorter than", f"{thresholds.shortest_run:g} s"),
            ("Cold from a share of", show_share(thresholds.cold_share)),
        )),
    }  # fmt: skip


def _name(stated: Mapping[str, Values]) -> list[tuple[str, Any]]:
    return [
        (_NAMES.get(name) or name.replace("_", " ").capitalize(), show_values(values, _SHOW.get(name, str)))
        for name, values in stated.items()
    ]
