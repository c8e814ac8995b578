"""How long the trials of a plan take by an earlier campaign, which knows what starts them and what is between them."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from coldcache.campaign.campaign import RAW, read_campaign
from coldcache.core.errors import ColdCacheError
from coldcache.core.units import show_seconds
from coldcache.dataset.reader import open_table
from coldcache.design.cases import Case, Trial
from coldcache.design.site import Site
from coldcache.workflow.plan_power import list_datasets


def describe_plan_time(trials: Iterable[Trial], site: Site, campaign: str | None = None) -> str | None:
    """Return how long the trials of a plan take by an earlier campaign of the same site and target.

    Parameters
    ----------
    trials : iterable of Trial
        Those of the plan.
    site : Site
        Where they run.
    campaign : str, optional
        The campaign whose trials are taken; by default the latest one that has any of their cases, of the same sizes.

    Returns
    -------
    str or None
        ``by the trials of local these take about 12 min, with what is between them``; None if no campaign that can be
        read has a trial of any of their cases, or on a cluster, whose jobs run side by side.
    """
    if site.clients.launcher != "local":
        return None
    cases = [trial.case for trial in trials if not trial.case.why_not_here]
    for dataset in list_datasets(campaign):
        try:
            steps = _find_steps(dataset, site)
        except ColdCacheError:
            # Where something is missing or damaged, what renders that campaign says so.
            continue
        known = [step for case in cases if (step := steps.get(_as_planned(case)))]
        if known:
            some = "these" if len(known) == len(cases) else f"{len(known)} of these"
            return (
                f"by the trials of {dataset.parent.name} {some} take about {show_seconds(sum(known))}, with what is "
                "between them"
            )
    return None


def _find_steps(dataset: Path, site: Site) -> dict[tuple[object, ...], float]:
    """Return the step of each case of a campaign, as it was planned; nothing if it measured another site or target."""
    earlier = read_campaign(RAW / dataset.parent.name)
    if not earlier.environment or (earlier.site.site, earlier.site.target.path) != (site.site, site.target.path):
        return {}
    # A plan knows nothing of a probe, so its cases are those before one.
    planned = replace(earlier, environment=earlier.environment._replace(paces={})).cases()
    steps = measure_steps(dataset)
    keys = {_as_planned(case): (case.study, case.sweep, case.name) for case in planned}
    return {planned: steps[key] for planned, key in keys.items() if key in steps}


def _as_planned(case: Case) -> tuple[object, ...]:
    """Return what makes a trial of a case as long as that of another."""
    return case.study, case.sweep, case.name, case.bytes, case.items, case.seconds


def measure_steps(dataset: Path) -> dict[tuple[str, str, str], float]:
    """Return the time from the start of a trial to that of the next, in s, by study, sweep and case.

    Of several trials of a case it is the median, which a pause of the campaign does not change.

    Raises
    ------
    DatasetError
        If the dataset cannot be read.
    """
    verdicts = open_table(dataset, "verdicts", columns=["sweep", "case", "start"])
    begun = verdicts[verdicts.start != ""].sort_values("start", kind="stable")
    steps = -pd.to_datetime(begun.start, format="ISO8601", utc=True).diff(-1).dt.total_seconds()
    medians = steps.groupby([begun.study, begun.sweep, begun.case]).median().dropna()
    return {(str(study), str(sweep), str(case)): float(value) for (study, sweep, case), value in medians.items()}
