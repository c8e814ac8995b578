"""The rules of provisioned metadata IOPS as a table, and what was measured for each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.questions.select import published_values
from coldcache.statistics.models.fsx_metadata_iops import (
    OPERATIONS_PER_IOPS,
    automatic_iops,
    expected_rate,
    largest_increase,
)

#: The most that a user may ask for, at any capacity.
LARGEST_IOPS = 192_000


@dataclass(frozen=True, slots=True)
class ProvisioningModel:
    """What automatic mode gives at some capacities, in GiB."""

    capacity: list[int]
    automatic: list[int]

    def table(self) -> pd.DataFrame:
        """Return one row per capacity with the rates that the document's factors allow."""
        return pd.DataFrame({
            "capacity (GiB)": self.capacity, "automatic metadata IOPS (1/s)": self.automatic,
            **{f"{operation} (1/s)": [expected_rate(operation, iops) for iops in self.automatic]
               for operation in OPERATIONS_PER_IOPS},
            "user's most over automatic (1)": [largest_increase(capacity) for capacity in self.capacity],
        })  # fmt: skip


def model(capacities: Sequence[int]) -> ProvisioningModel:
    """Return what automatic mode gives at some capacities in GiB; raises `DesignError` as `automatic_iops`."""
    return ProvisioningModel(list(capacities), [automatic_iops(capacity) for capacity in capacities])


def describe_model(rules: ProvisioningModel) -> str:
    """Return the range of automatic mode and how far a user may go beyond it, as a sentence."""
    least, most = rules.capacity[0], rules.capacity[-1]
    return (
        f"Automatic mode gives {rules.automatic[0]:,} metadata IOPS at {least:,} GiB and {rules.automatic[-1]:,} at "
        f"{most:,} GiB; a user may ask for up to {largest_increase(12_000):g} times what it gives at 12,000 GiB"
    )


def published_iops(dataset: str | Path, source: str) -> dict[int, float]:
    """Return the metadata IOPS that the document states by capacity in GiB."""
    found = {}
    for value in published_values(dataset, source):
        words = value.system.split()
        if value.workload == "provisioning" and "GiB" in words:
            found[int(words[words.index("GiB") - 1])] = value.high
    return found


def rate_per_iops(estimates: Estimates) -> pd.DataFrame:
    """Return the measured rate of each operation for each IOPS of ``question.factor``, and that of the model."""
    rows, limit = [], estimates.question.factor
    table = estimates.table()
    named = "metadata IOPS (1/s)" if limit == "metadata_iops" else "limit (1/s)"
    for row in table.to_dict("records"):
        iops = int(row[limit])
        # The model is of metadata; a device counts each request once.
        factor = OPERATIONS_PER_IOPS.get(row["operation"]) if limit == "metadata_iops" else 1
        others = {name: row[name] for name in estimates.cells.estimate.dims if name not in ("operation", limit)}
        rows.append({
            "operation": row["operation"], named: iops, **others, "median (1/s)": row["median"],
            "per IOPS (1)": row["median"] / iops, "model per IOPS (1)": "not stated" if factor is None else str(factor),
        })  # fmt: skip
    return pd.DataFrame(rows)
