"""A made campaign in which everything is as the five documents say, at their full scale, with noise of 0.1 %."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from coldcache.campaign.campaign import Campaign
from coldcache.claims.context import ClaimContext
from coldcache.core.errors import NoData
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.vocabulary import FACTORS, METRIC_OF_OPERATION
from coldcache.dataset.cubes import build_cube
from coldcache.dataset.published import read_published
from coldcache.dataset.reader import state_rounds
from coldcache.dataset.writer import save_dataset
from coldcache.design.cases import expand_cases
from coldcache.statistics.models.nfs_rpcs import write_calls
from coldcache.workflow.configuration import draft_design

SITES = {"dell-lustre": "dell-testbed", "fsx-metadata": "fsx-testbed", "sas-grid": "sas-testbed",
         "anf-nfs": "anf-testbed", "pixstor-nvme": "pixstor-testbed"}  # fmt: skip

REPETITIONS = 10

_STRIPES = {(1, 2**20): (1.3, 0.75), (1, 2**22): (1.2, 0.75), (24, 2**20): (1.1, 0.6), (24, 2**22): (1.0, 0.6)}
_FILES = {"file-create": (547, 0.6), "file-stat": (4000, 0.8), "file-remove": (1800, 0.7)}
_DIRECTORIES = {"directory-create": (2000, 0.5), "directory-stat": (6000, 0.8), "directory-remove": (2000, 0.65)}


def _dell(sweep: str, operation: str, factors: dict) -> float:
    threads = factors["threads"]
    powers = {"files": _FILES, "directories": _DIRECTORIES}.get(sweep)
    if powers:
        return powers[operation][0] * threads ** powers[operation][1]
    if sweep in ("stripes", "stripes-others"):
        scale, power = _STRIPES[factors["stripe_count"], factors["stripe_size"]]
        return 1000 * scale * threads**power
    return {
        "sequential": {"write": 6.9e9, "read": 11e9}.get(operation, 0) * min(threads, 24) / 24,
        "osts": 1e9 * (1.02 if factors.get("stripe_count") == 8 else 1),
        "write-cache-sequential": 5e9 * (1.4 if factors.get("write_cache") == "writethrough" else 1),
        "write-cache-random": 12e3 * (0.3 if factors.get("write_cache") == "writethrough" else 1),
        "random": 12.65e3 * min(threads, 144) / 144,
        "few-directories": 16e3,
        "mdts": 1000 * threads**0.6 * (1.5 if factors.get("mdts") == 2 else 1),
    }.get(sweep, 12e3)


def _pixstor(sweep: str, operation: str, factors: dict) -> float:
    threads = factors["threads"]
    if sweep in ("metadata", "metadata-others"):
        peak, at, after = {
            "file-stat": (6.88e6, 64, 0.47), "file-read": (705e3, 128, 0.73), "file-remove": (370e3, 128, 0.74),
            "file-create": (113e3, 512, 1),
        }[operation]  # fmt: skip
        return peak * threads / at if threads <= at else peak * after
    writing = operation.endswith("write")
    if sweep in ("sequential", "file-per-rank"):
        dip = 0.9 if writing and threads == 1024 else 0.7 if not writing and threads == 64 else 1
        return dip * (40.9e9 * min(threads, 64) / 64 if writing else 84.5e9 * min(threads, 128) / 128)
    if sweep == "shared-file":
        return 33.5e9 * min(threads, 16) / 16 if writing else 51e9 * min(threads, 64) / 64
    if sweep == "random":
        return (5.06e6 if writing else 7.31e6) * (threads / 1024) ** 0.5
    if sweep == "node-pairs-names":
        return 1e5
    return 20e9 * factors.get("node_pairs", 2)


def _fsx(sweep: str, operation: str, factors: dict) -> float:
    if sweep == "metadata":
        return {"file-create": 1e5, "file-stat": 5e4, "file-read": 1.2e5, "file-remove": 6e4}[operation]
    if sweep == "iops-limit":
        return float(factors["device_iops"])
    return factors["metadata_iops"] * {"file-create": 2, "file-remove": 1}.get(operation, 1.5)


@cache
def _stated() -> dict[tuple[str, str], float]:
    """Return the rates of one core in the table of the SAS Grid document."""
    return {(value.system, value.operation): value.low for value in read_published() if value.source == "sas-grid"}


def _sas(sweep: str, operation: str, factors: dict) -> float:
    threads = factors["threads"]
    if sweep == "instance-types":
        return _stated()[factors["instance_type"], operation] * threads
    return 300e6 * threads**0.8


def _anf(sweep: str, operation: str, factors: dict) -> float:
    gains = {
        "async": 6, "nocto-actimeo-600": 3, "recommended": 1.2, "latency-performance": 1.2,
        "3": 1.5 if sweep in ("version-metadata", "version-stat") else 1,
    }  # fmt: skip
    gain = 1.0
    for level in factors.values():
        gain *= gains.get(str(level), 1) if isinstance(level, str) else 1
    if factors.get("nconnect") == 8:
        gain *= 2 if factors.get("nodes") == 1 else 1.2
    return 1e8 * gain


VALUES: dict[str, Callable[[str, str, dict], float]] = {
    "dell-lustre": _dell, "pixstor-nvme": _pixstor, "fsx-metadata": _fsx, "sas-grid": _sas, "anf-nfs": _anf,
}  # fmt: skip


def _calls(sweep: str, factors: dict) -> float:
    sync = factors.get("write_mode") == "sync"
    return write_calls(factors["file_size"], factors["io_size"], factors["transfer_size"] if sync else 0)


def _rows_of(case, random: np.random.Generator) -> list[dict]:
    rows = []
    for repetition in range(1 if case.sweep == "three-hours" else REPETITIONS):
        verdict = "void" if case.factors.get("outage_option") == "soft" else "valid"
        shared = {
            "study": case.study, "sweep": case.sweep, "case": case.name, "repetition": repetition, "tool": case.tool,
            "tool_version": "", "verdict": verdict, "codes": "exit-status" * (verdict == "void"),
            "cold": "not applicable", "log": case.name,
            **{factor: case.factors.get(factor) for factor in FACTORS}, "statistic": "value", "definition": "",
            "offset": 0, "length": 1, "printed": "", "caveats": "", "share": "", "time": np.nan,
        }  # fmt: skip
        for operation in case.operations:
            metric = METRIC_OF_OPERATION[operation]
            value = VALUES[case.study](case.sweep, operation, case.factors)
            points = 180 if case.sweep == "three-hours" else 1
            for point in range(points):
                noisy = value * np.exp(random.normal(0, 0.001))
                row = {
                    **shared,
                    "operation": operation,
                    "metric": metric,
                    "value": noisy,
                    "unit": UNIT_OF_METRIC[metric],
                }
                rows.append(row | ({"time": 60.0 * point, "share": f"time={60 * point}"} if points > 1 else {}))
        counts = {}
        if case.sweep in ("write-mode", "network-delay", "wsize") and "write" in case.operations:
            counts["rpc-write"] = _calls(case.sweep, case.factors)
        if case.sweep == "small-files":
            counts["rpc-write"] = 128
        if case.sweep == "in-flight":
            slots = case.factors["nconnect"] * case.factors["slot_table_entries"]
            counts["most-in-flight"] = min(slots, _calls(case.sweep, case.factors))
        if case.sweep == "attribute-cache":
            counts["rpc-getattr"] = 0 if case.factors["mount_option"] == "nocto-actimeo-600" else 100
        for operation, count in counts.items():
            row = {**shared, "operation": operation, "metric": "count", "value": float(count), "unit": "1"}
            rows.append({**row, "definition": "operations"})
    return rows


@pytest.fixture(scope="session")
def made_records(root) -> pd.DataFrame:
    """The long table of the made campaign."""
    rows: list[dict] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        for study, site in SITES.items():
            design = draft_design({"studies": study, "site": site}, full=True)
            cases = expand_cases(design.studies[0], design.site, design.environment)
            # Each sweep has its own, so that the figures of the others stay when a study gets one more.
            sweeps = {(case.study, case.sweep) for case in cases}
            randoms = {names: np.random.default_rng(crc32("/".join(names).encode())) for names in sweeps}
            for case in cases:
                rows += _rows_of(case, randoms[case.study, case.sweep])
    return pd.DataFrame(rows)


@pytest.fixture(scope="session")
def made_campaign(root) -> Campaign:
    """The design of the made campaign: all five studies on a site that offers what every claim needs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        designs = [draft_design({"studies": study, "site": site}, full=True) for study, site in SITES.items()]
    offers = [offer for design in designs for offer in design.site.offers] + ["a bound on the memory of clients"]
    site = designs[-1].site.model_copy(update={"offers": offers})
    tools = {sweep: tool for design in designs for sweep, tool in design.environment.tools.items()}
    environment = designs[-1].environment._replace(tools=tools)
    return Campaign("made", site, tuple(design.studies[0] for design in designs), environment)


