"""The hosts of a campaign: properties that all of them share, and properties that differ."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from coldcache.campaign.campaign import read_hosts
from coldcache.dataset.confounders import RecordedDifference, compare_hosts
from coldcache.report.site.html import facts, table

#: Properties that the recorded system shows already.
_SHOWN = ("kernel", "os", "processor", "cores", "memory_bytes", "hypervisor")

#: Labels of properties; others are shown under their own name.
_NAMES = {
    "vendor": "Vendor of the machine",
    "product": "Product, or instance type",
    "numa_nodes": "NUMA nodes",
    "governor": "CPU governor",
    "programs": "SHA-256 of",
    "modules": "Modules loaded",
    "links": "Network link",
}


def values_of_hosts(folder: Path) -> dict[str, Any]:
    """Return the values of `system.md` on hosts; empty if no host was described.

    Parameters
    ----------
    folder : Path
        The campaign's folder of raw logs.
    """
    hosts = read_hosts(folder)
    differences = compare_hosts(hosts)
    return {
        "hosts": len(hosts),
        "alike": facts(_list_alike(hosts, {difference.what for difference in differences})) if hosts else Markup(""),
        "differing": _tabulate(differences) if differences else Markup(""),
    }


def _list_alike(hosts: Mapping[str, Mapping[str, Any]], differing: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the label and value of each property that is the same on all hosts."""
    for name, value in next(iter(hosts.values())).items():
        label = _NAMES.get(name) or name.replace("_", " ").capitalize()
        if name in _SHOWN:
            continue
        if isinstance(value, list):
            yield label, ", ".join(member for member in value if f"{name}.{member}" not in differing) or "none"
        elif isinstance(value, dict):
            yield from (
                (f"{label} {key.replace('numa', 'NUMA').replace('_', ' ')}", inner or "not recorded")
                for key, inner in value.items()
                if f"{name}.{key}" not in differing
            )
        elif name not in differing:
            yield label, value if value != "" else "not recorded"


def _tabulate(differences: tuple[RecordedDifference, ...]) -> Markup:
    """Return a table with a row per property and value, as most of many hosts share a value."""
    rows = []
    for difference in differences:
        hosts_of: dict[str, list[str]] = {}
        for host, values in difference.values.items():
            hosts_of.setdefault("; ".join(values) or "not recorded", []).append(host)
        name = difference.what.replace(".", " ").replace("_", " ")
        rows += [(name, value, ", ".join(hosts)) for value, hosts in hosts_of.items()]
    return table(("Recorded", "Value", "Hosts"), rows)
