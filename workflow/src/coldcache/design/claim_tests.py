"""Tests of a claim: which values are compared, and which outcome bears the claim out."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.units import parse_quantity
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS, METRIC_OF_OPERATION, nearest
from coldcache.core.yaml_models import Strict
from coldcache.design.levels import Level, stored_level

#: What threads are counted in: the storage targets that a site offers, or as many threads as one thread's rate fits
#: into the highest rate.
Per = Literal["storage targets", "saturation"]

#: A limit in words: the lowest ceiling that the site states for the operation.
SITE_LIMITS = "the limits of the system"

#: Where two curves are compared: over every common case, at the peak of each, or at the most threads.
Over = Literal["every", "peaks", "most"]


class Selection(Strict):
    """The values of a campaign that a claim means; a side of a comparison inherits what it leaves out from its test."""

    study: str | None = Field(None, description="The study; that of the claims' source if left out.")
    sweep: str | None = Field(None, description="The sweep.")
    operation: str | None = Field(None, description="The operation, such as write or rpc-write.")
    metric: str | None = Field(None, description="The metric; that by which the operation is judged if left out.")
    levels: dict[str, Level] = Field(default_factory=dict, description="A level for each factor that is held fixed.")

    @model_validator(mode="after")
    def _check(self) -> "Selection":
        if self.metric is not None and self.metric not in UNIT_OF_METRIC:
            raise DesignError(f'metric: unknown metric "{self.metric}"; {nearest(self.metric, list(UNIT_OF_METRIC))}')
        known = {**FACTORS, **LEARNT_FACTORS}
        for factor, level in self.levels.items():
            if factor not in known:
                raise DesignError(f'levels: unknown factor "{factor}"; {nearest(factor, list(known))}')
            if factor in FACTORS:
                stored_level(factor, level)
        return self


def _refuse_no_limits(above: float, below: float, what: str) -> None:
    if above == 0 and below == float("inf"):
        raise DesignError(f"state above, below, or both: without a limit, no {what} would decide the claim")
    if above >= below:
        raise DesignError(f"above: {above:g} is not less than below, {below:g}: no {what} lies between; correct one")


def _refuse_reversed(least: float, most: float, what: str) -> None:
    if least > most:
        raise DesignError(f"least: {least:g} is more than most, {most:g}: no {what} lies between; correct one")


class OrderingTest(Selection):
    """Each rate is above the next."""

    kind: Literal["ordering"]
    falling: list[Selection] = Field(min_length=2, description="The highest first.")
    over: Over = "every"


class RatioTest(Selection):
    """A ratio of two rates, paired by repetition, against a threshold."""

    kind: Literal["ratio"]
    numerator: Selection
    denominator: Selection
    above: float = Field(0.0, ge=0, description="The ratio is above this.")
    below: float = Field(float("inf"), gt=0, description="The ratio is below this.")
    over: Over = "every"

    @model_validator(mode="after")
    def _state_limits(self) -> "RatioTest":
        _refuse_no_limits(self.above, self.below, "ratio")
        return self


class InteractionTest(Selection):
    """A ratio is larger in one context than in another: the ratio of two ratios, against a threshold."""

    kind: Literal["interaction"]
    numerator: Selection
    denominator: Selection
    here: Selection = Field(description="Where the ratio is said to be the larger one.")
    there: Selection = Field(description="Where it is said to be the smaller one.")
    above: float = Field(1.0, gt=0, description="The ratio of the two ratios is above this.")
    over: Literal["every", "most"] = "every"


class EquivalenceTest(Selection):
    """Settings perform alike: each is within a margin of the first."""

    kind: Literal["equivalence"]
    sides: list[Selection] = Field(min_length=2, description="The first is the one that the others are compared with.")
    margin: float = Field(gt=0, description="Largest relative distance that counts as alike.")
    over: Over = "every"


class DifferenceTest(Selection):
    """Two rates differ: their ratio lies outside a margin about 1."""

    kind: Literal["difference"]
    numerator: Selection
    denominator: Selection
    margin: float = Field(gt=0, description="Smallest relative distance that counts as a difference.")
    over: Over = "every"


class KneeTest(Selection):
    """The thread count at which a curve bends."""

    kind: Literal["knee"]
    at: float = Field(gt=0, description="Threads, or a multiple of what `per` names.")
    per: Per | None = Field(None, description="What threads are counted in; single threads if left out.")
    within: float = Field(2.0, gt=1, description="Largest factor between the knee and that count.")


class GrowthTest(Selection):
    """The factor by which a rate grows per doubling of the threads, within limits: level, rising or falling."""

    kind: Literal["growth"]
    first: int = Field(1, ge=1, description="The least number of threads that is looked at, or a multiple of `per`.")
    last: int | None = Field(None, ge=1, description="The greatest one; the most measured if left out.")
    reach: int | None = Field(
        None,
        ge=1,
        description="The number that the claim speaks of, by default `last`: a curve that ends before only refutes it.",
    )
    per: Per | None = Field(None, description="What threads are counted in; single threads if left out.")
    above: float = Field(0.0, ge=0)
    below: float = Field(float("inf"), gt=0)
    per_thread: bool = Field(False, description="Whether the rate of one thread is meant.")

    @model_validator(mode="after")
    def _state_limits(self) -> "GrowthTest":
        _refuse_no_limits(self.above, self.below, "growth")
        return self


class DropTest(Selection):
    """The share of its plateau that a curve loses at a thread count."""

    kind: Literal["drop"]
    at: int | None = Field(None, ge=1, description="Threads; the most measured if left out.")
    least: float = Field(gt=-1, lt=1)
    most: float = Field(gt=-1, lt=1)

    @model_validator(mode="after")
    def _state_limits(self) -> "DropTest":
        _refuse_reversed(self.least, self.most, "share")
        return self


class AnomalyTest(Selection):
    """A point of a curve that lies below the trend of the others."""

    kind: Literal["anomaly"]
    at: int = Field(ge=1, description="Threads.")
    dip: float = Field(0.1, gt=0, lt=1, description="The least dip that matters: ruling it out refutes the claim.")


class PeakAtTest(Selection):
    """The thread count at which a curve is highest."""

    kind: Literal["peak-at"]
    threads: int = Field(ge=1)


class FigureTest(Selection):
    """A figure of a curve, or of every case, against limits or published values."""

    kind: Literal["figure"]
    of: Literal["peak", "sustained", "cases"] = Field(description="Of a curve, or of all cases together.")
    above: str | float | None = Field(None, description="A quantity with its unit.")
    below: str | float | None = Field(None, description=f"A quantity with its unit, or: {SITE_LIMITS}.")
    near: dict[str, str | int] = Field(
        default_factory=dict, description="The published value that it is compared with, by columns of values.csv."
    )
    within: float = Field(0.1, gt=0, description="Largest relative distance from the published value.")
    per_thread: bool = Field(False, description="Whether the rate of one thread is meant.")

    @model_validator(mode="after")
    def _state_limits(self) -> "FigureTest":
        if (self.above is None and self.below is None) == (not self.near):
            raise DesignError("state either above or below, or near")
        unit = UNIT_OF_METRIC[choose_metric(self.metric, self.operation)]
        below = None if self.below == SITE_LIMITS else self.below
        low, high = limit_of(self.above, unit, float("-inf")), limit_of(below, unit, float("inf"))
        if low == 0 and unit != "1":
            raise DesignError(f"above: {self.above} is met by all that is measured; state what the claim needs")
        if low >= high:
            raise DesignError(f"above: {self.above} is not less than below, {self.below}: nothing lies between")
        return self


class PercentileTest(Selection):
    """A percentile of the points is alike in several series."""

    kind: Literal["percentile"]
    percent: float = Field(gt=0, lt=100)
    alike: float = Field(gt=0, description="Largest relative distance between the largest and the smallest of them.")


class CountTest(Selection):
    """A count equals the prediction of a model for each trial."""

    kind: Literal["count"]
    definition: str = Field("", description="Which of several counts of an operation is meant.")
    model: Literal["write-calls", "requests-in-flight"] = Field(
        description="The calls of a file, by its size, wsize and write mode; or the most of them at a time, by the "
        "connections and the slots of each."
    )
    within: float = Field(0.0, ge=0, description="Largest relative distance that counts as equal.")


class ModelTest(Selection):
    """A rate equals the prediction of a model within a relative distance."""

    kind: Literal["model"]
    model: Literal["provisioned-rate"] = Field(description="Operations per second of provisioned metadata IOPS.")
    within: float = Field(gt=0)


class OutcomeTest(Selection):
    """Trials succeed at one level and fail at another."""

    kind: Literal["outcome"]
    whole: Selection
    failing: Selection


class CrossedTest(Selection):
    """Of the bytes that an operation moved, a share crossed the device or the wire."""

    kind: Literal["crossed"]
    least: float = Field(0.0, ge=0, le=1, description="The least share of them.")
    most: float = Field(
        float("inf"), ge=0, description="The greatest share; above 1 where reading ahead or metadata crosses, too."
    )

    @model_validator(mode="after")
    def _state_limits(self) -> "CrossedTest":
        if self.least == 0 and self.most == float("inf"):
            raise DesignError("state least, most, or both: without a limit, no share would decide the claim")
        _refuse_reversed(self.least, self.most, "share")
        return self


class ReadBackTest(Selection):
    """A setting read back as certain words."""

    kind: Literal["verified"]
    factor: str
    words: list[str] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_factor(self) -> "ReadBackTest":
        if self.factor not in FACTORS:
            raise DesignError(f'factor: unknown factor "{self.factor}"; {nearest(self.factor, list(FACTORS))}')
        return self


class ArithmeticTest(Strict):
    """Arithmetic with the source's own numbers, which needs no campaign."""

    kind: Literal["arithmetic"]
    check: str = Field(description="A check of coldcache.claims.source_arithmetic.")


