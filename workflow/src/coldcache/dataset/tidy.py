"""Tidy tables for other programs: a row per figure, a column per variable, and the place of each figure in its log."""

import numpy as np
import pandas as pd

from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.trial_figure import is_headline, rank_figure
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS, METRIC_OF_OPERATION, OPERATIONS

#: The columns that name a trial, and an operation of it.
_TRIAL = ["study", "sweep", "case", "repetition"]
_OPERATION = [*_TRIAL, "operation"]

_FIGURE = ["metric", "value", "unit"]
_JUDGED = ["verdict", "codes", "cold"]
_ORIGIN = ["tool", "tool_version", "log", "offset", "length"]


def tabulate_trials(records: pd.DataFrame, verdicts: pd.DataFrame, sweeps: pd.DataFrame) -> pd.DataFrame:
    """Return one row per trial with its headline figure; NaN where its log states none.

    The headline figure is that of the first operation of the sweep of which the log states one, else of the first that
    the tool measured besides; those of the other operations are in `tabulate_figures`. Its metric is the one by which
    the operation is judged, else the first of `UNIT_OF_METRIC` that the log states.

    Parameters
    ----------
    records : DataFrame
        As `tabulate_records` returns them.
    verdicts : DataFrame
        One row per trial, as `tabulate_verdicts` returns them.
    sweeps : DataFrame
        One row per sweep, as `tabulate_sweeps` returns them.

    Returns
    -------
    DataFrame
        ``study sweep case repetition operation metric value unit verdict codes cold``, each factor that any trial
        states, ``tool tool_version log offset length definition reached``; values in B/s, 1/s, s or 1, offset and
        length in B.
    """
    figures = _choose_figures(records)
    is_missing, is_call = figures["value"].isna(), ~figures["operation"].isin(OPERATIONS)
    asked = {(row.study, row.sweep): row.operations.split() for row in sweeps.itertuples()}
    named = zip(figures["study"], figures["sweep"], figures["operation"], strict=True)
    is_other = [operation not in asked[study, sweep] for study, sweep, operation in named]
    order = ["_missing", "_call", "_other"]
    ranked = figures.assign(_missing=is_missing, _call=is_call, _other=is_other).sort_values(order, kind="stable")
    first = ranked.drop_duplicates(_TRIAL)
    stated = [*_OPERATION, *_FIGURE, *_stated_factors(first), *_ORIGIN, "definition", *_reached(first)]
    trials = verdicts[[*_TRIAL, *_JUDGED]].merge(first[stated], on=_TRIAL, how="left", validate="1:1")
    columns = [*_OPERATION, *_FIGURE, *_JUDGED, *stated[len(_OPERATION) + len(_FIGURE) :]]
    return _with_whole_levels(trials[columns]).astype(dict.fromkeys(("offset", "length"), "Int64"))


def _choose_figures(records: pd.DataFrame) -> pd.DataFrame:
    """Return the record of each operation of each trial that has its figure."""
    whole = _select(records, records["share"] == "")
    order = {metric: place for place, metric in enumerate(UNIT_OF_METRIC)}
    judged_by = whole["operation"].map(METRIC_OF_OPERATION)
    is_judged = judged_by.isna() | (judged_by == whole["metric"])
    named = zip(whole["metric"], whole["statistic"], whole["caveats"], strict=True)
    ranks = [rank_figure(metric, statistic, caveats) for metric, statistic, caveats in named]
    ranked = whole.assign(
        _rank=pd.Series(ranks, index=whole.index, dtype=float), _metric=whole["metric"].map(order).fillna(len(order))
    )
    ranked["_summed"] = [not is_headline(*names) for names in zip(whole["metric"], whole["definition"], strict=True)]
    figures = ranked[is_judged & ranked["_rank"].notna()].sort_values(["_metric", "_rank", "_summed"], kind="stable")
    return figures.drop_duplicates(_OPERATION).sort_index()


def tabulate_figures(records: pd.DataFrame) -> pd.DataFrame:
    """Return one row per figure of a whole trial; those of single processes and moments are left out.

    Parameters
    ----------
    records : DataFrame
        As `tabulate_records` returns them.

    Returns
    -------
    DataFrame
        Columns as of `tabulate_trials`, and ``statistic caveats printed``; operations without a figure have no row.
    """
    whole = _select(records, (records["share"] == "") & records["value"].notna())
    columns = [
        *_OPERATION, "metric", "statistic", "value", "unit", "definition", "caveats", *_JUDGED,
        *_stated_factors(whole), *_ORIGIN, "printed", *_reached(whole),
    ]  # fmt: skip
    return _with_whole_levels(whole[columns].reset_index(drop=True))


def _reached(records: pd.DataFrame) -> list[str]:
    """Return the column that says how far the work got; a dataset of an earlier version has none."""
    return ["reached"] if "reached" in records.columns else []


def _select(records: pd.DataFrame, chosen: pd.Series) -> pd.DataFrame:
    """Return the chosen records without the factors that none states; a large table is copied only if it must be."""
    there = [factor for factor in (*FACTORS, *LEARNT_FACTORS) if factor in records.columns]
    stated = records.drop(columns=[factor for factor in there if records[factor].isna().all()])
    return stated if chosen.all() else stated[chosen]


def _stated_factors(records: pd.DataFrame) -> list[str]:
    """Return the factors that any record states."""
    there = [factor for factor in (*FACTORS, *LEARNT_FACTORS) if factor in records.columns]
    return [factor for factor in there if not records[factor].isin(["", None, np.nan]).all()]


def _with_whole_levels(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose levels are whole numbers where all of a factor are, although some trials state none."""
    factors = [name for name in (*FACTORS, *LEARNT_FACTORS) if name in table.columns]
    whole = [name for name in factors if table[name].dtype.kind == "f" and (table[name].dropna() % 1 == 0).all()]
    return table.astype(dict.fromkeys(whole, "Int64"))
