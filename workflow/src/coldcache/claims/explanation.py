"""The words of `claims.csv`: what a campaign shows, what would decide, what the source's own values say."""

from typing import NamedTuple

import numpy as np

from coldcache.analysis.estimates import LEVEL
from coldcache.claims.context import ClaimContext, find_published
from coldcache.claims.evidence import Evidence
from coldcache.claims.read import SourcedClaim, list_selections
from coldcache.statistics.equivalence import pairs_needed


class ClaimEvidence(NamedTuple):
    """What a campaign says of a claim, before correction; `there` tells whether every test had data."""

    evidence: Evidence
    there: bool
    lacking: list[str]


def explain_verdict(
    context: ClaimContext,
    stated: SourcedClaim,
    one: ClaimEvidence,
    verdict: str,
    lack: list[str],
    raw: float,
    family: int,
) -> str:
    """Return what the campaign shows, what is missing to decide, and what the source's own values say."""
    claim, evidence = stated.claim, one.evidence
    parts = [evidence.says] if evidence.says else []
    if verdict == "open":
        parts += one.lacking
        if claim.untestable:
            parts.append(claim.untestable)
        elif lack or not one.there:
            parts.append(_needed_trials(context, stated, lack))
        else:
            parts.append(_needed(evidence, raw, family))
        published = _show_published(context, stated)
        parts += [f"published: {published}"] if published else []
    if claim.limits:
        parts.append(claim.limits)
    return "; ".join(part for part in parts if part)


def _needed_trials(context: ClaimContext, stated: SourcedClaim, lack: list[str]) -> str:
    """Return of which sweeps, and on which system, trials would decide."""
    sweeps = dict.fromkeys(
        f"{chosen.study or stated.source}/{chosen.sweep}" for chosen in list_selections(stated.claim) if chosen.sweep
    )
    site = context.campaign.site.site
    system = f" on a system with {' and '.join(lack)}, which config/sites/{site}.yaml does not offer" if lack else ""
    return f"needed: trials of {', '.join(sweeps)}{system}"


def _needed(evidence: Evidence, raw: float, family: int) -> str:
    """Return what would decide a claim that the trials leave open."""
    if evidence.lacks:
        return f"needed: {evidence.lacks}"
    if evidence.n < 2:
        return "needed: repetitions; one has no interval"
    if raw <= 1 - LEVEL:
        return f"by itself it would be decided; Holm's correction over the {family} claims tested here leaves it open"
    if not np.isfinite(evidence.spread):
        return f"needed: more than {evidence.n} repetitions"
    level = 1 - (1 - LEVEL) / max(family, 1)
    try:
        pairs = pairs_needed(max(evidence.spread, 1e-9), 1 + evidence.margin, level=level)
    except ValueError:
        return f"needed: a calmer system; 1,000 repetitions of this spread would not show {100 * evidence.margin:g} %"
    if pairs <= evidence.n:
        return f"it lies nearer to the limit than the {100 * evidence.margin:g} % that {evidence.n} repetitions show"
    return (
        f"needed: {pairs} repetitions instead of {evidence.n}, to show {100 * evidence.margin:g} % in 4 of 5 campaigns"
    )


def _show_published(context: ClaimContext, stated: SourcedClaim) -> str:
    found = (find_published(context.published, stated.source, columns) for columns in stated.claim.published)
    values = [value for some in found for value in some]
    shown = []
    for value in dict.fromkeys(values):
        at = f"at {value.threads} threads"
        words = [value.operation, value.statistic, at if value.threads and value.printed not in at else ""]
        relation = "" if value.relation in ("=", "range") else f"{value.relation} "
        shown.append(f"{' '.join(filter(None, words))} {relation}{value.printed} ({value.item})")
    return ", ".join(shown[:6]) + (f" and {len(shown) - 6} more" if len(shown) > 6 else "")
