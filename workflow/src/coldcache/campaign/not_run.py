"""Why a sweep of a campaign could not be run: a file in the sweep's folder says so."""

import json
from pathlib import Path

from coldcache.campaign.campaign import Campaign
from coldcache.core.errors import CampaignError
from coldcache.core.files import write_whole
from coldcache.design.cases import Case, Trial

#: The file in a sweep's folder that says why the sweep could not be run.
NOT_RUN = "not-run.json"


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


def why_missing(folder: Path, trial: Trial, block: str) -> str | None:
    """Return why a missing trial of the campaign in `folder` could not be run; None where it could.

    Parameters
    ----------
    folder : Path
        The campaign's.
    trial : Trial
        Of a sweep that could not be run itself, or of the sentinel.
    block : str
        The name of its block: a sentinel's trials there run only if the block's own sweep does.

    Raises
    ------
    CampaignError
        As `read_not_run`.
    """
    study, sweep = block.split(".")[:2]
    own = read_not_run(folder, trial.case.study, trial.case.sweep)
    return own or read_not_run(folder, study, sweep)
