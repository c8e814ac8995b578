"""The first page of several studies: a row per study with its tables and figures, and a dot per claim."""

from collections.abc import Iterator, Mapping

from markupsafe import Markup

from coldcache.core.vocabulary import CLAIM_VERDICTS, STATES
from coldcache.design.notebooks import OVERVIEW
from coldcache.report.site.context import ReportContext
from coldcache.report.site.downloads import is_offered
from coldcache.report.site.html import block, escape_html
from coldcache.report.site.shown import Shown, read_items
from coldcache.report.site.sources_pages import anchor_of, is_measured
from coldcache.report.site.thumbnails import THUMBNAIL_FOLDER
from coldcache.report.site.validity import CsvRow

#: A sign for each verdict on a claim; any other verdict has the last.
SIGNS: Mapping[str, str] = {"borne out": "✓", "refuted": "✗", "open": "○", "not testable here": "–"}
_OTHER = "·"

#: The end of the name of a figure of many rows, of which little is left when it is small: its tile has its name alone.
_ROWS = "-ratios"


def show_documents(context: ReportContext, shown: Shown) -> Markup:
    """Return the table of studies as a block for the first page."""
    rows = Markup("").join(
        Markup('<tr><th scope="row">{}<small>{}</small></th><td>{}</td><td>{}</td></tr>\n').format(
            Markup('<a href="{}/index.html">{}</a>').format(study.study, study.title),
            _count_states(context.documents.items_of(study.study)),
            Markup("").join(_list_tiles(study.study, context, shown)),
            _show_claims(context.documents.claims_of(study.study), context),
        )
        for study in context.campaign.studies
    )  # fmt: skip
    head = Markup(
        '<thead><tr><th scope="col">Document</th><th scope="col">Measured here</th>'
        '<th scope="col">Claims</th></tr></thead>'
    )
    return block(
        Markup('<table id="table-documents" class="coldcache-table coldcache-documents">{}<tbody>\n{}</tbody></table>'
               ).format(head, rows)
    ) + _explain(context)  # fmt: skip


def _count_states(items: list[CsvRow]) -> str:
    """Return how many tables and figures of a document were measured."""
    measured = sum(row["state"] == STATES[0] for row in items)
    return f"{measured} of {len(items)}" if items else ""


def list_thumbnails(context: ReportContext, shown: Shown) -> set[str]:
    """Return the names of the figures that the table shows small."""
    chosen = {
        _choose_picture(_find_figures(sweep, context, shown))
        for study in context.campaign.studies for sweep in _group_items(study.study, context, shown)[0]
    }  # fmt: skip
    return {name for name in chosen if not name.endswith(_ROWS)}


def _list_tiles(study: str, context: ReportContext, shown: Shown) -> Iterator[Markup]:
    """Yield a tile per picture of ours, with the tables and figures of a document that it serves, and one for the rest.

    What has no picture is counted by its state.
    """
    tiles, others = _group_items(study, context, shown)
    for sweep, items in tiles.items():
        yield _show_tile(items, sweep, _find_figures(sweep, context, shown))
    if others:
        yield _show_rest(others, "coverage.html" if context.documents.has_items else f"{study}/index.html")


def _group_items(study: str, context: ReportContext, shown: Shown) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the items of a study that have a picture, by the first sweep that it shows, and the others, by state."""
    served = [found for found in read_items(context.campaign.studies).items() if found[0].startswith(f"{study}/")]
    # The first sweep that serves an item wins.
    sweeps = {item: sweep for sweep, items in reversed(served) for item in items.split("; ")}
    rows = [(row["item"], row["state"], sweeps.get(row["item"], "")) for row in context.documents.items_of(study)]
    if not rows:
        mine = [found for found in shown.figures if found.startswith(f"{study}/")]
        rows = [(sweep.partition("/")[2], "measured", sweep) for sweep in mine]
    tiles: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    firsts: dict[str, str] = {}
    for item, state, sweep in rows:
        if figures := _find_figures(sweep, context, shown):
            tiles.setdefault(firsts.setdefault(_choose_picture(figures), sweep), []).append(item)
        else:
            others.setdefault(state, []).append(item)
    return tiles, others


def _find_figures(sweep: str, context: ReportContext, shown: Shown) -> list[tuple[str, str]]:
    """Return the page and the name of each picture of a sweep."""
    return [
        (page, figure)
        for page, figure in shown.figures.get(sweep, []) if is_offered(f"figures/{figure}.svg", context.results)
    ]  # fmt: skip


def _choose_picture(figures: list[tuple[str, str]]) -> str:
    """Return the name of the figure that is clearest when small."""
    return next((name for _, name in figures if name.endswith(OVERVIEW)), figures[0][1])


def _show_tile(items: list[str], sweep: str, figures: list[tuple[str, str]]) -> Markup:
    page, anchor = figures[0]
    name = items[0].replace("sec ", "§ ") + (f" +{len(items) - 1}" if len(items) > 1 else "")
    chosen = _choose_picture(figures)
    picture = Markup('<img src="{}/{}.svg" alt="" width="76" height="48" loading="lazy">')
    return Markup(
        '<a class="coldcache-tile" href="{}#figure-{}" title="{}" data-items="{}">{}<span>{}</span></a> '
    ).format(
        page, anchor, f"{sweep}: {', '.join(items)}", len(items),
        "" if chosen.endswith(_ROWS) else picture.format(THUMBNAIL_FOLDER, chosen), escape_html(name),
    )  # fmt: skip


def _show_rest(items: dict[str, list[str]], page: str) -> Markup:
    """Return a tile for what has no picture, by state; it says how many tables and figures these are."""
    said = "; ".join(f"{state}: {', '.join(named)}" for state, named in items.items())
    count = sum(map(len, items.values()))
    return Markup('<a class="coldcache-tile" data-items="{}" href="{}" title="{}">+{}</a> ').format(
        count, page, said, count
    )


def _show_claims(claims: list[CsvRow], context: ReportContext) -> Markup:
    """Return a dot per claim; those that the document's own arithmetic decides are apart."""
    measured = [_show_dot(claim, context) for claim in claims if is_measured(claim)]
    arithmetic = [_show_dot(claim, context) for claim in claims if not is_measured(claim)]
    parts = [Markup('<span class="coldcache-dots">{}</span>').format(Markup("").join(measured))]
    if arithmetic:
        parts.append(
            Markup('<span class="coldcache-dots coldcache-apart" title="{}">{}</span>').format(
                "decided by the document’s own arithmetic", Markup("").join(arithmetic)
            )
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
    """Return what the dots mean, with the number of claims of each verdict, without those of arithmetic."""
    claims = [claim for study in context.campaign.studies for claim in context.documents.claims_of(study.study)]
    if not claims:
        return Markup("")
    measured = [claim["verdict"] for claim in claims if is_measured(claim)]
    found = list(dict.fromkeys([*CLAIM_VERDICTS, *measured]))
    counts = {verdict: measured.count(verdict) for verdict in found}
    told = ", ".join(f"{SIGNS.get(verdict, _OTHER)} {count} {verdict}" for verdict, count in counts.items() if count)
    return Markup('\n<p class="coldcache-source">{}.</p>\n').format(told)
