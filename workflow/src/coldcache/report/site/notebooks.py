"""Chapters of a report: the executed notebooks of each study, with their findings."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import ColdCacheError
from coldcache.design.imported_study import AnyStudy
from coldcache.design.notebooks import CLAIMS, RELIABILITY, SPEED

#: Tag of cells whose output is findings: paragraphs with computed values.
FINDING = "finding"


class ChapterError(ColdCacheError):
    """An executed notebook that is missing or broken."""


class Chapter(NamedTuple):
    """An executed notebook.

    Attributes
    ----------
    study, name : str
        Its study, and the name of its file without suffix.
    notebook : dict
        Its JSON.
    findings : list of str
        Its findings, each a sentence in Markdown.
    """

    study: str
    name: str
    notebook: dict[str, Any]
    findings: list[str]

    @property
    def title(self) -> str:
        """The question in the title of the notebook."""
        cells = self.notebook.get("cells") or [{"source": self.name}]
        return "".join(cells[0]["source"]).partition("\n")[0].lstrip("# ")


def read_chapters(study: AnyStudy, results: Path) -> list[Chapter]:
    """Return the executed notebooks of a study in the study's order, and the one on its claims.

    Parameters
    ----------
    study : Study or ForeignStudy
        The study.
    results : Path
        The campaign's folder of results.

    Raises
    ------
    ChapterError
        If a notebook has not been executed, or cannot be read.
    """
    folder = results / "notebooks" / study.study
    more = [CLAIMS] if (folder / f"{CLAIMS}.ipynb").is_file() else []
    return [read_chapter(study.study, name, results) for name in dict.fromkeys([*study.notebooks, *more])]


def read_methods(studies: Sequence[AnyStudy], results: Path) -> list[Chapter]:
    """Return the executed notebooks on how the campaign was evaluated: reliability of the statistics, program speed.

    They do not belong to a study; their files are in the folder of the first.

    Raises
    ------
    ChapterError
        If one cannot be read.
    """
    first = studies[0].study
    folder = results / "notebooks" / first
    there = [name for name in (RELIABILITY, SPEED) if (folder / f"{name}.ipynb").is_file()]
    return [read_chapter(first, name, results) for name in there]


def read_chapter(study: str, name: str, results: Path) -> Chapter:
    """Return one executed notebook of a study.

    Raises
    ------
    ChapterError
        If it has not been executed, or cannot be read.
    """
    path = results / "notebooks" / study / f"{name}.ipynb"
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        return Chapter(study, name, notebook, _read_findings(notebook))
    except FileNotFoundError as error:
        raise ChapterError(f"{path} is missing: the notebook has not been executed; run snakemake") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ChapterError(f"{path}: not an executed notebook ({error}); remove it and run snakemake") from error


def _read_findings(notebook: dict[str, Any]) -> list[str]:
    findings = []
    for cell in notebook["cells"]:
        if FINDING not in cell["metadata"].get("tags", []):
            continue
        for output in cell.get("outputs", []):
            # Jupyter stores text as a string or as a list of lines.
            text = "".join(output.get("data", {}).get("text/markdown", ""))
            findings += [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()]
    return findings
