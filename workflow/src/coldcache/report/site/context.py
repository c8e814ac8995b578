"""What a report is made of: a campaign's design, its executed notebooks, its verdicts and its conditions."""

from pathlib import Path
from typing import NamedTuple

from coldcache.campaign.campaign import Campaign, read_campaign
from coldcache.report.site.conditions import Conditions, read_conditions
from coldcache.report.site.notebooks import Chapter, read_chapters, read_methods
from coldcache.report.site.sources_pages import Documents
from coldcache.report.site.trials import Cases, read_trials
from coldcache.report.site.validity import Validity, read_validity


class ReportContext(NamedTuple):
    """What a report is made of.

    Attributes
    ----------
    campaign : Campaign
        Its design.
    results : Path
        Its folder of results.
    chapters : dict of str to list of Chapter
        The executed notebooks of each study.
    methods : list of Chapter
        Those on how the campaign was evaluated.
    validity : Validity
        What its trials are worth.
    conditions : Conditions
        What its trials state of machine, target, tools and time.
    cases : dict
        Its trials, by sweep and case.
    documents : Documents
        What it says of the documents behind its studies.
    """

    campaign: Campaign
    results: Path
    chapters: dict[str, list[Chapter]]
    methods: list[Chapter]
    validity: Validity
    conditions: Conditions
    cases: Cases
    documents: Documents


def read_context(folder: Path, results: Path) -> ReportContext:
    """Return what the report of a campaign is made of.

    Parameters
    ----------
    folder : Path
        The campaign's raw logs.
    results : Path
        Its folder of results, as `collect` and the executed notebooks fill it.

    Raises
    ------
    ChapterError
        If a notebook has not been executed.
    CampaignError
        If the campaign, a trial of it or its verdicts cannot be read.
    """
    campaign = read_campaign(folder)
    chapters = {study.study: read_chapters(study, results) for study in campaign.studies}
    cases = read_trials(campaign, results)
    return ReportContext(
        campaign=campaign,
        results=results,
        chapters=chapters,
        methods=read_methods(campaign.studies, results),
        validity=read_validity(results),
        conditions=read_conditions(campaign),
        cases=cases,
        documents=Documents(results, cases.keys(), {study.study: study.title for study in campaign.studies}),
    )
