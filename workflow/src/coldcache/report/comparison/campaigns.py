"""Read the campaigns of a comparison from their raw logs: design, trials and records."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from coldcache.campaign.campaign import RAW, Campaign, read_campaign
from coldcache.campaign.known_since import with_known_since
from coldcache.campaign.seal import check_seal, is_sealed
from coldcache.campaign.trials import CollectedTrial, collect_trials
from coldcache.core.errors import CampaignError
from coldcache.core.outcome import Outcome
from coldcache.core.vocabulary import nearest
from coldcache.dataset.reader import COUNTED
from coldcache.dataset.tables import tabulate_records


class ComparedCampaign(NamedTuple):
    """One of the compared campaigns.

    Attributes
    ----------
    campaign : Campaign
        Its design.
    trials : list of CollectedTrial
        All of its trials.
    records : DataFrame
        The long table, with the columns of `tables.tabulate_records`.
    """

    campaign: Campaign
    trials: list[CollectedTrial]
    records: pd.DataFrame

    @property
    def name(self) -> str:
        """The campaign's name."""
        return self.campaign.name

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of the trials that ran."""
        return [trial.outcome for trial in self.trials if trial.judgement.verdict != "missing"]

    def period(self) -> tuple[datetime | None, datetime | None]:
        """Return the start of the first trial and the end of the last; None if not recorded."""
        begins = [outcome.started for outcome in self.outcomes if outcome.started]
        ends = [outcome.ended for outcome in self.outcomes if outcome.ended]
        return min(begins, default=None), max(ends, default=None)

    def counted(self) -> int:
        """Return how many trials count."""
        return sum(trial.judgement.verdict in COUNTED for trial in self.trials)


def read_compared_campaigns(names: Sequence[str]) -> list[ComparedCampaign]:
    """Read the campaigns of a comparison.

    Parameters
    ----------
    names : sequence of str
        Campaigns below `RAW`; the others are compared with the first.

    Raises
    ------
    CampaignError
        If there are fewer than two, one is named twice, cannot be read, or differs from its seal.
    """
    if len(names) < 2:
        raise CampaignError(f"compare: {names[0]} alone cannot be compared; name two campaigns or more")
    folders = [Path(name) for name in names]
    for name, folder in zip(names, folders, strict=True):
        if folders.count(folder) > 1:
            raise CampaignError(f"compare: {name} is named twice; a campaign cannot be compared with itself")
    return [_read_compared_campaign(name) for name in names]


def _read_compared_campaign(name: str) -> ComparedCampaign:
    folder = RAW / name
    if not folder.is_dir():
        known = sorted(path.parent.name for path in RAW.glob("*/campaign.json"))
        hint = nearest(name, known) if known else "none has been measured yet"
        raise CampaignError(f"{folder}: there is no such campaign; {hint}")
    if is_sealed(folder) and (differences := check_seal(folder)):
        raise CampaignError(f"{folder}/{differences[0]}; python -m coldcache seal --check {Path(name).name} lists all")
    campaign = with_known_since(read_campaign(folder))
    trials = list(collect_trials(campaign))
    if not any(trial.judgement.verdict in COUNTED for trial in trials):
        raise CampaignError(f"{folder}: none of its {len(trials)} trials counts, so there is nothing to compare")
    return ComparedCampaign(campaign, trials, tabulate_records(trials))
