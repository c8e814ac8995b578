"""Read the text that fio prints for people (``--output-format=normal``, its default), versions 2.1 to 3.x.

Specimen (3.33), one entry per process or, with ``group_reporting``, per group::

    reads: (groupid=0, jobs=2): err= 0: pid=24295: Mon Nov 23 16:12:11 2026
      read: IOPS=17.1k, BW=66.9MiB/s (70.2MB/s)(16.0MiB/239msec)
         issued rwts: total=4096,0,0,0 short=0,0,0,0 dropped=0,0,0,0

and after all entries ``Run status group 0 (all jobs):`` with the totals of each group. Before 3.0 a side begins
``read : io=4096.0KB, bw=10837KB/s, iops=2709, runt=   378msec``, with KB for KiB.

Rates, bytes, run times and calls are read: they follow from each other and from the totals of the group, so a line that
is lost, swapped or doubled is seen. Nothing else in the text confirms a line of latencies, of percentiles or of samples
over time: they are left out. Source: fio's ``stat.c``, ``show_thread_status_normal`` and ``show_ddir_status``;
``lib/num2str.c``.
"""

import re

from coldcache.core.errors import LogError
from coldcache.tools.fio.complete import check_groups, check_jobs, drop_copies
from coldcache.tools.fio.directions import CALLS, LONGEST, MOVED, TOTAL
from coldcache.tools.fio.documents import place, plain
from coldcache.tools.fio.printed import GROUP_DEFINITION, Entry, FioFigure, FioRun, Side, Total, describe, scale_figure
from coldcache.tools.lines import match_lines

_START = r"^(?:<[^>\n]{0,255}>[ \t]*|[>| \t]*)"
_TOKEN = re.compile(
    _START + r"(?:"
    r"(?P<described>[^\n]{1,255}?): \(g=[0-9]{1,9}\): rw="
    r"|(?P<version>fio-[0-9]\S{0,60})[ \t\r]*$"
    r"|(?P<head>[^\n:]{1,255}): \(groupid=[0-9]{1,9}, jobs=[0-9]{1,9}\):"
    r"|(?P<status>Run status group [0-9]{1,9} \(all jobs\):))",
    re.MULTILINE,
)
_TOKEN_WORDS = (": (g=", ": (groupid=", "fio-", "Run status group ")
_DESCRIBED = re.compile(
    r"([^\n]{1,255}?): \(g=([0-9]{1,9})\): rw=([a-z]{1,16}), bs=([^\n]{1,200}?), ioengine=([a-z0-9_-]{1,64}),"
    r" iodepth=([0-9]{1,9})"
)
_VERSION = re.compile(r"fio-([23]\.[0-9]+\S*)")
_HEAD = re.compile(
    r"([^\n:]{1,255}): \(groupid=([0-9]{1,9}), jobs=([0-9]{1,9})\): err= *([0-9]{1,9})(?:: pid=([0-9]{1,10}):[^\n]*)?"
)
_STATUS = re.compile(r"Run status group ([0-9]{1,9})")
_A_SIDE = re.compile(r"^[>| \t]*(?:read|write|trim|mixed) ?: (?:IOPS=|io=)", re.MULTILINE)
_SIDE = re.compile(
    r"[>| \t]*(?P<name>read|write|trim|mixed): IOPS=(?P<rate>[0-9.]+)(?P<thousands>[kMG]?), BW=(?P<speed>[0-9.]+)"
    r"(?P<per>[KkMGTP]?i?B)/s \([0-9.]+[KkMGTP]?i?B/s\)\((?P<moved>[0-9.]+)(?P<unit>[KkMGTP]?i?B)"
    r"/(?P<runtime>[0-9]+)msec\)"
)
_OLD_SIDE = re.compile(
    r"[>| \t]*(?P<name>read|write|trim|mixed) ?: io=(?P<moved>[0-9.]+)(?P<unit>[KMGTP]?B), bw=(?P<speed>[0-9.]+)"
    r"(?P<per>[KMGTP]?B)/s, iops=(?P<rate>[0-9.]+)(?P<thousands>[kKMG]?), runt= *(?P<runtime>[0-9]+)msec"
)
_ISSUED = re.compile(
    r"^[>| \t]*issued(?: rwts?| r/w/d)? *: total=(?:r=)?([0-9]+)[,/](?:w=)?([0-9]+)(?:[,/](?:d=)?([0-9]+))?",
    re.MULTILINE,
)
_TOTAL = re.compile(
    r"^[>| \t]*(READ|WRITE|TRIM|MIXED): (?:bw=(?P<speed>[0-9.]+)(?P<per>[KkMGTP]?i?B)/s [^\n]*?"
    r" io=(?P<moved>[0-9.]+)(?P<unit>[KkMGTP]?i?B) \([^\n]*?run=(?P<least>[0-9]+)-(?P<most>[0-9]+)msec"
    r"|io=(?P<old_moved>[0-9.]+)(?P<old_unit>[KMGTP]?B), aggrb=(?P<old_speed>[0-9.]+)(?P<old_per>[KMGTP]?B)/s,"
    r" [^\n]*mint=(?P<old_least>[0-9]+)msec, maxt=(?P<old_most>[0-9]+)msec)",
    re.MULTILINE,
)
_THOUSANDS = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_SIDES = ("read", "write", "trim")

