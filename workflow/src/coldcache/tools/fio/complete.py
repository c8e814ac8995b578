"""Check that the results that fio prints as text are complete: no entry of a run is lost, swapped or there twice.

A run's first lines name its jobs, its last lines sum up each group, and each entry states its process.
Source: fio's ``stat.c``, ``__show_run_stats``.
"""

import re
from itertools import groupby
from typing import Any

from coldcache.core.errors import LogError
from coldcache.tools.fio.documents import place
from coldcache.tools.fio.printed import FioRun, Side


def check_jobs(text: str, run: FioRun) -> None:
    """Raise `LogError` unless the jobs that a run describes are those whose results it has, in the same order."""
    groups = {entry.group for entry in run.entries} | {group for _, group in run.described}
    for group in sorted(groups) if run.described else ():
        described = [name for name, of in run.described if of == group]
        entries = [entry for entry in run.entries if entry.group == group]
        names = [name for name, _ in groupby(entry.name for entry in entries)]
        # One entry of several processes sums up all jobs of its group under the name of the first.
        is_sum = len(entries) == 1 and names == described[:1] and (entries[0].jobs or 1) >= len(described)
        if names != described and not is_sum:
            where = f"{place(text, entries[0].start)}: " if entries else ""
            raise LogError(
                f"{where}the results of group {group} are not those of the jobs that the first lines name, in their"
                " order: the run was cut short, or lines are swapped"
            )


def check_groups(text: str, run: FioRun) -> None:
    """Raise `LogError` unless each side of each group has its total, and the total follows from the entries."""
    found: dict[tuple[int, str], list[Side]] = {}
    for entry in run.entries:
        for side in entry.sides:
            found.setdefault((entry.group, side.name), []).append(side)
    for (group, name), sides in found.items():
        total = run.totals.get((group, name))
        if total is None:
            where = place(text, sides[0].start)
            raise LogError(f"{where}: group {group} has no total of {name} (Run status group): the log is cut short")
        times = [side.elapsed.value for side in sides]
        moved, slack = sum(side.moved for side in sides), sum(side.slack for side in sides)
        rate = total.bandwidth
        if (
            (min(times), max(times)) != (total.shortest, total.longest)
            or abs(moved - total.moved) > slack + total.slack
            or abs(rate.value * total.longest - total.moved) > rate.slack * total.longest + total.slack
        ):
            raise LogError(
                f"{place(text, rate.start)}: the total of group {group} contradicts its jobs: a job is missing, "
                "or a digit is lost"
            )
    if run.totals.keys() - found.keys():
        start = next(run.totals[key].bandwidth.start for key in run.totals if key not in found)
        raise LogError(f"{place(text, start)}: a total of what no job did: the log is cut short")


def drop_copies(text: str, runs: list[FioRun], heads: list[list[re.Match[str]]]) -> list[FioRun]:
    """Return the runs with entries, each once; raise `LogError` if two that differ have a process in common.

    `heads` has the first line of each entry of each run, as matches with name, group and process in groups 1, 2 and 5.
    """
    kept: list[FioRun] = []
    seen: set[Any] = set()
    processes: set[Any] = set()
    for run, of_run in zip(runs, heads, strict=True):
        printed = [figure.digits for entry in run.entries for side in entry.sides for figure in side.figures]
        key = (tuple(head[0] for head in of_run), tuple(printed))
        if not run.entries or key in seen:
            continue
        for head in of_run:
            process = head.group(1, 2, 5)
            if process in processes:
                raise LogError(
                    f"{place(text, head.start())}: a second result of process {head[5]}: lines are there twice, or"
                    " the first is a status (--status-interval); put each run into a file of its own"
                )
            processes.add(process)
        seen.add(key)
        kept.append(run)
    return kept
