"""What a campaign has of each table and figure of its sources: measured, imported, published only, or not run."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.progress import why_not_run
from coldcache.campaign.trials import Collected
from coldcache.core.vocabulary import STATES
from coldcache.dataset.published import Published
from coldcache.dataset.reader import COUNTED
from coldcache.design.cases import Case, expand_cases


class Covered(NamedTuple):
    """One table, figure or section of a source, and what there is of it: a row of `coverage.csv`."""

    source: str
    item: str
    state: str
    why: str


def describe_coverage(campaign: Campaign, trials: Iterable[Collected], published: Iterable[Published]) -> list[Covered]:
    """Return a row for each item that a sweep of the campaign serves or a published value of its studies has.

    Parameters
    ----------
    campaign : Campaign
        Its studies name the items, imported ones where their notes do.
    trials : iterable of Collected
        Those that count make an item measured, or imported.
    published : iterable of Published
        Values of any source.
    """
    counted = {
        f"{trial.story['study']}/{trial.story['sweep']}" for trial in trials if trial.judgement.verdict in COUNTED
    }
    stated = {(value.source, value.item) for value in published}
    rows: dict[tuple[str, str], Covered] = {}
    for row in [*_rows(campaign, counted, stated), *_imported_rows(campaign, counted)]:
        old = rows.get((row.source, row.item))
        if old is None or STATES.index(row.state) < STATES.index(old.state):
            rows[row.source, row.item] = row
    sources = {study.study for study in campaign.studies} | {source for source, _ in rows}
    lack = "no sweep serves it" if campaign.planned else "no log of it was imported"
    for source, item in sorted(stated):
        if source in sources:
            rows.setdefault((source, item), Covered(source, item, "published only", lack))
    return list(rows.values())


def _rows(campaign: Campaign, counted: set[str], stated: set[tuple[str, str]]) -> Iterator[Covered]:
    for study in campaign.planned:
        assert campaign.circumstances is not None
        cases = expand_cases(study, campaign.site, campaign.circumstances)
        for name, sweep in study.sweeps.items():
            of_sweep = [case for case in cases if case.sweep == name]
            for item in _items(sweep.item):
                if f"{study.study}/{name}" in counted:
                    yield Covered(study.study, item, "measured", tell_how(of_sweep[0], sweep.tools[0]))
                else:
                    state = "published only" if (study.study, item) in stated else "not run"
                    refused = why_not_run(campaign.folder, study.study, name)
                    yield Covered(study.study, item, state, refused or tell_why_not(of_sweep))


def _imported_rows(campaign: Campaign, counted: set[str]) -> Iterator[Covered]:
    for study in campaign.foreign:
        for name, sweep in study.sweeps.items():
            for item in _items(sweep.item):
                source = sweep.source or study.study
                if f"{study.study}/{name}" in counted:
                    yield Covered(source, item, "imported", f"logs of {' and '.join(sweep.tools)}")
                else:
                    yield Covered(source, item, "not run", "no imported log of it counts")


def _items(stated: str) -> list[str]:
    return [part.strip() for part in stated.split(";") if part.strip()]


def tell_how(case: Case, own: str) -> str:
    """Return at which scale, and by which other tool than the document's, a sweep was measured."""
    other = f"by {case.tool} in place of {own}" if case.tool != own else ""
    return "; ".join(part for part in (case.scale, other) if part)


def tell_why_not(cases: list[Case]) -> str:
    """Return why a sweep has no trial that counts."""
    waiting = [case for case in cases if not case.why_not_here]
    return "no trial of it counts" if waiting else cases[0].why_not_here or ""