#: What rounding adds or takes, in units of the last digit: half of it, and what fio cuts off before it rounds.
_ROUNDING = 0.65


def find_text_runs(text: str) -> list[FioRun]:
    """Return the runs in a log, in its order; a text that was pasted twice counts once.

    Raises
    ------
    LogError
        If an entry states an error, a line is broken, missing or there twice, or totals contradict the entries.
    """
    tokens = list(match_lines(_TOKEN, _TOKEN_WORDS, text))
    runs: list[FioRun] = []
    heads: list[list[re.Match[str]]] = []
    is_over = True
    for token, end in zip(tokens, [*(token.start() for token in tokens[1:]), len(text)], strict=True):
        kind = token.lastgroup
        if is_over and kind != "status":
            runs.append(FioRun(None, {}, [], {}))
            heads.append([])
            is_over = False
        if kind == "described":
            match = _DESCRIBED.match(text, token.start("described"))
            if match:
                describe(match, runs[-1].described)
        elif kind == "version":
            version = _VERSION.fullmatch(token["version"])
            if version is None:
                raise LogError(
                    f"{place(text, token.start('version'))}: {token['version']!r} is not known: 2.1 to 3.x are"
                )
            runs[-1] = runs[-1]._replace(version=version[1])
        elif kind == "head":
            head, entry = _read_entry(text, token.start("head"), end)
            heads[-1].append(head)
            runs[-1].entries.append(entry)
        else:
            is_over = True
            if not runs or not runs[-1].entries:
                raise LogError(f"{place(text, token.start('status'))}: the results of this group are missing")
            _add_totals(text, token.start("status"), end, runs[-1])
    for run in runs:
        check_jobs(text, run)
        check_groups(text, run)
    return drop_copies(text, runs, heads)


def _read_entry(text: str, start: int, end: int) -> tuple[re.Match[str], Entry]:
    head = _HEAD.match(text, start)
    where = place(text, start)
    if head is None:
        raise LogError(f"{where}: the line of a job's result is broken")
    name = plain(head[1])
    if name == "All clients":
        raise LogError(f"{where}: text of several clients does not say what each ran; --output-format=json does")
    if int(head[4]):
        raise LogError(f"{where}: job {name[:60]!r} ended with error {int(head[4])}: its figures are void")
    if head[5] is None:
        raise LogError(f"{where}: the line of a job's result is broken")
    lines = list(_ISSUED.finditer(text, head.end(), end))
    if len(lines) != 1:
        why = "holds lines of another" if lines else "is cut short"
        raise LogError(f"{where}: the result of job {name[:60]!r} {why}")
    sides = [_read_side(text, side.start(), lines[0]) for side in _A_SIDE.finditer(text, head.end(), end)]
    names = [side.name for side in sides]
    called = {side for side, calls in zip(_SIDES, lines[0].groups(), strict=True) if int(calls or 0)}
    if len(set(names)) < len(names) or ("mixed" not in names and called.difference(names)):
        raise LogError(f"{where}: job {name[:60]!r} lacks a line of totals, or has one twice")
    return head, Entry(name, int(head[2]), int(head[3]), start, sides)


