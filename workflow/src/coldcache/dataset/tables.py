"""Tables of a campaign: records, verdicts, cold proofs, settings, drift and repetitions."""

from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.judged import list_rejudged, read_judged
from coldcache.campaign.stop_rule import is_done, weigh
from coldcache.campaign.trials import CollectedTrial
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.trial_figure import choose_figure, choose_record
from coldcache.core.vocabulary import METRIC_OF_OPERATION
from coldcache.dataset.reader import COUNTED, LIMIT_NAMES
from coldcache.dataset.record_columns import TRIAL, RecordColumns, identify
from coldcache.design.cases import Trial
from coldcache.verdicts.drift import Drift, Moment
from coldcache.verdicts.suspect_rules import MEASURED_SLACK


def tabulate_records(trials: Iterable[CollectedTrial]) -> pd.DataFrame:
    """Return the long table: one row per record, and a row with NaN for each operation without a record.

    Returns
    -------
    DataFrame
        Columns ``study sweep case repetition operation metric statistic value unit definition tool tool_version
        verdict codes cold reached log offset length printed caveats share time`` and every factor; values in B/s,
        1/s, s or 1. ``reached`` is how far the operation's work got: ``storage``, ``memory`` or ``unknown``. ``share``
        names the process, client or moment that a value belongs to, and is empty for the whole trial;
        ``time`` is that moment in s, else NaN.
    """
    columns = RecordColumns()
    for trial in trials:
        columns.add(trial)
    return columns.build()


def tabulate_verdicts(trials: Iterable[CollectedTrial]) -> pd.DataFrame:
    """Return one row per trial: ``study sweep case repetition verdict codes cold reached reasons start``."""
    return pd.DataFrame([
        {
            **identify(trial.outcome), "verdict": trial.judgement.verdict,
            "codes": " ".join(trial.judgement.codes), "cold": trial.judgement.cold,
            "reached": trial.judgement.reached, "reasons": "; ".join(trial.judgement.reasons),
            "start": trial.outcome.start or "",
        }
        for trial in trials
    ])  # fmt: skip


def tabulate_rejudged(folder: Path, trials: Iterable[CollectedTrial]) -> pd.DataFrame:
    """Return one row per trial that is judged otherwise than when its campaign was sealed.

    Parameters
    ----------
    folder : Path
        The campaign's folder of raw logs.
    trials : iterable of CollectedTrial
        All of its trials, as they are judged now.

    Returns
    -------
    DataFrame
        Columns ``study sweep case repetition version before codes_before verdict codes``: ``version`` is that of the
        program that sealed the campaign; ``before`` is empty for a trial that had no verdict then.

    Raises
    ------
    CampaignError
        If the verdicts of then cannot be read.
    """
    judged = read_judged(folder)
    rows = [
        [
            *identify(trial.outcome).values(), judged.version if judged else "", before.verdict if before else "",
            " ".join(before.codes) if before else "", trial.judgement.verdict, " ".join(trial.judgement.codes),
        ]
        for trial, before in list_rejudged(judged, trials)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=[*TRIAL, "version", "before", "codes_before", "verdict", "codes"])


def tabulate_proofs(trials: Iterable[CollectedTrial]) -> pd.DataFrame:
    """Return one row per read of a trial: ``study sweep case repetition operation cold`` and the evidence for it.

    Returns
    -------
    DataFrame
        ``method`` and ``why`` in words; ``file_bytes``, ``resident_bytes``, ``moved_bytes`` and ``crossed_bytes`` in B,
        missing if unknown.
    """
    figures = ["method", "file_bytes", "resident_bytes", "moved_bytes", "crossed_bytes", "why"]
    rows = [
        [
            *identify(trial.outcome).values(),
            found.operation,
            found.verdict,
            *(getattr(found, name) for name in figures),
        ]
        for trial in trials
        for found in trial.judgement.colds
    ]
    return _with_whole_bytes(pd.DataFrame(rows, columns=[*TRIAL, "operation", "cold", *figures]))


def tabulate_evidence(trials: Iterable[CollectedTrial]) -> pd.DataFrame:
    """Return one row per operation of a trial that ran: bytes over the device or the wire, and bytes moved by the tool.

    Returns
    -------
    DataFrame
        Columns ``study sweep case repetition operation reached moved_bytes names crossed_bytes requests flushes
        discarded_bytes why``, as in `coldcache.verdicts.evidence.Evidence`; missing if unknown.
    """
    figures = ["moved_bytes", "names", "crossed_bytes", "requests", "flushes", "discarded_bytes"]
    rows = [
        [*identify(trial.outcome).values(), operation, found.reached, *(getattr(found, name) for name in figures),
         found.why]
        for trial in trials
        for operation, found in trial.judgement.evidence.items()
    ]  # fmt: skip
    return _with_whole_bytes(pd.DataFrame(rows, columns=[*TRIAL, "operation", "reached", *figures, "why"]))


