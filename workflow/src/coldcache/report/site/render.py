"""Render the report of a campaign as a site that opens from the disk."""

import io
import shutil
from importlib.metadata import version
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.console import nocolor
from sphinx.util.docutils import docutils_namespace, patch_docutils

from coldcache.analysis.outputs import remove_stale, remove_unnamed
from coldcache.campaign.campaign import RAW
from coldcache.core.errors import ColdCacheError
from coldcache.core.program_files import PROGRAM
from coldcache.design.notebooks import OVERVIEW
from coldcache.report.site.beside_sphinx import write_beside
from coldcache.report.site.context import read_context
from coldcache.report.site.glossary import explain_terms, read_glossary
from coldcache.report.site.pages import write_pages
from coldcache.report.site.places import Places
from coldcache.report.site.styles import shorten_styles
from coldcache.report.site.units import keep_units

#: Folder with the configuration of Sphinx, its templates and style sheet, and the templates of the pages.
TEMPLATES = PROGRAM / "workflow/report"

GLOSSARY = PROGRAM / "docs/glossary.md"

#: Style sheets that serve pages beside those of Sphinx, too, and stay whole.
_OWN_STYLES = ("icons.css", "coldcache.css")

#: What Sphinx and its theme write for other programs, and what no page of a report loads.
_UNUSED = (
    ".buildinfo", "objects.inv", "_static/webpack-macros.html", "_static/**/*.map", "_static/vendor",
    "_static/scripts/bootstrap.js*", "_static/scripts/fontawesome.js*",
)  # fmt: skip


class ReportError(ColdCacheError):
    """A report that cannot be rendered."""


def render(campaign: str, results: Path, log: Path) -> None:
    """Write a campaign's report as `report/index.html` in its folder of results.

    First remove executed notebooks that the campaign does not name, and tables and figures that none of its notebooks
    saves.

    Parameters
    ----------
    campaign : str
        Its name.
    results : Path
        Its folder of results, with `verdicts.csv`, `reasons.csv` and the executed notebooks.
    log : Path
        The file for the output of Sphinx.

    Raises
    ------
    ReportError
        If Sphinx fails or warns; an earlier report stays.
    ChapterError
        If a notebook has not been executed.
    ThumbnailError
        If a figure is no SVG drawing.
    CampaignError
        If the campaign, its trials or its verdicts cannot be read.
    """
    context = read_context(RAW / campaign, results)
    chapters = [chapter for of_study in context.chapters.values() for chapter in of_study]
    chapters += context.methods
    named = [(chapter.study, chapter.name) for chapter in chapters]
    remove_unnamed(results, [*named, *((study, OVERVIEW) for study in context.overviews)])
    overviews = [overview.notebook for overview in context.overviews.values()]
    remove_stale(results, [*(chapter.notebook for chapter in chapters), *overviews])
    work = results / ".report"
    shutil.rmtree(work, ignore_errors=True)
    try:
        write_pages(context, TEMPLATES / "pages", work / "pages")
        with write_beside(context, TEMPLATES / "standalone", work / "others"):
            _build(work, campaign, len(context.campaign.studies), log)
        _tidy(work / "site")
        _finish_pages(work / "site", context.places)
        shorten_styles(work / "site", [*(TEMPLATES / "standalone").glob("*.html")], _OWN_STYLES)
        _move_into(work / "others", work / "site")
        if (results / "report").exists():
            (results / "report").rename(work / "replaced")
        (work / "site").rename(results / "report")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _build(work: Path, campaign: str, studies: int, log: Path) -> None:
    """Build the site with Sphinx; a warning is an error, since nobody would read it."""
    warnings = io.StringIO()
    overrides = {
        "html_title": f"Cold Cache: {campaign}",
        "html_context": {
            "coldcache_version": version("coldcache"), "coldcache_campaign": campaign, "coldcache_studies": studies,
            "default_mode": "auto",
        },
    }  # fmt: skip
    log.parent.mkdir(parents=True, exist_ok=True)
    failure = ""
    nocolor()
    with log.open("w", encoding="utf-8") as said, patch_docutils(), docutils_namespace():
        try:
            Sphinx(
                work / "pages", TEMPLATES, work / "site", work / "doctrees", "html", overrides,
                status=said, warning=warnings, freshenv=True,
            ).build()  # fmt: skip
        except SphinxError as error:
            failure = f"{error.category}: {error}"
        said.write(warnings.getvalue() + failure)
    if problems := [*warnings.getvalue().splitlines(), *failure.splitlines()]:
        cause = problems[0].replace(f"{(work / 'pages').absolute()}/", "")
        raise ReportError(f"{work.parent / 'report'} cannot be rendered ({cause}); the output of Sphinx is in {log}")


def _finish_pages(site: Path, places: Places) -> None:
    """Explain terms in the pages of Sphinx, lead their links to the pages of trials, and keep units with numbers."""
    glossary = read_glossary(GLOSSARY)
    for path in site.rglob("*.html"):
        html = explain_terms(path.read_text(encoding="utf-8"), glossary)
        path.write_text(keep_units(places.resolve(html)), encoding="utf-8")


def _move_into(folder: Path, other: Path) -> None:
    """Move the files and folders of one folder into another, which may have some of the folders."""
    for path in folder.iterdir():
        place = other / path.name
        if path.is_dir() and place.is_dir():
            _move_into(path, place)
        else:
            path.rename(place)


def _tidy(site: Path) -> None:
    """Remove files that no reader opens."""
    for name in ("_sources", *_UNUSED):
        for path in [*site.glob(name)]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
