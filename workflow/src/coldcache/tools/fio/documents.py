"""Find the results in a log of fio: JSON documents, and the jobs in them with their options.

Source: fio's ``stat.c``, ``__show_run_stats``; ``client.c``, ``handle_ts`` and ``handle_job_opt``.
"""

import re
from operator import attrgetter
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.tools.fio.options import PARTIAL, merge_options, take_number
from coldcache.tools.json_offsets import Member, scan_document, scan_object

_LISTS = ("jobs", "client_stats")
_START = attrgetter("start")

#: The name of a sum, where it is not left out.
_TAKEN = "all clients"
_ROOT = re.compile(
    r'\{[\s>|]*+"(?:fio version|timestamp|timestamp_ms|time|global options|jobs|client_stats|disk_util)"\s*:'
)
_VERSION = re.compile(r"fio[- ]([23]\.[0-9]+\S*)")
# The lines that a client, or fio with two output formats, prints about a job before it starts.
_DESCRIPTION = re.compile(
    r"^(?:<[^>\n]{0,255}>[ \t]*+)?([^\n]{1,255}): \(g=([0-9]{1,9})\): rw=([a-z]{1,16}), [^\n]{0,255}"
    r"ioengine=([a-z0-9_-]{1,64}), iodepth=([0-9]{1,9})",
    re.MULTILINE,
)


class Job(NamedTuple):
    """One entry of ``jobs`` or ``client_stats``.

    Attributes
    ----------
    members : dict of Member
        The members of its JSON.
    start : int
        Where the entry begins.
    name : str
        The job's name.
    group : tuple
        Host and port of the client, if any, and the number of the reporting group.
    options : dict or None
        The options in force; None if they are unknown.
    values : dict
        The entry as plain JSON.
    """

    members: dict[str, Member]
    start: int
    name: str
    group: tuple[Any, ...]
    options: dict[str, str] | None
    values: dict[str, Any]


_Described = dict[tuple[str, int], dict[str, str] | None]


class Document(NamedTuple):
    """One result of fio, with the text that its positions refer to.

    Attributes
    ----------
    text : str
        The log, one character per byte.
    members : dict of Member
        The members of its JSON.
    start : int
        Where it begins.
    version : str or None
        fio's version.
    described : dict
        The options that the text around it states for a job and its group.
    jobs : list of Job
        Its entries, without those that sum up others.
    """

    text: str
    members: dict[str, Member]
    start: int
    version: str | None
    described: _Described
    jobs: list[Job]

    def signature(self) -> tuple[Any, ...]:
        """Return a key that two results of the same jobs share."""
        return tuple((job.name, *map(str, job.group), *sorted((job.options or {}).items())) for job in self.jobs)

    def figures(self) -> list[dict[str, Any]]:
        """Return all figures of the result, to distinguish a repeated text from a second measurement."""
        return [job.values for job in self.jobs]


def find_documents(log: bytes) -> tuple[list[Document], list[str]]:
    """Return the results in a log, and the texts around and between their lines.

    Raises
    ------
    LogError
        If a document is broken, cut short, without jobs, or from an unknown version.
    """
    text = log.decode("latin-1")
    found: list[tuple[str, dict[str, Member], int]] = []
    foreign: list[str] = []
    end, root = 0, _ROOT.search(text)
    while root:
        start = root.start()
        members, after, clean = scan_document(text, start, _LISTS)
        is_result = "jobs" in members or "client_stats" in members
        if not is_result and "fio version" in members:
            raise LogError(f"{place(text, start)}: the result holds no jobs")
        if is_result:
            foreign.append(text[end:start])
            if clean is not text:
                foreign.append(text[start:after])
            end = after
            found.append((clean, members, start))
        root = _ROOT.search(text, after if is_result else start + 1)
    foreign.append(text[end:])
    described = _describe(foreign)
    return [
        Document(clean, members, start, _version(members), described, _jobs(members, clean, described))
        for clean, members, start in found
    ], foreign


def _describe(foreign: list[str]) -> _Described:
    """Return the options that the text states for a job and its group; None if it states two versions of them."""
    described: _Described = {}
    for text in foreign:
        for match in _DESCRIPTION.finditer(text) if "(g=" in text else ():
            options = {"rw": match[3], "ioengine": match[4], "iodepth": match[5], PARTIAL: ""}
            job = (plain(match[1]), int(match[2]))
            described[job] = options if described.get(job, options) == options else None
    return described


