"""Commands that measure a campaign, or a part of it, again."""

import shlex
from collections.abc import Iterable

from coldcache.campaign.campaign import Campaign
from coldcache.design.imported_study import LOGS, ForeignStudy


def measure_again(campaign: Campaign) -> str:
    """Return the command that measures the same design as a new campaign, on the same target folder."""
    target = campaign.site.target
    studies = ",".join(study.study for study in campaign.planned)
    if (studies, campaign.site.site) == ("quick", "local"):
        named = [] if target.make else [f"TARGET={target.path}"]
        return shlex.join(["make", "study", "CAMPAIGN=again", *named])
    return shlex.join(_snakemake(campaign, studies))


def measure_sweeps_again(campaign: Campaign, sweeps: Iterable[str]) -> str | None:
    """Return the command that measures some sweeps as a new campaign; None if all were imported.

    Parameters
    ----------
    campaign : Campaign
        The campaign.
    sweeps : iterable of str
        Sweeps as ``study/sweep``.
    """
    planned = {study.study for study in campaign.planned}
    names = [sweep.replace("/", ".") for sweep in sweeps if sweep.partition("/")[0] in planned]
    if not names:
        return None
    studies = ",".join(dict.fromkeys(name.partition(".")[0] for name in names))
    # A sentinel has no block: its trials run in the blocks of the other sweeps.
    sentinels = {f"{one.study}.{one.sentinel.sweep}" for one in campaign.planned if one.sentinel}
    blocks = [f"results/again/blocks/{name}.json" for name in names if name not in sentinels]
    return shlex.join([*_snakemake(campaign, studies), "--", *(blocks or ["measure_all"])])


def import_again(campaign: Campaign, study: ForeignStudy) -> str:
    """Return the command that imports the kept logs of a study as a new campaign."""
    kept = campaign.folder / study.study / LOGS
    return shlex.join(["python", "-m", "coldcache", "import", kept.as_posix(), "--campaign", "again"])


def _snakemake(campaign: Campaign, studies: str) -> list[str]:
    target = campaign.site.target
    named = [] if target.make else [f"target={target.path}"]
    design = ["campaign=again", f"studies={studies}", f"site={campaign.site.site}", *named]
    return ["snakemake", "--cores", "all", "--config", *design]
