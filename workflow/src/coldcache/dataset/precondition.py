"""The table of what was written to the target before the first trial, with the rate of each part from its log."""

from pathlib import Path

import pandas as pd

from coldcache.campaign.preconditioned import STEADY, read_preconditioned, read_rates
from coldcache.verdicts.steady_state import ROUNDS, course_of
from coldcache.verdicts.thresholds import Thresholds

#: Columns of the table.
PRECONDITION_COLUMNS = [
    "part", "operation", "start", "seconds", "rate", "log", "offset", "length", "printed", "path", "fill_bytes",
    "filled_bytes", "written_bytes", "ended_by", "is_steady", "spread", "slope", "most_spread", "most_slope",
]  # fmt: skip


def tabulate_precondition(folder: Path, thresholds: Thresholds) -> pd.DataFrame:
    """Return one row per pass and round that preconditioned a campaign's target.

    Parameters
    ----------
    folder : Path
        The campaign's.
    thresholds : Thresholds
        The site's.

    Returns
    -------
    DataFrame
        Columns `PRECONDITION_COLUMNS`: ``rate`` in B/s, and the place in the log that states it, relative to the
        campaign's folder. Those from ``path`` on are the same in each row: sizes in B (``written_bytes`` as the device
        or server counted them, NaN where nothing counts), and how much the last rounds differed, as shares of their
        mean (NaN for fewer than five rounds). No rows for a target that was measured as it was found.

    Raises
    ------
    CampaignError
        If the notes cannot be read, or a log is refused.
    """
    found = read_preconditioned(folder)
    if found is None:
        return pd.DataFrame(columns=PRECONDITION_COLUMNS)
    rates = list(read_rates(folder, found))
    rounds = [record.value for part, _, record in rates if part.operation == "random-write"]
    nan = float("nan")
    spread, slope = course_of(rounds[-ROUNDS:]) if len(rounds) >= ROUNDS else (nan, nan)
    shared = {
        "path": found.path, "fill_bytes": found.bytes, "filled_bytes": found.filled_bytes,
        # A counter that saw nothing of a fill does not count, as that of a disk whose iostats is 0.
        "written_bytes": found.counters.get("written_bytes") or nan, "ended_by": found.ended_by,
        "is_steady": found.ended_by == STEADY, "spread": spread, "slope": slope,
        "most_spread": thresholds.steady_spread, "most_slope": thresholds.steady_slope,
    }  # fmt: skip
    rows = [
        {
            "part": part.name, "operation": part.operation, "start": part.start, "seconds": part.seconds,
            "rate": record.value, "log": log, "offset": record.offset, "length": record.length,
            "printed": record.printed, **shared,
        }
        for part, log, record in rates
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=PRECONDITION_COLUMNS)