def _settings(records: pd.DataFrame) -> pd.DataFrame:
    """Return the mount options that the trials on instance types read back."""
    trials = records[(records.study == "sas-grid") & (records.sweep == "instance-types")]
    found = trials[["study", "sweep", "case", "repetition"]].drop_duplicates()
    return found.assign(factor="mount_option", level="", read="rw,noatime,flock,lazystatfs")


def _reached(records: pd.DataFrame) -> pd.DataFrame:
    """Return what crossed: nothing of a file that its client keeps, all of one that is twice as large as its cache."""
    rows = records[records.sweep == "client-memory"]
    crossed = np.where(rows.file_size >= 16 * 2**20, rows.file_size, 0)
    columns = ["study", "sweep", "case", "repetition", "operation"]
    return rows[columns].assign(moved_bytes=rows.file_size, crossed_bytes=crossed)


class InMemory(ClaimContext):
    """What claims are judged by, without a file between: cubes are made of records when they are asked for."""

    def __init__(self, campaign: Campaign, records: pd.DataFrame):
        super().__init__(campaign, Path("none"))
        self.records, self.settings, self.reached = records, _settings(records), _reached(records)

    def _read_cube(self, study: str, sweep: str) -> xr.Dataset:
        rows = self.records[(self.records.study == study) & (self.records.sweep == sweep)]
        if rows.empty:
            raise NoData(self._why_not(study, sweep))
        return state_rounds(build_cube(rows))


@pytest.fixture
def make_context(made_campaign, root, monkeypatch) -> Callable[..., ClaimContext]:
    """Return what claims are judged by, of some records of the made campaign."""
    monkeypatch.chdir(root)
    return lambda records, campaign=made_campaign: InMemory(campaign, records)


@pytest.fixture(scope="session")
def made_context(made_campaign, made_records, root, tmp_path_factory) -> Iterator[ClaimContext]:
    """What claims are judged by, of the made campaign as it lies on disk."""
    results = tmp_path_factory.mktemp("made")
    save_dataset(made_campaign, made_records, results / "dataset.nc", _settings(made_records))
    _reached(made_records).to_csv(results / "reached.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        yield ClaimContext(made_campaign, results)