def _with_whole_bytes(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose counts are whole numbers, or missing."""
    counts = [name for name in table.columns if name.endswith("_bytes") or name in ("names", "requests", "flushes")]
    return table.astype(dict.fromkeys(counts, "Float64")).round(0).astype(dict.fromkeys(counts, "Int64"))


def find_doubtful(trials: Iterable[CollectedTrial], campaign: Campaign) -> set[str]:
    """Return which measured ceilings are too low: a trial exceeded them whose bytes were counted at the device."""
    shown = set()
    for trial in trials:
        stored = [name for name, one in trial.judgement.evidence.items() if one.reached == "storage"]
        for operation in stored:
            name = f"{operation.removeprefix('random-')}_rate"
            record = choose_record(operation, trial.records, "throughput")
            if name in campaign.ceilings and record and record.value > MEASURED_SLACK * campaign.ceilings[name].rate:
                shown.add(name)
    return shown


def find_limits(
    trials: Iterable[CollectedTrial], campaign: Campaign, doubtful: Collection[str]
) -> dict[str, dict[str, float]]:
    """Return, for each study, the lowest limits in force on the target, and the ceilings that were measured.

    Parameters
    ----------
    trials : iterable of CollectedTrial
        All of the campaign.
    campaign : Campaign
        It has the ceilings.
    doubtful : collection of str
        Those that are too low, as `find_doubtful` returns them.

    Returns
    -------
    dict of str to dict
        ``found_read_rate`` and so on, in B/s or 1/s. A measured one is ``measured_read_rate``, or
        ``doubtful_read_rate`` if a trial showed that the target carries more. A study without limits has no entry.
    """
    measured = {
        f"{'doubtful' if name in doubtful else 'measured'}_{name}": ceiling.rate
        for name, ceiling in campaign.ceilings.items()
        if name in LIMIT_NAMES
    }
    found = {study.study: dict(measured) for study in campaign.planned if measured}
    for trial in trials:
        limits = (trial.outcome.target or {}).get("limits", {})
        for name, most in ((name, limits[name]) for name in LIMIT_NAMES if name in limits):
            own = found.setdefault(trial.outcome.study, {})
            own[f"found_{name}"] = min(most, own.get(f"found_{name}", most))
    return found


def tabulate_settings(trials: Iterable[CollectedTrial]) -> pd.DataFrame:
    """Return one row per trial and setting: ``study sweep case repetition factor level asked read read_after where``.

    ``asked`` is the value that a level in force reads as; ``read_after`` is empty if it was not read again.
    """
    levels = ["asked", "read", "read_after", "where"]
    rows = [
        [
            *identify(trial.outcome).values(), factor, str(trial.outcome.factors[factor]),
            found.asked, found.read, found.read_after or "", found.where,
        ]
        for trial in trials
        for factor, found in trial.outcome.settings.items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=[*TRIAL, "factor", "level", *levels])


def tabulate_drift(trials: Iterable[CollectedTrial], allowed: float) -> pd.DataFrame:
    """Return one row per sentinel trial, ordered by start.

    Parameters
    ----------
    trials : iterable of CollectedTrial
        Trials of any sweep.
    allowed : float
        The drift that the site allows, as a share of the median.

    Returns
    -------
    DataFrame
        Columns ``study sweep case repetition start verdict figure unit drift allowed``: ``figure`` in B/s or 1/s,
        ``drift`` its deviation from the median of the study's sentinel as a share of that median. Both are NaN for
        trials that do not count.
    """
    rows = []
    for trial in trials:
        outcome = trial.outcome
        if outcome.sentinel:
            counts = trial.judgement.verdict in COUNTED
            figure = choose_figure(outcome.operations[0], trial.records) if counts else None
            metric = METRIC_OF_OPERATION[outcome.operations[0]]
            keys = identify(outcome).values()
            rows.append([*keys, outcome.start or "", trial.judgement.verdict, figure or np.nan, UNIT_OF_METRIC[metric]])
    columns = ["study", "sweep", "case", "repetition", "start", "verdict", "figure", "unit"]
    table = pd.DataFrame(rows, columns=columns).sort_values("start", kind="stable", ignore_index=True)
    there = table[table.figure.notna()]
    drifts = {study: Drift(map(Moment, own.start, own.figure)) for study, own in there.groupby("study")}
    table["drift"] = [drifts[study].of(figure) if study in drifts else np.nan
                      for study, figure in zip(table.study, table.figure, strict=True)]  # fmt: skip
    return table.assign(allowed=allowed)


def tabulate_repetitions(campaign: Campaign) -> pd.DataFrame:
    """Return one row per case with a stop rule: ``study sweep case trials relative_width asked reason``.

    ``reason`` is that of `statistics.stopping.Stop`, or ``goes on`` if the case needs more repetitions.
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
