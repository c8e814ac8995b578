"""The page on the system: machine, target, hosts, tools and site, as the trials recorded them."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from markupsafe import Markup

from coldcache.campaign.campaign import Campaign
from coldcache.core.units import show_bytes, show_seconds
from coldcache.design.imported_study import LOGS
from coldcache.report.site.conditions import ValueCounts
from coldcache.report.site.context import ReportContext
from coldcache.report.site.format import show_noted, show_share, show_values
from coldcache.report.site.hosts import describe_hosts
from coldcache.report.site.html import code, facts, table

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
    campaign, conditions = context.campaign, context.conditions
    site, environment = campaign.site, campaign.environment
    limits, thresholds = site.limits, site.thresholds
    imported = _list_imported(campaign)
    if environment is None:
        return {"measured": False, "imported": imported, "tools": facts(conditions.tools)}
    direct = "taken by the file system" if environment.direct_io else "not taken by the file system"
    target = [(f"Path of {site.target_name}", code(site.target.path)), *_label(conditions.target), ("O_DIRECT", direct)]
    return {
        "measured": True,
        "imported": imported,
        "trials": conditions.trials,
        "machine": facts(_label(conditions.system)),
        "target": facts(target),
        "queue": facts(_label(conditions.queue)) if conditions.queue else "",
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


def _list_imported(campaign: Campaign) -> Markup | None:
    """Return a table of the imported studies with the folders that their logs come from; None if there is none."""
    rows = [
        (study.title, study.origin.system, code(study.origin.folder), code(campaign.folder / study.study / LOGS))
        for study in campaign.foreign
    ]
    return table(("Study", "System", "Imported from", "Kept in"), rows) if rows else None


def _label(stated: Mapping[str, ValueCounts]) -> list[tuple[str, Any]]:
    return [
        (_NAMES.get(name) or name.replace("_", " ").capitalize(), show_values(values, partial(show_noted, name)))
        for name, values in stated.items()
    ]
