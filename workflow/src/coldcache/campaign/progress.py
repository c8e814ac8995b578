"""Find the trials of a campaign that are missing, and the sweeps that cannot run."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.stop_rule import is_missing
from coldcache.campaign.trial_json import list_trial_files
from coldcache.core.errors import CampaignError
from coldcache.core.files import write_whole
from coldcache.design.cases import Case

#: The file in a sweep's folder that says why the sweep could not be run.
NOT_RUN = "not-run.json"


def missing_trials(campaign: Campaign) -> list[str]:
    """Return the keys of planned trials without a folder; for a case with a stop rule, the next one that it needs."""
    return list(_find_missing(campaign))


def is_whole(campaign: Campaign) -> bool:
    """Return whether no planned trial is missing."""
    return not any(_find_missing(campaign))


def _find_missing(campaign: Campaign) -> Iterator[str]:
    for block in campaign.blocks():
        for trial in block.trials:
            if is_missing(campaign, trial):
                yield trial.key


def count_repetitions(campaign: Campaign) -> list[int]:
    """Return the numbers of trials per case that occur in a campaign, sorted.

    Imported cases count only if nothing was planned.
    """
    if campaign.planned:
        return sorted({trial.case.repetitions for block in campaign.blocks() for trial in block.trials})
    cases = Counter(path.parents[1] for path in list_trial_files(campaign.folder, campaign.foreign))
    return sorted(set(cases.values()))


def note_not_run(campaign: Campaign, case: Case, reason: str | None) -> None:
    """Record why the sweep of a case cannot be run; without a reason, remove the record."""
    path = campaign.folder / case.study / case.sweep / NOT_RUN
    if not reason:
        path.unlink(missing_ok=True)
        return
    write_whole(path, json.dumps({"reason": reason}, indent=1) + "\n")


def read_not_run(folder: Path, study: str, sweep: str) -> str | None:
    """Return why a sweep of the campaign in `folder` could not be run; None where it could.

    Raises
    ------
    CampaignError
        If the reason cannot be read.
    """
    path = folder / study / sweep / NOT_RUN
    try:
        return str(json.loads(path.read_text())["reason"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CampaignError(f"{path}: no reason can be read ({error}); remove it and measure again") from error
