r"""Read the results of a whole IO500 run: `result_summary.txt`, the console, and `result.txt`.

Specimens (harness in C, and the shell script before 2020)::

    [RESULT]       ior-easy-write        0.765866 GiB/s : time 0.165 seconds [INVALID]
    [RESULT] BW   phase 1            ior_easy_write              218.322 GB/s : time 304.45 seconds

A phase is one run of IOR, mdtest, md-workbench or find, whose own log lies beside the summary. ``GB/s`` of the script
are GiB/s. The scores are geometric means over the phases: they make no records, but must agree with them. Source: the
harness's ``src/main.c``.
"""

import math
import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.tools.lines import name_line

#: Name of the tool in campaigns that import its logs.
TOOL = "io500"

#: The tools that run its phases, whose figures it quotes.
QUOTED_TOOLS = ("ior", "mdtest")

#: The operation of a phase, and the part of its name that distinguishes phases of the same operation.
IO500_PHASES = {
    "ior-easy-write": ("write", "ior-easy"),
    "ior-easy-read": ("read", "ior-easy"),
    "ior-hard-write": ("write", "ior-hard"),
    "ior-hard-read": ("read", "ior-hard"),
    "ior-rnd4K-write": ("random-write", "ior-rnd4K"),
    "ior-rnd4K-read": ("random-read", "ior-rnd4K"),
    "ior-rnd4K-easy-read": ("random-read", "ior-rnd4K-easy"),
    "ior-rnd1MB-write": ("random-write", "ior-rnd1MB"),
    "ior-rnd1MB-read": ("random-read", "ior-rnd1MB"),
    "mdtest-easy-write": ("file-create", "mdtest-easy"),
    "mdtest-easy-stat": ("file-stat", "mdtest-easy"),
    "mdtest-easy-delete": ("file-remove", "mdtest-easy"),
    "mdtest-hard-write": ("file-create", "mdtest-hard"),
    "mdtest-hard-stat": ("file-stat", "mdtest-hard"),
    "mdtest-hard-read": ("file-read", "mdtest-hard"),
    "mdtest-hard-delete": ("file-remove", "mdtest-hard"),
    "mdworkbench-create": ("file-create", "mdworkbench"),
    "mdworkbench-bench": ("mixed", "mdworkbench"),
    "mdworkbench-delete": ("file-remove", "mdworkbench"),
    "find": ("find", "find"),
    "find-easy": ("find", "find-easy"),
    "find-hard": ("find", "find-hard"),
}
#: Phases in the score of a standard run; an extended run has another score over more of them.
_SCORED = {"ior": [], "mdtest": ["find"]}
for _phase in IO500_PHASES:
    if _phase.startswith(("ior-easy", "ior-hard", "mdtest")):
        _SCORED[_phase.partition("-")[0]].append(_phase)

_GIB = 2**30
SCORE, STONEWALL = "phase {}, as the harness scores it", "phase {}, up to the stonewall"
ELAPSED, FOUND, SEARCHED = "phase {}, as the harness times it", "files that match", "files that were searched"

_LINE = rb"^[>| \t]*+"
#: Words of which every log of this kind holds one.
WORDS = (b"[RESULT]", b"config-hash")

_ANY = re.compile(_LINE + rb"(\[(?:(?:RESULT|SCORE)(?:-invalid)?|SCORE ?X?|      )\][^\n]*)", re.MULTILINE)
_RESULT = re.compile(
    rb"\[(?:RESULT(-invalid)?|      )\] +(?:(?:BW|IOPS) +phase [0-9]+ +)?([A-Za-z0-9_-]{1,40}) +"
    rb"([0-9]{1,12}\.[0-9]{3,6}) (Gi?B/s|k(?:IOPS|iops)) *: time +([0-9]{1,9}\.[0-9]{2,3}) seconds *"
    rb"(\[INVALID\])?[ \t\r]*"
)
_NUMBER = rb"([0-9]{1,12}(?:\.[0-9]{1,8})?(?:e[+-][0-9]{1,3})?)"
_SCORE = re.compile(
    rb"\[SCORE ?(X)?(-invalid)?\] Bandwidth " + _NUMBER + rb" Gi?B/s : IOPS " + _NUMBER + rb" kiops : TOTAL " + _NUMBER
    + rb" *(\[INVALID\])?[ \t\r]*"
)  # fmt: skip
#: Versions without the defect that multiplies the total until the stonewall by the number of ranks.
_COUNTS_ONCE = re.compile(r"io500-(?:isc|sc)(?:2[1-9]|[3-9][0-9])")
_VERSION = re.compile(_LINE + rb"IO500 version ([^\s(]*)", re.MULTILINE)
_INI = re.compile(_LINE + rb"config-hash +=", re.MULTILINE)
_INI_LINE = re.compile(
    rb"^[>| \t]*+(?:\[([A-Za-z0-9-]{1,40})\]|([A-Za-z0-9_-]{1,40}) *= *([^\n]*?)|(; ERROR INVALID)[^\n]*)[ \t\r]*$",
    re.MULTILINE,
)


