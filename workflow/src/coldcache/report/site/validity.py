"""Verdicts on the trials of a campaign, read from `verdicts.csv` and `reasons.csv`."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from coldcache.core.errors import CampaignError
from coldcache.core.vocabulary import COLD_VERDICTS
from coldcache.design.imported_study import AnyStudy
from coldcache.report.site.flags import DOUBTS, FLAGS, VOIDS

CsvRow = dict[str, str]

#: Cold verdicts of trials that read.
READ_VERDICTS = tuple(verdict for verdict in COLD_VERDICTS if verdict != "not applicable")


class FlaggedTrials(NamedTuple):
    """Repetitions of one case that are not valid for the same reason."""

    study: str
    sweep: str
    case: str
    repetitions: list[str]
    verdict: str
    reason: str


class CampaignValidity(NamedTuple):
    """The verdicts on the trials of a campaign.

    Attributes
    ----------
    verdicts : dict of (str, str) to Counter
        Number of trials by verdict, for each study and sweep in the order of the campaign.
    colds : dict of (str, str) to Counter
        Number of trials that read by cold verdict; sweeps without reads have no entry.
    flagged : list of FlaggedTrials
        Trials that are not valid.
    rules : dict of (str, str) to Counter
        Number of trials by the rule that objected to them, for each study and sweep.
    flags : dict of (str, str) to Counter
        The same of suspect trials alone, which count in every estimate.
    """

    verdicts: dict[tuple[str, str], Counter[str]]
    colds: dict[tuple[str, str], Counter[str]]
    flagged: list[FlaggedTrials]
    rules: dict[tuple[str, str], Counter[str]]
    flags: dict[tuple[str, str], Counter[str]]

    @property
    def codes(self) -> Counter[str]:
        """The number of trials by the rule that objected to them, over all sweeps."""
        return sum(self.rules.values(), Counter())

    def verdicts_of(self, studies: Iterable[AnyStudy]) -> list[Counter[str]]:
        """Return the counts by verdict of each sweep of some studies."""
        return _of(self.verdicts, studies)

    def colds_of(self, studies: Iterable[AnyStudy]) -> list[Counter[str]]:
        """Return the counts by cold verdict of each sweep of some studies."""
        return _of(self.colds, studies)

    def doubt_of(self, studies: Iterable[AnyStudy]) -> str | None:
        """Return the rule that objected most: of void trials if they outnumber suspect ones, else of suspect ones."""
        doubts = self._find_doubts(list(studies))
        return next(reversed(doubts.values()))[0] if doubts else None

    def summary(self, studies: Iterable[AnyStudy] | None = None) -> str:
        """Return in words how many trials of some studies, or of all, are clean, flagged or lost, and why.

        For example ``212 runs: 140 clean, 72 flagged (66 too short), 1 void``.
        """
        chosen = None if studies is None else list(studies)
        counts, doubts = self._count_verdicts(chosen), self._find_doubts(chosen)
        parts = [f"{counts['valid']:,} clean"]
        for verdict, name in (("suspect", "flagged"), ("void", "void"), ("missing", "missing")):
            rule, count = doubts.get(verdict, ("", 0))
            why = f" ({count:,} {DOUBTS[rule][0]})" if rule else ""
            parts += [f"{counts[verdict]:,} {name}{why}"] if counts[verdict] else []
        return f"{counts.total():,} run{'s' if counts.total() != 1 else ''}: {', '.join(parts)}"

    def _count_verdicts(self, studies: list[AnyStudy] | None) -> Counter[str]:
        return sum(self.verdicts.values() if studies is None else self.verdicts_of(studies), Counter())

    def _find_doubts(self, studies: list[AnyStudy] | None) -> dict[str, tuple[str, int]]:
        """Return the commonest rule that made trials suspect, then void if these are more, with how many it found."""
        counts = self._count_verdicts(studies)
        found = {}
        for verdict, rules, known in (("suspect", self.flags, FLAGS), ("void", self.rules, VOIDS)):
            of_studies = sum(rules.values() if studies is None else _of(rules, studies), Counter())
            named = [(rule, count) for rule, count in of_studies.most_common() if rule in known]
            if named and (verdict == "suspect" or counts["void"] > counts["suspect"]):
                found[verdict] = named[0]
        return found


def _of(counts: dict[tuple[str, str], Counter[str]], studies: Iterable[AnyStudy]) -> list[Counter[str]]:
    names = {study.study for study in studies}
    return [found for (study, _), found in counts.items() if study in names]


def read_validity(results: Path) -> CampaignValidity:
    """Read the verdicts on the trials of a campaign.

    Raises
    ------
    CampaignError
        If `verdicts.csv` or `reasons.csv` is missing or has other columns than `collect` writes.
    """
    verdicts: dict[tuple[str, str], Counter[str]] = {}
    colds: dict[tuple[str, str], Counter[str]] = {}
    rules: dict[tuple[str, str], Counter[str]] = {}
    flags: dict[tuple[str, str], Counter[str]] = {}
    for row in read_rows(results / "verdicts.csv", {"study", "sweep", "verdict", "codes", "cold"}):
        sweep = (row["study"], row["sweep"])
        verdicts.setdefault(sweep, Counter())[row["verdict"]] += 1
        rules.setdefault(sweep, Counter()).update(row["codes"].split())
        if row["verdict"] == "suspect":
            flags.setdefault(sweep, Counter()).update(row["codes"].split())
        if row["cold"] in READ_VERDICTS:
            colds.setdefault(sweep, Counter())[row["cold"]] += 1
    return CampaignValidity(verdicts, colds, list(_read_flagged(results / "reasons.csv")), rules, flags)


def _read_flagged(path: Path) -> Iterator[FlaggedTrials]:
    keys = ("study", "sweep", "case", "verdict", "reasons")
    rows = read_rows(path, {*keys, "repetition"})
    for (study, sweep, case, verdict, reason), alike in groupby(rows, key=lambda row: tuple(map(row.get, keys))):
        yield FlaggedTrials(study, sweep, case, [row["repetition"] for row in alike], verdict, reason)


def read_rows(path: Path, needed: set[str]) -> list[CsvRow]:
    """Return the rows of a CSV file of results.

    Raises
    ------
    CampaignError
        If it is missing or has other columns than `collect` writes.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if missing := needed - set(reader.fieldnames or ()):
                raise CampaignError(f"{path}: no column {', '.join(sorted(missing))}; remove it and run snakemake")
            return list(reader)
    except OSError as error:
        raise CampaignError(f"{path} cannot be read ({error.strerror}): run snakemake, which collects first") from error
