"""Read the total of all clients of a client/server run, as fio's client sums it up.

Specimen (3.33), the last entry of ``client_stats``, with the host of the client that ended last::

    { "jobname" : "All clients", "groupid" : 0, "error" : 0, ..., "hostname" : "n1", "port" : 8765,
      "write" : { "io_bytes" : 4194304, "bw_bytes" : 838860800, "iops" : 12800.0, "runtime" : 5, ... } }

Its rate is the bytes of all clients over the longest of their run times. Source: fio's ``client.c``, ``handle_ts``.
"""

from collections import Counter

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools.fio.directions import SIDES, JobFacts, is_active, read_side
from coldcache.tools.fio.documents import Document, Job, list_with_sums
from coldcache.tools.fio.duplicates import drop_repeats
from coldcache.tools.fio.options import IDLE_ENGINES, PARTIAL
from coldcache.tools.fio.sections import count_processes, sums_up_sections
from coldcache.tools.repetitions import number_runs

#: Options in which all jobs must agree.
_ALIKE = ("rw", "bs", "ioengine", "iodepth", "direct")


def read_sum(documents: list[Document]) -> list[Record]:
    """Return every value that fio's client states for all its clients together, of each run in the log.

    None of a run with one client, or in which jobs of different or unknown patterns, sizes or depths are summed up,
    which is no rate of any, nor of engines that move no data.

    Parameters
    ----------
    documents : list of Document
        The results in a log, as `find_documents` returns them.

    Returns
    -------
    list of Record
        In the order of the log. Totals of runs with the same factors differ in ``repetition``.

    Raises
    ------
    LogError
        If all clients together moved nothing.
    """
    if not any("client_stats" in document.members for document in documents):
        return []
    entries = {document.start: list_with_sums(document) for document in documents}
    totals: list[list[Record]] = []
    for document in drop_repeats(documents):
        # Under its new name the sum would be the last entry of its host, and so make the options of others unsure.
        clients = {job.start for job in document.jobs}
        totals += [_read_total(document, job) for job in entries[document.start] if job.start not in clients]
    return number_runs(totals)


def _read_total(document: Document, whole: Job) -> list[Record]:
    """Return the values of the entry that sums up the clients of one run."""
    if len({job.group[:-1] for job in document.jobs}) < 2:
        return []
    entries = Counter(job.group for job in document.jobs)
    alone = [job for job in document.jobs if entries[job.group] == 1]
    kinds = {tuple(str((job.options or {}).get(key)) for key in _ALIKE) for job in document.jobs}
    options = document.jobs[0].options or {}
    is_mixed = len(kinds) > 1 or any(job.options is None for job in document.jobs) or any(map(sums_up_sections, alone))
    if is_mixed or options.get("ioengine") in IDLE_ENGINES:
        return []
    # Without group_reporting each process has its own entry.
    counts = [count for count in entries.values() if count > 1]
    counts += [count_processes(job) or 0 for job in alone]
    threads = sum(counts) if all(counts) and PARTIAL not in options else None
    origin = JobFacts(document.text, document.version, whole.name, options, threads, True, None)
    sides = [side for side in SIDES if side in whole.members and is_active(whole.members[side].value)]
    if not sides:
        raise LogError("all clients together did no I/O: the run failed")
    return [record for side in sides for record in read_side(origin, side, whole.members[side])]
