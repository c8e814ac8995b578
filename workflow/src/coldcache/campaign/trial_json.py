"""`trial.json`: what a trial was and what happened in it."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from coldcache.core.errors import CampaignError
from coldcache.design.imported_study import AnyStudy


def list_stories(folder: Path, studies: Iterable[AnyStudy]) -> list[Path]:
    """Return the `trial.json` of every trial of some studies that has a folder in that of a campaign, by name."""
    return sorted(
        path
        for study in studies
        for path in folder.glob(f"{study.study}/*/*/r*/trial.json")
        # Imported logs keep their own names, and lie beside the sweeps.
        if path.parents[2].name in study.sweeps
    )


def read_story(path: Path) -> Any:
    """Return what a `trial.json` holds.

    Raises
    ------
    CampaignError
        If it cannot be read, or is no JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CampaignError(f"{path}: not the story of a trial ({error})") from error
