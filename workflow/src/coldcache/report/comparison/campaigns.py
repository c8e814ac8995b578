"""A campaign as one side of a comparison: its design, its trials and what their logs state, read from the raw logs."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from coldcache.campaign.campaign import RAW, Campaign, read_campaign
from coldcache.campaign.seal import check_seal, is_sealed
from coldcache.campaign.trials import Collected, collect_trials
from coldcache.core.errors import CampaignError
from coldcache.core.vocabulary import nearest
from coldcache.dataset.reader import COUNTED
from coldcache.dataset.tables import tabulate_records


class ComparedCampaign(NamedTuple):
    """One of the campaigns that are compared.

    Attributes
    ----------
    campaign : Campaign
        Its design.
    trials : list of Collected
        Every trial of it.
    records : DataFrame
        The long table, as `cubes.tabulate_records` makes it.
    """

    campaign: Campaign
    trials: list[Collected]
    records: pd.DataFrame

    @property
    def name(self) -> str:
        """The campaign's name."""
        return self.campaign.name

    @property
    def stories(self) -> list[dict[str, Any]]:
        """What the trials that have run tell."""
        return [trial.story for trial in self.trials if trial.judgement.verdict != "missing"]

    def period(self) -> tuple[datetime | None, datetime | None]:
        """Return when the first trial began and the last one ended; None where that is not noted."""
        begins = [datetime.fromisoformat(story["start"]) for story in self.stories if story["start"]]
        ends = [datetime.fromisoformat(story["end"]) for story in self.stories if story["end"]]
        return min(begins, default=None), max(ends, default=None)

    def counted(self) -> int:
        """Return how many trials count."""
        return sum(trial.judgement.verdict in COUNTED for trial in self.trials)


def read_compared_campaigns(names: Sequence[str]) -> list[ComparedCampaign]:
    """Return campaigns as the sides of a comparison.

    Parameters
    ----------
    names : sequence of str
        Campaigns below `RAW`; the first one is what the others are held against.

    Raises
    ------
    CampaignError
        If there are fewer than two, one stands twice, or one cannot be read or differs from its seal.
    """
    if len(names) < 2:
        raise CampaignError(f"compare: {names[0]} alone cannot be compared; name two campaigns or more")
    for name in names:
        if names.count(name) > 1:
            raise CampaignError(f"compare: {name} stands twice; a campaign is not compared with itself")
    return [_read_compared_campaign(name) for name in names]


def _read_compared_campaign(name: str) -> ComparedCampaign:
    folder = RAW / name
    if not folder.is_dir():
        known = sorted(path.parent.name for path in RAW.glob("*/campaign.json"))
        hint = nearest(name, known) if known else "none has been measured yet"
        raise CampaignError(f"{folder}: there is no such campaign; {hint}")
    if is_sealed(folder) and (differences := check_seal(folder)):
        raise CampaignError(f"{folder}/{differences[0]}; python -m coldcache seal --check {Path(name).name} lists all")
    campaign = read_campaign(folder)
    trials = list(collect_trials(campaign))
    if not any(trial.judgement.verdict in COUNTED for trial in trials):
        raise CampaignError(f"{folder}: none of its {len(trials)} trials counts, so there is nothing to compare")
    return ComparedCampaign(campaign, trials, tabulate_records(trials))
