"""How good the measurements of a campaign are: coverage, verdicts, objections, drift, and proofs of cold reads."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coldcache.analysis.format import show_change
from coldcache.analysis.report_links import lead, page_of
from coldcache.core.units import show_bytes
from coldcache.core.vocabulary import COLD_VERDICTS, METRIC_OF_OPERATION, STATES, VERDICTS
from coldcache.dataset.reader import COUNTED, open_records, open_table
from coldcache.statistics.equivalence import adjust
from coldcache.statistics.percentiles import drift

#: Objections that others at work on the same machine or device cause.
INTERFERENCE = ("foreign-transfers", "busy-machine", "fill-drift")

#: What a drift's test may say by chance, over all sweeps together.
SIGNIFICANT = 0.05

#: The columns of records that residuals need, beside those that name a trial.
_OF_RESIDUALS = ("operation", "metric", "statistic", "value", "share", "time", "verdict")

#: Trials that a sweep needs for a test of a trend.
_LEAST_TRIALS = 6


@dataclass(frozen=True, slots=True)
class StudyValidity:
    """How far the trials of one study can be trusted.

    Attributes
    ----------
    study : str
        The study.
    coverage : DataFrame
        Columns ``item state why`` of each table and figure of the study's source.
    verdicts : DataFrame
        One row per sweep: trials by verdict, and reads by what was proved of them.
    objections : DataFrame
        One row per rule that objected: ``rule sweep trials``.
    drifts : DataFrame
        One row per sweep: ``sweep trials change p``, the relative change from its first trial to its last and its
        corrected probability.
    residuals : DataFrame
        One row per trial in the order of time: ``sweep minutes ratio order``, its value over the median of its case.
    proofs : DataFrame
        One row per sweep that read: ``sweep reads crossed``, the least share of the bytes that crossed the device.
    """

    study: str
    coverage: pd.DataFrame
    verdicts: pd.DataFrame
    objections: pd.DataFrame
    drifts: pd.DataFrame
    residuals: pd.DataFrame
    proofs: pd.DataFrame

    def show_verdicts(self) -> pd.DataFrame:
        """Return the verdicts by sweep in words, without verdicts that no trial has; sweeps lead to their trials."""
        counts = self.verdicts.drop(columns="sweep")
        there = [name for name in counts if name in ("trials", "valid") or counts[name].any()]
        return pd.DataFrame(
            {
                "sweep": self._lead_to_sweeps(self.verdicts),
                **{name: [f"{n:,}" for n in counts[name]] for name in there},
            },
            dtype=object,
        )

    def show_drifts(self) -> pd.DataFrame:
        """Return the drifts in words; sweeps lead to their trials."""
        changes = [show_change(change + 0).replace("+0 %", "0 %") if p == p else "–"
                   for change, p in zip(self.drifts.change, self.drifts.p, strict=True)]  # fmt: skip
        likely = [("< 0.001" if p < 0.001 else f"{p:.2g}") if p == p else "–" for p in self.drifts.p]
        return pd.DataFrame(
            {"sweep": self._lead_to_sweeps(self.drifts), "trials": self.drifts.trials, "change": changes, "p": likely},
            dtype=object,
        )

    def caption_proofs(self) -> str:
        """Return what the table of proofs shows."""
        return (
            "Share of the bytes read that crossed the device, or the wire of a network file system, and the most bytes "
            "of a file that were left in the memory of the clients"
        )

    def show_proofs(self) -> pd.DataFrame:
        """Return the proofs of cold reads in words; sweeps lead to their trials."""
        sweeps = pd.Series(self._lead_to_sweeps(self.proofs), dtype=object, index=self.proofs.index)
        shown = self.proofs.astype(object).assign(sweep=sweeps)
        least = [f"{100 * share:.3g} %" if share == share else "–" for share in self.proofs["least share crossed"]]
        return shown.assign(**{"least share crossed": least})

    def _lead_to_sweeps(self, rows: pd.DataFrame) -> list[Any]:
        return [lead(sweep, page_of(self.study, sweep)) for sweep in rows.sweep]

    def summary(self) -> str:
        """Return how many runs are clean, flagged or lost, and how many reads are proved cold, as a sentence."""
        total, valid = int(self.verdicts.trials.sum()), int(self.verdicts.valid.sum())
        reads, cold = int(self.verdicts.reads.sum()), int(self.verdicts.cold.sum())
        parts = [f"{valid} clean"]
        for name, word in (("suspect", "flagged"), ("void", "void"), ("missing", "missing")):
            count = int(self.verdicts[name].sum())
            parts += [f"{count} {word}"] if count else []
        runs = f"{total} runs: {', '.join(parts)}."
        if not reads:
            return runs
        share = f"All {reads}" if cold == reads else f"{cold} of {reads}"
        return f"{runs} {share} reads are proved cold."

    def describe_coverage(self) -> str | None:
        """Return how many tables and figures were measured, as a sentence; None where the study names none."""
        counts = Counter(self.coverage.state)
        if not counts:
            return None
        parts = [f"{counts[state]} {state}" for state in STATES if counts[state]]
        return f"Of {sum(counts.values())} tables, figures and sections: {', '.join(parts)}."

    def describe_drift(self) -> str:
        """Return which sweeps changed pace while they ran, as a title."""
        known = self.drifts[self.drifts.p.notna()]
        drifting = known[known.p < SIGNIFICANT]
        if known.empty:
            return "Too few trials to show a drift"
        if drifting.empty:
            return f"No drift is shown in {f'any of {len(known)} sweeps' if len(known) > 1 else 'the one sweep'}"
        worst = drifting.sort_values("change", key=abs, ascending=False)
        changes = [f"{row.sweep} {show_change(row.change)}" for row in worst.itertuples()]
        share = (
            f"{len(drifting)} of {len(known)} sweeps changed pace while {'it' if len(drifting) == 1 else 'they'} ran"
        )
        return f"{share}: {', '.join(changes)}"

    def caption(self) -> str:
        """Return how to read a figure of every trial over the median of its case."""
        sweeps = self.residuals.sweep.nunique()
        return f"Dots: {len(self.residuals):,} trials of {sweeps} sweeps, each over the median of its case."

    def describe_interference(self) -> str | None:
        """Return how often others at work disturbed a trial, as a sentence; None where none did."""
        disturbed = int(self.objections[self.objections.rule.isin(INTERFERENCE)].trials.sum())
        times = f"{disturbed} times" if disturbed > 1 else "once"
        return f"Others at work on the machine or the device disturbed a trial {times}." if disturbed else None


def open_validity(dataset: str | Path, study: str) -> StudyValidity:
    """Return how far the trials of one study of a campaign can be trusted."""
    path = Path(dataset)
    coverage, verdicts, proofs = (open_table(path, name, study) for name in ("coverage", "verdicts", "proofs"))
    residuals = _residuals(path, study, verdicts)
    return StudyValidity(
        study, coverage.drop(columns=["source"]),
        _count_verdicts(verdicts), _count_objections(verdicts), _find_drifts(residuals), residuals,
        _sum_up_proofs(proofs),
    )  # fmt: skip


def _count_verdicts(verdicts: pd.DataFrame) -> pd.DataFrame:
    proofs = [name for name in COLD_VERDICTS if name != "not applicable"]
    rows = []
    for sweep, trials in verdicts.groupby("sweep", sort=False):
        counts, colds = Counter(trials.verdict), Counter(trials.cold)
        reads = {name: colds[name] for name in proofs}
        rows.append({"sweep": sweep, "trials": len(trials), **{name: counts[name] for name in VERDICTS},
                     "reads": sum(reads.values()), **reads})  # fmt: skip
    return pd.DataFrame(rows, columns=["sweep", "trials", *VERDICTS, "reads", *proofs])


def _count_objections(verdicts: pd.DataFrame) -> pd.DataFrame:
    counts: Counter[tuple[str, str]] = Counter()
    for row in verdicts.itertuples():
        counts.update((code, str(row.sweep)) for code in str(row.codes).split())
    rows = [{"rule": code, "sweep": sweep, "trials": count} for (code, sweep), count in counts.items()]
    return pd.DataFrame(rows, columns=["rule", "sweep", "trials"])


def _residuals(path: Path, study: str, verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of every trial over the medians of its case, with the time since the first trial.

    A trial of several operations has one ratio, the geometric mean of theirs: they drift together.
    """
    columns = ["sweep", "minutes", "ratio", "order"]
    trial = ["sweep", "case", "repetition"]
    records = open_records(path, study, [*trial, *_OF_RESIDUALS])
    keys = ["study", *trial]
    wanted = records.metric == records.operation.map(METRIC_OF_OPERATION)
    chosen = records[wanted & (records.share == "") & records.time.isna()]
    chosen = chosen[chosen.statistic.isin(("value", "mean")) & chosen.verdict.isin(COUNTED) & (chosen.value > 0)]
    if chosen.empty:
        return pd.DataFrame(columns=columns)
    figures = chosen.drop_duplicates([*keys, "operation"])
    median = figures.groupby(["sweep", "case", "operation"]).value.transform("median")
    per_trial = np.log(figures.value / median).groupby([figures[key] for key in keys], sort=False).mean()
    there = np.exp(per_trial).rename("ratio").reset_index().merge(verdicts[[*keys, "start"]], on=keys)
    started = pd.to_datetime(there.start, errors="coerce", utc=True)
    there["minutes"] = (started - started.min()).dt.total_seconds() / 60
    known = there[there.minutes.notna()].reset_index(drop=True)
    return known.assign(order=known.minutes.rank(method="first"))[columns]


def _find_drifts(residuals: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for sweep, trials in residuals.groupby("sweep", sort=False):
        slope, p = (np.nan, np.nan)
        if len(trials) >= _LEAST_TRIALS and trials.ratio.nunique() > 1:
            slope, p = drift(trials.ratio, 60 * trials.minutes)
        seconds = 60 * float(trials.minutes.max() - trials.minutes.min())
        rows.append({"sweep": sweep, "trials": len(trials), "change": np.expm1(slope * seconds), "p": p})
    found = pd.DataFrame(rows, columns=["sweep", "trials", "change", "p"])
    known = found.p.notna()
    found.loc[known, "p"] = adjust(found.p[known].to_numpy())
    return found


def _sum_up_proofs(proofs: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for sweep, trials in proofs.groupby("sweep", sort=False):
        share = trials.crossed_bytes / trials.moved_bytes
        least = trials.resident_bytes.max()
        rows.append({
            "sweep": sweep, "reads": len(trials), "cold": int((trials.cold == "cold").sum()),
            "least share crossed": float(share.min()),
            "most left in memory": show_bytes(float(least)) if least == least else "–",
        })  # fmt: skip
    return pd.DataFrame(rows, columns=["sweep", "reads", "cold", "least share crossed", "most left in memory"])
