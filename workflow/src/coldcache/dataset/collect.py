"""Collect a campaign: read and judge its raw logs, and write `dataset.nc` and the tables beside it."""

import ctypes
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pandas as pd

from coldcache.campaign.campaign import RAW, read_campaign, read_hosts
from coldcache.campaign.known_since import with_known_since
from coldcache.campaign.seal import check_seal, is_sealed
from coldcache.core.beside import computing_beside
from coldcache.core.csv_file import write_csv
from coldcache.core.errors import CampaignError
from coldcache.dataset.cloudwatch import join_series
from coldcache.dataset.confounders import tabulate_confounders, tabulate_hosts
from coldcache.dataset.coverage import ItemCoverage, describe_coverage
from coldcache.dataset.digests import digest_cubes, digest_tables, write_digests
from coldcache.dataset.precondition import tabulate_precondition
from coldcache.dataset.published import read_published, tabulate_published
from coldcache.dataset.read_trials import read_trials
from coldcache.dataset.reader import COUNTED
from coldcache.dataset.sweep_table import tabulate_designs, tabulate_sweeps
from coldcache.dataset.tables import (
    find_limits,
    tabulate_drift,
    tabulate_evidence,
    tabulate_proofs,
    tabulate_rejudged,
    tabulate_repetitions,
    tabulate_settings,
    tabulate_verdicts,
)
from coldcache.dataset.tidy import tabulate_figures, tabulate_trials
from coldcache.dataset.writer import save_dataset

#: NetCDF integers have no missing value, so these columns are stored as floats.
_FLOATS = dict.fromkeys(("file_bytes", "resident_bytes", "moved_bytes", "crossed_bytes"), "float64")
_FLOATS_OF_EVIDENCE = dict.fromkeys(
    ("moved_bytes", "names", "crossed_bytes", "requests", "flushes", "discarded_bytes"), "float64"
)

#: Columns of `verdicts.csv`, which other programs read.
VERDICT_COLUMNS = ["study", "sweep", "case", "repetition", "verdict", "codes", "cold", "reached"]


def collect(name: str, results: Path) -> None:
    """Write the dataset of a campaign, its verdicts and the digests of its slices.

    Parameters
    ----------
    name : str
        The campaign.
    results : Path
        Its folder of results. The function writes `dataset.nc`, `trials.csv`, `records.csv`, `verdicts.csv`,
        `reasons.csv`, `coverage.csv`, `cold.csv`, `reached.csv`, `rejudged.csv`, `settings.csv`, `repetitions.csv`,
        `drift.csv`, `differences.csv`, `hosts.csv`, `precondition.csv` and `digests/`, and `cloudwatch.csv` if metrics
        were fetched.

    Raises
    ------
    CampaignError
        If a file differs from the campaign's seal, or a `trial.json` cannot be read.
    """
    folder = RAW / name
    _refuse_changed(folder)
    campaign = with_known_since(read_campaign(folder))
    with computing_beside(lambda: (tabulate_repetitions(campaign), tabulate_designs(campaign))) as planned:
        columns, trials, doubtful = read_trials(campaign)
    results.mkdir(parents=True, exist_ok=True)
    repetitions, designs = planned[0].result()
    verdicts, settings = tabulate_verdicts(trials), tabulate_settings(trials)
    rejudged = tabulate_rejudged(folder, trials)
    published = read_published()
    coverage = pd.DataFrame(describe_coverage(campaign, trials, published), columns=list(ItemCoverage._fields))
    proofs, evidence = tabulate_proofs(trials), tabulate_evidence(trials)
    context = {
        "repetitions": repetitions,
        "drift": tabulate_drift(trials, campaign.site.thresholds.drift),
        "differences": tabulate_confounders(trial.outcome for trial in trials if trial.judgement.verdict in COUNTED),
        "hosts": tabulate_hosts(read_hosts(folder)),
        "precondition": tabulate_precondition(folder, campaign.site.thresholds),
    }
    tables = {
        "sweeps": tabulate_sweeps(campaign, trials), "designs": designs, "coverage": coverage,
        "published": tabulate_published(published), "verdicts": verdicts, "proofs": proofs.astype(_FLOATS),
        "evidence": evidence.astype(_FLOATS_OF_EVIDENCE),
        **context,
    }  # fmt: skip
    limits, series = find_limits(trials, campaign, doubtful), join_series(campaign, trials)
    del trials
    _return_memory()
    records = columns.build()
    shown = {
        "coverage": coverage, "cold": proofs, "reached": evidence, "rejudged": rejudged, **context,
        "settings": settings, **({"cloudwatch": series} if len(series) else {}),
    }  # fmt: skip
    sweeps = {study.study: list(study.sweeps) for study in campaign.studies}
    with computing_beside(
        lambda: _write_tables(results, sweeps, {**tables, "records": records, "settings": settings}, shown),
        lambda: write_csv(tabulate_figures(records), results / "records.csv"),
    ) as found:
        cubes = save_dataset(campaign, records, results / "dataset.nc", settings, tables, limits)
        of_cubes = digest_cubes(sweeps, cubes)
    write_digests(results, sweeps, found[0].result() | of_cubes)


def _refuse_changed(folder: Path) -> None:
    """Raise `CampaignError` if a file of a sealed campaign differs from its seal."""
    if is_sealed(folder) and (differences := check_seal(folder)):
        more = f" (and {len(differences) - 1} more; python -m coldcache seal --check lists them)"
        raise CampaignError(f"{folder}/{differences[0]}" + more * (len(differences) > 1))


def _write_tables(
    results: Path,
    sweeps: Mapping[str, Sequence[str]],
    tables: Mapping[str, pd.DataFrame],
    shown: Mapping[str, pd.DataFrame],
) -> dict[str, str]:
    """Write the tables of trials and verdicts, and others as they are; return digests of those of the dataset."""
    records, verdicts = tables["records"], tables["verdicts"]
    of_trials = {
        "trials": tabulate_trials(records, verdicts, tables["sweeps"]), "verdicts": verdicts[VERDICT_COLUMNS],
        "reasons": verdicts.drop(columns=["cold", "reached", "start"]).query("verdict != 'valid'"),
    }  # fmt: skip
    for file, table in {**of_trials, **shown}.items():
        write_csv(table, results / f"{file}.csv")
    return digest_tables(sweeps, tables)


def _return_memory() -> None:
    """Return what the trials took to the system, for the long table, which takes as much: only glibc can."""
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
