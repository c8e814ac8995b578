"""Where documents say that the ratio of a setting's levels lies, from the claims in `config/claims`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from coldcache.core.program_files import find_file
from coldcache.core.vocabulary import FACTORS, METRIC_OF_OPERATION
from coldcache.core.yaml_models import read_model
from coldcache.design.claim import CLAIMS, Claim, Claims
from coldcache.design.claim_tests import EquivalenceTest, RatioTest, Selection
from coldcache.design.levels import Level, stored_level

#: What a side of a test names, or else the test itself.
_NAMED = ("sweep", "operation", "metric")


class ClaimedRatio(NamedTuple):
    """A ratio of two levels of a factor that a claim bounds.

    Attributes
    ----------
    claim, sweep, operation, metric, factor : str
        What is claimed of; operation and metric are empty where the claim names none and none follows.
    level, reference : object
        The ratio is that of the first to the second, as the dataset stores them.
    levels : dict of str to object
        The level of each other factor that the claim names, as the dataset stores it: of other cases it says nothing.
    low, high : float
        The bounds.
    """

    claim: str
    sweep: str
    operation: str
    metric: str
    factor: str
    level: Any
    reference: Any
    levels: dict[str, Any]
    low: float
    high: float

    def inverted(self) -> "ClaimedRatio":
        """Return the same of the inverse ratio."""
        low, high = 1 / self.high, 1 / self.low if self.low else float("inf")
        return self._replace(level=self.reference, reference=self.level, low=low, high=high)


def read_claimed_ratios(study: str) -> list[ClaimedRatio]:
    """Return the ratios that the claims of a study bound; none where it has no file of claims.

    Raises
    ------
    DesignError
        If the file is not valid.
    """
    path = find_file(CLAIMS / f"{study}.yaml")
    if not path.is_file():
        return []
    return [ratio for claim in read_model(path, Claims).claims for ratio in _list_ratios(claim, study)]


def _list_ratios(claim: Claim, study: str) -> Iterator[ClaimedRatio]:
    for test in claim.tests:
        # A ratio of peaks, or at the most threads, bounds none of the cases in between.
        if not isinstance(test, RatioTest | EquivalenceTest) or test.over != "every":
            continue
        if isinstance(test, RatioTest):
            yield from _compare(claim.id, study, test, test.numerator, test.denominator, (test.above, test.below))
        else:
            first, *others = test.sides
            for other in others:
                yield from _compare(claim.id, study, test, other, first, (1 / (1 + test.margin), 1 + test.margin))


def _compare(
    claim: str, study: str, test: Selection, one: Selection, other: Selection, bounds: tuple[float, float]
) -> Iterator[ClaimedRatio]:
    """Yield the ratio of two sides that differ in the level of one factor of one sweep of the study."""
    named, others = (tuple(getattr(side, key) or getattr(test, key) for key in _NAMED) for side in (one, other))
    studies = {side.study or test.study or study for side in (one, other)}
    sweep, operation, metric = named
    if sweep is None or named != others or studies != {study}:
        return
    above, below = (
        {factor: _as_stored(factor, level) for factor, level in {**test.levels, **side.levels}.items()}
        for side in (one, other)
    )
    differing = [factor for factor in {**above, **below} if above.get(factor) != below.get(factor)]
    if len(differing) != 1 or differing[0] not in FACTORS or not all(differing[0] in side for side in (above, below)):
        return
    factor = differing[0]
    level, reference = above.pop(factor), below[factor]
    metric = metric or METRIC_OF_OPERATION.get(operation or "", "")
    yield ClaimedRatio(claim, sweep, operation or "", metric, factor, level, reference, above, *bounds)


def _as_stored(factor: str, level: Level) -> Level:
    """Return a level as a cube stores it, in which truth values are names."""
    stored = stored_level(factor, level) if factor in FACTORS else level
    return str(stored).lower() if isinstance(stored, bool) else stored