def _read_side(text: str, start: int, issued: re.Match[str]) -> Side:
    line = _SIDE.match(text, start) or _OLD_SIDE.match(text, start)
    if line is None:
        raise LogError(f"{place(text, start)}: the line of a job's totals is broken")
    is_old = line.re is _OLD_SIDE
    bandwidth = _read_figure(
        line, "speed", "throughput", MOVED, _bytes(line["per"], is_old), f"{line['per']}/s", is_old
    )
    thousands = line["thousands"]
    rate = _read_figure(line, "rate", "rate", CALLS, _THOUSANDS[thousands], f"{thousands} IOPS".strip(), is_old)
    elapsed = _read_figure(line, "runtime", "elapsed", LONGEST, 1e-3, "msec", is_old)._replace(slack=0.0)
    moved = _read_figure(line, "moved", "", "", _bytes(line["unit"], is_old), "", is_old)
    figures, calls = [bandwidth, rate, elapsed], None
    if line["name"] in _SIDES:
        group = _SIDES.index(line["name"]) + 1
        if issued[group] is None:
            raise LogError(f"{place(text, issued.start())}: the calls of {line['name']} are missing")
        calls = int(issued[group])
        figures.append(FioFigure("count", "value", TOTAL, float(calls), issued.start(group), issued[group], "I/Os"))
    return Side(line["name"], start, moved.value, moved.slack, bandwidth, rate, elapsed, calls, figures)


def _read_figure(
    line: re.Match[str], group: str, metric: str, definition: str, scale: float, unit: str, is_old: bool
) -> FioFigure:
    digits = line[group]
    try:
        value = scale_figure(digits, scale)
    except ValueError as error:
        raise LogError(f"{place(line.string, line.start(group))}: {digits[:40]!r} is no figure") from error
    # Before 3.0 the digits after the point count 1,024ths, and not even those.
    step = 1.0 if is_old else _ROUNDING / 10 ** len(digits.partition(".")[2])
    # fio computes rates as whole numbers, and prints short ones as they are.
    slack = (scale * step if scale > 1 else 0.0) + 1
    return FioFigure(metric, "value", definition, value, line.start(group), digits, unit, slack)


def _bytes(unit: str, is_old: bool) -> float:
    """Return the value of a unit in B; before 3.0 ``KB`` stands for KiB."""
    power = "BKMGTP".index(unit[0].upper())
    return float((1024 if is_old or "i" in unit else 1000) ** power)


def _add_totals(text: str, start: int, end: int, run: FioRun) -> None:
    status = _STATUS.match(text, start)
    assert status is not None
    for line in _TOTAL.finditer(text, start, end):
        old = "old_" if line["speed"] is None else ""
        key = int(status[1]), line[1].lower()
        if key in run.totals:
            raise LogError(f"{place(text, line.start(1))}: the total of group {key[0]} is there twice")
        per, unit = line[f"{old}per"], line[f"{old}unit"]
        moved = _read_figure(line, f"{old}moved", "", "", _bytes(unit, bool(old)), "", bool(old))
        scale = _bytes(per, bool(old))
        run.totals[key] = Total(
            _read_figure(line, f"{old}speed", "throughput", GROUP_DEFINITION, scale, f"{per}/s", bool(old)),
            moved.value, moved.slack, int(line[f"{old}least"]) / 1000, int(line[f"{old}most"]) / 1000,
        )  # fmt: skip
