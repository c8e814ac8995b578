"""The page on the system: machine, target, hosts, tools and site, as the trials recorded them."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from markupsafe import Markup

from coldcache.campaign.campaign import Campaign
from coldcache.core.units import show_bytes, show_rate, show_seconds
from coldcache.dataset.reader import open_limits
from coldcache.design.imported_study import LOGS
from coldcache.design.model.specification import Specification, show_value
from coldcache.report.site.context import ReportContext
from coldcache.report.site.format import show_noted, show_share, show_values
from coldcache.report.site.hosts import values_of_hosts
from coldcache.report.site.html import code, facts, table
from coldcache.report.site.recorded_system import ValueCounts
from coldcache.verdicts.thresholds import Ceilings

#: Labels of recorded properties; others are shown under their own name.
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


def describe_system_page(context: ReportContext) -> dict[str, Any]:
    """Return the values of the template `system.md`."""
    campaign, system = context.campaign, context.system
    site, environment = campaign.site, campaign.environment
    limits, thresholds = site.limits, site.thresholds
    imported = _list_imported(campaign)
    title = _title(context)
    if environment is None:
        return {"title": title, "measured": False, "imported": imported, "tools": facts(system.tools)}
    direct = "taken by the file system" if environment.direct_io else "not taken by the file system"
    # A target without layers has nothing to say of them.
    recorded = {name: values for name, values in system.target.items() if set(values) != {"{}"}}
    target = [(f"Path of {site.target_name}", code(site.target.path)), *_label(recorded), ("O_DIRECT", direct)]
    return {
        "title": title,
        "measured": True,
        "imported": imported,
        "trials": system.trials,
        "machine": facts(_label(system.machine)),
        "target": facts(target),
        "ceilings": facts(ceilings) if (ceilings := _list_ceilings(context)) else "",
        "model": facts(_list_parts(site.model)) if site.model else "",
        "queue": facts(_label(system.queue)) if system.queue else "",
        **values_of_hosts(campaign.folder),
        "tools": facts(system.tools),
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


def _title(context: ReportContext) -> str:
    """Return machine and target in a line, as the title of the page."""
    system, site = context.system, context.campaign.site
    if context.campaign.environment is None:
        return f"Tools of the imported logs: {', '.join(sorted({name for name, _ in system.tools})) or 'none'}"
    cores = next(iter(system.machine.get("cores", {})), "")
    memory = next(iter(system.machine.get("memory_bytes", {})), "")
    parts = [f"{cores} cores" if cores else "", show_bytes(float(memory)) if memory else ""]
    machine = " and ".join(part for part in parts if part) or "A machine of which nothing is recorded"
    # That of most trials: some studies mount a file system of their own.
    kinds = system.target.get("filesystem", {})
    kind = max(kinds, key=lambda name: kinds[name], default="")
    return f"{machine}; {kind} at {site.target.path}" if kind else f"{machine}; {site.target.path}"


def _list_ceilings(context: ReportContext) -> list[tuple[str, str]]:
    """Return each ceiling that the site states or that was measured, and how."""
    campaign, dataset = context.campaign, context.results / "dataset.nc"
    target = campaign.site.target
    units = {name: "1/s" if name.endswith("iops") else "B/s" for name in Ceilings.model_fields}
    stated = {name: rate for name in units if (rate := getattr(target, name)) is not None}
    rows = [(_name(name), f"{show_rate(rate, units[name])}, stated by the site") for name, rate in stated.items()]
    limits = open_limits(dataset, campaign.planned[0].study) if dataset.is_file() else {}
    for name, ceiling in campaign.ceilings.items():
        doubt = "; doubtful, as trials brought more to or from the device" if f"doubtful_{name}" in limits else ""
        told = f"{show_rate(ceiling.rate, 'B/s')}, measured when the campaign began: {ceiling.how}{doubt}"
        rows.append((_name(name), told))
    return rows


def _list_parts(model: Specification) -> list[tuple[str, str]]:
    return [(_name(key), show_value(key, value)) for key, value in model]


def _list_imported(campaign: Campaign) -> Markup | None:
    """Return a table of the imported studies with the folders that their logs come from; None if there is none."""
    rows = [
        (study.title, study.origin.system, code(study.origin.folder), code(campaign.folder / study.study / LOGS))
        for study in campaign.foreign
    ]
    return table(("Study", "System", "Imported from", "Kept in"), rows) if rows else None


def _label(stated: Mapping[str, ValueCounts]) -> list[tuple[str, Any]]:
    return [
        (_NAMES.get(name) or _name(name), show_values(values, partial(show_noted, name), Markup("<br>")))
        for name, values in stated.items()
    ]


def _name(key: str) -> str:
    return key.replace("_", " ").capitalize()
