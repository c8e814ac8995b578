"""Read what fio prints: JSON (``--output-format=json`` or ``json+``), versions 2.1 to 3.42; else terse lines or text.

Specimen (3.33), one object per job or, with ``group_reporting``, per group::

    "jobs" : [ { "jobname" : "x", "groupid" : 0, "error" : 0, ..., "write" : {
        "io_bytes" : 85983232, "bw_bytes" : 677033322, "bw" : 661165, "iops" : 653.543307, "runtime" : 127, ...
        "clat_ns" : { "min" : 291785, ..., "percentile" : { "50.000000" : 317440, ... } }, ... } } ]

``bw`` is in KiB/s; ``runtime`` is in ms, the longest of the group; ``io_bytes`` is in KiB if ``io_kbytes`` is missing
(before 2.21); latencies are in ns if the key says so (since 2.99), else in us. ``bw_bytes`` came with 3.2, the job's
options with 2.3. Source: fio's ``stat.c``, ``add_ddir_status_json``; ``client.c``, ``handle_ts``.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools.fio import terse
from coldcache.tools.fio import text as printed_text
from coldcache.tools.fio.client_sum import read_sum
from coldcache.tools.fio.directions import SIDES, JobFacts, is_active, read_side
from coldcache.tools.fio.documents import Document, Job, find_documents, place, plain
from coldcache.tools.fio.duplicates import GroupRecords, drop_repeats, number_groups
from coldcache.tools.fio.one_run import refuse_other_runs
from coldcache.tools.fio.options import IDLE_ENGINES, PARTIAL, expected_sides
from coldcache.tools.fio.printed import records_of_runs
from coldcache.tools.fio.sections import count_processes, hide_sections, runs_longer

#: Name of the tool in campaigns that import its logs.
TOOL = "fio"

#: Words of which every log of this kind holds one.
WORDS = (b"fio", b"groupid")

#: What fio prints for an unknown remaining time, as in a run's first three seconds.
UNKNOWN_ETA = 2147483647

_FAILURE = re.compile(
    r"^[>| \t]*+(?:<[^>\n]{0,255}>[ \t]*+)?(fio: (?:terminating on signal|pid=[0-9]+, (?:err=|got signal)"
    r"|pid=[0-9]+ disappeared|io_u error|job '|job startup hung|[0-9]+ jobs? failed|client |failed |end_fsync failed"
    r"|first I/O failed|unable to |verify )[^\n]*"
    r"|(?:verify|trim): (?:bad|verify failed)[^\n]*|client <[^\n]*exited with error[^\n]*"
    r"|[^\n]{0,200}: rate_(?:iops_)?min=[^\n]* not met[^\n]*)",
    re.MULTILINE,
)
_TEXT = re.compile(rb"^[>| \t]*+(?:Run status group [0-9]+ |[0-9];fio-[0-9]|[^\n]{0,200}: \(groupid=)", re.MULTILINE)


def recognise(log: bytes) -> bool:
    """Return whether the log looks like fio's: JSON with its version or its jobs, or its text output."""
    if b'"fio version"' in log or (b'"jobname"' in log and b'"groupid"' in log):
        return True
    return any(word in log for word in WORDS) and _TEXT.search(log) is not None


def read(log: bytes) -> list[Record]:
    """Return every value of the jobs in fio's JSON; where there is none, in its terse lines or its text.

    Parameters
    ----------
    log : bytes
        One or more results, with any text before, after and between their lines.

    Returns
    -------
    list of Record
        Per job and side (read, write): ``throughput`` (B/s), ``rate`` (1/s), ``elapsed`` (s), ``count`` of calls,
        ``latency`` (s) with min, max, mean, stddev and percentiles, and the statistics of the samples over time.
        If a reporting group has several entries (no ``group_reporting``), each describes one process:
        ``throughput_per_process``. Metadata engines (``filecreate`` ...) have no throughput. Of several clients with
        the same job, the entry "All clients" gives the total of all. Reporting groups that measured an
        operation with the same factors, of one run or of several, differ in ``repetition``. An entry that sums up
        different jobs under the options of one of them carries ``pattern-unknown``, and no factors of that one. Of the
        results that ``--status-interval`` prints, all but the last are left out. Text gives neither latencies nor
        samples, which nothing else in it confirms; terse lines carry ``no-end-marker``.

    Raises
    ------
    LogError
        If the JSON is broken or cut short, fio or a job reports an error or a signal, a job moved nothing, or
        figures contradict each other.
    """
    try:
        documents, foreign = find_documents(log)
        return sorted([*_read_documents(log, documents, foreign), *read_sum(documents)], key=attrgetter("offset"))
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise LogError("fio's JSON is damaged: a key is missing, or has a value that does not belong there") from error


def _read_documents(log: bytes, documents: list[Document], foreign: list[str]) -> list[Record]:
    failure = next(filter(None, map(_FAILURE.search, foreign)), None)
    if failure:
        raise LogError(f"fio says {plain(failure[1])[:200]!r}: the run failed or was cut short")
    text = log.decode("latin-1")
    refuse_other_runs(text, documents)
    if not documents:
        return _read_printed(text)
    records = number_groups(group for document in drop_repeats(documents) for group in _read_jobs(document))
    if not records:
        raise LogError("fio's jobs moved nothing")
    return records


