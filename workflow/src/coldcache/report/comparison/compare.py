"""Compare each of several campaigns with the first."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from coldcache.analysis.format import show_level
from coldcache.core.errors import CampaignError
from coldcache.core.units import show_rate
from coldcache.core.vocabulary import nearest
from coldcache.report.comparison.campaigns import ComparedCampaign, read_compared_campaigns
from coldcache.report.comparison.decisions import FAMILY_LEVEL, Decision, decide
from coldcache.report.comparison.differences import Difference, list_differences
from coldcache.report.comparison.match import COMPARED_METRICS, LOWER_IS_BETTER, UnmatchedCase, match_cases

#: Default of the smallest change of speed that matters.
THRESHOLD = 0.05


class CampaignPair(NamedTuple):
    """The comparison of one campaign with the first.

    Attributes
    ----------
    base, other : str
        Their names.
    decisions : list of Decision
        The decision on each case that both measured in the same way.
    unmatched : list of UnmatchedCase
        The cases that cannot be compared.
    """

    base: str
    other: str
    decisions: list[Decision]
    unmatched: list[UnmatchedCase]

    def of(self, verdict: str) -> list[Decision]:
        """Return the decisions with a verdict, the largest change first."""
        chosen = [decision for decision in self.decisions if decision.verdict == verdict]
        return sorted(chosen, key=lambda decision: -abs(math.log(decision.ratio)))

    @property
    def lost(self) -> list[UnmatchedCase]:
        """The cases with values in the first campaign whose trials are all void in the second."""
        return [case for case in self.unmatched if case.lost]

    def finding(self, threshold: float) -> str:
        """Return one or two sentences on what changed."""
        counts = Counter(decision.verdict for decision in self.decisions)
        beyond = f"by more than {100 * threshold:g} %"
        parts = [f"{counts['worse']} worse {beyond}", f"{counts['better']} better {beyond}",
                 f"{counts['alike']} alike within that", f"{counts['undecided']} undecided"]  # fmt: skip
        said = f"{self.other} against {self.base}, {len(self.decisions)} cases: {', '.join(parts)}."
        for verdict in ("worse", "better"):
            named = [f"{decision.case.name}: {show_change(decision)}" for decision in self.of(verdict)]
            said += f" {verdict.capitalize()}: {'; '.join(named)}." if named else ""
        if self.lost:
            said += f" Lost, as no trial counts any more: {'; '.join(case.name for case in self.lost)}."
        return said


class CampaignComparison(NamedTuple):
    """The comparison of two or more campaigns.

    Attributes
    ----------
    sides : list of ComparedCampaign
        The campaigns; the others are compared with the first.
    differences : list of Difference
        The properties in which they differ.
    pairs : list of CampaignPair
        The comparison of each other campaign with the first.
    threshold : float
        The smallest change that matters, such as 0.05.
    """

    sides: list[ComparedCampaign]
    differences: list[Difference]
    pairs: list[CampaignPair]
    threshold: float

    @property
    def regressions(self) -> int:
        """The number of cases that became worse by more than the threshold, or were lost."""
        return sum(len(pair.of("worse")) + len(pair.lost) for pair in self.pairs)


def compare_campaigns(names: Sequence[str], threshold: float = THRESHOLD, metric: str = "") -> CampaignComparison:
    """Return the comparison of campaigns, read from their raw logs.

    Parameters
    ----------
    names : sequence of str
        Two or more campaigns.
    threshold : float
        The smallest change of speed that matters, such as 0.05.
    metric : str
        The metric to compare; by default the leading one of each operation.

    Raises
    ------
    CampaignError
        If a campaign cannot be read, the threshold or the metric is not valid, or no case can be compared.
    """
    if not 0 < threshold <= 10:
        raise CampaignError(f"compare: a threshold of {100 * threshold:g} % is out of range; state it as --threshold 5")
    if metric and metric not in COMPARED_METRICS:
        raise CampaignError(f'compare: unknown metric "{metric}"; {nearest(metric, COMPARED_METRICS)}')
    sides = read_compared_campaigns(names)
    matched = [match_cases(sides[0], side, metric) for side in sides[1:]]
    for side, (cases, unmatched) in zip(sides[1:], matched, strict=True):
        if not cases:
            _refuse(sides[0], side, unmatched)
    # All cases of all pairs are one family, so the error rate holds for the whole comparison.
    decisions = iter(decide([case for cases, _ in matched for case in cases], threshold))
    pairs = [
        CampaignPair(sides[0].name, side.name, [next(decisions) for _ in cases], unmatched)
        for side, (cases, unmatched) in zip(sides[1:], matched, strict=True)
    ]
    return CampaignComparison(sides, list_differences(sides), pairs, threshold)


def _refuse(base: ComparedCampaign, other: ComparedCampaign, unmatched: Sequence[UnmatchedCase]) -> None:
    shared = [case for case in unmatched if not case.reason.startswith("only in ")]
    if not shared:
        first, second = (", ".join(study.study for study in side.campaign.studies) for side in (base, other))
        raise CampaignError(
            f"compare: {base.name} and {other.name} have no case in common (their studies: {first}; {second})"
        )
    raise CampaignError(
        f"compare: none of the {len(shared)} cases that {base.name} and {other.name} share can be compared; "
        f"the first is {shared[0].name}: {shared[0].reason}"
    )


def show_decision_ratio(decision: Decision) -> str:
    """Return the ratio of a decision with its interval: ``0.801 (95 %: 0.792 to 0.810)``."""
    ratio, low, high = (f"{value:.3f}" if value < 10 else f"{value:.3g}" for value in decision[3:6])
    return f"{ratio} ({show_level(FAMILY_LEVEL)}: {low} to {high})" if decision.low == decision.low else ratio


def show_change(decision: Decision) -> str:
    """Return a change in words: ``rate 12.0 k/s → 9.60 k/s, 0.801 (95 %: 0.792 to 0.810)``."""
    case = decision.case
    values = f"{show_rate(decision.base, case.unit)} → {show_rate(decision.other, case.unit)}"
    less = " (less is better)" if case.metric in LOWER_IS_BETTER else ""
    return f"{case.metric.replace('_', ' ')}{less} {values}, {show_decision_ratio(decision)}"


def show_smallest(decision: Decision) -> str:
    """Return the smallest change that would have shown and what would show the threshold: ``8 %; 54 runs …``."""
    least = f"{100 * (decision.smallest - 1):.2g} %" if decision.smallest < 11 else "none below 1,000 %"
    return "; ".join(filter(None, (least, decision.power if decision.verdict == "undecided" else None)))
