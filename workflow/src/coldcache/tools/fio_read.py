"""Read the JSON that fio prints (``--output-format=json`` or ``json+``), versions 2.1 to 3.42.

Specimen (3.33), one object per job or, with ``group_reporting``, per group::

    "jobs" : [ { "jobname" : "x", "groupid" : 0, "error" : 0, ..., "write" : {
        "io_bytes" : 85983232, "bw_bytes" : 677033322, "bw" : 661165, "iops" : 653.543307, "runtime" : 127, ...
        "clat_ns" : { "min" : 291785, ..., "percentile" : { "50.000000" : 317440, ... } }, ... } } ]

``bw`` is KiB/s, ``runtime`` ms and the longest of the group; ``io_bytes`` is KiB where ``io_kbytes`` is missing (before
2.21); latencies are ns where the key says so (from 2.99 on), else microseconds. ``bw_bytes`` came with 3.2, the job's
options with 2.3. Source: fio's ``stat.c``, ``add_ddir_status_json``; ``client.c``, ``handle_ts``.
"""

import os
import re
from collections import Counter
from typing import Any, NamedTuple

from coldcache.errors import LogError
from coldcache.records import Record
from coldcache.tools.fio_job import expected_sides, merge_options
from coldcache.tools.fio_side import SIDES, Origin, is_active, read_side
from coldcache.tools.json_offsets import Member, scan_document

#: What fio prints for a time to go that it does not know.
UNKNOWN_ETA = 2147483647

_LISTS = ("jobs", "client_stats")
_ROOT = re.compile(
    rb'\{\s*"(?:fio version|timestamp|timestamp_ms|time|global options|jobs|client_stats|disk_util)"\s*:'
)
_VERSION = re.compile(r"fio[- ]([23]\.[0-9]+\S*)")
_FAILURE = re.compile(
    r"^[>| \t]*+(fio: (?:terminating on signal|pid=[0-9]+, (?:err=|got signal)|pid=[0-9]+ disappeared|io_u error"
    r"|job '|job startup hung|[0-9]+ jobs? failed|client |failed |end_fsync failed|first I/O failed"
    r"|unable to |verify )[^\n]*"
    r"|(?:verify|trim): (?:bad|verify failed)[^\n]*|client <[^\n]*exited with error[^\n]*"
    r"|[^\n]{0,200}: rate_(?:iops_)?min=[^\n]* not met[^\n]*)",
    re.MULTILINE,
)
_TEXT = re.compile(rb"^[>| \t]*+(?:Run status group [0-9]+ |[0-9];fio-[0-9]|[^\n]{0,200}: \(groupid=)", re.MULTILINE)


class _Job(NamedTuple):
    """One entry of ``jobs`` or ``client_stats``."""

    members: dict[str, Member]
    start: int
    name: str
    group: tuple[Any, ...]
    options: dict[str, str] | None


class _Document(NamedTuple):
    """One result of fio, with the text in which its positions count."""

    text: str
    members: dict[str, Member]
    start: int
    version: str | None
    jobs: list[_Job]


def recognise(log: bytes) -> bool:
    """Return whether the log looks like fio's: JSON with its version or its jobs, or its text output."""
    if b'"fio version"' in log or (b'"jobname"' in log and b'"groupid"' in log):
        return True
    return (b"fio" in log or b"groupid" in log) and _TEXT.search(log) is not None