def _read_printed(text: str) -> list[Record]:
    """Return the values of fio's terse lines, or of its text where it has none."""
    found = terse.find_terse_runs(text) or printed_text.find_text_runs(text)
    if not found:
        raise LogError("no result of fio: the run was cut short before it printed one")
    return records_of_runs(found, text)


def _check_job(job: Job, text: str) -> None:
    """Raise `LogError` for a job that failed or did not finish."""
    values = {key: job.members[key].value for key in ("error", "total_err", "eta") if key in job.members}
    error, eta = values.get("error", 0), values.get("eta", 0)
    if error:
        reason = f" ({os.strerror(error)})" if isinstance(error, int) and 0 < error < 200 else ""
        why = f"ended with error {error}{reason}: its figures are void"
    elif values.get("total_err"):
        why = f"went on over {values['total_err']} errors: its figures are void"
    elif eta not in (0, UNKNOWN_ETA):
        why = f"had {eta} s to go: this is a status (--status-interval) and the result is missing"
    else:
        return
    raise LogError(f"{place(text, job.start)}: job {job.name[:60]!r} {why}")


def _check_copies(document: Document) -> None:
    """Raise `LogError` if two entries of a result state the same figures: its lines are repeated.

    Latencies distinguish entries; without them (``gtod_reduce``), times, bytes, context switches and processor time
    together do.
    """
    seen: set[tuple[str, ...]] = set()
    for job in document.jobs:
        has_latencies = False
        sides = [(name, job.members[name].value) for name in SIDES if name in job.members]
        for name, side in sides:
            for kind in ("clat_ns", "lat_ns", "clat", "lat"):
                latency = side.get(kind) if isinstance(side, dict) else None
                if isinstance(latency, dict) and latency.get("stddev"):
                    figures = (name, kind, *map(str, (latency.get(key) for key in ("min", "max", "mean", "stddev"))))
                    if figures in seen:
                        raise _copied(document, job, "the same latencies as a job before it")
                    seen.add(figures)
                    has_latencies = True
        if not has_latencies and any(is_active(side) for _, side in sides):
            entry = ("", repr(sorted(job.values.items())))
            if entry in seen:
                raise _copied(document, job, "what a job before it states, to the last figure")
            seen.add(entry)


def _copied(document: Document, job: Job, what: str) -> LogError:
    where = place(document.text, job.start)
    return LogError(f"{where}: job {job.name[:60]!r} states {what}: lines appear twice")


def _count_threads(jobs: list[Job]) -> dict[int, int | None]:
    """Return the processes that share a reporting group with each entry; raise `LogError` if entries are missing."""
    entries = Counter(job.group for job in jobs)
    clones = Counter((job.group, job.name) for job in jobs)
    threads: dict[int, int | None] = {}
    for job in jobs:
        count = count_processes(job)
        if entries[job.group] > 1:
            there = clones[job.group, job.name]
            if count and there % count:
                raise LogError(f"{there} of {count} processes of job {job.name[:60]!r} are there: the log is cut")
            threads[job.start] = entries[job.group]
        elif job.options is None or PARTIAL in job.options or runs_longer(job):
            threads[job.start] = None
        else:
            threads[job.start] = count
    return threads


def _read_jobs(document: Document) -> Iterable[GroupRecords]:
    """Return the values of each reporting group of one result; those of all clients are in the groups of one run."""
    if len(document.jobs) > 1:
        _check_copies(document)
    entries = Counter(job.group for job in document.jobs)
    jobs = [hide_sections(job) if entries[job.group] == 1 else job for job in document.jobs]
    threads = _count_threads(jobs)
    hosts = {job.group[:-1] for job in jobs}
    groups: dict[Any, GroupRecords] = {}
    for job in jobs:
        _check_job(job, document.text)
        origin = JobFacts(
            document.text, document.version, job.name, job.options, threads[job.start],
            entries[job.group] == 1, len(hosts) if hosts != {()} else None,
        )  # fmt: skip
        options = job.options or {}
        if options.get("ioengine") in IDLE_ENGINES:
            continue
        sides = [side for side in SIDES if side in job.members and is_active(job.members[side].value)]
        missing = set(expected_sides(options)).difference(sides) if options and "mixed" not in sides else set()
        if missing or not sides:
            what = " and ".join(sorted(missing)) or "I/O"
            raise LogError(f"{place(document.text, job.start)}: job {job.name[:60]!r} did no {what}: it failed")
        group = groups.setdefault(job.group[-1], GroupRecords((), []))
        if job.options is None or PARTIAL in job.options:
            groups[job.group[-1]] = group = group._replace(jobs=(*group.jobs, job.name))
        for side in sorted(sides, key=lambda side: job.members[side].start):
            group.records.extend(read_side(origin, side, job.members[side]))
    return groups.values()
