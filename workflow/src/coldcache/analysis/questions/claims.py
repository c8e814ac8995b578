"""Claims of a study in sentences and tables, from the results of a campaign."""

from pathlib import Path

import pandas as pd

from coldcache.analysis.format import format_figure
from coldcache.analysis.reasons import fold_reasons
from coldcache.analysis.report_links import lead
from coldcache.analysis.tables import Table
from coldcache.core.errors import NoData
from coldcache.core.vocabulary import CLAIM_VERDICTS

#: The columns of what decides a claim.
_FIGURE = ["estimate", "low", "high", "unit", "level"]


class StudyClaims:
    """The verdicts on the claims of one study, and the contradictions of its source.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`; `claims.csv`, `statements.csv` and `contradictions.csv` lie beside it.
    study : str
        The study.

    Raises
    ------
    NoData
        If the claims were not judged, or there is none of the study.
    """

    def __init__(self, dataset: str | Path, study: str):
        self.study, self._dataset = study, Path(dataset)
        every = self._read("claims").merge(
            self._read("statements").drop(columns="scope"), on=["id", "source"], validate="1:1"
        )
        self.claims = every[every.source == study]
        if self.claims.empty:
            raise NoData(f"no claim is stated of {study}")
        found = self._read("contradictions")
        self._pairs = found[found.source == study]

    def _read(self, name: str) -> pd.DataFrame:
        path = self._dataset.with_name(f"{name}.csv")
        if not path.is_file():
            raise NoData(f"{path.name} was not written: run python -m coldcache claims")
        texts = dict.fromkeys(("unit", "one", "other"), str)
        numbers = dict.fromkeys(("estimate", "low", "high", "level"), "")
        return pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=numbers)

    def finding(self) -> str:
        """Return one sentence with how many claims have each verdict.

        Arithmetic with the document's own numbers is counted apart.
        """
        claims = self.claims[self.claims.scope != "document"]
        apart = self.claims.drop(claims.index)
        more = f" Arithmetic with the document's own numbers: {_count(apart)}." if len(apart) else ""
        counted = f"{len(claims)} claim{'s' if len(claims) != 1 else ''}: {_count(claims)}." if len(claims) else ""
        return f"{counted}{more}".strip()

    def sentences(self) -> str:
        """Return one line of Markdown for each claim that is decided: its verdict and statement."""
        decided = self.claims[self.claims.verdict.isin(CLAIM_VERDICTS[:2])]
        return "\n".join(f"- {row.verdict.capitalize()}: {row.statement}" for row in decided.itertuples())

    def table(self) -> Table:
        """Return one row per claim of the study, the decided ones first."""
        order = {verdict: place for place, verdict in enumerate(CLAIM_VERDICTS)}
        rows = self.claims.sort_values("verdict", key=lambda verdicts: verdicts.map(order), kind="stable")
        claims = [lead(row.id, f"../claims.html#claim-{row.source}-{row.id}") for row in rows.itertuples()]
        shown = pd.DataFrame({
            "claim": claims, "statement": rows.statement, "place": rows.place, "verdict": rows.verdict,
            "figure": [format_figure(*figure) for figure in rows[_FIGURE].itertuples(index=False)],
            "runs": [f"{runs:,}" for runs in rows.trials],
            "why": [fold_reasons(row.why) for row in rows.itertuples()],
        }, dtype=object)  # fmt: skip
        return Table(shown, rows, "Every claim of the study")

    def contradictions(self) -> Table | None:
        """Return one row per pair of statements of the document that contradict each other; None without any."""
        rows = self._pairs[self._pairs.verdict == "contradiction"]
        if rows.empty:
            return None
        shown = pd.DataFrame({
            "about": rows.about, "one place": rows.one + " (" + rows.one_place + ")",
            "another": rows.other + " (" + rows.other_place + ")", "difference": rows.why,
        })  # fmt: skip
        return Table(shown, self._pairs, "Statements of the document that contradict each other")

    def describe_contradictions(self) -> str | None:
        """Return one sentence with how many pairs of statements contradict each other; None without any pair."""
        count = int((self._pairs.verdict == "contradiction").sum())
        return f"The document contradicts itself in {count} of {len(self._pairs)} places checked." if count else None


def _count(rows: pd.DataFrame) -> str:
    """Return how many claims have each verdict, without verdicts that none has."""
    counts = [(int((rows.verdict == verdict).sum()), verdict) for verdict in CLAIM_VERDICTS]
    return ", ".join(f"{count} {verdict}" for count, verdict in counts if count)
