"""The column ``why`` of `claims.csv`: what a campaign shows, what would decide the claim, what the source states."""

from typing import NamedTuple

import numpy as np

from coldcache.analysis.estimates import LEVEL
from coldcache.claims.context import ClaimContext, find_published
from coldcache.claims.evidence import Evidence
from coldcache.claims.read import SourcedClaim, list_selections
from coldcache.statistics.equivalence import pairs_needed


class ClaimEvidence(NamedTuple):
    """The evidence on a claim before correction for the number of claims.

    Attributes
    ----------
    evidence : Evidence
        The combined evidence of its tests.
    there : bool
        Whether every test had data.
    reasons : list of str
        Why tests had no data.
    """

    evidence: Evidence
    there: bool
    reasons: list[str]


def explain_verdict(
    context: ClaimContext,
    stated: SourcedClaim,
    one: ClaimEvidence,
    verdict: str,
    unmet: list[str],
    raw: float,
    family: int,
) -> str:
    """Return in words what the campaign shows, what would decide the claim, and what the source states."""
    claim, evidence = stated.claim, one.evidence
    parts = [evidence.says] if evidence.says else []
    if verdict == "open":
        parts += one.reasons
        if claim.untestable:
            parts.append(claim.untestable)
        elif unmet or not one.there:
            parts.append(_needed_trials(context, stated, unmet))
        else:
            parts.append(_needed(evidence, raw, family))
        published = _show_published(context, stated)
        parts += [f"published: {published}"] if published else []
    if claim.limits:
        parts.append(claim.limits)
    return "; ".join(part for part in parts if part)


def _needed_trials(context: ClaimContext, stated: SourcedClaim, unmet: list[str]) -> str:
    """Return the sweeps and the system whose trials would decide a claim."""
    sweeps = dict.fromkeys(
        f"{chosen.study or stated.source}/{chosen.sweep}" for chosen in list_selections(stated.claim) if chosen.sweep
    )
    site = context.campaign.site.site
    system = f" on a system with {' and '.join(unmet)}, which config/sites/{site}.yaml does not offer" if unmet else ""
    return f"needed: trials of {', '.join(sweeps)}{system}"


def _needed(evidence: Evidence, raw: float, family: int) -> str:
    """Return what would decide a claim that its trials leave open."""
    if evidence.missing:
        return f"needed: {evidence.missing}"
    if evidence.n < 2:
        return "needed: more repetitions; one has no interval"
    if raw <= 1 - LEVEL:
        return f"significant alone, but not after correction for {family} tests (Holm)"
    if not np.isfinite(evidence.spread):
        return f"needed: more than {evidence.n} repetitions"
    level = 1 - (1 - LEVEL) / max(family, 1)
    try:
        pairs = pairs_needed(max(evidence.spread, 1e-9), 1 + evidence.margin, level=level)
    except ValueError:
        return f"needed: less scatter; at this one 1,000 repetitions would not show {100 * evidence.margin:g} %"
    if pairs <= evidence.n:
        return f"too near the limit: {evidence.n} repetitions show only differences from {100 * evidence.margin:g} %"
    return (
        f"needed: {pairs} repetitions (now {evidence.n}) to show a difference of {100 * evidence.margin:g} % "
        "with 80 % power"
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
