"""The first page of a report: what was found, how sure, on what system, how it was measured, where the evidence is."""

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markupsafe import Markup

from coldcache.campaign import Campaign, count_repetitions, is_sealed
from coldcache.chapters import Chapter
from coldcache.conditions import Conditions
from coldcache.estimates import LEVEL
from coldcache.intervals import reach_of_order
from coldcache.markup import code, facts, join, link
from coldcache.material import Material
from coldcache.units import show_bytes
from coldcache.wording import show_period, show_share, show_values

#: Files of one kind that are named one by one; of more the folder is named.
_FEW = 24

#: Characters of mount options; an overlay's may fill a screen.
_LONGEST_OPTIONS = 160


def describe_first_page(material: Material) -> dict[str, Any]:
    """Return the values of `index.md`."""
    campaign, conditions = material.campaign, material.conditions
    colds = sum(material.validity.colds.values(), Counter())
    repetitions = count_repetitions(campaign)
    fewest, most = repetitions[0], repetitions[-1]
    return {
        "studies": [
            {
                "name": study.study, "title": study.title, "question": study.question,
                "chapters": list_findings(material.chapters[study.study]),
            }
            for study in campaign.studies
        ],
        "summary": material.validity.summary(),
        "reads": colds.total(),
        "cold": colds["cold"],
        "fewest": fewest,
        "level": show_share(min(LEVEL, reach_of_order(fewest))) if fewest > 1 else "",
        "system": facts(_summarise_system(campaign, conditions)),
        "period": show_period(conditions.begin, conditions.end),
        "repetitions": f"{fewest} to {most}" if most > fewest else most,
        "sealed": is_sealed(campaign.folder),
        "imported": campaign.origin is not None,
        "evidence": facts(_list_evidence(material)),
    }  # fmt: skip


def list_findings(chapters: list[Chapter]) -> list[dict[str, Any]]:
    """Return what chapters found; their sentences are Markdown already."""
    return [{"name": chapter.name, "findings": [Markup(text) for text in chapter.findings]} for chapter in chapters]


def _summarise_system(campaign: Campaign, conditions: Conditions) -> Iterator[tuple[str, Any]]:
    system, target = conditions.system, conditions.target
    yield "Site", campaign.site.title
    if campaign.origin is not None:
        yield "Logs", code(campaign.origin["folder"])
        yield "Tools", join(map(" ".join, conditions.tools))
        return
    yield "Target", join((campaign.site.target_name, code(campaign.site.target.path)))
    yield "File system", show_values(target.get("filesystem"))
    yield "Mount options", show_values(target.get("mount_options"), _shorten)
    cache = conditions.queue.get("write_cache")
    device = show_values(target.get("source"))
    yield "Device", join((device, Markup("write cache: {}").format(show_values(cache)))) if cache else device
    yield "Kernel", join((show_values(system.get("kernel")), show_values(system.get("os"))))
    cores = Markup("{} cores").format(show_values(system.get("cores")))
    virtual = ["virtual machine"] if "True" in system.get("hypervisor", {}) else []
    yield "Processor", join((show_values(system.get("processor")), cores, *virtual))
    yield "Memory", show_values(system.get("memory_bytes"), lambda size: show_bytes(float(size)))
    yield "Tools", join(map(" ".join, conditions.tools)) or "none has run"


def _shorten(options: str) -> str:
    return options if len(options) <= _LONGEST_OPTIONS else f"{options[:_LONGEST_OPTIONS]} …"


def _list_evidence(material: Material) -> Iterator[tuple[str, Any]]:
    campaign, results = material.campaign, material.results
    dataset = link("dataset.nc", "../dataset.nc")
    yield "Every value", join((dataset, "with its unit, its verdict and its place in a log"))
    yield "Tables", _list_files(results, "tables", "*.csv")
    yield "Figures", _list_files(results, "figures", "*.svg")
    yield "Verdicts", join((link("verdicts.csv", "../verdicts.csv"), link("reasons.csv", "../reasons.csv")))
    yield "Folder of these", code(f"results/{campaign.name}/")
    yield "Raw logs", code(f"raw/{campaign.name}/")
    if campaign.origin is None:
        yield "Measure again", code(_command(campaign))
    else:
        again = ["python", "-m", "coldcache", "import", campaign.origin["folder"], "--campaign", "again"]
        yield "Import again", code(shlex.join(again))


def _list_files(results: Path, folder: str, pattern: str) -> Markup:
    names = sorted(path.name for path in (results / folder).glob(pattern))
    if not names:
        return Markup("none")
    if len(names) > _FEW:
        return Markup("{} files in {}").format(len(names), link(f"{folder}/", f"../{folder}/"))
    return join(link(name, f"../{folder}/{name}") for name in names)


def _command(campaign: Campaign) -> str:
    """Return the command that measures the same as another campaign; a folder that a user named is named again."""
    target = campaign.site.target
    studies = ",".join(study.study for study in campaign.studies)
    if (studies, campaign.site.site) == ("quick", "local"):
        named = [] if target.make else [f"TARGET={target.path}"]
        return shlex.join(["make", "study", "CAMPAIGN=again", *named])
    named = [] if target.make else [f"target={target.path}"]
    design = ["campaign=again", f"studies={studies}", f"site={campaign.site.site}", *named]
    return shlex.join(["snakemake", "--cores", "all", "--config", *design])