def read(log: bytes) -> list[Record]:
    """Return every value of the jobs in fio's JSON.

    Parameters
    ----------
    log : bytes
        One or more results, with any text before, after and between their lines.

    Returns
    -------
    list of Record
        Per job and side (read, write): ``throughput`` (B/s), ``rate`` (1/s), ``elapsed`` (s), ``count`` of calls,
        ``latency`` (s) with min, max, mean, stddev and percentiles, and the statistics of the samples over time.
        Where a reporting group holds several entries (no ``group_reporting``), each states one process:
        ``throughput_per_process``. Engines of names (``filecreate`` ...) have no throughput. The "All clients" entry
        repeats the clients and is left out, as are all but the last of the results that ``--status-interval`` prints.

    Raises
    ------
    LogError
        If the JSON is broken or cut short, fio or a job reports an error or a signal, a job moved nothing, or
        figures contradict each other; and for fio's text and terse output, which round their figures.
    """
    text = log.decode("latin-1")
    documents, foreign = _find_documents(log, text)
    failure = next(filter(None, map(_FAILURE.search, foreign)), None)
    if failure:
        raise LogError(f"fio says {_plain(failure[1])[:120]!r}: the run failed or was cut short")
    if not documents:
        raise LogError("no JSON of fio: its text and terse outputs are not read; run it with --output-format=json")
    if len(documents) > 1:
        documents = _drop_repeats(documents)
    records: list[Record] = []
    for document, repetition in zip(documents, _number_repetitions(documents), strict=True):
        _read_jobs(document, repetition, records)
    if not records:
        raise LogError("fio's jobs moved nothing")
    return records


def _number_repetitions(documents: list[_Document]) -> list[int | None]:
    """Return for each result which repetition of its jobs it is, from 0; None where there is but one."""
    signatures = [_signature(document) for document in documents] if len(documents) > 1 else [()]
    runs, done = Counter(signatures), Counter[tuple[Any, ...]]()
    numbers: list[int | None] = []
    for signature in signatures:
        numbers.append(done[signature] if runs[signature] > 1 else None)
        done[signature] += 1
    return numbers


def _find_documents(log: bytes, text: str) -> tuple[list[_Document], list[str]]:
    """Return the results in a log, and the texts around them."""
    documents, foreign, end = [], [], 0
    for root in _ROOT.finditer(log):
        start = root.start()
        if start < end:
            continue
        members, after, clean = scan_document(text, start, _LISTS)
        if "jobs" not in members and "client_stats" not in members:
            if "fio version" in members:
                raise LogError(f"{_place(text, start)}: the result holds no jobs")
            continue
        foreign.append(text[end:start])
        if clean is not text:
            foreign.append(text[start:after])
        end = after
        documents.append(_Document(clean, members, start, _version(members), _jobs(members, text)))
    foreign.append(text[end:])
    return documents, foreign


def _version(members: dict[str, Member]) -> str | None:
    """Return fio's version, None where it is not printed; raise `LogError` for one that is not known."""
    if "fio version" not in members:
        return None
    match = _VERSION.fullmatch(str(members["fio version"].value))
    if not match:
        raise LogError(
            f"fio version {_plain(str(members['fio version'].value))[:40]!r} is not known: 2.1 to 3.x are read"
        )
    return match[1]


def _jobs(members: dict[str, Member], text: str) -> list[_Job]:
    """Return the entries of a result that are not the sum of others."""
    general = members["global options"].value if "global options" in members else None
    jobs = []
    for key in _LISTS:
        if key not in members:
            continue
        if not isinstance(members[key].value, list):
            raise LogError(f"{_place(text, members[key].start)}: {key} is no list")
        for entry in members[key].value:
            job = entry.value
            if not isinstance(job, dict) or "jobname" not in job:
                raise LogError(f"{_place(text, entry.start)}: a job without a name")
            name = _plain(str(job["jobname"].value))
            if key == "client_stats" and name == "All clients":
                continue
            own = job["job options"].value if "job options" in job else None
            known = isinstance(own, dict) or isinstance(general, dict)
            options = merge_options(general or {}, own or {}) if known else None
            host = tuple(job[part].value for part in ("hostname", "port") if part in job)
            group = (*host, job["groupid"].value if "groupid" in job else 0)
            jobs.append(_Job(job, entry.start, name, group, options))
    return jobs


def _signature(document: _Document) -> tuple[Any, ...]:
    """Return what two results of the same jobs have in common."""
    return tuple((job.name, *map(str, job.group), *sorted((job.options or {}).items())) for job in document.jobs)


