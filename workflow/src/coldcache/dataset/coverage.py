"""Coverage: whether each table and figure of a source was measured, imported, only published, or not run."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.not_run import read_not_run
from coldcache.campaign.trials import CollectedTrial
from coldcache.core.vocabulary import STATES
from coldcache.dataset.published import PublishedValue
from coldcache.dataset.reader import COUNTED
from coldcache.design.cases import Case, expand_cases


class ItemCoverage(NamedTuple):
    """The state of one table, figure or section of a source: a row of `coverage.csv`."""

    source: str
    item: str
    state: str
    why: str


def describe_coverage(
    campaign: Campaign, trials: Iterable[CollectedTrial], published: Iterable[PublishedValue]
) -> list[ItemCoverage]:
    """Return the state of each item that a sweep of the campaign covers or that has a published value.

    Parameters
    ----------
    campaign : Campaign
        Its studies name the items; imported studies take them from notes.
    trials : iterable of CollectedTrial
        An item with a trial that counts is measured or imported.
    published : iterable of PublishedValue
        Values of any source.
    """
    counted = {f"{trial.outcome.study}/{trial.outcome.sweep}" for trial in trials if trial.judgement.verdict in COUNTED}
    stated = {(value.source, value.item) for value in published}
    rows: dict[tuple[str, str], ItemCoverage] = {}
    for row in [*_rows(campaign, counted, stated), *_imported_rows(campaign, counted)]:
        old = rows.get((row.source, row.item))
        if old is None or STATES.index(row.state) < STATES.index(old.state):
            rows[row.source, row.item] = row
    sources = {study.study for study in campaign.studies} | {source for source, _ in rows}
    reason = "no sweep covers it" if campaign.planned else "no log of it was imported"
    for source, item in sorted(stated):
        if source in sources:
            rows.setdefault((source, item), ItemCoverage(source, item, "published only", reason))
    return list(rows.values())


def _rows(campaign: Campaign, counted: set[str], stated: set[tuple[str, str]]) -> Iterator[ItemCoverage]:
    for study in campaign.planned:
        assert campaign.environment is not None
        cases = expand_cases(study, campaign.site, campaign.environment)
        for name, sweep in study.sweeps.items():
            of_sweep = [case for case in cases if case.sweep == name]
            for item in _items(sweep.item):
                if f"{study.study}/{name}" in counted:
                    yield ItemCoverage(
                        study.study, item, "measured", describe_deviation(of_sweep[0], sweep.tool_names[0])
                    )
                else:
                    state = "published only" if (study.study, item) in stated else "not run"
                    refused = read_not_run(campaign.folder, study.study, name)
                    yield ItemCoverage(study.study, item, state, refused or explain_absence(of_sweep))


def _imported_rows(campaign: Campaign, counted: set[str]) -> Iterator[ItemCoverage]:
    for study in campaign.foreign:
        for name, sweep in study.sweeps.items():
            for item in _items(sweep.item):
                source = sweep.source or study.study
                if f"{study.study}/{name}" in counted:
                    yield ItemCoverage(source, item, "imported", f"logs of {' and '.join(sweep.tools)}")
                else:
                    yield ItemCoverage(source, item, "not run", "none of its imported logs counts")


def _items(stated: str) -> list[str]:
    return [part.strip() for part in stated.split(";") if part.strip()]


def describe_deviation(case: Case, own: str) -> str:
    """Return the scale of a sweep, and its tool if that is not the document's `own`; empty at full scale."""
    other = f"by {case.tool} in place of {own}" if case.tool != own else ""
    return "; ".join(part for part in (case.scale, other) if part)


def explain_absence(cases: list[Case]) -> str:
    """Return why none of the trials of a sweep counts."""
    refused = [case.why_not_here for case in cases if case.why_not_here]
    return refused[0] if len(refused) == len(cases) else "none of its trials counts"
