"""Where documents say that the ratio of a setting's levels lies, from the claims in `config/claims`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from coldcache.core.program_files import find_file
from coldcache.core.vocabulary import FACTORS
from coldcache.core.yaml_models import read_model
from coldcache.design.claim import CLAIMS, Claim, Claims
from coldcache.design.claim_tests import EquivalenceTest, RatioTest, Selection
from coldcache.design.levels import stored_level


class ClaimedRatio(NamedTuple):
    """A ratio of two levels of a factor that a claim bounds.

    Attributes
    ----------
    claim, sweep, operation, factor : str
        What is claimed of; the operation is empty where the claim names none.
    level, reference : object
        The ratio is that of the first to the second, as the dataset stores them.
    low, high : float
        The bounds.
    """

    claim: str
    sweep: str
    operation: str
    factor: str
    level: Any
    reference: Any
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
        if isinstance(test, RatioTest):
            yield from _compare(claim.id, study, test, test.numerator, test.denominator, (test.above, test.below))
        elif isinstance(test, EquivalenceTest):
            first, *others = test.sides
            for other in others:
                yield from _compare(claim.id, study, test, other, first, (1 / (1 + test.margin), 1 + test.margin))


def _compare(
    claim: str, study: str, test: Selection, one: Selection, other: Selection, bounds: tuple[float, float]
) -> Iterator[ClaimedRatio]:
    """Yield the ratio of two sides that differ in the level of one factor of one sweep of the study."""
    sweep, operation = (one.sweep or test.sweep, one.operation or test.operation)
    differing = [name for name in one.levels if one.levels[name] != other.levels.get(name)]
    is_other_study = any(side.study not in (None, study) for side in (test, one, other))
    if sweep is None or len(differing) != 1 or is_other_study or other.sweep not in (None, sweep):
        return
    factor = differing[0]
    if factor not in FACTORS or factor not in other.levels or other.operation not in (None, operation):
        return
    level, reference = (stored_level(factor, side.levels[factor]) for side in (one, other))
    yield ClaimedRatio(claim, sweep, operation or "", factor, level, reference, *bounds)
