"""Confounders: everything else that differs between the levels that are compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_level, list_words
from coldcache.analysis.questions.select import Display, SweepSelection
from coldcache.analysis.tables import Table
from coldcache.core.vocabulary import FACTORS
from coldcache.dataset.confounders import CONFOUNDER_COLUMNS
from coldcache.dataset.reader import open_table

#: Properties that a sentence names, and values that a table shows; the rest is counted.
_MOST_NAMED, _MOST_VALUES = 4, 3


@dataclass(frozen=True, slots=True)
class LevelComparison:
    """Everything recorded that differs between the levels of a factor in a sweep.

    Attributes
    ----------
    study, sweep, factor : str
        What is compared.
    rows : DataFrame
        Columns ``what level recorded``: first the factor itself, then what else differs; none where nothing was
        recorded.
    """

    study: str
    sweep: str
    factor: str
    rows: pd.DataFrame

    @property
    def others(self) -> list[str]:
        """What differs besides the factor, in words."""
        return [_name_property(what) for what in self.rows.what.unique() if what != self.factor]

    @property
    def is_cause(self) -> bool:
        """Whether the factor alone differs, so that it can be the cause."""
        return len(self.rows) > 0 and not self.others

    def describe(self, title: str) -> str:
        """Return what differs and whether the factor can be the cause, as a sentence."""
        label = FACTORS[self.factor].label
        if self.rows.empty:
            return f"{title}: what each level of {label} was measured on is not recorded; no cause can be named."
        if self.is_cause:
            return (
                f"{title}: nothing that was recorded differs but {label}; where its levels differ, it can be the cause."
            )
        verb = "differs" if len(self.others) == 1 else "differ"
        return f"{title}: beside {label}, {_list(self.others, _MOST_NAMED)} {verb}; no single cause can be named."

    def tabulate(self, title: str) -> Table:
        """Return one row per recorded difference, the factor itself first, with a column per level."""
        levels = list(self.rows.level.unique())
        wide = self.rows.pivot(index="what", columns="level", values="recorded")
        wide = wide.loc[list(self.rows.what.unique()), levels].reset_index()
        shown = pd.DataFrame({"recorded": [_name_property(what) for what in wide.what]})
        for level in levels:
            shown[_show(self.factor, level)] = [_list(value.split("; "), _MOST_VALUES) for value in wide[level]]
        return Table(shown, self.rows, f"{title}: all that was recorded otherwise between its levels")


def open_comparisons(dataset: str | Path, study: str) -> list[LevelComparison]:
    """Return every comparison of system levels in a study that has recorded trials."""
    table = open_table(Path(dataset), "differences", study)
    groups = table.groupby(["sweep", "factor"], sort=False)
    return [LevelComparison(study, sweep, factor, rows[CONFOUNDER_COLUMNS[3:]]) for (sweep, factor), rows in groups]


def display_causes(selection: SweepSelection, dataset: str | Path) -> Display:
    """Return for each sweep of a choice whether its factor can be the cause, and a table where more differs.

    All that differs is saved beside the dataset as `tables/<study>-<sweep>-differences.csv`.
    """
    recorded = {(one.sweep, one.factor): one for one in open_comparisons(dataset, selection.study)}
    nothing = pd.DataFrame(columns=CONFOUNDER_COLUMNS[3:])
    alone: list[list[str | Table]] = []
    confounded: list[list[str | Table]] = []
    single: list[str] = []
    for found in selection:
        question, factor = found.question, found.factor
        if factor is None or _count_levels(found, factor) < 2:
            single.append(question.title)
            continue
        comparison = recorded.get((question.sweep, factor))
        comparison = comparison or LevelComparison(selection.study, question.sweep, factor, nothing)
        said: list[str | Table] = [comparison.describe(question.title)]
        if len(comparison.rows):
            table = comparison.tabulate(question.title).save(dataset, f"{question.name}-differences")
            said += [] if comparison.is_cause else [table]
        (alone if comparison.is_cause else confounded).append(said)
    if len(alone) > 1:
        alone = [[
            f"In {len(alone)} sweeps nothing that was recorded differs but the factor; where levels differ, it can be "
            "the cause."
        ]]  # fmt: skip
    parts = [part for said in (*alone, *confounded) for part in said]
    if single:
        parts.append(f"Fewer than two levels have trials that count, so nothing is compared: {'; '.join(single)}.")
    return Display(parts)


def _count_levels(found: Estimates, factor: str) -> int:
    """Return how many levels of a factor a sweep has an estimate of."""
    if factor not in found.cells.dims:
        return 1
    there = found.cells.estimate.notnull()
    return int(there.any([dim for dim in there.dims if dim != factor]).sum())


def tabulate_causes(comparisons: Sequence[LevelComparison]) -> Table:
    """Return one row per comparison: its levels, what else differs, and whether the factor can be the cause."""
    rows = [
        {
            "sweep": one.sweep, "factor": FACTORS[one.factor].label,
            "levels": ", ".join(_show(one.factor, level) for level in one.rows.level.unique()),
            "else recorded otherwise": _list(one.others, 99) or "nothing",
            "can be the cause": "yes" if one.is_cause else "no",
        }
        for one in comparisons
    ]  # fmt: skip
    return Table.plain(pd.DataFrame(rows), "What else differs between the levels that are compared")


def describe_hosts(dataset: str | Path) -> str:
    """Return the differences between the hosts of a campaign, as a sentence without their names."""
    hosts = open_table(Path(dataset), "hosts")
    count = hosts.host.nunique()
    if count < 2:
        return "One host measured: nothing differs between hosts." if count else "What its hosts have is not recorded."
    differing = hosts.groupby("what").recorded.nunique()
    named = [_name_property(str(what)) for what in differing[differing > 1].index]
    found = f"differ in {_list(named, _MOST_NAMED)}" if named else "do not differ in anything that was recorded"
    return f"{count} hosts measured; they {found}: the page System has each."


def _name_property(what: str) -> str:
    """Return the place of something recorded in words: ``target queue read ahead kb``, the label of a factor."""
    group, _, name = what.rpartition(".")
    if name in FACTORS and group in ("", "factors", "settings"):
        return FACTORS[name].label + (" as read" if group == "settings" else "")
    return what.replace(".", " ").replace("_", " ")


def _show(factor: str, level: str) -> str:
    """Return a level, which the table holds as text, in words."""
    return format_level(factor, float(level) if FACTORS[factor].unit and level.replace(".", "", 1).isdigit() else level)


def _list(names: Sequence[str], most: int) -> str:
    """Return names one after the other; of many the first ones, and how many more there are."""
    shown = list(names) if len(names) <= most else [*names[:most], f"{len(names) - most} more"]
    return list_words(shown)
