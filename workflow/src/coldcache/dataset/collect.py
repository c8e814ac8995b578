"""From raw logs to `dataset.nc`, `verdicts.csv` and `coverage.csv`: reads and judges, never measures."""

from pathlib import Path

import pandas as pd

from coldcache.campaign.campaign import RAW, read_campaign, read_hosts
from coldcache.campaign.seal import check_seal, is_sealed
from coldcache.campaign.trials import collect_trials
from coldcache.core.csv_file import write_csv
from coldcache.core.errors import CampaignError
from coldcache.dataset.cloudwatch import join_series
from coldcache.dataset.confounders import tabulate_confounders, tabulate_hosts
from coldcache.dataset.coverage import ItemCoverage, describe_coverage
from coldcache.dataset.digests import write_digests
from coldcache.dataset.published import read_published, tabulate_published
from coldcache.dataset.reader import COUNTED
from coldcache.dataset.sweep_table import tabulate_designs, tabulate_sweeps
from coldcache.dataset.tables import (
    tabulate_drift,
    tabulate_proofs,
    tabulate_records,
    tabulate_repetitions,
    tabulate_settings,
    tabulate_verdicts,
)
from coldcache.dataset.writer import save_dataset

#: NetCDF has no whole numbers that may be missing.
_FLOATS = dict.fromkeys(("file_bytes", "resident_bytes", "moved_bytes", "crossed_bytes"), "float64")

#: Columns of `verdicts.csv`; other programs read it.
VERDICT_COLUMNS = ["study", "sweep", "case", "repetition", "verdict", "codes", "cold"]


def collect(name: str, results: Path) -> None:
    """Write what a campaign's raw logs state and what they are worth.

    Parameters
    ----------
    name : str
        The campaign.
    results : Path
        Its folder of results; `dataset.nc`, `verdicts.csv`, `reasons.csv`, `coverage.csv`, `cold.csv`,
        `settings.csv`, `repetitions.csv`, `drift.csv`, `differences.csv`, `hosts.csv` and `digests/` are written there.

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
    records, verdicts, settings = tabulate_records(trials), tabulate_verdicts(trials), tabulate_settings(trials)
    published = read_published()
    covered = pd.DataFrame(describe_coverage(campaign, trials, published), columns=list(ItemCoverage._fields))
    proofs = tabulate_proofs(trials)
    circumstances = {
        "repetitions": tabulate_repetitions(campaign),
        "drift": tabulate_drift(trials, campaign.site.thresholds.drift),
        "differences": tabulate_confounders(trial.story for trial in trials if trial.judgement.verdict in COUNTED),
        "hosts": tabulate_hosts(read_hosts(folder)),
    }
    tables = {
        "sweeps": tabulate_sweeps(campaign, trials), "designs": tabulate_designs(campaign), "coverage": covered,
        "published": tabulate_published(published), "verdicts": verdicts, "proofs": proofs.astype(_FLOATS),
        **circumstances,
    }  # fmt: skip
    cubes = save_dataset(campaign, records, results / "dataset.nc", settings, tables)
    write_csv(covered, results / "coverage.csv")
    write_csv(verdicts[VERDICT_COLUMNS], results / "verdicts.csv")
    write_csv(proofs, results / "cold.csv")
    for named, table in circumstances.items():
        write_csv(table, results / f"{named}.csv")
    write_csv(settings, results / "settings.csv")
    if len(series := join_series(campaign, trials)):
        write_csv(series, results / "cloudwatch.csv")
    write_csv(verdicts.drop(columns=["cold", "start"]).query("verdict != 'valid'"), results / "reasons.csv")
    sweeps = {study.study: list(study.sweeps) for study in campaign.studies}
    write_digests(results, sweeps, {**tables, "records": records, "settings": settings}, cubes)


def _and_more(count: int) -> str:
    return f" (and {count - 1} more; python -m coldcache seal --check lists them)" if count > 1 else ""
