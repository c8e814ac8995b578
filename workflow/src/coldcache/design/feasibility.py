"""Reasons why a case cannot run on a site, each in one line. What cannot run is never imitated."""

from coldcache.core.units import show_bytes
from coldcache.core.vocabulary import FACTORS
from coldcache.design.settings import Setting
from coldcache.design.site import Site
from coldcache.design.study import Sweep
from coldcache.tools.run import Run


def explain_lack(sweep: Sweep, site: Site) -> str | None:
    """Return what a sweep needs and a site does not have; None if it has all."""
    if site.plan_only:
        return f"the site {site.site} is described for plans only"
    missing = [need for need in sweep.needs if need not in site.offers]
    if missing:
        return f"needs {missing[0]}, which the site {site.site} does not offer"
    for factor, setting in sweep.settings.items():
        if setting == "site" and factor not in site.settings:
            return f"the site {site.site} has no setting for {FACTORS[factor].label}"
        stated = site.settings.get(factor) if setting == "site" else setting
        bound = stated.of_one_machine if isinstance(stated, Setting) else None
        if bound and site.clients.launcher != "local":
            return f"{bound} puts {FACTORS[factor].label} in force on one machine, and not on those of a job"
    return None


def explain_excess(run: Run, site: Site) -> str | None:
    """Return which limit of a site a run at full scale exceeds; None if it exceeds none."""
    if run.file_size * run.threads > site.limits.bytes:
        return (
            f"keeps {show_bytes(run.file_size * run.threads)} on the target, the site {site.site} allows "
            f"{show_bytes(site.limits.bytes)}"
        )
    if site.limits.threads and run.threads > site.limits.threads:
        return f"runs {run.threads} threads, the site {site.site} allows {site.limits.threads}"
    return None
