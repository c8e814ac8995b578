"""Claims of a study in sentences and tables, from the results of a campaign."""

from pathlib import Path

import pandas as pd

from coldcache.analysis.tables import Table, four_digits
from coldcache.core.errors import NoData
from coldcache.core.units import show_range, show_rate
from coldcache.core.vocabulary import CLAIM_VERDICTS


class StudyClaims:
    """The verdicts on the claims of one study, and the contradictions of its source.

    Parameters
    ----------
    dataset : str or Path
        A campaign's `dataset.nc`; `claims.csv`, `statements.csv` and `contradictions.csv` lie beside it.
    study : str
        The study; what no document states, such as `quick`, shows the contradictions of all documents.

    Raises
    ------
    NoData
        If the claims were not judged, or there is none of any study.
    """

    def __init__(self, dataset: str | Path, study: str):
        self.study, self._dataset = study, Path(dataset)
        self.everything = self._read("claims").merge(
            self._read("statements").drop(columns="scope"), on=["id", "source"], validate="1:1"
        )
        if self.everything.empty:
            raise NoData("no source claims anything")
        self.claims = self.everything[self.everything.source == study]
        self._measured = self.everything[self.everything.scope != "document"]
        found = self._read("contradictions")
        self._pairs = found[found.source == study] if (found.source == study).any() else found

    def _read(self, name: str) -> pd.DataFrame:
        path = self._dataset.with_name(f"{name}.csv")
        if not path.is_file():
            raise NoData(f"{path.name} was not written: run python -m coldcache claims")
        return pd.read_csv(
            path, dtype={"unit": str}, keep_default_na=False, na_values={"estimate": "", "low": "", "high": ""}
        )

    def finding(self) -> str:
        """Return one sentence with how many claims have each verdict, and which are decided.

        Arithmetic with the document's own numbers is counted apart.
        """
        if self.claims.empty:
            return f"No claim is stated of {self.study}; {self._count(self._measured)} of all claims."
        claims = self.claims[self.claims.scope != "document"]
        parts = [
            f"{verdict}: {', '.join(claims.id[claims.verdict == verdict])}"
            for verdict in CLAIM_VERDICTS[:2]
            if (claims.verdict == verdict).any()
        ]
        counts = f"Of {len(claims)} claims of {self.study}, {self._count(claims)}"
        apart = len(self.claims) - len(claims)
        more = f" Arithmetic with its own numbers: {self._count(self.claims.drop(claims.index))}." if apart else ""
        return (f"{counts} ({'; '.join(parts)})." if parts else f"{counts}.") + more

    def sentences(self) -> str:
        """Return one line of Markdown for each claim that is decided: the claim, its verdict, and what shows it."""
        decided = self.claims[self.claims.verdict.isin(CLAIM_VERDICTS[:2])]
        lines = [
            f"- **{row.id}** ({row.scope}), {row.verdict}: {row.statement} *{row.why}.*" for row in decided.itertuples()
        ]
        return "\n".join(lines) or "No claim of this study is decided by this campaign."

    def table(self) -> Table:
        """Return one row per claim of the study, of every study where it has none."""
        rows = self.claims if len(self.claims) else self.everything
        shown = pd.DataFrame({
            "claim": rows.id, "scope": rows.scope, "verdict": rows.verdict,
            "figure (95 %)": [_show(row) for row in rows.itertuples()],
            "trials": rows.trials, "statement": rows.statement, "place": rows.place, "why": rows.why,
        })  # fmt: skip
        return Table(shown, rows, f"Claims of {self.study} and what this campaign says of them")

    def counts(self) -> Table:
        """Return how many claims of each source have each verdict, arithmetic with its own numbers apart."""
        table = pd.crosstab(self._measured.source, self._measured.verdict).reindex(columns=CLAIM_VERDICTS, fill_value=0)
        apart = self.everything[self.everything.scope == "document"].source.value_counts()
        table["arithmetic, apart"] = apart.reindex(table.index, fill_value=0)
        numbers = table.reset_index().rename_axis(columns=None)
        return Table(numbers, numbers, "Verdicts on all claims of this campaign, by source")

    def contradictions(self) -> Table:
        """Return one row per pair of statements of one document that are to agree."""
        shown = self._pairs[["about", "one", "other", "verdict", "source", "one_place", "other_place", "why"]]
        shown = shown.rename(columns={name: name.replace("_", " ") for name in shown.columns})
        return Table(shown, self._pairs, "Statements of one document that are to agree")

    def describe_contradictions(self) -> str:
        """Return one sentence with how many pairs of statements contradict each other."""
        count = int((self._pairs.verdict == "contradiction").sum())
        sources = ", ".join(dict.fromkeys(self._pairs.source))
        return f"{count} of {len(self._pairs)} pairs of statements contradict each other (in {sources})."

    @staticmethod
    def _count(rows: pd.DataFrame) -> str:
        counts = [f"{int((rows.verdict == verdict).sum())} {verdict}" for verdict in CLAIM_VERDICTS]
        return f"{', '.join(counts[:-1])} and {counts[-1]}"


def _show(row: object) -> str:
    """Return the figure that decides, with its interval."""
    estimate, low, high, unit = (getattr(row, name) for name in ("estimate", "low", "high", "unit"))
    if estimate != estimate:
        return ""
    if unit in ("1", "threads"):
        shown = four_digits(estimate) + (f" ({four_digits(low)} to {four_digits(high)})" if low == low else "")
        return f"{shown} threads" if unit == "threads" else shown
    return f"{show_rate(estimate, unit)} ({show_range(low, high, unit)})" if low == low else show_rate(estimate, unit)
