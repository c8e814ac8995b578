"""`python -m coldcache compare`: print a comparison, and write it to files."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from coldcache.core.errors import CampaignError
from coldcache.core.units import show_rate
from coldcache.report.comparison.compare import (
    CampaignComparison,
    CampaignPair,
    compare_campaigns,
    show_decision_ratio,
    show_smallest,
)
from coldcache.report.comparison.decisions import DECISIONS
from coldcache.report.comparison.differences import name_cause
from coldcache.report.comparison.junit import write_junit
from coldcache.report.comparison.markdown import write_markdown
from coldcache.report.site.format import show_period
from coldcache.report.site.pages import COMPARISON

_COLOURS = {"worse": "red", "better": "green", "alike": "", "undecided": "yellow"}

#: Width of the output if it is not a terminal, in characters.
_WIDTH = 160


def print_comparison(
    names: Sequence[str], threshold: float, metric: str, junit: Path | None, markdown: Path | None, page: bool = False
) -> int:
    """Print the comparison of campaigns, and write it to files.

    Parameters
    ----------
    names, threshold, metric
        As for `compare_campaigns`.
    junit, markdown : Path or None
        Files to write as JUnit XML and as Markdown.
    page : bool
        Whether to add a page to the report of the last campaign when it is next rendered.

    Returns
    -------
    int
        1 if a case became worse by more than the threshold or was lost, else 0.

    Raises
    ------
    CampaignError
        As `compare_campaigns`; or if a file to write is a folder.
    """
    written = {path: write for path, write in ((junit, write_junit), (markdown, write_markdown)) if path is not None}
    for path in written:
        if path.is_dir():
            raise CampaignError(f"compare: {path} is a folder; name a file in it")
    comparison = compare_campaigns(names, threshold, metric)
    if page:
        written[Path("results", comparison.sides[-1].name, COMPARISON)] = write_markdown
    _print(comparison)
    for path, write in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write(comparison), encoding="utf-8")
    return 1 if comparison.regressions else 0


def _print(comparison: CampaignComparison) -> None:
    console = Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)
    console.print(_tabulate_differences(comparison))
    console.print(Text(name_cause(comparison.differences)), soft_wrap=True)
    for pair in comparison.pairs:
        console.print()
        console.print(_tabulate_cases(pair))
        for case in pair.unmatched:
            console.print(Text(f"not compared: {case.name}: {case.reason}"), soft_wrap=True)
        console.print(Text(pair.finding(comparison.threshold)), soft_wrap=True)


def _tabulate_differences(comparison: CampaignComparison) -> Table:
    table = Table(title="What else differs", title_justify="left")
    for name in ("", *(side.name for side in comparison.sides)):
        table.add_column(Text(name), overflow="fold")
    table.add_row("measured", *(show_period(*side.period()) for side in comparison.sides))
    counts = (f"{side.counted()} of {len(side.trials)}" for side in comparison.sides)
    table.add_row("trials that count", *counts, end_section=True)
    for found in comparison.differences:
        table.add_row(Text(f"{found.group}: {found.name}"), *map(Text, found.values))
    return table


def _tabulate_cases(pair: CampaignPair) -> Table:
    table = Table(title=Text(f"{pair.other} against {pair.base}"), title_justify="left")
    for name in ("Case", "Figure", pair.base, pair.other, "Ratio", "Verdict", "Would have shown"):
        table.add_column(Text(name), justify="left", overflow="fold")
    for verdict in DECISIONS:
        for decision in pair.of(verdict):
            case = decision.case
            note = Text(f"{case.name}\n{case.note}" if case.note else case.name)
            values = (show_rate(value, case.unit) for value in (decision.base, decision.other))
            table.add_row(
                note, case.metric.replace("_", " "), *values, show_decision_ratio(decision),
                Text(verdict, style=_COLOURS[verdict]), show_smallest(decision),
            )  # fmt: skip
    return table
