"""The first page of several studies: what this can tell, a row per document, the claims that stand out, and ratios."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup

from coldcache.core.vocabulary import CLAIM_VERDICTS
from coldcache.design.model.specification import Specification, show_value
from coldcache.report.site.context import ReportContext
from coldcache.report.site.documents_table import SIGNS, show_documents
from coldcache.report.site.forest import SettingRatio, read_ratios, show_forest
from coldcache.report.site.html import block, escape_html
from coldcache.report.site.shown import Shown
from coldcache.report.site.sources_pages import anchor_of, show_estimate
from coldcache.report.site.validity import CsvRow

#: The verdict on a claim that no trial here can decide.
_UNTESTABLE = CLAIM_VERDICTS[-1]

#: Claims, needs and ratios that the page shows; the rest is folded.
_FEW_CLAIMS, _FEW_NEEDS, _FEW_RATIOS = 2, 1, 4

#: What a system lacks, in the reason of a claim that it cannot test.
_NEED = re.compile(r"needs (.*?), which ")


def describe_documents(context: ReportContext, shown: Shown) -> dict[str, Any]:
    """Return the values of the template `index.md` for several studies."""
    claims = context.documents.list_measured()
    known, few = _split(read_ratios(context.results, shown))
    clear = [ratio for ratio in known if not ratio.low <= 1 <= ratio.high][:_FEW_RATIOS]
    others = [ratio for ratio in known if ratio not in clear]
    return {
        "scope": _describe_scope(context, claims),
        "documents": show_documents(context, shown),
        "highlights": _show_highlights(context, claims),
        "ratios": show_forest(clear, "ratios") if clear else "",
        "more_ratios": _show_more(others, few),
        "more_ratios_count": len(others) + len(few),
        "contradictions": context.documents.list_contradictions(),
    }


def title_documents(context: ReportContext) -> str:
    """Return how many of the claims that can be tested here are borne out, as the title of the page."""
    tested = [claim for claim in context.documents.list_measured() if claim["verdict"] != _UNTESTABLE]
    place = context.campaign.site.title
    if not tested:
        return f"{len(context.campaign.studies)} studies of {place}"
    counts = Counter(claim["verdict"] for claim in tested)
    parts = [f"{counts[verdict]} {verdict}" for verdict in CLAIM_VERDICTS[:-1] if counts[verdict]]
    sources = {claim["source"] for claim in tested}
    in_guest = any(case.guest for case in context.campaign.cases() if case.study in sources)
    where = f"{_begin_small(place.partition(',')[0])}{' and in guests' * in_guest}"
    return f"{len(tested)} claims tested on {where}: {', '.join(parts)}"


def _begin_small(text: str) -> str:
    """Return a text that begins with a small letter, unless its first word is a name in capitals."""
    acronym = text[:2].isalpha() and text[:2].isupper()
    return text if acronym else f"{text[:1].lower()}{text[1:]}"


def _describe_scope(context: ReportContext, claims: Sequence[CsvRow]) -> Markup:
    """Return a box of what this campaign can tell and what it cannot."""
    untested = [claim for claim in claims if claim["verdict"] == _UNTESTABLE]
    model = context.campaign.site.model
    can = f"shapes and ratios that follow from {_tell_model(model)}" if model else ""
    needs = Counter(need for claim in untested for need in _NEED.findall(claim["why"]))
    missing = " or ".join(need for need, _ in needs.most_common(_FEW_NEEDS))
    cannot = f"the documents' rates, nor what needs {missing}" if needs else "the documents' rates"
    parts = [
        Markup("<p><strong>{}</strong> {}.</p>").format(head, point)
        for head, point in (("This can tell", can), ("This cannot tell", cannot))
        if point
    ]
    return block(Markup('<div class="coldcache-scope">{}</div>').format(Markup("").join(parts)))


def _tell_model(model: Specification) -> str:
    parts = dict(model)
    rate = show_value("target_rate", parts["target_rate"]) or "no limit"
    return f"{parts['targets']} targets of {rate} and {parts['metadata_servers']} metadata servers"


def _show_highlights(context: ReportContext, claims: Iterable[CsvRow]) -> Markup | str:
    """Return the claims that stand out: refuted ones, then those with the greatest effect, of different documents."""
    decided = [claim for claim in claims if claim["verdict"] in CLAIM_VERDICTS[:2]]
    ranked = sorted(decided, key=lambda claim: (claim["verdict"] != "refuted", -_effect(claim)))
    rows = Markup("").join(
        Markup('<li><a href="claims.html#{}">{} {}</a> {}{}</li>\n').format(
            anchor_of(claim), SIGNS[claim["verdict"]], claim["id"],
            escape_html(context.documents.statement_of(claim)), _say_estimate(claim),
        )
        for claim in _pick(ranked, _FEW_CLAIMS)
    )  # fmt: skip
    return block(Markup('<ul class="coldcache-highlights">\n{}</ul>').format(rows)) if rows else ""


def _say_estimate(claim: CsvRow) -> str:
    """Return the estimate as the end of a line: a ratio with its interval and level, a rate alone."""
    shown, _, interval = show_estimate(claim).partition(" (")
    if shown in ("", "1"):
        return ""
    return f" {shown} times ({interval}" if interval and claim["unit"] == "1" else f" {shown}"


def _effect(claim: CsvRow) -> float:
    """Return how far the estimate of a claim is from 1, as a power; 0 where it is no ratio."""
    if not claim["estimate"] or claim["unit"] != "1" or float(claim["estimate"]) <= 0:
        return 0.0
    return abs(math.log(float(claim["estimate"])))


def _pick(rows: Sequence[CsvRow], most: int) -> list[CsvRow]:
    """Return the first rows, of different sources as far as there are."""
    firsts = {row["source"]: row for row in reversed(rows)}
    chosen = [row for row in rows if row is firsts[row["source"]]]
    return [*chosen, *(row for row in rows if row not in chosen)][:most]


def _split(ratios: Iterable[SettingRatio]) -> tuple[list[SettingRatio], list[SettingRatio]]:
    """Return the ratios that have an interval, the greatest effect first, and those of too few pairs."""
    every = list(ratios)
    known = [ratio for ratio in every if ratio.low == ratio.low]
    return sorted(known, key=lambda ratio: -abs(math.log(ratio.ratio))), [one for one in every if one not in known]


def _show_more(known: list[SettingRatio], few: list[SettingRatio]) -> Markup | str:
    parts = [
        show_forest(known, "more-ratios", "Hollow: the interval includes 1") if known else "",
        show_forest(few, "few-ratios", "Fewer than five pairs: no interval") if few else "",
    ]
    return Markup("\n").join(parts) if any(parts) else ""
