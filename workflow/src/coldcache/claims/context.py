"""What claims are judged by: a campaign's cubes and records, and what is known of the system that it measured."""

from functools import cached_property
from pathlib import Path

import pandas as pd
import xarray as xr

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.progress import why_not_run
from coldcache.core.errors import DatasetError, NoData
from coldcache.dataset.published import Published, read_published
from coldcache.dataset.reader import open_records, open_settings, open_sweep
from coldcache.design.cases import Case, expand_cases


def find_published(values: list[Published], source: str, columns: dict[str, str | int]) -> list[Published]:
    """Return the published values of a source that have what some columns of `values.csv` are said to hold."""
    return [
        value
        for value in values
        if value.source == source and all(str(getattr(value, name)) == str(said) for name, said in columns.items())
    ]


class Material:
    """A campaign as claims see it; what is not asked for is not read.

    Parameters
    ----------
    campaign : Campaign
        Tells the system, and why a sweep has no data.
    results : Path
        Its folder of results, with `dataset.nc`.
    """

    def __init__(self, campaign: Campaign, results: Path):
        self.campaign, self._results = campaign, results
        self._cubes: dict[tuple[str, str], xr.Dataset] = {}

    @cached_property
    def published(self) -> list[Published]:
        """The published values of all sources."""
        return read_published()

    @cached_property
    def records(self) -> pd.DataFrame:
        """The long table."""
        return open_records(self._results / "dataset.nc")

    @cached_property
    def settings(self) -> pd.DataFrame:
        """Each setting of each trial, as it was asked for and read back."""
        return open_settings(self._results / "dataset.nc")

    @property
    def offers(self) -> list[str]:
        """What the system has, in the words in which claims need it."""
        return self.campaign.site.offers

    @property
    def memory(self) -> int:
        """Memory of one client node, in B; 0 where it is not known."""
        return self.campaign.circumstances.memory if self.campaign.circumstances else 0

    def cube(self, study: str, sweep: str) -> xr.Dataset:
        """Return the cube of a sweep.

        Raises
        ------
        NoData
            If the campaign has none; the message says why.
        """
        key = study, sweep
        if key not in self._cubes:
            try:
                self._cubes[key] = open_sweep(self._results / "dataset.nc", study, sweep)
            except DatasetError as error:
                raise NoData(self._why_not(study, sweep)) from error
        return self._cubes[key]

    def rows(self, study: str, sweep: str) -> pd.DataFrame:
        """Return the rows of a sweep in the long table; raises `NoData` as `cube`."""
        self.cube(study, sweep)
        return self.records[(self.records.study == study) & (self.records.sweep == sweep)]

    def why_empty(self, study: str, sweep: str) -> str:
        """Return why no trial of a sweep counts: what stands against its running here, or nothing that is known."""
        reasons = [case.why_not_here or "" for case in self._expand(study, sweep)]
        return reasons[0] if reasons and all(reasons) else why_not_run(self.campaign.folder, study, sweep)

    def scale(self, study: str, sweep: str) -> str:
        """Return at which scale of its study a sweep ran, in words; empty where it was not scaled down."""
        return next((case.scale for case in self._expand(study, sweep) if case.scale), "")

    def _expand(self, study: str, sweep: str) -> list[Case]:
        """Return the planned cases of a sweep; none where it was not planned here."""
        planned = [one for one in self.campaign.planned if one.study == study]
        if not planned or not self.campaign.circumstances:
            return []
        cases = expand_cases(planned[0], self.campaign.site, self.campaign.circumstances)
        return [case for case in cases if case.sweep == sweep]

    def _why_not(self, study: str, sweep: str) -> str:
        if study not in [planned.study for planned in self.campaign.studies]:
            return f"the campaign does not hold the study {study}"
        reason = self.why_empty(study, sweep)
        return f"the sweep {study}/{sweep} was not run: {reason}" if reason else f"no trial of {study}/{sweep} counts"
