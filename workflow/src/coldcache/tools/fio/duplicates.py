"""Detect results in a log of fio that repeat each other, and number those that do so on purpose.

A log may hold several runs, several jobs of one run with the same factors, intermediate states of a run
(``--status-interval``), or one text pasted twice.
Source: fio's ``stat.c``, ``__show_running_run_stats``; ``eta.c``, ``calc_thread_status``.
"""

from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools.fio.documents import Document, longest_run, place
from coldcache.tools.fio.options import is_job_done, take_number
from coldcache.tools.repetitions import number_runs


class GroupRecords(NamedTuple):
    """What one reporting group of one run states.

    Attributes
    ----------
    jobs : tuple of str
        The names of its jobs if their options are unknown: nothing else tells such groups apart. Otherwise empty.
    records : list of Record
        Its values.
    """

    jobs: tuple[str, ...]
    records: list[Record]


def number_groups(groups: Iterable[GroupRecords]) -> list[Record]:
    """Return the records of all groups, in the order of the log.

    Groups that measured one operation with the same factors, of one run or of several, differ in ``repetition``.
    """
    alike: dict[tuple[str, ...], list[list[Record]]] = {}
    for group in groups:
        alike.setdefault(group.jobs, []).append(group.records)
    return sorted((record for runs in alike.values() for record in number_runs(runs)), key=attrgetter("offset"))


def drop_repeats(documents: list[Document]) -> list[Document]:
    """Return the results without repeated texts and intermediate states.

    Raises
    ------
    LogError
        If results of the same jobs have no time, so that a state looks like a repetition, or if only a state is left.
    """
    kept: list[Document] = []
    ends_of_states, seen = set(), set()
    for document in documents:
        figures = repr(document.figures()) if len(documents) > 1 else ""
        if figures in seen:
            continue
        seen.add(figures)
        if kept and kept[-1].signature() == document.signature() and _is_state_of(kept[-1], document):
            ends_of_states.add(document.start)
            kept.pop()
        kept.append(document)
    for document in kept:
        _check_end(document, document.start in ends_of_states)
    return kept


def _check_end(document: Document, has_states: bool) -> None:
    """Raise `LogError` if a result is an intermediate state of unfinished jobs.

    Flags such as ``exitall`` and ``time_based`` are not printed, so a job that ended early counts as a state only if
    the log has other states, or if none of the jobs finished.
    """
    entries, slack = Counter(job.group for job in document.jobs), 0.0 if has_states else 0.05
    # Without group_reporting each process has its own entry.
    done = [is_job_done(job.options, job.values, slack, entries[job.group] > 1) for job in document.jobs]
    if done and (all(state is False for state in done) if not has_states else not all(done)):
        job = document.jobs[next(number for number, state in enumerate(done) if not state)]
        raise LogError(
            f"{place(document.text, job.start)}: job {job.name[:60]!r} had reached neither its size nor its runtime:"
            " this is a status (--status-interval) and the result is missing"
        )


def _is_state_of(earlier: Document, later: Document) -> bool:
    """Return whether the earlier result is an intermediate state of the same run as the later one."""
    starts = [{take_number(job.values, "job_start") for job in document.jobs} for document in (earlier, later)]
    if 0 not in starts[0] | starts[1]:
        return bool(starts[0] & starts[1])
    ages = _age(earlier), _age(later)
    times = _time(earlier), _time(later)
    if ages[0] is None or ages[1] is None or times[0] is None or times[1] is None:
        where = place(later.text, later.start)
        raise LogError(f"{where}: a second result of the same jobs without a time: a status or a repetition?")
    between = times[1] - times[0]
    if abs(between - (ages[1] - ages[0])) > 1:
        return False
    # Both started within one second: two short runs, unless the later one was running when the earlier was printed.
    return ages[0] >= 3 or max(map(longest_run, later.jobs)) > between


def _time(document: Document) -> float | None:
    """Return when a result was printed, in s since the epoch; None if it does not say."""
    for key, unit in (("timestamp_ms", 1000), ("timestamp", 1)):
        if key in document.members:
            return take_number({key: document.members[key].value}, key) / unit or None
    return None


def _age(document: Document) -> float | None:
    """Return how long fio had been running, in whole s, rounded up; None if it does not say."""
    return max((take_number(job.values, "elapsed") for job in document.jobs), default=0) or None
