"""What a sweep was designed to answer."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """What a sweep was designed to answer.

    Attributes
    ----------
    study, sweep, title : str
        Its names.
    items : tuple of str
        The tables and figures of the source that it serves.
    file_layout : str
        The layout of its files; empty where it has none.
    why : str
        The scale at which it was measured, or the reason why it was not.
    factor : str or None
        The factor of the system that it varies.
    part : str
        The part of the sweep, where several parts have estimates of their own: levels or a metric, as part of a name.
    """

    study: str = ""
    sweep: str = ""
    title: str = ""
    items: tuple[str, ...] = ()
    file_layout: str = ""
    why: str = ""
    factor: str | None = None
    part: str = ""

    @property
    def name(self) -> str:
        """The stem of files about the sweep."""
        return "-".join(filter(None, (self.study, self.sweep, self.part)))

    @property
    def heading(self) -> str:
        """The title of the sweep with the items that it serves: ``title (figure 11)``."""
        return f"{self.title} ({'; '.join(self.items)})" if self.items else self.title
