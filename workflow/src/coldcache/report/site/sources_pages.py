"""The pages on source documents: verdicts on their claims, and coverage of their tables and figures."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from coldcache.analysis.format import format_figure
from coldcache.analysis.reasons import fold_reasons
from coldcache.analysis.report_links import TRIALS_FOLDER
from coldcache.claims.read import list_selections, read_claims
from coldcache.core.vocabulary import CLAIM_SCOPES, CLAIM_VERDICTS, STATES
from coldcache.report.site.html import facts, join, link, table, trials_table
from coldcache.report.site.published_page import PUBLISHED
from coldcache.report.site.validity import CsvRow, read_rows

#: Columns of `claims.csv`.
_CLAIM = ("id", "source", "scope", "verdict", "estimate", "low", "high", "level", "unit", "trials", "why")

_CONTRADICTION = ("source", "about", "one", "one_place", "other", "other_place", "verdict", "why")

_HEADS = ("Claim", "Study", "Why", "Here", "Trials")

#: The verdict on a claim that no trial here can decide.
_UNTESTABLE = CLAIM_VERDICTS[-1]

SweepKey = tuple[str, str]

#: Default of `Documents`: no study has a title.
NO_TITLES: Mapping[str, str] = MappingProxyType({})


def read_sweeps(studies: Iterable[str]) -> dict[tuple[str, str], list[SweepKey]]:
    """Return the sweeps that each claim is tested with, by source and id; an empty dict without files of claims.

    Parameters
    ----------
    studies : iterable of str
        The campaign's.

    Raises
    ------
    DesignError
        If a file of claims is not valid.
    """
    found = {}
    for stated in read_claims(studies):
        named = ((part.study or stated.source, part.sweep) for part in list_selections(stated.claim) if part.sweep)
        found[stated.source, stated.claim.id] = list(dict.fromkeys(named))
    return found


class Documents:
    """The claims, tables and figures of the source documents, with a campaign's results on them.

    Parameters
    ----------
    results : Path
        The campaign's folder of results, with `coverage.csv` and, if claims were judged, `claims.csv`,
        `statements.csv` and `contradictions.csv`.
    sweeps : collection of (str, str)
        The campaign's sweeps, each with its study: claims link to their pages, and the first page shows only claims
        on these studies.
    titles : mapping of str to str
        The title of each study, in the order of the campaign: sources are shown in this order under these names,
        other sources follow under their own.

    Raises
    ------
    CampaignError
        If one of the files cannot be read.
    """

    def __init__(self, results: Path, sweeps: Collection[SweepKey] = (), titles: Mapping[str, str] = NO_TITLES):
        self._studies = {study for study, _ in sweeps}
        self._titles = titles
        self._coverage = self._order(read_rows(results / "coverage.csv", {"source", "item", "state", "why"}))
        checked = (results / "claims.csv").is_file()
        every = read_rows(results / "claims.csv", set(_CLAIM)) if checked else []
        # A claim on what was not studied says nothing of the campaign.
        self._claims = self._order([claim for claim in every if claim["source"] in self._studies])
        stated = read_rows(results / "statements.csv", {"id", "source", "place", "statement"}) if checked else []
        self._statements = {(row["source"], row["id"]): row for row in stated}
        named = read_sweeps(sorted(self._studies)) if checked else {}
        self._sweeps = {claim: [sweep for sweep in found if sweep in sweeps] for claim, found in named.items()}
        against = results / "contradictions.csv"
        stated = read_rows(against, set(_CONTRADICTION)) if against.is_file() else []
        self._contradictions = [row for row in stated if row["source"] in self._studies]

    def list_measured(self) -> list[CsvRow]:
        """Return the claims that trials decide, or could."""
        return [claim for claim in self._claims if is_measured(claim)]

    def claims_of(self, study: str) -> list[CsvRow]:
        """Return the claims of a study's document with their verdicts."""
        return [claim for claim in self._claims if claim["source"] == study]

    def items_of(self, study: str) -> list[CsvRow]:
        """Return the tables and figures of a study's document with their states."""
        return [row for row in self._coverage if row["source"] == study]

    def count(self, page: str) -> str:
        """Return in words how many claims or items have each verdict or state, as the title of a page.

        Parameters
        ----------
        page : {"claims", "coverage"}
            The page that lists them.
        """
        if page == "claims":
            measured = self.list_measured()
            tested = [claim for claim in measured if claim["verdict"] != _UNTESTABLE]
            counted = ", ".join(_list_counts(tested, "verdict", CLAIM_VERDICTS))
            of_all = f"{len(tested)} of {len(measured)} claims can be tested here"
            return f"{of_all}: {counted}" if tested else of_all
        return f"{len(self._coverage)} tables and figures: {', '.join(_list_counts(self._coverage, 'state', STATES))}"

    def list_contradictions(self) -> list[CsvRow]:
        """Return the statements of one document that contradict each other, without those that agree."""
        return [row for row in self._contradictions if row["verdict"] == "contradiction"]

    def statement_of(self, claim: CsvRow) -> str:
        """Return a claim in words; its id where no file states it."""
        return self._statements.get((claim["source"], claim["id"]), {}).get("statement", claim["id"])

    def tell(self, study: str) -> tuple[str, str]:
        """Return in words how many claims and items of a study have each verdict and state; empty where it has none."""
        claims, items = self.claims_of(study), self.items_of(study)
        return _tell_claims(claims), _tell(items, "state", STATES)

    def describe(self, items: Mapping[str, str] = NO_TITLES) -> dict[str, Any]:
        """Return the tables of `claims.md` and `coverage.md`: every claim and every item, with the reasons.

        Parameters
        ----------
        items : mapping of str to str
            The tables and figures that each sweep covers, by ``study/sweep``.
        """
        measured = self.list_measured()
        tested = [row for row in measured if row["verdict"] != _UNTESTABLE]
        untested = [row for row in measured if row["verdict"] == _UNTESTABLE]
        apart = [row for row in self._claims if not is_measured(row)]
        rows = [
            (row["source"], self._lead_to_item(row, items), row["state"], row["why"]) for row in self._coverage
        ]  # fmt: skip
        return {
            "claims": self._tabulate_claims(tested) if tested else "",
            "untested": self._tabulate_claims(untested) if untested else "",
            "untested_count": len(untested),
            "arithmetic": self._tabulate_claims(apart) if apart else "",
            "scopes": facts(CLAIM_SCOPES.items()),
            "contradictions": _tabulate_contradictions(self._contradictions) if self._contradictions else "",
            "coverage": table(("Source", "Table or figure", "State", "How, or why not"), rows) if rows else "",
        }

    def _lead_to_item(self, row: CsvRow, items: Mapping[str, str]) -> Markup | str:
        """Return a table or figure as a link to the trials of the sweep that covers it."""
        served = (sweep for sweep, text in items.items() if row["item"] in text.split("; "))
        sweep = next((one for one in served if one.startswith(f"{row['source']}/") and row["state"] == STATES[0]), "")
        return link(row["item"], f"{TRIALS_FOLDER}/{quote(sweep)}/index.html") if sweep else row["item"]

    def _order(self, rows: list[CsvRow]) -> list[CsvRow]:
        """Return rows sorted by source: first the campaign's studies in order, then other sources."""
        sources = list(dict.fromkeys([*self._titles, *(row["source"] for row in rows)]))
        return sorted(rows, key=lambda row: sources.index(row["source"]))

    def _tabulate_claims(self, claims: Iterable[CsvRow]) -> Markup:
        """Return a table of claims with a group for each verdict, the decided ones first."""
        found = list(claims)
        counts = Counter(claim["verdict"] for claim in found)
        verdicts = [verdict for verdict in dict.fromkeys([*CLAIM_VERDICTS, *counts]) if verdict in counts]
        return trials_table(_HEADS, (
            (f"{verdict.capitalize()}: {counts[verdict]}", self._list_cells(claim))
            for verdict in verdicts for claim in found if claim["verdict"] == verdict
        ))  # fmt: skip

    def _list_cells(self, claim: CsvRow) -> tuple[Any, ...]:
        figure, trials = self._lead_to_estimate(claim), self._lead_to_trials(claim)
        why = fold_reasons(claim["why"])
        return self._put_in_words(claim), self._lead_to_study(claim["source"]), why, figure, trials

    def _lead_to_study(self, source: str) -> Markup | str:
        """Return a source as a link to its study, which has its title; its name where it was not studied."""
        if source not in self._titles:
            return source
        return Markup('<a href="{}/index.html" title="{}">{}</a>').format(source, self._titles[source], source)

    def _put_in_words(self, claim: CsvRow) -> Markup:
        """Return the statement of a claim, with its place, id and scope below."""
        stated = self._statements.get((claim["source"], claim["id"]), {"statement": "", "place": ""})
        whence = Markup("<small>{}</small>").format(
            ", ".join(filter(None, (stated["place"], claim["id"], claim["scope"])))
        )
        text = join(filter(None, (stated["statement"], whence)), separator=Markup("<br>"))
        return Markup('<div class="coldcache-claim" id="{}">{}</div>').format(anchor_of(claim), text)

    def _lead_to_estimate(self, claim: CsvRow) -> Markup | str:
        """Return the figure behind a verdict, which leads to the first of its sweeps, or to the document's numbers."""
        shown = show_estimate(claim)
        if not shown:
            return ""
        if not is_measured(claim):
            return link(shown, PUBLISHED)
        named = self._sweeps.get((claim["source"], claim["id"]), [])
        return link(shown, f"{TRIALS_FOLDER}/{quote('/'.join(named[0]))}/index.html") if named else shown

    def _lead_to_trials(self, claim: CsvRow) -> Markup:
        """Return the number of trials behind a verdict, with links to their sweeps."""
        if claim["trials"] in ("", "0"):
            return Markup("no trials")
        named = self._sweeps.get((claim["source"], claim["id"]), [])
        pages = (link("/".join(sweep), f"{TRIALS_FOLDER}/{quote('/'.join(sweep))}/index.html") for sweep in named)
        return join([f"{claim['trials']} trials", *pages], separator=Markup("<br>"))

    @property
    def has_claims(self) -> bool:
        """Whether any claim on the campaign's own studies was judged."""
        return bool(self._claims)

    @property
    def has_items(self) -> bool:
        """Whether the campaign's studies cover any table or figure of a document."""
        return bool(self._coverage)


