"""A study of imported logs: named and titled like any other, but without a design to measure."""

from pydantic import Field

from coldcache.core.yaml_models import Name, Strict
from coldcache.design.levels import Level
from coldcache.design.study import Study


class ForeignSweep(Strict):
    """Logs that belong together, and the factors that they state."""

    title: str
    source: Name | None = None
    item: str = ""
    tools: list[str]
    operations: list[str]
    factors: dict[str, list[Level]] = Field(description="Levels of each factor, in stored units.")


class UnreadFile(Strict):
    """A file of an imported folder that was left out, and why."""

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
