"""Tables of a campaign's design: every sweep, run or not, and the numbers of files at full scale."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.not_run import read_not_run
from coldcache.campaign.trials import CollectedTrial
from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import NAME_FACTORS
from coldcache.dataset.coverage import describe_deviation, explain_absence
from coldcache.dataset.reader import COUNTED
from coldcache.design.cases import Case, expand_cases
from coldcache.design.study import Study

#: Columns of the table of sweeps.
SWEEP_COLUMNS = [
    "study", "sweep", "title", "item", "tool", "operations", "varied", "file_layout", "transfer_size", "in_guest",
    "in_place_of", "state", "why",
]  # fmt: skip

#: Factors that follow from the thread count if a study fixes their total.
_FOLLOWING = ("file_size", *NAME_FACTORS)


def tabulate_sweeps(campaign: Campaign, trials: Iterable[CollectedTrial]) -> pd.DataFrame:
    """Return one row per sweep of a campaign, including those that did not run.

    Parameters
    ----------
    campaign : Campaign
        With planned studies, imported ones, or both.
    trials : iterable of CollectedTrial
        A sweep with a trial that counts is measured.

    Returns
    -------
    DataFrame
        Columns `SWEEP_COLUMNS`: ``operations``, and in ``varied`` the factors with more than one level, separated by
        blanks; ``in_guest`` is 1 if a guest ran it, which no limit of the site bounds, else 0; ``in_place_of`` is the
        document's own tool where another one measured; ``state`` is ``measured`` or ``not run``; ``why`` is the scale
        of the sweep, or why it did not run.
    """
    counted = {(trial.outcome.study, trial.outcome.sweep) for trial in trials if trial.judgement.verdict in COUNTED}
    rows = [*_rows_of_plan(campaign, counted), *_rows_of_import(campaign, counted)]
    return pd.DataFrame(rows, columns=SWEEP_COLUMNS)


def _rows_of_plan(campaign: Campaign, counted: set[tuple[str, str]]) -> list[dict[str, Any]]:
    rows = []
    for study in campaign.planned:
        assert campaign.environment is not None
        cases: dict[str, list[Case]] = {}
        for case in expand_cases(study, campaign.site, campaign.environment):
            cases.setdefault(case.sweep, []).append(case)
        whole: dict[str, list[Case]] = {}
        for case in _expand_whole(campaign, study):
            whole.setdefault(case.sweep, []).append(case)
        for name, sweep in study.sweeps.items():
            first, is_measured = cases[name][0], (study.study, name) in counted
            own = sweep.tool_names[0]
            rows.append({
                "study": study.study, "sweep": name, "title": sweep.title, "item": sweep.item, "tool": first.tool,
                "operations": " ".join(sweep.operations), "varied": " ".join(_varied(whole.get(name, cases[name]))),
                "file_layout": str(first.factors.get("file_layout", "")),
                "transfer_size": int(first.factors.get("transfer_size", 0)), "in_guest": int(first.guest is not None),
                "in_place_of": own if first.tool != own else "",
                "state": "measured" if is_measured else "not run",
                "why": describe_deviation(first, own)
                if is_measured
                else read_not_run(campaign.folder, study.study, name) or explain_absence(cases[name]),
            })  # fmt: skip
    return rows


def _varied(cases: list[Case]) -> list[str]:
    """Return the factors with several levels, without those that follow from the threads."""
    return [
        factor
        for factor in cases[0].factors
        if factor not in _FOLLOWING and len({case.factors.get(factor) for case in cases}) > 1
    ]


def _expand_whole(campaign: Campaign, study: Study) -> list[Case]:
    """Return the cases of a study at full scale; an empty list if the site is too small to derive them."""
    assert campaign.environment is not None
    # The document's own tool counts directories; its substitute may count only files.
    tools = {
        **campaign.environment.tools,
        **{f"{study.study}/{name}": sweep.tools[0] for name, sweep in study.sweeps.items()},
    }
    try:
        return expand_cases(study, campaign.site, campaign.environment._replace(tools=tools), full=True)
    except DesignError:
        return []


def _rows_of_import(campaign: Campaign, counted: set[tuple[str, str]]) -> list[dict[str, Any]]:
    rows = []
    for study in campaign.foreign:
        for name, sweep in study.sweeps.items():
            factors: dict[str, Any] = sweep.factors
            only = {factor: levels[0] for factor, levels in factors.items() if len(levels) == 1}
            is_measured = (study.study, name) in counted
            rows.append({
                "study": study.study, "sweep": name, "title": sweep.title, "item": sweep.item,
                "tool": " ".join(sweep.tools), "operations": " ".join(sweep.operations),
                "varied": " ".join(factor for factor, levels in factors.items() if len(levels) > 1),
                "file_layout": str(only.get("file_layout", "")), "transfer_size": int(only.get("transfer_size", 0)),
                "in_guest": 0, "in_place_of": "", "state": "measured" if is_measured else "not run",
                "why": "imported" if is_measured else "none of its trials counts",
            })  # fmt: skip
    return rows


def tabulate_designs(campaign: Campaign) -> pd.DataFrame:
    """Return how many files and directories each case has at the full scale of its study.

    Returns
    -------
    DataFrame
        Columns ``study sweep item threads`` and `NAME_FACTORS`, 0 if a case has none; no rows for imported studies
        and for operations on data.
    """
    rows: list[dict[str, Any]] = []
    for study in campaign.planned:
        for case in _expand_whole(campaign, study):
            counts = {factor: int(case.factors.get(factor, 0)) for factor in NAME_FACTORS}
            if any(counts.values()):
                rows.append({"study": study.study, "sweep": case.sweep, "item": case.item,
                             "threads": int(case.factors["threads"]), **counts})  # fmt: skip
    columns = ["study", "sweep", "item", "threads", *NAME_FACTORS]
    return pd.DataFrame(rows, columns=columns).drop_duplicates(ignore_index=True)