def anchor_of(claim: CsvRow) -> str:
    """Return the id of a claim on the page of claims."""
    return f"claim-{claim['source']}-{claim['id']}"


def _list_counts(rows: list[CsvRow], column: str, states: tuple[str, ...]) -> list[str]:
    """Return how many rows have each state, without states that no row has."""
    counts = Counter(row[column] for row in rows)
    return [f"{counts[state]} {state}" for state in states if counts[state]]


def _tell(rows: list[CsvRow], column: str, states: tuple[str, ...]) -> str:
    """Return in words how many rows have each state."""
    return ", ".join(_list_counts(rows, column, states))


def _emphasise(text: str) -> Markup:
    return Markup("<strong>{}</strong>").format(text)


def is_measured(claim: CsvRow) -> bool:
    """Return whether a verdict is based on trials: arithmetic with the document's own numbers is counted apart."""
    return claim["scope"] != "document"


def _tell_claims(claims: list[CsvRow]) -> str:
    """Return in words how many claims have each verdict, and apart how many are arithmetic."""
    apart = [claim for claim in claims if not is_measured(claim)]
    told = _tell([claim for claim in claims if is_measured(claim)], "verdict", CLAIM_VERDICTS)
    counted = f"arithmetic with the document's own numbers: {_tell(apart, 'verdict', CLAIM_VERDICTS)}" if apart else ""
    return "; ".join(filter(None, (told, counted)))


def show_estimate(claim: CsvRow) -> str:
    """Return the estimate behind a verdict, with its interval if that has a width; empty without an estimate."""
    estimate, low, high, level = (float(claim[name] or "nan") for name in ("estimate", "low", "high", "level"))
    return format_figure(estimate, low, high, claim["unit"], level)


def _tabulate_contradictions(rows: Iterable[CsvRow]) -> Markup:
    heads = ("Source", "About", "One place", "Another", "Verdict", "Why")
    return table(heads, (
        (row["source"], row["about"], link(f"{row['one']} ({row['one_place']})", PUBLISHED),
         link(f"{row['other']} ({row['other_place']})", PUBLISHED),
         _emphasise(row["verdict"]), row["why"])
        for row in rows
    ))  # fmt: skip
