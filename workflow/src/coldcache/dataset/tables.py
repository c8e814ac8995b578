"""Tables of a campaign: records, verdicts, proofs, settings, drift and repetitions."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.stop_rule import is_done, weigh
from coldcache.campaign.trials import Collected
from coldcache.core.records import UNIT_OF_METRIC, Record, name_share
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS, METRIC_OF_OPERATION
from coldcache.dataset.reader import COUNTED
from coldcache.design.cases import Trial
from coldcache.verdicts.drift import Drift, Moment, figure_of

#: What leads a record to its log, which a cube does not.
_PLACE = ["log", "offset", "length", "printed", "definition"]


#: What of a record does not become a column as it is.
_UNTOLD = ("tool", "tool_version", "repetition", "caveats", "factors")


def tabulate_records(trials: Iterable[Collected]) -> pd.DataFrame:
    """Return the long table: one row per record, and one without a value for each operation that has none.

    Returns
    -------
    DataFrame
        Columns ``study sweep case repetition operation metric statistic value unit definition tool tool_version
        verdict codes cold log offset length printed caveats share time`` and every factor; values in B/s, 1/s, s or
        1. ``share`` names the process, client or moment of a figure that is not of its whole trial; ``time`` is that
        moment, in s.
    """
    records: list[Record] = []
    shares: list[str] = []
    logs: list[str] = []
    shared, counts = [], []
    for trial in trials:
        before = len(records)
        # Each process has a log of its own.
        series = [(log, own, f"process={process}") for process, (log, own) in enumerate(trial.series.items())]
        for log, own, share in ((trial.log, trial.records, ""), *series, (trial.log, _lacking(trial), "")):
            records += own
            logs += [log] * len(own)
            shares += [share] * len(own) if share else [name_share(record) or "" for record in own]
        shared.append(_share(trial))
        counts.append(len(records) - before)
    # What the records of a trial have in common is told once per trial, and only then repeated.
    table = pd.DataFrame(shared).take(np.repeat(np.arange(len(counts)), counts)).reset_index(drop=True)
    places = {name: place for place, name in enumerate(Record._fields) if name not in _UNTOLD}
    told = pd.DataFrame({name: [record[place] for record in records] for name, place in places.items()})
    caveats = [" ".join(record.caveats) for record in records]
    times = [record.factors.get("time", np.nan) for record in records]
    return pd.concat([table, told], axis="columns").assign(log=logs, caveats=caveats, share=shares, time=times)


def _share(trial: Collected) -> dict[str, Any]:
    """Return what all records of a trial have in common."""
    story = trial.story
    # What tells no version before it runs may print one in its log.
    printed = (record.tool_version for record in trial.records if record.tool_version)
    return {
        "study": story["study"], "sweep": story["sweep"], "case": story["case"], "repetition": story["repetition"],
        "tool": story["tool"], "tool_version": story["tool_version"] or next(printed, ""),
        "verdict": trial.judgement.verdict, "codes": " ".join(trial.judgement.codes), "cold": trial.judgement.cold,
        **{factor: story["factors"].get(factor) for factor in FACTORS},
        **{factor: story["factors"][factor] for factor in LEARNT_FACTORS if factor in story["factors"]},
    }  # fmt: skip


def _lacking(trial: Collected) -> list[Record]:
    """Return a record without a value for each operation of a trial of which its log states nothing."""
    stated = {record.operation for record in trial.records}
    metrics = {
        operation: METRIC_OF_OPERATION.get(operation, "throughput")
        for operation in trial.story["operations"]
        if operation not in stated
    }
    return [
        Record("", None, operation, metric, "value", np.nan, UNIT_OF_METRIC[metric], None, "", -1, 0, "")
        for operation, metric in metrics.items()
    ]


def tabulate_verdicts(trials: Iterable[Collected]) -> pd.DataFrame:
    """Return one row per trial: ``study sweep case repetition verdict codes cold reasons start``."""
    return pd.DataFrame([
        {
            "study": trial.story["study"], "sweep": trial.story["sweep"], "case": trial.story["case"],
            "repetition": trial.story["repetition"], "verdict": trial.judgement.verdict,
            "codes": " ".join(trial.judgement.codes), "cold": trial.judgement.cold,
            "reasons": "; ".join(trial.judgement.reasons), "start": trial.story.get("start") or "",
        }
        for trial in trials
    ])  # fmt: skip


def tabulate_proofs(trials: Iterable[Collected]) -> pd.DataFrame:
    """Return one row per trial that read: ``study sweep case repetition cold`` and the figures that prove it, in B."""
    columns = ["study", "sweep", "case", "repetition"]
    figures = ["method", "file_bytes", "resident_bytes", "moved_bytes", "crossed_bytes", "why"]
    rows = [
        [*(trial.story[column] for column in columns), found.verdict, *(getattr(found, figure) for figure in figures)]
        for trial in trials
        if (found := trial.judgement.coldness) and found.verdict != "not applicable"
    ]
    table = pd.DataFrame(rows, columns=[*columns, "cold", *figures])
    sizes = [figure for figure in figures if figure.endswith("_bytes")]
    return table.astype(dict.fromkeys(sizes, "Float64")).round(0).astype(dict.fromkeys(sizes, "Int64"))


def tabulate_settings(trials: Iterable[Collected]) -> pd.DataFrame:
    """Return one row per trial and setting: ``study sweep case repetition factor level asked read read_after where``.

    ``asked`` is what is read when the level is in force; ``read_after`` is empty where it was not read again.
    """
    columns = ["study", "sweep", "case", "repetition"]
    levels = ["asked", "read", "read_after", "where"]
    rows = [
        [
            *(trial.story[column] for column in columns),
            factor, str(trial.story["factors"][factor]), *(found.get(level, "") for level in levels),
        ]
        for trial in trials
        for factor, found in trial.story["settings"].items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=[*columns, "factor", "level", *levels])


def tabulate_drift(trials: Iterable[Collected], allowed: float) -> pd.DataFrame:
    """Return one row per trial of a sentinel in the order of time, as a chart of the campaign's drift needs it.

    Columns ``study sweep case repetition start verdict figure unit drift allowed``: the figure in B/s or 1/s, how far
    it is off the median of the study's sentinel, and how far the site lets it be, as shares of the median. Trials
    that do not count have neither figure nor drift.
    """
    rows = []
    for trial in trials:
        if trial.story.get("sentinel"):
            counts = trial.judgement.verdict in COUNTED
            figure = figure_of(trial.story["operations"], trial.records) if counts else None
            metric = METRIC_OF_OPERATION[trial.story["operations"][0]]
            keys = [trial.story[key] for key in ("study", "sweep", "case", "repetition")]
            start = trial.story.get("start") or ""
            rows.append([*keys, start, trial.judgement.verdict, figure or np.nan, UNIT_OF_METRIC[metric]])
    columns = ["study", "sweep", "case", "repetition", "start", "verdict", "figure", "unit"]
    table = pd.DataFrame(rows, columns=columns).sort_values("start", kind="stable", ignore_index=True)
    there = table[table.figure.notna()]
    drifts = {study: Drift(map(Moment, own.start, own.figure)) for study, own in there.groupby("study")}
    table["drift"] = [drifts[study].of(figure) if study in drifts else np.nan
                      for study, figure in zip(table.study, table.figure, strict=True)]  # fmt: skip
    return table.assign(allowed=allowed)


def tabulate_repetitions(campaign: Campaign) -> pd.DataFrame:
    """Return one row per case that a stop rule ends: ``study sweep case trials relative_width asked reason``.

    ``reason`` is that of `statistics.stopping.Stop`, and ``goes on`` where the case is to be repeated still.
    """
    cases = {trial.case.key: trial.case for block in campaign.blocks() for trial in block.trials if trial.case.until}
    rows = []
    for case in cases.values():
        assert case.until is not None
        done = [number for number in range(case.most) if is_done(campaign.folder, Trial(case, number))]
        stop = weigh(campaign.folder, campaign.site, case) if done else None
        width, reason = (stop.relative_width, stop.reason or "goes on") if stop else (np.nan, "goes on")
        rows.append([case.study, case.sweep, case.name, len(done), width, case.until.relative_width, reason])
    return pd.DataFrame(rows, columns=["study", "sweep", "case", "trials", "relative_width", "asked", "reason"])


def _plain(level: Any) -> Any:
    """Return a level as NetCDF stores it: attributes know no booleans."""
    return str(level).lower() if isinstance(level, bool | np.bool_) else level


def _as_text(value: Any) -> str:
    """Return a level of a column of names; nothing where the trial has no such factor."""
    return "" if value is None or value != value else str(_plain(value))
