"""A study whose logs were made elsewhere: named and titled like any other, but without a design to measure by."""

from pathlib import Path

from pydantic import Field

from coldcache.core.yaml_models import Strict
from coldcache.design.levels import Level
from coldcache.design.study import Name, Study, read_study

#: Notebooks beside those that studies name: what the data say of the claims, for each study that has some; how far the
#: statistics hold, once for a campaign; and how fast the program is, with the campaign that comes with it.
CLAIMS, RELIABILITY, SPEED = "claims", "how-far-statistics-hold", "how-fast-the-program-is"

#: The campaign that comes with the program.
REFERENCE = "reference"


class ForeignSweep(Strict):
    """Logs that belong together, and what they were found to hold."""

    title: str
    source: Name | None = None
    item: str = ""
    tools: list[str]
    operations: list[str]
    factors: dict[str, list[Level]] = Field(description="Levels of each factor, in stored units.")


class UnreadFile(Strict):
    """A file of an imported folder that is no log, and why it was left out."""

    file: str
    reason: str


class Origin(Strict):
    """Where imported logs come from."""

    folder: str = Field(description="Where they lay when they were imported.")
    system: str = Field(description="What was measured.")
    unread: list[UnreadFile]


class ForeignStudy(Strict):
    """A question that imported logs answer."""

    study: Name
    title: str
    question: str
    origin: Origin
    sweeps: dict[Name, ForeignSweep]
    notebooks: list[str]


AnyStudy = Study | ForeignStudy

#: The copies of imported logs, below the folder of their study.
LOGS = "logs"


def list_notebooks(study: AnyStudy, first: bool, project: Path, campaign: str) -> list[str]:
    """Return the notebooks of a study: those that it names, and those that others like it have, too.

    Parameters
    ----------
    study : Study or ForeignStudy
        The study.
    first : bool
        Whether it is the campaign's first, with which that of the campaign is executed.
    project : Path
        Holds `notebooks/` and `config/`.
    campaign : str
        The campaign's name.

    Raises
    ------
    DesignError
        If the study's file is no study.
    """
    once = [RELIABILITY, *([SPEED] if campaign == REFERENCE else [])] if first else []
    beside = [*([CLAIMS] if _has_claims(study, project) else []), *once]
    more = [name for name in beside if (project / "notebooks" / f"{name}.ipynb").is_file()]
    return list(dict.fromkeys([*study.notebooks, *more]))


def _has_claims(study: AnyStudy, project: Path) -> bool:
    """Return whether a document of this name states claims, or the study does, of which a campaign keeps none."""
    if (project / "config/claims" / f"{study.study}.yaml").is_file():
        return True
    studies = project / "config/studies"
    return (studies / f"{study.study}.yaml").is_file() and bool(read_study(studies, study.study).claims)
