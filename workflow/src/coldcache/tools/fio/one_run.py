"""Refuse a log of fio with several forms of output that are not of one run: one of them would be passed over.

``--output-format=json,normal,terse`` prints a run in each form. They agree in the names of the jobs, and exactly in
their run times, which each prints in ms.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from coldcache.core.errors import LogError
from coldcache.tools.fio.directions import SIDES
from coldcache.tools.fio.documents import Document, plain
from coldcache.tools.lines import match_lines

_LEAD = r"^(?:[>| \t]*|<[^>\n]{0,255}> ?)"
_TEXT = re.compile(r"^[>| \t]*([^\n:]{1,255}): \(groupid=[0-9]{1,9}, jobs=[0-9]{1,9}\): err=", re.MULTILINE)
_TEXT_TIME = re.compile(r"(?:/|runt= {0,20})([0-9]{1,12})msec")
_TERSE = re.compile(_LEAD + r"[0-9]{1,2};fio-[^;\n]{1,40};([^;\n]*);[0-9]+;[0-9]+;([^\n]*)", re.MULTILINE)

#: Of the fields after those, the run times of reads and of writes.
_TERSE_TIMES = (3, 44)


class _Result(NamedTuple):
    """A job's name, and its run times in ms."""

    name: str
    times: set[int]


def refuse_other_runs(text: str, documents: list[Document]) -> None:
    """Raise `LogError` if a log has results in one form that are not of the runs in another form.

    Parameters
    ----------
    text : str
        The log, one character per byte.
    documents : list of Document
        Its JSON.
    """
    terse, printed = list(_list_terse(text)), list(_list_text(text))
    if documents:
        found = [
            _Result(job.name, {_take_time(job.values.get(side)) for side in SIDES})
            for document in documents for job in document.jobs
        ]  # fmt: skip
        _refuse_others("JSON", found, "a terse line", terse)
        _refuse_others("JSON", found, "the text", printed)
    elif terse:
        _refuse_others("terse lines", terse, "the text", printed)


def _refuse_others(form: str, known: list[_Result], other: str, found: Iterable[_Result]) -> None:
    names = {result.name for result in known} | {"All clients"}
    times = {time for result in known for time in result.times} | {0}
    for result in found:
        kind = "another job" if result.name not in names else "another run of job" if result.times - times else ""
        if kind:
            name = repr(result.name[:60])
            raise LogError(f"holds {form}, and {other} of {kind}, {name}: put each into a file of its own")


def _take_time(side: object) -> int:
    return int(side.get("runtime", 0)) if isinstance(side, dict) else 0


def _list_text(text: str) -> Iterator[_Result]:
    heads = list(match_lines(_TEXT, (": (groupid=",), text))
    for head, following in zip_longest(heads, heads[1:]):
        end = following.start() if following else len(text)
        yield _Result(plain(head[1]), {int(time[1]) for time in _TEXT_TIME.finditer(text, head.end(), end)})


def _list_terse(text: str) -> Iterator[_Result]:
    for line in match_lines(_TERSE, (";fio-",), text):
        fields = line[2].split(";")
        times = (fields[place] for place in _TERSE_TIMES if place < len(fields))
        yield _Result(plain(line[1]), {int(time) for time in times if time.isdecimal()})
