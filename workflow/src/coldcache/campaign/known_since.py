"""Facts about a system that were stated after its campaign was sealed: ceilings of its target, and offers to claims.

No trial depends on either. A sealed campaign keeps its own file, and is judged by what `config/sites` states now.
"""

from dataclasses import replace
from pathlib import Path

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.seal import is_sealed
from coldcache.core.errors import DesignError
from coldcache.core.program_files import find_file
from coldcache.design.site import SITES, Site, read_site
from coldcache.verdicts.thresholds import Ceilings


def with_known_since(campaign: Campaign) -> Campaign:
    """Return a sealed campaign with the ceilings and offers that its site has got since; any other as it is."""
    now = _read_now(campaign.site) if is_sealed(campaign.folder) else None
    if now is None:
        return campaign
    before, target = campaign.site.target, now.target
    added = {
        name: stated
        for name in Ceilings.model_fields
        if getattr(before, name) is None and (stated := getattr(target, name)) is not None
    }
    offers = [*campaign.site.offers, *(offer for offer in now.offers if offer not in campaign.site.offers)]
    targets = {campaign.site.target_name: before.model_copy(update=added)}
    return replace(campaign, site=campaign.site.model_copy(update={"targets": targets, "offers": offers}))


def list_sources(campaign: Campaign) -> list[Path]:
    """Return the files outside the campaign that its verdicts depend on."""
    path = find_file(SITES / f"{campaign.site.site}.yaml")
    return [path] if is_sealed(campaign.folder) and path.is_file() else []


def _read_now(site: Site) -> Site | None:
    """Return a site as `config/sites` has it; None where it has none of this name with the same target."""
    try:
        now = read_site(SITES, site.site)
    except DesignError:
        return None
    return now if now.target.path == site.target.path else None