class _Run(NamedTuple):
    """Facts that all phases of one run share."""

    version: str | None
    threads: int | None
    is_invalid: bool
    repetition: int | None


class _Phase(NamedTuple):
    """One phase: its name, its figures by key, whether it is marked as invalid, and its command."""

    name: str
    figures: dict[str, re.Match[bytes]]
    is_invalid: bool
    command: bytes = b""


#: Figures of a phase: the key in `result.txt`, the metric, the definition; a rate's metric depends on the phase.
_FIGURES = (
    ("score", "rate", SCORE),
    ("throughput-stonewall", "rate", STONEWALL),
    ("rate-stonewall", "rate", STONEWALL),
    ("t_delta", "elapsed", ELAPSED),
    ("found", "count", FOUND),
    ("total-files", "count", SEARCHED),
)


def name_sources(record: Record) -> tuple[str, ...]:
    """Return how the log of a phase's own tool may be named; nothing for a figure that no such log states."""
    before, after = SCORE.split("{}")
    if not record.definition.endswith(after):
        return ()
    name = record.definition.removeprefix(before).removesuffix(after)
    return f"{name}.txt", f"{name.replace('-', '_')}.txt"


def recognise(log: bytes) -> bool:
    """Return whether the log has a line of results, or the header of `result.txt`."""
    return (b"[RESULT]" in log and any(map(_is_result, _ANY.finditer(log)))) or (
        b"config-hash" in log and b"result-dir" in log and _INI.search(log) is not None
    )


def _is_result(line: re.Match[bytes]) -> bool:
    return b" seconds" in line[1] and b": time" in line[1]


def read(log: bytes) -> list[Record]:
    """Return every figure of every phase of one or more runs.

    Parameters
    ----------
    log : bytes
        `result_summary.txt`, `result.txt`, or the console's output.

    Returns
    -------
    list of Record
        Per phase ``throughput`` (B/s) or ``rate`` (1/s) and the ``elapsed`` time of the whole phase, with the factor
        ``phase``; from `result.txt` also the rate up to the stonewall and the counts of find. A phase or run that the
        harness calls invalid has the caveat ``io500-invalid`` or ``io500-invalid-run``.

    Raises
    ------
    LogError
        If a line is broken, the score is missing or contradicts the phases, or a phase that ran has no rate.
    """
    if _INI.search(log):
        if b"[RESULT]" in log and any(map(_is_result, _ANY.finditer(log))):
            raise LogError("holds result.txt and the summary of a run: put each into a file of its own")
        return _read_ini(log)
    runs = list(_split_runs(log))
    found: list[Record] = []
    for number, (phases, score, version) in enumerate(runs):
        run = _Run(version, None, bool(score[2] or score[6]), number if len(runs) > 1 else None)
        records = _phase_records(log, phases, run)
        _check_scores(records, *(float(score[group]) for group in (3, 4, 5)))
        found += records
    return found


