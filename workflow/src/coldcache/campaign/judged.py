"""The verdicts that a campaign's trials had when it was sealed, and those that rules of today judge otherwise."""

import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.trials import CollectedTrial, collect_trials
from coldcache.core.errors import CampaignError
from coldcache.core.files import write_whole

#: The file in the campaign's folder, which its seal covers.
JUDGED = "judged.json"

_FORMAT = 1


class KeptVerdict(NamedTuple):
    """A verdict and the rules that objected, worst first."""

    verdict: str
    codes: tuple[str, ...]


class Judged(NamedTuple):
    """How a campaign was judged when it was sealed.

    Attributes
    ----------
    version : str
        The program's.
    verdicts : mapping of str to KeptVerdict
        By the trial's key.
    """

    version: str
    verdicts: Mapping[str, KeptVerdict]


class Rejudged(NamedTuple):
    """A trial that is judged otherwise than when its campaign was sealed; None for one that had no verdict then."""

    trial: CollectedTrial
    before: KeptVerdict | None


def write_judged(campaign: Campaign) -> None:
    """Write the verdicts of today into a campaign's folder; raises `CampaignError` if a trial cannot be read."""
    verdicts = {
        trial.key: [trial.judgement.verdict, " ".join(trial.judgement.codes)] for trial in collect_trials(campaign)
    }
    told = {"format": _FORMAT, "version": version("coldcache"), "verdicts": verdicts}
    write_whole(campaign.folder / JUDGED, json.dumps(told, indent=1) + "\n")


def read_judged(folder: Path) -> Judged | None:
    """Return how the campaign in `folder` was judged when it was sealed; None if it keeps no such verdicts.

    Raises
    ------
    CampaignError
        If they cannot be read.
    """
    path = folder / JUDGED
    try:
        stored = json.loads(path.read_text())
        if stored["format"] != _FORMAT:
            raise CampaignError(f"{path}: of format {stored['format']}, this version reads {_FORMAT}")
        verdicts = {
            key: KeptVerdict(verdict, tuple(codes.split())) for key, (verdict, codes) in stored["verdicts"].items()
        }
        return Judged(stored["version"], verdicts)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CampaignError(f"{path}: not the verdicts of a campaign ({error})") from error


def list_rejudged(judged: Judged | None, trials: Iterable[CollectedTrial]) -> list[Rejudged]:
    """Return the trials that rules of today judge otherwise than those of when the campaign was sealed."""
    if judged is None:
        return []
    found = []
    for trial in trials:
        now, before = KeptVerdict(trial.judgement.verdict, trial.judgement.codes), judged.verdicts.get(trial.key)
        if before is None or (now.verdict, {*now.codes}) != (before.verdict, {*before.codes}):
            found.append(Rejudged(trial, before))
    return found
