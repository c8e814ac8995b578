"""The trials of a campaign as they lie on disk: their stories, the records of their logs, and their verdicts."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign import Campaign
from coldcache.errors import CampaignError, LogError
from coldcache.plan import tool_module
from coldcache.records import Record
from coldcache.verdicts import Judgement, Trial, judge


class Collected(NamedTuple):
    """One planned trial: what happened, what its log states, and what that is worth.

    Attributes
    ----------
    key : str
        ``study/sweep/case/r<k>``.
    story : dict
        What `trial.json` holds; for a missing trial what the plan says of it.
    records : list of Record
        Empty where the log was refused or the trial is missing.
    judgement : Judgement
        ``missing`` where the trial has no folder.
    """

    key: str
    story: dict[str, Any]
    records: list[Record]
    judgement: Judgement


def collect_trials(campaign: Campaign) -> Iterator[Collected]:
    """Yield every planned trial of a campaign in the order of its name.

    Raises
    ------
    CampaignError
        If a `trial.json` cannot be read.
    """
    planned = {trial.key: trial for block in campaign.blocks() for trial in block.trials}
    for key in sorted(planned):
        folder = campaign.folder / key
        if (folder / "trial.json").is_file():
            yield _read_trial(key, folder, campaign)
            continue
        case = planned[key].case
        story = {
            "study": case.study, "sweep": case.sweep, "case": case.name, "repetition": planned[key].repetition,
            "operations": list(case.operations), "factors": case.factors, "tool": case.tool, "tool_version": None,
            "settings": {}, "seconds": None,
        }  # fmt: skip
        yield Collected(key, story, [], Judgement("missing", ("not-run",), ("not measured yet",), "not applicable"))


def _read_trial(key: str, folder: Path, campaign: Campaign) -> Collected:
    try:
        story = json.loads((folder / "trial.json").read_text())
        tool = tool_module(story["tool"])
    except (ValueError, KeyError, ImportError) as error:
        raise CampaignError(f"{folder / 'trial.json'}: not the story of a trial ({error})") from error
    records: list[Record] = []
    refusal = ""
    try:
        records = tool.read(_read_log(folder))
    except LogError as error:
        refusal = str(error)
    thresholds = campaign.site.thresholds
    trial = Trial(story, records, refusal, thresholds.shortest_run, thresholds.cold_share)
    return Collected(key, story, records, judge(trial))


def _read_log(folder: Path) -> bytes:
    try:
        return (folder / "stdout.txt").read_bytes()
    except OSError as error:
        raise LogError(f"stdout.txt cannot be read: {error.strerror}") from error