def _split_runs(log: bytes) -> Iterator[tuple[list[_Phase], re.Match[bytes], str | None]]:
    """Yield the phases, the score and the version of each run; a repeated run counts once."""
    versions = [(version.start(), version[1].decode("ascii", "replace")) for version in _VERSION.finditer(log)]
    phases: list[_Phase] = []
    seen: set[tuple[tuple[bytes, ...], ...]] = set()
    for line in _ANY.finditer(log):
        result, score = _RESULT.fullmatch(log, *line.span(1)), _SCORE.fullmatch(line[1])
        if result:
            _add_phase(log, phases, result)
        elif score and phases:
            figures = tuple(phase.figures["score"].group(2, 3, 5) for phase in phases)
            if figures not in seen:
                before = bisect(versions, (line.start(), ""))
                yield phases, score, (versions[before - 1][1] if before else "") or None
            seen.add(figures)
            phases = []
        elif not (score and score[1] and seen):
            where = name_line(log, line.start(1))
            raise LogError(f"{where}: a line of results is broken: {line[1][:80].decode('utf-8', 'replace')!r}")
    if phases or not seen:
        raise LogError("the line with the score is missing: the run was cut short or is still going")


def _add_phase(log: bytes, phases: list[_Phase], result: re.Match[bytes]) -> None:
    """Add a phase to its run, unless its line is a repetition: the script prints all of them again."""
    phase = _Phase(_name(log, result, 2), {"score": result, "t_delta": result}, bool(result[1] or result[6]))
    for known in phases:
        if known.name == phase.name:
            if known.figures["score"].group(3, 5) != result.group(3, 5):
                where = name_line(log, result.start())
                raise LogError(f"{where}: phase {phase.name} has two results: a score is missing between them")
            return
    phases.append(phase)


def _name(log: bytes, line: re.Match[bytes], group: int) -> str:
    """Return the name of the phase that a group of a line holds."""
    name = line[group].decode().replace("_", "-")
    if name not in IO500_PHASES and name != "timestamp":
        raise LogError(f"{name_line(log, line.start())}: no phase of IO500 is known as {name!r}")
    return name


def _read_ini(log: bytes) -> list[Record]:
    """Return the figures of `result.txt`."""
    section, told, phases = "run", {}, []
    sections: set[str] = set()
    scores: dict[str, bytes] = {}
    for line in _INI_LINE.finditer(log):
        if line[1]:
            section = line[1].decode()
            if section in sections:
                raise LogError(f"{name_line(log, line.start())}: the section {section} appears twice")
            sections.add(section)
            if section not in ("run", "SCORE", "SCOREX"):
                phases.append(_Phase(_name(log, line, 1), {}, False))
        elif line[4]:
            if phases and section == phases[-1].name:
                phases[-1] = phases[-1]._replace(is_invalid=True)
        elif section == "run":
            told[line[2].decode()] = line[3]
        elif section == "SCORE":
            scores[line[2].decode()] = line[3]
        elif phases and line[2] == b"exe":
            phases[-1] = phases[-1]._replace(command=line[3])
        elif phases:
            phases[-1].figures[line[2].decode()] = line
    total = scores.get("SCORE", b"").split()
    if not {"MD", "BW", "SCORE", "hash"} <= scores.keys() or not total:
        raise LogError("the section SCORE is missing or not whole: the run was cut short or is still going")
    procs = told.get("procs", b"")
    run = _Run(
        told.get("version", b"").decode("ascii", "replace") or None,
        int(procs) if procs.isdigit() and len(procs) < 10 else None, len(total) > 1, None,
    )  # fmt: skip
    records = _phase_records(log, phases, run)
    try:
        _check_scores(records, float(scores["BW"]), float(scores["MD"]), float(total[0]))
    except ValueError as error:
        raise LogError("the section SCORE holds what is no number") from error
    return records


def _phase_records(log: bytes, phases: Iterable[_Phase], run: _Run) -> list[Record]:
    """Return the records of the phases of one run, in the order of the log."""
    found: list[Record] = []
    for phase in phases:
        if phase.name == "timestamp" or not phase.figures:
            continue
        known = len(found)
        for key, metric, definition in _FIGURES:
            if key in phase.figures:
                record = _record(log, phase, run, key, metric, definition)
                # The script rounds a short time to 0.00.
                if record.value or metric != "elapsed" or not found[known:] or not found[known].value:
                    found.append(record)
        own = {record.definition: record.value for record in found[known:]}
        if ELAPSED.format(phase.name) in own and not own.get(SCORE.format(phase.name)):
            if own[ELAPSED.format(phase.name)] >= 0.01:
                raise LogError(f"phase {phase.name} ran and has no rate: it failed")
            del found[known:]
    if not found:
        raise LogError("no phase has run")
    return sorted(found, key=lambda record: record.offset)


