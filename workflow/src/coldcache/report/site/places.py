"""Where the pages of cases and trials are: each a file, or part of a file with others if the files were too many."""

import posixpath
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote

from coldcache.analysis.report_links import TRIALS_FOLDER
from coldcache.report.site.trials import Cases, JudgedTrial

#: Up to this many pages of cases and trials, each is a file of its own.
MOST_FILES = 10_000

#: A file that holds several pages ends with the case that brings it to this many trials, or to as many as let
#: `MOST_FILES` files hold them all.
_TRIALS_PER_FILE = 15

_LINK = re.compile(rf'(href="(?:\.\./)*{TRIALS_FOLDER}/)([^"#]*)/(index|r[0-9]+)\.html(?:#([^"]*))?"')


class Place(NamedTuple):
    """Where a page is.

    Attributes
    ----------
    file : str
        Path below the report's top folder.
    part : str
        The id of its part of the file; empty if it is the whole file.
    """

    file: str
    part: str = ""

    @property
    def ids(self) -> str:
        """What its ids begin with, so that those of several pages in a file differ."""
        return f"{self.part}/" if self.part else ""

    def address(self, here: str, mark: str = "") -> str:
        """Return the URL of the page, or of one of its marks, relative to the page at path `here`."""
        folder, _, name = self.file.rpartition("/")
        below = posixpath.dirname(here)
        file = name if folder == below else posixpath.relpath(self.file, below)
        file = "" if self.file == here else file
        target = f"{self.ids}{mark}" if mark else self.part
        return quote(file, safe="/=,") + (f"#{quote(target, safe='/=,')}" if target else "")


class Places:
    """The places of the pages of a campaign's cases and trials."""

    def __init__(self, cases: Cases):
        pages = sum(1 + len(trials) for of_sweep in cases.values() for trials in of_sweep.values())
        self._packs: Mapping[tuple[str, str, str], int] = _pack(cases) if pages > MOST_FILES else {}

    def of_case(self, study: str, sweep: str, case: str) -> Place:
        """Return the place of a case's page."""
        return self._find(study, sweep, case, "index")

    def of_trial(self, trial: JudgedTrial) -> Place:
        """Return the place of a trial's page."""
        return self._find(trial.study, trial.sweep, trial.case, f"r{trial.repetition}")

    def _find(self, study: str, sweep: str, case: str, page: str) -> Place:
        folder = f"{TRIALS_FOLDER}/{study}/{sweep}"
        if (study, sweep, case) not in self._packs:
            return Place(f"{folder}/{case}/{page}.html")
        part = case if page == "index" else f"{case}/{page}"
        return Place(f"{folder}/cases-{self._packs[study, sweep, case]}.html", part)

    def resolve(self, html: str) -> str:
        """Return HTML in which links to pages of cases and trials lead to where these pages are."""
        return _LINK.sub(self._resolve, html) if self._packs else html

    def _resolve(self, link: re.Match[str]) -> str:
        before, path, page, mark = link.groups()
        names = unquote(path).split("/")
        if len(names) != 3:
            return link[0]
        study, sweep, case = names
        place = self._find(study, sweep, case, page)
        return f'{before}{place.address(f"{TRIALS_FOLDER}/", unquote(mark or ""))}"'


def _pack(cases: Cases) -> dict[tuple[str, str, str], int]:
    """Return the number of the file that holds each case, from 1 in each sweep."""
    count = sum(len(trials) for of_sweep in cases.values() for trials in of_sweep.values())
    enough = max(_TRIALS_PER_FILE, -(-count // MOST_FILES))
    packs = {}
    for (study, sweep), of_sweep in cases.items():
        number, held = 1, 0
        for case, trials in of_sweep.items():
            packs[study, sweep, case] = number
            held += len(trials)
            if held >= enough:
                number, held = number + 1, 0
    return packs
