"""The first page of several studies: a row per study with its tables and figures, and a dot per claim."""

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from coldcache.core.vocabulary import CLAIM_VERDICTS
from coldcache.design.notebooks import OVERVIEW
from coldcache.report.site.context import ReportContext
from coldcache.report.site.downloads import DATA_FOLDER, is_offered
from coldcache.report.site.html import block, escape_html
from coldcache.report.site.shown import Shown, read_items
from coldcache.report.site.sources_pages import anchor_of, is_measured
from coldcache.report.site.validity import CsvRow

#: A sign for each verdict on a claim; any other verdict has the last.
SIGNS: Mapping[str, str] = {"borne out": "✓", "refuted": "✗", "open": "○", "not testable here": "–"}
_OTHER = "·"


def show_documents(context: ReportContext, shown: Shown) -> Markup:
    """Return the table of studies as a block for the first page."""
    rows = Markup("").join(
        Markup('<tr><th scope="row">{}</th><td>{}</td><td>{}</td></tr>\n').format(
            Markup('<a href="{}/index.html">{}</a>').format(study.study, study.title),
            Markup("").join(_list_tiles(study.study, context, shown)),
            _show_claims(context.documents.claims_of(study.study), context),
        )
        for study in context.campaign.studies
    )  # fmt: skip
    head = Markup(
        '<thead><tr><th scope="col">Document</th><th scope="col">Its tables and figures, as measured here</th>'
        '<th scope="col">Its claims</th></tr></thead>'
    )
    return block(
        Markup('<table id="table-documents" class="coldcache-table coldcache-documents">{}<tbody>\n{}</tbody></table>'
               ).format(head, rows)
    ) + _explain(context)  # fmt: skip


def _list_tiles(study: str, context: ReportContext, shown: Shown) -> Iterator[Markup]:
    """Yield a tile per table or figure of a document: a picture of ours where there is one, and its state."""
    served = [found for found in read_items(context.campaign.studies).items() if found[0].startswith(f"{study}/")]
    # The first sweep that serves an item wins.
    sweeps = {item: sweep for sweep, items in reversed(served) for item in items.split("; ")}
    items = context.documents.items_of(study)
    if not items:
        for sweep in (found for found in shown.figures if found.startswith(f"{study}/")):
            yield _show_tile(sweep.partition("/")[2], "", sweep, context, shown)
        return
    for row in items:
        yield _show_tile(row["item"], row["state"], sweeps.get(row["item"], ""), context, shown)


def _show_tile(name: str, state: str, sweep: str, context: ReportContext, shown: Shown) -> Markup:
    figures = [
        (page, figure)
        for page, figure in shown.figures.get(sweep, []) if is_offered(f"figures/{figure}.svg", context.results)
    ]  # fmt: skip
    page = f"{figures[0][0]}#figure-{figures[0][1]}" if figures else "coverage.html"
    picture = Markup("")
    if figures:
        picture = Markup('<img src="{}/figures/{}.svg" alt="" width="70" height="48" loading="lazy">').format(
            DATA_FOLDER, next((name for _, name in figures if name.endswith(OVERVIEW)), figures[0][1])
        )
    said = f"{name}: {state}" if state else name
    return Markup('<a class="coldcache-tile" data-state="{}" href="{}" title="{}">{}<span>{}</span></a> ').format(
        (state or "measured").replace(" ", "-"), page, said, picture, escape_html(name)
    )


def _show_claims(claims: list[CsvRow], context: ReportContext) -> Markup:
    """Return a dot per claim; those that the document's own arithmetic decides are apart."""
    measured = [_show_dot(claim, context) for claim in claims if is_measured(claim)]
    arithmetic = [_show_dot(claim, context) for claim in claims if not is_measured(claim)]
    parts = [Markup('<span class="coldcache-dots">{}</span>').format(Markup("").join(measured))]
    if arithmetic:
        parts.append(
            Markup('<span class="coldcache-dots coldcache-apart">{}</span>').format(Markup("").join(arithmetic))
        )
    return Markup("").join(parts)


def _show_dot(claim: CsvRow, context: ReportContext) -> Markup:
    verdict = claim["verdict"]
    stated = context.documents.statement_of(claim)
    return Markup(
        '<a class="coldcache-dot" data-verdict="{}" href="claims.html#{}" title="{}" aria-label="{}">{}</a>'
    ).format(
        verdict.replace(" ", "-"), anchor_of(claim), f"{verdict}: {stated}", f"{claim['id']}, {verdict}: {stated}",
        SIGNS.get(verdict, _OTHER),
    )  # fmt: skip


def _explain(context: ReportContext) -> Markup:
    """Return what the dots mean, with the number of claims of each verdict."""
    claims = [claim for study in context.campaign.studies for claim in context.documents.claims_of(study.study)]
    if not claims:
        return Markup("")
    found = list(dict.fromkeys([*CLAIM_VERDICTS, *(claim["verdict"] for claim in claims)]))
    counts: dict[str, Any] = {verdict: sum(claim["verdict"] == verdict for claim in claims) for verdict in found}
    told = ", ".join(f"{SIGNS.get(verdict, _OTHER)} {verdict} {count}" for verdict, count in counts.items() if count)
    apart = " Behind the bar: the document's own arithmetic." if not all(map(is_measured, claims)) else ""
    return Markup('\n<p class="coldcache-source">{}.{}</p>\n').format(told, apart)
