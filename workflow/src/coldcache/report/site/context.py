"""Everything that the pages of a report are written from, read once."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from coldcache.campaign.campaign import Campaign, read_campaign
from coldcache.report.site.conditions import Conditions, read_conditions
from coldcache.report.site.notebooks import Chapter, read_chapters, read_methods
from coldcache.report.site.overviews import Overview, read_overview
from coldcache.report.site.sources_pages import Documents
from coldcache.report.site.trials import Cases, read_trials
from coldcache.report.site.validity import Validity, read_validity


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
    validity : Validity
        The verdicts on its trials.
    conditions : Conditions
        Machine, target, tools and time, as its trials recorded them.
    cases : dict
        Its trials, by sweep and case.
    documents : Documents
        Claims, tables and figures of the documents behind its studies.
    """

    campaign: Campaign
    results: Path
    chapters: dict[str, list[Chapter]]
    methods: list[Chapter]
    validity: Validity
    conditions: Conditions
    cases: Cases
    documents: Documents
    overviews: Mapping[str, Overview] = MappingProxyType({})


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
    campaign = read_campaign(folder)
    chapters = {study.study: read_chapters(study, results) for study in campaign.studies}
    overviews = {study.study: read_overview(study, results) for study in campaign.studies}
    cases = read_trials(campaign, results)
    return ReportContext(
        campaign=campaign,
        results=results,
        chapters=chapters,
        overviews={name: overview for name, overview in overviews.items() if overview},
        methods=read_methods(campaign.studies, results),
        validity=read_validity(results),
        conditions=read_conditions(campaign),
        cases=cases,
        documents=Documents(results, cases.keys(), {study.study: study.title for study in campaign.studies}),
    )
