"""A study whose logs were made elsewhere: named and titled like any other, but without a design to measure by."""

from pathlib import Path

from pydantic import Field

from coldcache.rules import Level
from coldcache.study import Name, Study
from coldcache.yaml_file import Strict

#: Notebooks beside those that studies name: what the data say of the claims, for every study; how far the statistics
#: hold, once for a campaign; and how fast the program is, with the campaign that comes with it.
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


def list_notebooks(study: AnyStudy, first: bool, folder: Path, campaign: str) -> list[str]:
    """Return the notebooks of a study: those that it names, and those in a folder that every study or campaign has.

    Parameters
    ----------
    study : Study or ForeignStudy
        The study.
    first : bool
        Whether it is the campaign's first, with which that of the campaign is executed.
    folder : Path
        Holds the notebooks.
    campaign : str
        The campaign's name.
    """
    once = [RELIABILITY, *([SPEED] if campaign == REFERENCE else [])] if first else []
    more = [name for name in (CLAIMS, *once) if (folder / f"{name}.ipynb").is_file()]
    return list(dict.fromkeys([*study.notebooks, *more]))
