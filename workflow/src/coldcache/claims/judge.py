"""Judge every claim by a campaign, corrected for the number of claims, and write `claims.csv`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coldcache.analysis.estimates import LEVEL
from coldcache.campaign.campaign import RAW, read_campaign
from coldcache.campaign.known_since import with_known_since
from coldcache.claims.context import ClaimContext
from coldcache.claims.contradictions import tabulate_contradictions
from coldcache.claims.curve_tests import (  # fmt: skip
    weigh_anomaly,
    weigh_drop,
    weigh_figure,
    weigh_growth,
    weigh_knee,
    weigh_peak_at,
)
from coldcache.claims.evidence import ComparisonResult, combine
from coldcache.claims.explanation import NOT_TESTABLE, ClaimEvidence, explain_verdict
from coldcache.claims.rate_tests import (  # fmt: skip
    weigh_difference,
    weigh_equivalence,
    weigh_interaction,
    weigh_model,
    weigh_ordering,
    weigh_ratio,
)
from coldcache.claims.read import SourcedClaim, read_claims
from coldcache.claims.source_arithmetic import weigh_arithmetic
from coldcache.claims.trial_tests import (  # fmt: skip
    weigh_count,
    weigh_crossed,
    weigh_outcome,
    weigh_percentile,
    weigh_verified,
)
from coldcache.core.csv_file import write_csv
from coldcache.core.errors import NoData
from coldcache.dataset.digests import write_claim_digests
from coldcache.design.claim import Claim
from coldcache.statistics.equivalence import adjust

#: Columns of `claims.csv`, which other programs read.
CLAIM_COLUMNS = ["id", "source", "scope", "verdict", "estimate", "low", "high", "level", "unit", "trials", "why"]

_WEIGH: Mapping[str, Callable[[ClaimContext, str, Any], ComparisonResult]] = {
    "ordering": weigh_ordering, "ratio": weigh_ratio, "interaction": weigh_interaction,
    "equivalence": weigh_equivalence, "difference": weigh_difference, "knee": weigh_knee,
    "growth": weigh_growth, "drop": weigh_drop, "anomaly": weigh_anomaly, "peak-at": weigh_peak_at,
    "figure": weigh_figure, "percentile": weigh_percentile, "count": weigh_count, "model": weigh_model,
    "outcome": weigh_outcome, "crossed": weigh_crossed, "verified": weigh_verified,
    "arithmetic": weigh_arithmetic,
}  # fmt: skip


#: Kinds of tests that compare no rates: trials whose work stayed in memory belong to what they test.
_OF_ALL_TRIALS = ("outcome", "crossed", "verified")


class ClaimVerdict(NamedTuple):
    """The verdict on a claim: a row of `claims.csv`."""

    id: str
    source: str
    scope: str
    verdict: str
    estimate: float
    low: float
    high: float
    level: float
    unit: str
    trials: int
    why: str


def judge_claims(context: ClaimContext, claims: Sequence[SourcedClaim]) -> list[ClaimVerdict]:
    """Return the verdict on every claim.

    A claim is decided only on a system that has what it needs; elsewhere it is not testable, and no figure is given. A
    claim that depends on chance is borne out or refuted if its test rejects the opposite after Holm's correction over
    all such claims that this system can decide: the chance of any false verdict among them is at most 5 %. Counts and
    arithmetic do not depend on chance and are left out of the correction.

    Parameters
    ----------
    context : ClaimContext
        The campaign.
    claims : sequence of SourcedClaim
        The claims to judge, in the order of the result.
    """
    unmet_needs = [[need for need in stated.claim.needs if need not in context.offers] for stated in claims]
    weighed = [
        ClaimEvidence(ComparisonResult(""), False, []) if unmet else _weigh_claim(context, *stated)
        for stated, unmet in zip(claims, unmet_needs, strict=True)
    ]
    by_chance = [_p_value(one) for one in weighed]
    corrected = adjust(by_chance)
    family = int(np.isfinite(by_chance).sum())
    rows = []
    for stated, one, unmet, raw, p in zip(claims, weighed, unmet_needs, by_chance, corrected, strict=True):
        verdict = NOT_TESTABLE if unmet else _decide(one, p)
        why = explain_verdict(context, stated, one, verdict, unmet, raw, family)
        figures = one.evidence
        rows.append(ClaimVerdict(
            stated.claim.id, stated.source, stated.claim.scope, verdict, figures.estimate, figures.low, figures.high,
            figures.level if figures.low == figures.low else np.nan, figures.unit, figures.trials, why,
        ))  # fmt: skip
    return rows


def _weigh_claim(context: ClaimContext, source: str, claim: Claim) -> ClaimEvidence:
    found, reasons = [], []
    of_storage = context if claim.caching else context.without_memory()
    for test in claim.tests:
        try:
            found.append(_WEIGH[test.kind](context if test.kind in _OF_ALL_TRIALS else of_storage, source, test))
        except NoData as reason:
            reasons.append(str(reason))
    if not found:
        return ClaimEvidence(ComparisonResult(""), False, list(dict.fromkeys(reasons)))
    evidence = combine(found)._replace(says="; ".join(dict.fromkeys(one.says for one in found)))
    return ClaimEvidence(evidence, not reasons, list(dict.fromkeys(reasons)))


def _p_value(one: ClaimEvidence) -> float:
    """Return the p-value of a claim that depends on chance, else NaN.

    Of the tests for and against a claim only one can be wrong, so the smaller p-value is not doubled.
    """
    evidence = one.evidence
    if evidence.decided is not None or not evidence.is_tested:
        return np.nan
    p_for = evidence.p_for if one.there else 1.0
    return min(1.0, p_for, evidence.p_against)


def _decide(one: ClaimEvidence, p: float) -> str:
    evidence = one.evidence
    if evidence.decided is not None:
        return "refuted" if not evidence.decided else "borne out" if one.there else "open"
    if not p <= 1 - LEVEL:
        return "open"
    return "borne out" if one.there and evidence.p_for <= evidence.p_against else "refuted"


def write_claims(name: str, results: Path) -> None:
    """Write `claims.csv`, `statements.csv` and `contradictions.csv` of a campaign, and a digest for each study.

    Parameters
    ----------
    name : str
        The campaign.
    results : Path
        Its folder of results, with `dataset.nc`.

    Raises
    ------
    CampaignError
        If the campaign cannot be read.
    DesignError
        If a file of claims is not valid.
    """
    context = ClaimContext(with_known_since(read_campaign(RAW / name)), results)
    studies = [study.study for study in context.campaign.studies]
    claims = read_claims(studies)
    rows = judge_claims(context, claims)
    judged = pd.DataFrame(rows, columns=CLAIM_COLUMNS)
    write_csv(judged, results / "claims.csv")
    stated = [(claim.id, source, claim.scope, claim.place, claim.statement) for source, claim in claims]
    columns = ["id", "source", "scope", "place", "statement"]
    statements, contradictions = pd.DataFrame(stated, columns=columns), tabulate_contradictions(context.published)
    write_csv(statements, results / "statements.csv")
    write_csv(contradictions, results / "contradictions.csv")
    write_claim_digests(results, studies, judged, statements, contradictions)
