"""The column ``why`` of `claims.csv`: what a campaign shows, what would decide the claim, what the source states."""

from typing import NamedTuple

import numpy as np

from coldcache.analysis.estimates import LEVEL
from coldcache.analysis.format import format_factor
from coldcache.claims.context import ClaimContext, select_published
from coldcache.claims.evidence import ComparisonResult
from coldcache.claims.read import SourcedClaim, list_selections
from coldcache.design.cases import Case
from coldcache.statistics.power import describe_power
from coldcache.statistics.stopping import LEAST_REPETITIONS
from coldcache.statistics.widening import refuse_verdict

#: Parameters of a model that a verdict names, where they are stated.
_MODELLED = (
    "targets", "target_rate", "target_iops", "storage_nodes", "node_rate", "metadata_servers", "metadata_cpu",
    "clients", "client_rate", "network_delay",
)  # fmt: skip

#: The verdict where a system lacks what a claim needs.
NOT_TESTABLE = "not testable here"


class ClaimEvidence(NamedTuple):
    """The evidence on a claim before correction for the number of claims.

    Attributes
    ----------
    evidence : ComparisonResult
        The combined evidence of its tests.
    there : bool
        Whether every test had data.
    reasons : list of str
        Why tests had no data.
    """

    evidence: ComparisonResult
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
    if verdict == NOT_TESTABLE:
        needed = " and ".join(unmet)
        return f"needs {needed}, which config/sites/{context.campaign.site.site}.yaml does not offer"
    parts = [evidence.says] if evidence.says else []
    if verdict == "open":
        parts += one.reasons
        if claim.untestable:
            parts.append(claim.untestable)
        elif not one.there:
            parts.append(_needed_trials(stated))
        else:
            parts.append(_needed(evidence, raw, family))
        published = _show_published(context, stated)
        parts += [f"published: {published}"] if published else []
    elif claim.scope == "model":
        parts.append(_name_system(context, stated))
    if claim.built_in:
        parts.append(f"built in: {claim.built_in}")
    if claim.limits:
        parts.append(claim.limits)
    return "; ".join(part for part in parts if part)


def _name_system(context: ClaimContext, stated: SourcedClaim) -> str:
    """Return the system that decided a claim about a topology; a model or a guest with its parameters."""
    selected = {(one.study or stated.source, one.sweep) for one in list_selections(stated.claim) if one.sweep}
    cases = [case for study, sweep in sorted(selected) for case in context.cases(study, sweep)]
    if cases and all(case.guest for case in cases):
        return f"in a guest ({_name_parameters(cases)})"
    model = context.campaign.site.model
    if model is None:
        return f"on {context.campaign.site.title}"
    values = model.model_dump(mode="json", exclude_none=True)
    shown = [f"{name.replace('_', ' ')} {values[name]:,.10g}" for name in _MODELLED if values.get(name)]
    return f"on the model ({', '.join(shown)}; in B, B/s, 1/s and s)"


def _name_parameters(cases: list[Case]) -> str:
    """Return the settings that all cases in a guest share, and the layers of its disk where it has some."""
    levels = {factor: {str(case.factors.get(factor)) for case in cases} for factor in cases[0].settings}
    shared = [factor for factor, found in levels.items() if len(found) == 1]
    layers = max((case.guest.layers for case in cases if case.guest), key=len)
    return ", ".join([*(format_factor(one, cases[0].factors[one]) for one in shared), *layers])


def _needed_trials(stated: SourcedClaim) -> str:
    """Return the sweeps whose trials would decide a claim."""
    sweeps = dict.fromkeys(
        f"{chosen.study or stated.source}/{chosen.sweep}" for chosen in list_selections(stated.claim) if chosen.sweep
    )
    return f"needed: trials of {', '.join(sweeps)}"


def _needed(evidence: ComparisonResult, raw: float, family: int) -> str:
    """Return what would decide a claim that its trials leave open."""
    if evidence.missing:
        return f"needed: {evidence.missing}"
    if evidence.n >= LEAST_REPETITIONS and raw <= 1 - LEVEL:
        return f"significant alone, but not after correction for {family} tests (Holm)"
    if evidence.n >= LEAST_REPETITIONS and (reason := refuse_verdict(evidence.n, evidence.rounds)):
        return reason
    fewest = f"{LEAST_REPETITIONS} runs per case decide at the earliest (now {evidence.n})"
    if not np.isfinite(evidence.spread) or evidence.spread <= 0:
        return fewest if evidence.n < LEAST_REPETITIONS else f"needed: more than {evidence.n} runs per case"
    level = 1 - (1 - LEVEL) / max(family, 1)
    power = describe_power(evidence.spread, evidence.n, 1 + evidence.margin, level, evidence.rounds)
    return f"{fewest}; {power}" if evidence.n < LEAST_REPETITIONS else power


def _show_published(context: ClaimContext, stated: SourcedClaim) -> str:
    found = (select_published(context.published, stated.source, columns) for columns in stated.claim.published)
    values = [value for some in found for value in some]
    shown = []
    for value in dict.fromkeys(values):
        at = f"at {value.threads} threads"
        words = [value.operation, value.statistic, at if value.threads and value.shown not in at else ""]
        relation = "" if value.relation in ("=", "range") else f"{value.relation} "
        shown.append(f"{' '.join(filter(None, words))} {relation}{value.shown} ({value.item})")
    return ", ".join(shown[:6]) + (f" and {len(shown) - 6} more" if len(shown) > 6 else "")