def _record(log: bytes, phase: _Phase, run: _Run, key: str, metric: str, definition: str) -> Record:
    line = phase.figures[key]
    operation, kind = IO500_PHASES[phase.name]
    is_line = line.re is _RESULT
    group = (3 if key == "score" else 5) if is_line else 3
    printed = line[group].decode("ascii", "replace")
    if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,8})?", printed):
        raise LogError(f"{name_line(log, line.start())}: {key} of {phase.name} is {printed[:40]!r}, which is no number")
    value, unit = float(printed), {"elapsed": " seconds" if is_line else "", "count": ""}.get(metric, "")
    if metric == "rate" and phase.name.startswith("ior"):
        metric, value, unit = "throughput", value * _GIB, f" {line[4].decode()}" if is_line else ""
    elif metric == "rate":
        value, unit = float(f"{printed}e3"), f" {line[4].decode()}" if is_line else ""
    caveats: tuple[str, ...] = ("io500-invalid",) if phase.is_invalid else ()
    caveats += ("io500-invalid-run",) if run.is_invalid else ()
    if definition == STONEWALL:
        is_sound = metric == "rate" or _COUNTS_ONCE.match(run.version or "")
        caveats += ("stonewalled",) if is_sound else ("stonewalled", "io500-ranks-counted-twice")
    return Record(
        "io500", run.version, operation, metric, "value", value, UNIT_OF_METRIC[metric], run.repetition,
        definition.format(phase.name), line.start(group), len(printed), printed + unit, caveats,
        _factors(phase, kind, run),
    )  # fmt: skip


def _factors(phase: _Phase, kind: str, run: _Run) -> dict[str, Any]:
    """Return the factors that the harness states; only `result.txt` has the command line of a phase."""
    told: dict[str, Any] = {"phase": kind}
    if run.threads:
        told["threads"] = run.threads
    if phase.command and phase.name.startswith("ior"):
        transfer = _read_size(phase.command, b"-t")
        if transfer:
            told["transfer_size"] = transfer
        told["file_layout"] = "file-per-thread" if b"-F" in phase.command.split() else "shared-file"
        told["direct_io"] = b"--posix.odirect" in phase.command.split()
    elif phase.command and phase.name.startswith("mdtest"):
        told["file_body"] = _read_size(phase.command, b"-w") or 0
    return told


def _read_size(command: bytes, flag: bytes) -> int | None:
    """Return the size after a flag of a command line, in B; None if there is none."""
    found = re.search(rb"\s" + flag + rb" ([0-9]{1,15})([kmgt]?)(?=\s|$)", command)
    return int(found[1]) << 10 * b"\0kmgt".index(found[2] or b"\0") if found else None


def _check_scores(records: list[Record], bandwidth: float, operations: float, total: float) -> None:
    """Raise `LogError` unless the scores are the geometric means of the phases that count.

    The first lists, of 2017, state the product of bandwidth and operations as the total, not its root.
    """
    scored = {record.definition: record for record in records}
    for kind, stated, unit in (("ior", bandwidth, _GIB), ("mdtest", operations, 1000)):
        found = [scored[name] for name in map(SCORE.format, _SCORED[kind]) if name in scored]
        mean = math.exp(sum(math.log(record.value / unit) for record in found) / len(found)) if found else 0.0
        # The shell script cuts the figures of its phases to three decimals.
        lost = sum(_last_digit(record) * unit / record.value for record in found) / max(len(found), 1)
        if abs(mean - stated) > (1e-4 + lost) * mean + 1e-5:
            raise LogError(f"the phases of {kind} have the geometric mean {mean:.6g}, the score says {stated:.6g}")
    product = bandwidth * operations
    if min(abs(math.sqrt(product) - total), abs(product - total)) > 1e-4 * total + 1e-5:
        raise LogError(f"the score {total:.6g} is not that of its parts {bandwidth:.6g} and {operations:.6g}")


def _last_digit(record: Record) -> float:
    """Return the value of one unit of the last printed digit."""
    return float(10.0 ** -len(record.printed.split()[0].partition(".")[2]))
