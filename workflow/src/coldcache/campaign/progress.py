"""Find the trials of a campaign that are missing."""

from collections import Counter
from collections.abc import Iterator

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.not_run import why_missing
from coldcache.campaign.stop_rule import is_missing
from coldcache.campaign.trial_json import list_trial_files
from coldcache.design.blocks import Block
from coldcache.design.cases import Trial


def missing_trials(campaign: Campaign) -> list[str]:
    """Return the keys of planned trials without a folder; for a case with a stop rule, the next one that it needs."""
    return [trial.key for _, trial in _find_missing(campaign)]


def list_waiting(campaign: Campaign) -> list[str]:
    """Return the keys of missing trials that are still to run: their own sweep and that of their block can be run."""
    found = _find_missing(campaign)
    return [trial.key for block, trial in found if not why_missing(campaign.folder, trial, block.name)]


def is_whole(campaign: Campaign) -> bool:
    """Return whether no planned trial is missing."""
    return not any(_find_missing(campaign))


def _find_missing(campaign: Campaign) -> Iterator[tuple[Block, Trial]]:
    for block in campaign.blocks():
        for trial in block.trials:
            if is_missing(campaign, trial):
                yield block, trial


def count_repetitions(campaign: Campaign) -> list[int]:
    """Return the numbers of trials per case that occur in a campaign, sorted.

    Imported cases count only if nothing was planned.
    """
    if campaign.planned:
        return sorted({trial.case.repetitions for block in campaign.blocks() for trial in block.trials})
    cases = Counter(path.parents[1] for path in list_trial_files(campaign.folder, campaign.foreign))
    return sorted(set(cases.values()))
