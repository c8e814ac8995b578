"""From raw logs to `dataset.nc`, `verdicts.csv` and `coverage.csv`: reads and judges, never measures."""

from pathlib import Path

import pandas as pd

from coldcache.campaign import RAW, check_seal, is_sealed, read_campaign
from coldcache.coverage import Covered, describe_coverage
from coldcache.dataset import save_dataset, tabulate_proofs, tabulate_records, tabulate_settings, tabulate_verdicts
from coldcache.errors import CampaignError
from coldcache.published import read_published
from coldcache.trials import collect_trials

#: Columns of `verdicts.csv`; other programs read it.
VERDICT_COLUMNS = ["study", "sweep", "case", "repetition", "verdict", "codes", "cold"]


def collect(name: str, results: Path) -> None:
    """Write what a campaign's raw logs state and what they are worth.

    Parameters
    ----------
    name : str
        The campaign.
    results : Path
        Its folder of results; `dataset.nc`, `verdicts.csv`, `reasons.csv`, `coverage.csv`, `cold.csv` and
        `settings.csv` are written there.

    Raises
    ------
    CampaignError
        If the campaign is sealed and a file differs from its seal, or a `trial.json` cannot be read.
    """
    folder = RAW / name
    if is_sealed(folder) and (differences := check_seal(folder)):
        raise CampaignError(f"{folder}/{differences[0]}" + _and_more(len(differences)))
    campaign = read_campaign(folder)
    trials = list(collect_trials(campaign))
    results.mkdir(parents=True, exist_ok=True)
    save_dataset(campaign, tabulate_records(trials), results / "dataset.nc")
    covered = describe_coverage(campaign, trials, read_published())
    pd.DataFrame(covered, columns=list(Covered._fields)).to_csv(results / "coverage.csv", index=False)
    verdicts = tabulate_verdicts(trials)
    verdicts[VERDICT_COLUMNS].to_csv(results / "verdicts.csv", index=False)
    tabulate_proofs(trials).to_csv(results / "cold.csv", index=False)
    tabulate_settings(trials).to_csv(results / "settings.csv", index=False)
    verdicts.drop(columns=["cold"]).query("verdict != 'valid'").to_csv(results / "reasons.csv", index=False)


def _and_more(count: int) -> str:
    return f" (and {count - 1} more; python -m coldcache seal --check lists them)" if count > 1 else ""
