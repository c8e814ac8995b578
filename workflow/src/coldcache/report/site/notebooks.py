"""Chapters of a report: the executed notebooks of each study, with their findings."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import ColdCacheError
from coldcache.core.vocabulary import FAILED
from coldcache.design.imported_study import AnyStudy
from coldcache.design.notebooks import CLAIMS, RELIABILITY, SPEED

#: The subject of each notebook, as the contents of a report name its page.
LABELS = {
    "throughput-over-threads": "Throughput", "shared-file": "One shared file", "random-iops": "Random and latency",
    "metadata-rates": "Metadata", "write-cache": "Write cache", "paired-settings": "Settings",
    "stripe-layout": "Stripes", "files-per-directory": "Files per directory",
    "peak-and-sustained": "Peak and sustained", "metadata-provisioning": "Provisioned metadata IOPS",
    "throughput-per-core": "Throughput per core",
    "nfs-calls": "Mount options", "rates-over-time": "Rates over time", "limits-and-rates": "Predictions",
    "every-sweep": "Every sweep", "what-logs-state": "What logs state", "campaign-validity": "Drift and repetitions",
    CLAIMS: "Claims", RELIABILITY: "Statistics", SPEED: "Speed of the program",
}  # fmt: skip

#: The beginning of a figure in a notebook's output.
_FIGURE = '<figure class="coldcache-figure"'

#: Tag of cells whose output is findings: paragraphs with computed values, displayed as Markdown or printed.
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
        Its findings, each a paragraph in Markdown.
    quoted : list of str
        Those that it printed, which the first page quotes even where it has an overview.
    """

    study: str
    name: str
    notebook: dict[str, Any]
    findings: list[str]
    quoted: list[str] = []

    @property
    def title(self) -> str:
        """The question in the title of the notebook."""
        cells = self.notebook.get("cells") or [{"source": self.name}]
        return "".join(cells[0]["source"]).partition("\n")[0].lstrip("# ")

    @property
    def label(self) -> str:
        """The name of its page in the contents: a subject in few words; the question where it has none."""
        return LABELS.get(self.name, self.title)

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing to say: it has no page. Own notebooks may show anything; one that failed says so."""
        cells = self.notebook.get("cells", [])
        if self.findings or any(FAILED in cell["metadata"].get("tags", []) for cell in cells):
            return False
        if self.name not in LABELS:
            return not any(cell.get("outputs") for cell in cells)
        return not any(_FIGURE in html for html in list_html(self.notebook))


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
        found = list(_list_findings(notebook))
        return Chapter(
            study, name, notebook, [text for text, _ in found], [text for text, is_printed in found if is_printed]
        )
    except FileNotFoundError as error:
        raise ChapterError(f"{path} is missing: the notebook has not been executed; run snakemake") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ChapterError(f"{path}: not an executed notebook ({error}); remove it and run snakemake") from error


def _list_findings(notebook: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield each paragraph of the cells that hold findings, and whether it was printed."""
    for cell in notebook["cells"]:
        if FINDING in cell["metadata"].get("tags", []):
            for text, is_printed in _list_texts(cell.get("outputs", [])):
                yield from ((" ".join(part.split()), is_printed) for part in text.split("\n\n") if part.strip())


def _list_texts(outputs: list[dict[str, Any]]) -> Iterator[tuple[str, bool]]:
    """Yield what a cell displayed as Markdown, and what it printed in one piece: Jupyter may cut that anywhere."""
    for is_printed, pieces in groupby(outputs, lambda output: output.get("name") == "stdout"):
        # Jupyter stores text as a string or as a list of lines.
        texts = ["".join(one["text"] if is_printed else one.get("data", {}).get("text/markdown", "")) for one in pieces]
        yield from ((text, is_printed) for text in (["".join(texts)] if is_printed else texts))


def list_html(notebook: Mapping[str, Any]) -> list[str]:
    """Return the HTML of each output of an executed notebook."""
    return [
        "".join(output.get("data", {}).get("text/html", ""))
        for cell in notebook.get("cells", []) for output in cell.get("outputs", [])
    ]  # fmt: skip
