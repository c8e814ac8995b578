"""Write a comparison as Markdown, for a pull request or a page of the report."""

import re
from collections.abc import Iterable, Sequence

from coldcache.core.units import show_rate
from coldcache.report.comparison.campaigns import ComparedCampaign
from coldcache.report.comparison.compare import CampaignComparison, CampaignPair, show_decision_ratio, show_smallest
from coldcache.report.comparison.decisions import FAMILY_LEVEL, Decision
from coldcache.report.comparison.differences import name_cause
from coldcache.report.comparison.match import UnmatchedCase
from coldcache.report.site.format import show_period

#: Smaller p-values are shown as below this one.
_SMALLEST_P = 0.001

_HEADINGS = {
    "worse": "Worse",
    "better": "Better",
    "undecided": "Undecided with these data",
    "alike": "Alike",
}


def write_markdown(comparison: CampaignComparison) -> str:
    """Return a comparison as a page of Markdown: findings, differences, and every case."""
    names = " and ".join(side.name for side in comparison.sides)
    parts = [f"# Comparison of {_escape(names)}"]
    parts += [_escape(pair.finding(comparison.threshold)) for pair in comparison.pairs]
    parts += [_escape(name_cause(comparison.differences))]
    head = ["", *(_escape(side.name) for side in comparison.sides)]
    parts += ["## What else differs", _table(head, _campaign_rows(comparison.sides))]
    if comparison.differences:
        rows = [[f"{found.group}: {found.name}", *found.values] for found in comparison.differences]
        parts.append(_table(head, rows))
    for pair in comparison.pairs:
        several = f" of {_escape(pair.other)}" if len(comparison.pairs) > 1 else ""
        for verdict, heading in _HEADINGS.items():
            if found := pair.of(verdict):
                parts += [f"## {heading}{several}", _table(*_tabulate(found, pair))]
        if pair.unmatched:
            parts += [f"## Not compared{several}", _table(["Case", "Why"], _reasons(pair.unmatched))]
    return "\n\n".join([*parts, "## How this was decided", explain_decisions(comparison)]) + "\n"


def explain_decisions(comparison: CampaignComparison) -> str:
    """Return a paragraph on how cases were decided."""
    share, percent = f"{100 * FAMILY_LEVEL:g} %", f"{100 * comparison.threshold:g} %"
    return (
        f"Each ratio is that of geometric means, with the {share} interval of Welch's test on logarithms, widened "
        "where trials resemble those before them; fewer than five trials have none and decide nothing, nor do trials "
        "worth fewer than two independent ones. Worse and "
        f"better: the test shows a change beyond {percent}. Alike: it shows that the change is within {percent}. Both "
        "tests are corrected for the number of cases (Holm), so the chance of any false finding is at most "
        f"{100 * (1 - FAMILY_LEVEL):g} %. Undecided: neither is shown; the last column gives the change that 4 of 5 "
        "such campaigns would have shown, and how many runs per case would show the threshold. The tests know the "
        "spread within a campaign, not what else changed between the two."
    )


def _campaign_rows(sides: Sequence[ComparedCampaign]) -> Iterable[list[str]]:
    yield ["site", *(side.campaign.site.title for side in sides)]
    yield ["measured", *(show_period(*side.period()) for side in sides)]
    yield ["trials that count", *(f"{side.counted()} of {len(side.trials)}" for side in sides)]


def _tabulate(decisions: Sequence[Decision], pair: CampaignPair) -> tuple[list[str], list[list[str]]]:
    head = ["Case", "Figure", pair.base, pair.other, "Ratio", "p", "Would have shown"]
    notes = any(decision.case.note for decision in decisions)
    rows = []
    for decision in decisions:
        case = decision.case
        values = [show_rate(value, case.unit) for value in (decision.base, decision.other)]
        p = "" if decision.p != decision.p else f"{decision.p:.1g}" if decision.p >= _SMALLEST_P else f"< {_SMALLEST_P}"
        # No-break spaces keep a number and its unit on one line.
        numbers = [
            cell.replace(" ", "\xa0") for cell in (*values, show_decision_ratio(decision), p, show_smallest(decision))
        ]
        row = [case.name, case.metric.replace("_", " "), *numbers]
        rows.append([*row, *([case.note] if notes else [])])
    return [*head, *(["Note"] if notes else [])], rows


def _reasons(unmatched: Sequence[UnmatchedCase]) -> list[list[str]]:
    return [[case.name, case.reason] for case in unmatched]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([_escape(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escape(text: str) -> str:
    """Return a text as Markdown that shows it literally, also in a table."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", re.sub(r"[^\S\xa0]+", " ", text))
