"""Everything that a claim is judged by: a campaign's cubes, records and settings, and its system."""

from copy import copy
from functools import cached_property
from pathlib import Path

import pandas as pd
import xarray as xr

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.not_run import read_not_run
from coldcache.core.errors import DatasetError, NoData
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.dataset.published import PublishedValue, read_published
from coldcache.dataset.reader import OPERATIONS_DIM, open_records, open_settings, open_sweep
from coldcache.design.cases import Case, expand_cases


def select_published(values: list[PublishedValue], source: str, columns: dict[str, str | int]) -> list[PublishedValue]:
    """Return the published values of a source whose columns in `values.csv` have the given values."""
    return [
        value
        for value in values
        if value.source == source and all(str(getattr(value, name)) == str(said) for name, said in columns.items())
    ]


class ClaimContext:
    """The data and the system of a campaign, read on first use.

    Parameters
    ----------
    campaign : Campaign
        It describes the system, and why a sweep has no data.
    results : Path
        Its folder of results, with `dataset.nc`.
    """

    def __init__(self, campaign: Campaign, results: Path):
        self.campaign, self._results = campaign, results
        self._cubes: dict[tuple[str, str], xr.Dataset] = {}
        self._with_memory = True

    def without_memory(self) -> "ClaimContext":
        """Return the same data without figures whose work stayed in memory: they say nothing of the storage."""
        found = copy(self)
        found._cubes, found._with_memory = {}, False
        return found

    @cached_property
    def published(self) -> list[PublishedValue]:
        """The published values of all sources."""
        return read_published()

    @cached_property
    def records(self) -> pd.DataFrame:
        """The long table of records."""
        return open_records(self._results / "dataset.nc")

    @cached_property
    def settings(self) -> pd.DataFrame:
        """The table of settings: the level asked for and the value read back."""
        return open_settings(self._results / "dataset.nc")

    @cached_property
    def reached(self) -> pd.DataFrame:
        """What crossed the device or the wire beside what each operation of a trial moved."""
        return pd.read_csv(self._results / "reached.csv")

    @property
    def offers(self) -> list[str]:
        """The features of the system, in the words that claims use for their needs."""
        return self.campaign.site.offers

    def count_offered(self, what: str) -> int:
        """Return how many of something the site offers, as in ``24 storage targets``; 0 if it does not say."""
        counts = [offer.partition(" ") for offer in self.offers]
        return next((int(count) for count, _, thing in counts if thing == what and count.isdigit()), 0)

    def ceiling(self, operation: str) -> float | None:
        """Return the limit that the site states for what an operation reads or writes, in B/s; None if it does not."""
        target = self.campaign.site.target
        return target.read_rate if operation.endswith("read") else target.write_rate

    @property
    def leaves_memory_out(self) -> bool:
        """Whether figures whose work stayed in memory are missing."""
        return not self._with_memory

    def cube(self, study: str, sweep: str) -> xr.Dataset:
        """Return the cube of a sweep.

        Raises
        ------
        NoData
            If the campaign has no such cube; the message says why.
        """
        key = study, sweep
        if key not in self._cubes:
            cube = self._read_cube(study, sweep)
            self._cubes[key] = cube if self._with_memory else _without_memory(cube)
        return self._cubes[key]

    def _read_cube(self, study: str, sweep: str) -> xr.Dataset:
        try:
            return open_sweep(self._results / "dataset.nc", study, sweep)
        except DatasetError as error:
            raise NoData(self._why_not(study, sweep)) from error

    def rows(self, study: str, sweep: str) -> pd.DataFrame:
        """Return the rows of a sweep in the long table; raise `NoData` as `cube` does."""
        self.cube(study, sweep)
        rows = self.records[(self.records.study == study) & (self.records.sweep == sweep)]
        return rows if self._with_memory or "reached" not in rows else rows[rows.reached != "memory"]

    def why_empty(self, study: str, sweep: str) -> str | None:
        """Return why no trial of a sweep counts; None if no reason is known."""
        reasons = [case.why_not_here for case in self.cases(study, sweep)]
        return reasons[0] if reasons and all(reasons) else read_not_run(self.campaign.folder, study, sweep)

    def cases(self, study: str, sweep: str) -> list[Case]:
        """Return the planned cases of a sweep; an empty list if it was not planned."""
        planned = [one for one in self.campaign.planned if one.study == study]
        if not planned or not self.campaign.environment:
            return []
        cases = expand_cases(planned[0], self.campaign.site, self.campaign.environment)
        return [case for case in cases if case.sweep == sweep]

    def _why_not(self, study: str, sweep: str) -> str:
        if study not in [planned.study for planned in self.campaign.studies]:
            return f"the campaign does not hold the study {study}"
        reason = self.why_empty(study, sweep)
        return f"the sweep {study}/{sweep} was not run: {reason}" if reason else f"no trial of {study}/{sweep} counts"


def _without_memory(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube in which figures whose work stayed in memory are missing."""
    if "reached" not in cube:
        return cube
    stored = cube.reached != "memory"
    # A metric without the dim of operations is of trials at one level of it.
    own = stored.all(OPERATIONS_DIM) if OPERATIONS_DIM in stored.dims else stored
    figures = [name for name in UNIT_OF_METRIC if name in cube]
    return cube.assign({
        name: cube[name].where(stored if OPERATIONS_DIM in cube[name].dims else own) for name in figures
    })  # fmt: skip
