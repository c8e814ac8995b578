"""The file in which a runner says how far its campaign is, for the terminal line of the Snakemake that started it."""

import json
import os
from pathlib import Path
from typing import NamedTuple

#: The environment variable that is set where Snakemake's own terminal shows the progress, not the runner.
LIVE_VARIABLE = "COLDCACHE_LIVE"


class LiveProgress(NamedTuple):
    """How far a campaign is.

    Attributes
    ----------
    done, planned : int
        Trials.
    left : float
        How long the missing ones take by the plan's estimate, in s.
    now : str
        The trial that runs.
    """

    done: int
    planned: int
    left: float
    now: str


def place_progress(campaign: str) -> Path:
    """Return the path of a campaign's file, relative to the working folder."""
    return Path("logs", campaign, "progress.json")


def is_shown_elsewhere() -> bool:
    """Return whether Snakemake's terminal shows the progress of a runner that it started."""
    return bool(os.environ.get(LIVE_VARIABLE))


def write_progress(campaign: str, progress: LiveProgress) -> None:
    """Write how far a campaign is; raises `OSError` where that is not possible."""
    path = place_progress(campaign)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.partial")
    # Not synced: it is of no use after a power cut, and the storage is about to be measured.
    unfinished.write_text(json.dumps(progress._asdict()) + "\n")
    unfinished.replace(path)


def read_progress(campaign: str, since: float = 0.0) -> LiveProgress | None:
    """Return how far a campaign is; None if no runner has said so since a time, in s since 1970."""
    path = place_progress(campaign)
    try:
        return LiveProgress(**json.loads(path.read_text())) if path.stat().st_mtime >= since else None
    except (OSError, ValueError, TypeError):
        return None
