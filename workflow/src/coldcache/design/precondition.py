"""How a target is preconditioned before the first trial: filled, then overwritten at random until it is steady."""

from typing import Any

from pydantic import Field, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.units import show_percent
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_models import Seconds, Strict

#: The word that stands for all defaults.
WORD = "fill"


class Precondition(Strict):
    """A fill of the target, once per campaign. The defaults follow SNIA's test of solid-state storage."""

    fill: float = Field(
        1.0,
        gt=0,
        le=1,
        description="The share of the target's size that is written; 1 for all of its free space.",
    )
    passes: int = Field(2, ge=1, lt=2**31, description="How often that is written from its beginning to its end.")
    round: Seconds = Field(60.0, gt=0, description="How long a round of random writes of 4 KiB lasts.")
    rounds: int = Field(25, ge=5, lt=2**31, description="The most rounds of random writes until they are steady.")
    seconds: Seconds = Field(12 * 3600.0, gt=0, description="The longest that all of it may take.")

    @model_validator(mode="before")
    @classmethod
    def _read_word(cls, given: Any) -> Any:
        """Let the word ``fill`` stand for a fill of the whole target."""
        if isinstance(given, str):
            if given != WORD:
                raise DesignError(f'unknown "{given}"; {nearest(given, [WORD])}')
            return {}
        return given

    def describe(self) -> str:
        """Return what is done, as the end of a sentence."""
        share = "all of its free space" if self.fill == 1 else f"{show_percent(self.fill)} of its size"
        times = "once" if self.passes == 1 else "twice" if self.passes == 2 else f"{self.passes} times"
        return (
            f"{share} is written {times}, then at random in rounds of {self.round:g} s until five of them "
            f"are steady, at most {self.rounds}"
        )
