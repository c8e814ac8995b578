"""Claims of a source: what it says, of which systems, and how a campaign tests it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.program_files import find_file, list_files
from coldcache.core.vocabulary import CLAIM_SCOPES
from coldcache.core.yaml_models import Strict
from coldcache.design.claim_tests import ArithmeticTest, ClaimTest

#: Folders of claims and studies.
CLAIMS, STUDIES = Path("config/claims"), Path("config/studies")

#: Of what a claim speaks.
Scope = Literal["document", "protocol", "model", "system"]

_SCOPES_IN_WORDS = "; ".join(f"{scope}: {meaning}" for scope, meaning in CLAIM_SCOPES.items())


class Claim(Strict):
    """One statement of a source that a campaign's records bear out, refute, leave open, or cannot test."""

    id: str = Field(pattern=r"^[A-Z]{2}[0-9]{1,3}$")
    scope: Scope = Field(description=f"Which systems can decide it. {_SCOPES_IN_WORDS}.")
    place: str = Field(description="The table, figure or section of the source.")
    statement: str = Field(description="What the source says, in words of one's own.")
    needs: list[str] = Field(
        default_factory=list,
        description="What a system must have to decide the claim, in the words of sites: a topology, or the product.",
    )
    built_in: str = Field("", description="What of the outcome a model has built in, and what it does not.")
    tests: list[ClaimTest] = Field(
        default_factory=list, description="All must hold; one that is refuted refutes the claim."
    )
    caching: bool = Field(
        False, description="Whether it speaks of caches: only then are rates whose work stayed in memory evidence."
    )
    untestable: str = Field("", description="Where there is no test: what it would take.")
    limits: str = Field("", description="Which thresholds are this project's own, where the source states none.")
    published: list[dict[str, str | int]] = Field(
        default_factory=list, description="Which published values say something of it, by columns of values.csv."
    )

    @model_validator(mode="before")
    @classmethod
    def _ask_for_scope(cls, given: Any) -> Any:
        if isinstance(given, dict) and "scope" not in given:
            raise DesignError(f'the claim "{given.get("id", "?")}" has no scope; state one ({_SCOPES_IN_WORDS})')
        return given

    @model_validator(mode="after")
    def _state_a_test(self) -> "Claim":
        if bool(self.tests) == bool(self.untestable):
            raise DesignError("state either tests, or why there is none as untestable")
        return self

    @model_validator(mode="after")
    def _fit_scope(self) -> "Claim":
        computed = [isinstance(test, ArithmeticTest) for test in self.tests]
        if self.scope == "document" and (not all(computed) or self.needs or not computed):
            raise DesignError("scope: a claim of scope document has tests of kind arithmetic alone, and no needs")
        if self.scope != "document" and any(computed):
            raise DesignError(
                "scope: arithmetic with the source's own numbers is of scope document; measured is nothing"
            )
        if self.scope in ("model", "system") and not self.needs:
            meant = "the topology" if self.scope == "model" else "the product"
            raise DesignError(
                f"needs: a claim of scope {self.scope} must name {meant} that can decide it, in the words that sites "
                'list as offers, such as "several storage targets"'
            )
        return self


class Claims(Strict):
    """The claims of one source."""

    source: str = Field(description="The study whose source it is; the file's name without its ending.")
    claims: list[Claim] = Field(min_length=1)


def list_claim_files(own: Iterable[str] = ()) -> list[Path]:
    """Return the files that state claims: those of the sources, and the studies of a campaign.

    Parameters
    ----------
    own : iterable of str
        The studies of the campaign.
    """
    studies = [find_file(STUDIES / f"{name}.yaml") for name in own]
    return [*list_files(CLAIMS, "*.yaml"), *(path for path in studies if path.is_file())]
