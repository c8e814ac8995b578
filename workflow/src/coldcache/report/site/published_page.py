"""The page of the numbers that the documents state: the file that holds them, with each number marked."""

from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from coldcache.dataset.published import VALUES, list_rows, read_lines

#: Its name in a report.
PUBLISHED = "published.html"


def mark_stated_lines(studies: Collection[str], path: Path = VALUES) -> Markup:
    """Return the lines of the file of published values about some studies, each with its number marked.

    Each line has an id, ``line-`` and its number in the file. Empty where there is none.

    Parameters
    ----------
    studies : collection of str
        The studies, which are named as their documents.
    path : Path
        The file.
    """
    (_, head), *rows = list_rows(path) or [(1, [])]
    stated = [(line, row) for line, row in rows if row[head.index("source")] in studies]
    if not stated:
        return Markup("")
    value = head.index("value")
    lines = (
        Markup('<span id="line-{}">{}</span>').format(
            line, Markup(",").join(_mark(cell) if place == value else _quote(cell) for place, cell in enumerate(row))
        )
        for line, row in stated
    )
    return Markup("\n").join([Markup("{}").format(",".join(head)), *lines])


def find_lines(study: str, path: Path = VALUES) -> dict[tuple[str, str], int]:
    """Return the line of each number that a document states, by its item and the number as tables show it."""
    return {
        (value.item, f"{value.relation} {value.shown}".removeprefix("= ")): line
        for line, value in read_lines(path).items() if value.source == study
    }  # fmt: skip


def write_published(studies: Collection[str], campaign: str, templates: Path, report: Path) -> None:
    """Write the page into a report; nothing where no study has a document that states a number.

    Parameters
    ----------
    studies : collection of str
        The campaign's studies.
    campaign : str
        Its name.
    templates : Path
        Folder with the template ``published.html``.
    report : Path
        The report's folder.
    """
    stated = mark_stated_lines(studies)
    if not stated:
        return
    environment = Environment(loader=FileSystemLoader(templates), undefined=StrictUndefined, autoescape=True)
    text = environment.get_template(PUBLISHED).render(
        title="What the documents state", here="What the documents state", trail=[], root="", stated=stated,
        campaign=campaign, version=version("coldcache"),
    )  # fmt: skip
    (report / PUBLISHED).write_text(text, encoding="utf-8")


def _mark(cell: str) -> Markup:
    return Markup('<mark class="foremost">{}</mark>').format(cell)


def _quote(cell: str) -> str:
    return f'"{cell}"' if "," in cell else cell