def _drop_repeats(documents: list[_Document]) -> list[_Document]:
    """Return the results without those that another one repeats: a text pasted twice, or a status in between.

    Raises
    ------
    LogError
        If results of the same jobs bear no time, so that a status cannot be told from a repetition.
    """
    kept: list[_Document] = []
    for document in documents:
        if any(_figures(document) == _figures(known) for known in kept):
            continue
        if kept and _signature(kept[-1]) == _signature(document):
            earlier, later = _began(kept[-1]), _began(document)
            if earlier is None or later is None:
                place = _place(document.text, document.start)
                raise LogError(f"{place}: a second result of the same jobs without a time: a status or a repetition?")
            if abs(earlier - later) <= 1:
                kept.pop()
        kept.append(document)
    return kept


def _figures(document: _Document) -> list[dict[str, Any]]:
    """Return all that a result says of its jobs, to tell a repeated text from a second measurement."""
    return [{key: member.value for key, member in job.members.items()} for job in document.jobs]


def _began(document: _Document) -> float | None:
    """Return when the jobs of a result began, in s since the epoch; None where it is not printed."""
    times = [document.members[key].value for key in ("timestamp",) if key in document.members]
    times += [job.members["elapsed"].value for job in document.jobs if "elapsed" in job.members]
    if len(times) < 2 or not all(isinstance(time, (int, float)) for time in times):
        return None
    return times[0] - max(times[1:])


def _check_job(job: _Job, text: str) -> None:
    """Raise `LogError` for a job that failed or is not done."""
    values = {key: job.members[key].value for key in ("error", "total_err", "eta") if key in job.members}
    where = f"{_place(text, job.start)}: job {job.name[:60]!r}"
    error = values.get("error", 0)
    if error:
        reason = f" ({os.strerror(error)})" if isinstance(error, int) and 0 < error < 200 else ""
        raise LogError(f"{where} ended with error {error}{reason}: its figures are void")
    if values.get("total_err"):
        raise LogError(f"{where} went on over {values['total_err']} errors: its figures are void")
    eta = values.get("eta", 0)
    if eta not in (0, UNKNOWN_ETA):
        raise LogError(f"{where} had {eta} s to go: this is a status (--status-interval) and the result is missing")


def _count_threads(jobs: list[_Job]) -> dict[int, int | None]:
    """Return the processes that share a reporting group with each entry; raise `LogError` if entries are missing."""
    entries = Counter(job.group for job in jobs)
    clones = Counter((job.group, job.name) for job in jobs)
    threads: dict[int, int | None] = {}
    for job in jobs:
        words = (job.options or {}).get("numjobs", "1")
        count = int(words) if words.isdecimal() and len(words) < 10 else None
        if entries[job.group] > 1:
            there = clones[job.group, job.name]
            if count and there % count:
                raise LogError(f"{there} of {count} processes of job {job.name[:60]!r} are there: the log is cut")
            threads[job.start] = entries[job.group]
        else:
            threads[job.start] = count if job.options is not None else None
    return threads


def _read_jobs(document: _Document, repetition: int | None, records: list[Record]) -> None:
    """Append the values of one result to `records`."""
    threads = _count_threads(document.jobs)
    entries = Counter(job.group for job in document.jobs)
    hosts = {job.group[:-1] for job in document.jobs}
    for job in document.jobs:
        _check_job(job, document.text)
        origin = Origin(
            document.text, document.version, repetition, job.name, job.options, threads[job.start],
            entries[job.group] == 1, len(hosts) if hosts != {()} else None,
        )  # fmt: skip
        sides = [side for side in SIDES if side in job.members and is_active(job.members[side].value)]
        missing = set(expected_sides(job.options)).difference(sides) if job.options and "mixed" not in sides else set()
        engine = (job.options or {}).get("ioengine")
        if missing or (not sides and engine != "cpuio"):
            what = " and ".join(sorted(missing)) or "I/O"
            raise LogError(f"{_place(document.text, job.start)}: job {job.name[:60]!r} did no {what}: it failed")
        for side in sides:
            records += read_side(origin, side, job.members[side].start)


def _place(text: str, offset: int) -> str:
    """Return the number of the line that holds a byte, for a message."""
    return f"line {text.count(chr(10), 0, offset) + 1}"


def _plain(text: str) -> str:
    """Return a text of the log, which is decoded as Latin-1, as its author wrote it."""
    return text.encode("latin-1", "replace").decode("utf-8", "replace").strip()