def _version(members: dict[str, Member]) -> str | None:
    """Return fio's version, None if it is not printed; raise `LogError` for an unknown version."""
    if "fio version" not in members:
        return None
    match = _VERSION.fullmatch(str(members["fio version"].value))
    if not match:
        raise LogError(
            f"fio version {plain(str(members['fio version'].value))[:40]!r} is not known: 2.1 to 3.x are read"
        )
    return match[1]


def list_with_sums(document: Document) -> list[Job]:
    """Return the entries of a result and the sums of all clients, these under a name that no client has."""
    return _jobs(document.members, document.text, document.described, with_sums=True)


def _jobs(members: dict[str, Member], text: str, described: _Described, with_sums: bool = False) -> list[Job]:
    """Return the entries of a result, without those that sum up others unless they are asked for."""
    jobs = []
    for key in _LISTS:
        if key not in members:
            continue
        entries = [_entry(entry, text) for entry in members[key].value]
        if key == "client_stats":
            if with_sums:
                entries = [job._replace(name=_TAKEN) if _names_sum(job, text) else job for job in entries]
            entries = [job for job in entries if job.name != "All clients"]
        shared = members.get("global options")
        for job in entries:
            own = job.members["job options"].value if "job options" in job.members else None
            general = shared.value if shared else None
            if key == "client_stats":
                general = _of_client(shared, job, text)
            known = isinstance(own, dict) or isinstance(general, dict)
            is_sure = known and (key == "jobs" or _is_sure(entries, job))
            options = merge_options(general or {}, own or {}) if is_sure else described.get((job.name, job.group[-1]))
            jobs.append(job._replace(options=options))
    return sorted(jobs, key=_START)


def _entry(entry: Member, text: str) -> Job:
    members = entry.value
    if not isinstance(members, dict) or "jobname" not in members:
        raise LogError(f"{place(text, entry.start)}: a job without a name")
    host = tuple(members[part].value for part in ("hostname", "port") if part in members)
    group = (*host, members["groupid"].value if "groupid" in members else 0)
    values = {key: member.value for key, member in members.items()}
    return Job(members, entry.start, plain(str(members["jobname"].value)), group, None, values)


def _names_sum(job: Job, text: str) -> bool:
    """Return whether an entry has the name of the sum exactly as fio prints it."""
    _, start, end = job.members["jobname"]
    return text[start:end] == '"All clients"'


def _of_client(shared: Member | None, job: Job, text: str) -> dict[str, Any] | None:
    """Return the ``[global]`` options of a job's client.

    Since 3.39 several clients form a list; before, one object holds the options of all of them.

    Raises
    ------
    LogError
        If that object has two values for one option.
    """
    if shared is None:
        return None
    if isinstance(shared.value, list):
        for options in shared.value:
            if (options.get("hostname"), options.get("port")) == job.group[:2]:
                return options
        return None
    try:
        scan_object(text, shared.start)
    except ValueError as error:
        raise LogError(
            f"{place(text, shared.start)}: the clients' global options contradict each other (fio before 3.39 joins"
            " them), so it is unknown what each of them ran"
        ) from error
    return shared.value


def _is_sure(entries: list[Job], job: Job) -> bool:
    """Return whether the options of a client's entry are its own.

    A client looks options up by thread although its server numbers them by entry. The two differ after the first
    entry that represents several threads (``group_reporting``), and then the last entry has no options.
    """
    client = [entry for entry in entries if entry.group[:-1] == job.group[:-1]]
    return client[0] is job or "job options" in client[-1].members


def longest_run(job: Job) -> float:
    """Return the longest run time of a side of a job, in s."""
    sides = (job.members[name].value for name in ("read", "write", "trim", "mixed") if name in job.members)
    return max((take_number(side, "runtime") for side in sides if isinstance(side, dict)), default=0) / 1000


def place(text: str, offset: int) -> str:
    """Return the number of the line that holds a byte, for a message."""
    return f"line {text.count(chr(10), 0, offset) + 1}"


def plain(text: str) -> str:
    """Return a text of the log, which was decoded as Latin-1, in its original encoding."""
    return text.encode("latin-1", "replace").decode("utf-8", "replace").strip()
