"""Everything that the pages of a report are written from, read once."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from coldcache.campaign.campaign import Campaign, read_campaign
from coldcache.campaign.known_since import with_known_since
from coldcache.design.notebooks import CLAIMS
from coldcache.report.site.finding_links import link_finding
from coldcache.report.site.notebooks import Chapter, list_html, read_chapters, read_methods
from coldcache.report.site.overviews import Overview, read_overview
from coldcache.report.site.places import Places
from coldcache.report.site.recorded_system import RecordedSystem, read_recorded_system
from coldcache.report.site.sources_pages import Documents
from coldcache.report.site.trials import Cases, read_trials
from coldcache.report.site.validity import CampaignValidity, read_validity

#: The sweeps of a figure.
_SWEEPS = re.compile(r'<figure class="coldcache-figure"[^>]* data-sweeps="([^"]*)"')

#: Where findings lead that are of no single sweep.
_PAGES = {CLAIMS: "../claims.html", "campaign-validity": "../validity.html"}


class ReportContext(NamedTuple):
    """A campaign with its results, as the pages of its report need them.

    Attributes
    ----------
    campaign : Campaign
        The campaign's design.
    results : Path
        Its folder of results.
    chapters : dict of str to list of Chapter
        The executed notebooks of each study.
    overviews : dict of str to Overview
        Each study at a glance; studies without the notebook `overview` have none.
    methods : list of Chapter
        The notebooks on how the campaign was evaluated.
    validity : CampaignValidity
        The verdicts on its trials.
    system : RecordedSystem
        Machine, target, tools and time, as its trials recorded them.
    cases : dict
        Its trials, by sweep and case.
    places : Places
        The places of the pages of its trials.
    documents : Documents
        Claims, tables and figures of the documents behind its studies.
    """

    campaign: Campaign
    results: Path
    chapters: dict[str, list[Chapter]]
    methods: list[Chapter]
    validity: CampaignValidity
    system: RecordedSystem
    cases: Cases
    places: Places
    documents: Documents
    overviews: Mapping[str, Overview] = MappingProxyType({})

    def pages_of(self, study: str) -> list[Chapter]:
        """Return the chapters of a study that have a page: those that found or show something."""
        return [chapter for chapter in self.chapters[study] if not chapter.is_empty]

    def link_findings(self, chapter: Chapter) -> list[str]:
        """Return the findings of a chapter, each with a link to what it was computed from."""
        titles = {
            sweep.title: f"{study.study}/{name}"
            for study in self.campaign.studies if study.study == chapter.study for name, sweep in study.sweeps.items()
        }  # fmt: skip
        shown = [
            sweep for html in list_html(chapter.notebook) for found in _SWEEPS.findall(html) for sweep in found.split()
        ]
        page = _PAGES.get(chapter.name, "../evidence.html")
        return [link_finding(text, titles, shown, page) for text in chapter.findings]


def read_context(folder: Path, results: Path) -> ReportContext:
    """Read everything that the report of a campaign is written from.

    Parameters
    ----------
    folder : Path
        The campaign's folder of raw logs.
    results : Path
        Its folder of results, with the output of `collect` and the executed notebooks.

    Raises
    ------
    ChapterError
        If a notebook has not been executed.
    CampaignError
        If the campaign, a trial of it or its verdicts cannot be read.
    """
    campaign = with_known_since(read_campaign(folder))
    chapters = {study.study: read_chapters(study, results) for study in campaign.studies}
    overviews = {study.study: read_overview(study, results) for study in campaign.studies}
    cases = read_trials(results)
    return ReportContext(
        campaign=campaign,
        results=results,
        chapters=chapters,
        overviews={name: overview for name, overview in overviews.items() if overview},
        methods=read_methods(campaign.studies, results),
        validity=read_validity(results),
        system=read_recorded_system(campaign),
        cases=cases,
        places=Places(cases),
        documents=Documents(results, cases.keys(), {study.study: study.title for study in campaign.studies}),
    )
