"""The thresholds of the rules, and the most that a target can carry."""

from typing import NamedTuple

from pydantic import Field

from coldcache.core.yaml_models import Rate, Seconds, Strict


class Ceilings(Strict):
    """The most that a target can carry; None where it is not stated."""

    read_rate: Rate | None = Field(
        None, gt=0, description="The most that it, or the link to it, can deliver; a higher rate is suspect."
    )
    write_rate: Rate | None = Field(
        None, gt=0, description="The most that it, or the link to it, can take; a higher rate is suspect."
    )
    read_iops: float | None = Field(
        None, gt=0, description="The most transfers per second that it is provisioned for; a higher rate is suspect."
    )
    write_iops: float | None = Field(None, gt=0, description="The same for writes.")
    baseline_read_rate: Rate | None = Field(
        None, gt=0, description="What it delivers once its burst credit is spent; a higher rate is suspect."
    )
    baseline_write_rate: Rate | None = Field(
        None, gt=0, description="What it takes once its burst credit is spent; a higher rate is suspect."
    )


class MeasuredCeiling(NamedTuple):
    """The most that a target carried, or memory copied, at a campaign's begin.

    Attributes
    ----------
    rate : float
        In B/s.
    how : str
        What was read, written or copied, and for how long.
    """

    rate: float
    how: str


class Thresholds(Strict):
    """The thresholds at which a trial becomes suspect or its read counts as cold."""

    shortest_run: Seconds = Field(1.0, gt=0, description="A measured interval below this makes a trial suspect.")
    cold_share: float = Field(
        0.9,
        gt=0,
        le=1,
        description="A read is cold, a write on storage, when this share of its bytes crossed the device.",
    )
    foreign_share: float = Field(
        0.1, ge=0, description="The device may carry this share more than the tool moved; more makes a trial suspect."
    )
    load_per_core: float = Field(
        4.0, gt=0, description="A load average above this per core, before the tool starts, makes a trial suspect."
    )
    foreign_cpu: float = Field(
        0.6, gt=0, description="Others that use this share of all cores while the tool runs make a trial suspect."
    )
    saturated: float = Field(
        0.7, gt=0, description="A scale model that keeps this share of all cores busy makes a trial suspect."
    )
    drift: float = Field(
        0.2, gt=0, description="A sentinel that is this share off its median makes it and what ran around it suspect."
    )
    least_moved: float = Field(
        0.5,
        ge=0,
        le=1,
        description="A process that ran at less than this share of the rate of the fastest one makes it suspect.",
    )
    least_free: float = Field(
        0.05, ge=0, le=1, description="A file system with a smaller share of it free makes a trial suspect."
    )
    fill_drift: float = Field(
        0.1, gt=0, description="A fill level that is this much off that of the sweep's first trial makes it suspect."
    )
    modes: float = Field(
        3.0, ge=1, description="Trials of one case whose largest figure is more times the smallest are all suspect."
    )
    gap: float = Field(
        1.5,
        ge=1,
        description="Trials of one case in two groups this many times apart, and thrice as far as they are wide, too.",
    )
    steady_spread: float = Field(
        0.2, gt=0, description="Rates of five rounds that differ by more than this share of their mean are not steady."
    )
    steady_slope: float = Field(
        0.1, gt=0, description="Rates of five rounds that rise or fall by more than this share of it are not, either."
    )