#: Every kind of test.
TEST_KINDS = {
    "ordering": OrderingTest, "ratio": RatioTest, "interaction": InteractionTest, "equivalence": EquivalenceTest,
    "difference": DifferenceTest, "knee": KneeTest, "growth": GrowthTest, "drop": DropTest, "anomaly": AnomalyTest,
    "peak-at": PeakAtTest, "figure": FigureTest, "percentile": PercentileTest, "count": CountTest, "model": ModelTest,
    "outcome": OutcomeTest, "crossed": CrossedTest, "verified": ReadBackTest, "arithmetic": ArithmeticTest,
}  # fmt: skip


def _refuse_unknown_kind(given: Any) -> Any:
    if isinstance(given, dict) and given.get("kind") not in list(TEST_KINDS):
        raise DesignError(
            f'kind: unknown kind "{given.get("kind")}"; {nearest(str(given.get("kind")), list(TEST_KINDS))}'
        )
    return given


ClaimTest = Annotated[
    OrderingTest | RatioTest | InteractionTest | EquivalenceTest | DifferenceTest | KneeTest | GrowthTest | DropTest
    | AnomalyTest | PeakAtTest | FigureTest | PercentileTest | CountTest | ModelTest | OutcomeTest | CrossedTest
    | ReadBackTest | ArithmeticTest,
    Field(discriminator="kind"), BeforeValidator(_refuse_unknown_kind),
]  # fmt: skip


def choose_metric(metric: str | None, operation: str | None) -> str:
    """Return a metric; if none is stated, that by which an operation is judged."""
    return metric or METRIC_OF_OPERATION.get(operation or "", "throughput")


def limit_of(given: str | float | None, unit: str, missing: float) -> float:
    """Return a limit in a metric's stored unit; `missing` if none is stated.

    Raises
    ------
    DesignError
        If it has another unit.
    """
    if given is None:
        return missing
    return parse_quantity(given, "1" if unit == "1/s" else unit)
