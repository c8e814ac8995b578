"""What stands behind the findings of a report: validity, methods and system, as the values of their pages."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from coldcache.analysis.estimates import LEVEL
from coldcache.analysis.report_links import FOLDER
from coldcache.campaign.campaign import Campaign
from coldcache.campaign.progress import count_repetitions
from coldcache.core.units import show_bytes, show_seconds
from coldcache.core.vocabulary import VERDICTS
from coldcache.design.imported_study import LOGS
from coldcache.report.site.conditions import Values
from coldcache.report.site.context import Material
from coldcache.report.site.evidence_page import link_sweep
from coldcache.report.site.format import show_noted, show_repetitions, show_share, show_values
from coldcache.report.site.hosts import describe_hosts
from coldcache.report.site.html import code, facts, link, table, trials_table
from coldcache.report.site.validity import COLDNESS, Validity
from coldcache.statistics.bounds import reach_of_order
from coldcache.statistics.intervals import TRUSTED_FROM
from coldcache.verdicts.judge import RULES

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


def describe_validity(material: Material) -> dict[str, Any]:
    """Return the values of `validity.md`."""
    validity = material.validity
    return {
        "summary": validity.summary(material.campaign.planned or None),
        "imported": _summarise_imported(material),
        "verdicts": _tabulate(validity.verdicts, "Trials", VERDICTS),
        "colds": _tabulate(validity.colds, "Reads", COLDNESS) if validity.colds else "",
        "doubts": trials_table(("Case", "Repetition", "Verdict", "Reason"), _list_doubts(validity)),
        "all_valid": not validity.doubts,
        "folder": code(f"raw/{material.campaign.name}/<study>/<sweep>/<case>/<repetition>"),
        "unread": _list_unread(material.campaign),
    }


def _summarise_imported(material: Material) -> str:
    """Return how many trials of imported logs count beside those measured here; empty where there are not both."""
    campaign = material.campaign
    return material.validity.summary(campaign.foreign) if campaign.planned and campaign.foreign else ""


def _list_unread(campaign: Campaign) -> Markup:
    """Return the files of imported folders that were not read, and why; empty where there is none."""
    rows = [
        (code(f"{study.origin.folder}/{unread.file}"), unread.reason)
        for study in campaign.foreign for unread in study.origin.unread
    ]  # fmt: skip
    return table(("File", "Reason"), rows) if rows else Markup("")


def _tabulate(counts: Mapping[tuple[str, str], Mapping[str, int]], counted: str, verdicts: Sequence[str]) -> Markup:
    head = ("Sweep", counted, *(verdict.capitalize() for verdict in verdicts))
    rows: list[tuple[Any, ...]] = [
        (_name_sweep(study, sweep, counts), sum(found.values()), *(found[verdict] for verdict in verdicts))
        for (study, sweep), found in counts.items()
    ]
    total = [sum(row[column] for row in rows) for column in range(1, len(head))]
    return table(head, [*rows, ("all", *total)], numbers=head[1:])


def _name_sweep(study: str, sweep: str, sweeps: Mapping[tuple[str, str], Any]) -> Markup:
    """Return the name of a sweep, with its study where there are several, as a link to its page."""
    name = f"{study}/{sweep}" if len({study for study, _ in sweeps}) > 1 else sweep
    return link_sweep(study, sweep, name)


def _list_doubts(validity: Validity) -> Iterator[tuple[Markup, tuple[Any, ...]]]:
    for doubt in validity.doubts:
        group = _name_sweep(doubt.study, doubt.sweep, validity.verdicts)
        case = link(doubt.case, f"{FOLDER}/{quote(f'{doubt.study}/{doubt.sweep}/{doubt.case}', safe='/=,')}/index.html")
        yield group, (case, show_repetitions(doubt.repetitions), doubt.verdict, doubt.reason)


def describe_methods(material: Material) -> dict[str, Any]:
    """Return the values of `methods.md`."""
    campaign, thresholds = material.campaign, material.campaign.site.thresholds
    counts = count_repetitions(campaign)
    reaches = " and ".join(
        f"{show_share(reach_of_order(n))} from {n}" for n in counts if n > 1 and reach_of_order(n) < LEVEL
    )
    return {
        "time_limit": show_seconds(campaign.site.limits.seconds),
        "seed": campaign.environment.seed if campaign.environment else None,
        "rules": table(
            ("Rule", "Verdict", "When", "Trials here"), _list_rules(material.validity), numbers=("Trials here",)
        ),
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


def _list_rules(validity: Validity) -> Iterator[tuple[Any, ...]]:
    """Yield every rule with its verdict, what its docstring says of it, and how many trials it objected to."""
    for rule, verdict, judge in RULES:
        meaning = (judge.__doc__ or "").splitlines()[0].partition(": ")[2]
        yield code(rule), verdict, meaning[:1].upper() + meaning[1:], validity.codes[rule]


def describe_system(material: Material) -> dict[str, Any]:
    """Return the values of `system.md`."""
    campaign, conditions = material.campaign, material.conditions
    site, environment = campaign.site, campaign.environment
    limits, thresholds = site.limits, site.thresholds
    imported = _list_imported(campaign)
    if environment is None:
        return {"measured": False, "imported": imported, "tools": facts(conditions.tools)}
    direct = "taken by the file system" if environment.direct_io else "not taken by the file system"
    target = [(f"Path of {site.target_name}", code(site.target.path)), *_name(conditions.target), ("O_DIRECT", direct)]
    return {
        "measured": True,
        "imported": imported,
        "trials": conditions.trials,
        "machine": facts(_name(conditions.system)),
        "target": facts(target),
        "queue": facts(_name(conditions.queue)) if conditions.queue else "",
        **describe_hosts(campaign.folder),
        "tools": facts(conditions.tools),
        "site": f"Site {site.site}, {site.title}",
        "limits": facts((
            ("Client nodes", site.clients.nodes),
            ("Cores of all nodes", environment.cores),
            ("Bytes that a trial may keep", show_bytes(limits.bytes)),
            ("Time that a trial may take", show_seconds(limits.seconds)),
            ("Time to lay out its files", show_seconds(limits.layout_seconds)),
            ("Suspect when shorter than", f"{thresholds.shortest_run:g} s"),
            ("Cold from a share of", show_share(thresholds.cold_share)),
        )),
    }  # fmt: skip


def _list_imported(campaign: Campaign) -> Markup:
    """Return where the logs of each imported study come from; empty where none was imported."""
    rows = [
        (study.title, study.origin.system, code(study.origin.folder), code(campaign.folder / study.study / LOGS))
        for study in campaign.foreign
    ]
    return table(("Study", "System", "Imported from", "Kept in"), rows) if rows else Markup("")


def _name(stated: Mapping[str, Values]) -> list[tuple[str, Any]]:
    return [
        (_NAMES.get(name) or name.replace("_", " ").capitalize(), show_values(values, partial(show_noted, name)))
        for name, values in stated.items()
    ]
