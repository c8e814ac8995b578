"""Read the total of all clients of a client/server run, as fio's client sums it up.

Specimen (3.33), the last entry of ``client_stats``, with the host of the client that ended last::

    { "jobname" : "All clients", "groupid" : 0, "error" : 0, ..., "hostname" : "n1", "port" : 8765,
      "write" : { "io_bytes" : 4194304, "bw_bytes" : 838860800, "iops" : 12800.0, "runtime" : 5, ... } }

Its rate is the bytes of all clients over the longest of their run times. Source: fio's ``client.c``, ``handle_ts``.
"""

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools.fio.directions import SIDES, JobFacts, is_active, read_side
from coldcache.tools.fio.documents import find_documents

_SUM = b'"All clients"'

#: A name of the same length, under which the entry is not skipped as a repetition of the clients.
_TAKEN = b'"all clients"'

#: Options in which all jobs must agree.
_ALIKE = ("rw", "bs", "ioengine", "iodepth", "direct")


def read_sum(log: bytes) -> list[Record]:
    """Return every value that fio's client states for all its clients together.

    None if it had one client, or if jobs of different patterns, sizes or depths are summed up, which is no rate of any.

    Parameters
    ----------
    log : bytes
        What `parse.read` reads.

    Raises
    ------
    LogError
        If all clients together moved nothing.
    """
    if _SUM not in log:
        return []
    document = find_documents(log.replace(_SUM, _TAKEN))[0][-1]
    clients = [job for job in document.jobs if job.name != _TAKEN.decode().strip('"')]
    kinds = {tuple(str((job.options or {}).get(key)) for key in _ALIKE) for job in clients}
    if len({job.group[:-1] for job in clients}) < 2 or len(kinds) > 1:
        return []
    whole = next(job for job in document.jobs if job not in clients)
    options = dict(clients[0].options or {})
    counts = [(job.options or {}).get("numjobs", "1") for job in clients]
    options["numjobs"] = str(sum(map(int, counts)))
    origin = JobFacts(
        document.text, document.version, whole.name, options, int(options["numjobs"]), True, None
    )  # fmt: skip
    sides = [side for side in SIDES if side in whole.members and is_active(whole.members[side].value)]
    if not sides:
        raise LogError("all clients together did no I/O: the run failed")
    return [record for side in sides for record in read_side(origin, side, whole.members[side])]
