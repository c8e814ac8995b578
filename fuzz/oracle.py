"""Read figures of a log in a slow and simple way, to compare the readers of logs with.

The readers are fast: they look for numbers where the format of a log puts them. The oracle starts from a number
instead. A table of units gives the value as an exact fraction. The words before the number (the last label, the last
key, the column's heading) give the metric and the statistic. If a reader disagrees, one of the two is wrong.
"""

import re
from collections.abc import Callable, Iterable
from fractions import Fraction

from coldcache.core.records import Record

#: The stored value of one printed unit.
UNITS = {
    "B/s": 1, "KiB/s": 2**10, "KB/sec": 2**10, "kB/sec": 2**10, "kB/s": 1000, "MiB": 2**20, "MiB/s": 2**20,
    "MiB/sec": 2**20, "MB/second": 2**20, "megabytes/second": 2**20, "megabytes per second": 2**20, "GiB/s": 2**30,
    "IOPS": 1, "iops": 1, "OPs": 1, "ops/sec": 1, "entries/s": 1, "kIOPS": 1000, "kiops": 1000,
    "s": 1, "sec": 1, "seconds": 1, "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9),
    "I/Os": 1, "ops": 1, "entries": 1,
}  # fmt: skip

#: The same for figures without a printed unit.
BARE = {("io500", "rate"): 1000, ("io500", "throughput"): 2**30}

_MDTEST = {"creation": "create", "removal": "remove", "create (stonewall)": "create"}
_MDTEST_LABEL = re.compile(
    r"(File|Directory|Tree) (creation|stat|read|rename|removal|create \(stonewall\))( \(stonewall\))?"
)
#: The statistic by the count of numbers between label and figure, in tables of four, seven (3 + 4) and eight columns.
_MDTEST_COLUMNS = (
    {"max"}, {"min"}, {"mean"}, {"stddev", "max"}, {"max", "min"}, {"min", "mean"}, {"mean", "stddev"}, {"stddev"},
)  # fmt: skip

_IOZONE = {
    "initial writers": "write", "rewriters": "rewrite", "readers": "read", "re-readers": "reread",
    "random readers": "random-read", "random writers": "random-write", "mixed workload": "random-mix",
    "reverse readers": "reverse-read", "stride readers": "stride-read", "pwrite writers": "pwrite",
    "pread readers": "pread", "fwriters": "fwrite", "freaders": "fread",
}  # fmt: skip
_IOZONE_TEST = re.compile(
    r"^[>| \t]*(?:[0-9]+:)?[ \t]*(?:Children see|Parent sees) throughput for +[0-9]+ ([a-z-]+(?: [a-z]+)?)",
    re.MULTILINE,
)
_IOZONE_WORDS = {"Min": "min", "Max": "max", "Avg": "mean", "Children": "value", "Parent": "value", "Child[": "value"}

_IOR_HEADS = {
    "bw(MiB/s)": "throughput value", "IOPS": "rate value", "Latency(s)": "latency value", "open(s)": "elapsed value",
    "wr/rd(s)": "elapsed value", "close(s)": "elapsed value", "total(s)": "elapsed value",
    "Max(MiB)": "throughput max", "Min(MiB)": "throughput min", "Mean(MiB)": "throughput mean",
    "Max(OPs)": "rate max", "Min(OPs)": "rate min", "Mean(OPs)": "rate mean", "Mean(s)": "elapsed mean",
}  # fmt: skip
_IOR_HEAD = re.compile(r"^.*?\b(?:access +bw\(MiB/s\) .* iter|Operation +Max\(MiB\) .* RefNum)\s*$", re.MULTILINE)
_IOR_ROW = re.compile(r"\b(write|read|remove)((?: +[0-9.eE+-]+)*) +$")

_FIO_SIDE = re.compile(r'"(read|write|trim|mixed)"\s*:\s*\{')
_FIO_KIND = re.compile(r'"(slat|clat|lat)(?:_ns)?"\s*:\s*\{')
_KEY = re.compile(r'"([^"\n]*)"\s*:\s*$')
_FIO_KEYS = {
    "runtime": "elapsed value", "iops": "rate value", "bw": "throughput value", "bw_bytes": "throughput value",
    "total_ios": "count value", "bw_min": "throughput min", "bw_max": "throughput max",
    "bw_mean": "throughput mean", "bw_dev": "throughput stddev", "iops_min": "rate min", "iops_max": "rate max",
    "iops_mean": "rate mean", "iops_stddev": "rate stddev",
}  # fmt: skip


def find_contradiction(records: Iterable[Record], log: bytes) -> str:
    """Return why a reader's records contradict their log; empty if they do not."""
    text = log.decode("latin-1")
    for record in records:
        printed, before = text[record.offset : record.offset + record.length], text[: record.offset]
        place = _PLACES.get(record.tool)
        if why := _contradict_value(record, printed) or (place(record, before) if place else ""):
            return f"byte {record.offset}: {why}"
    return ""


def _contradict_value(record: Record, printed: str) -> str:
    unit = record.printed[len(printed.encode("latin-1").decode("utf-8", "replace")) :].strip()
    if record.tool in ("mountstats", "cloudwatch") or (record.tool == "rhel_iotest" and record.metric == "throughput"):
        # These are differences, rates over a period, and sizes over a time: they depend on more than one number.
        return ""
    factor = UNITS[unit] if unit else BARE.get((record.tool, record.metric), 1)
    expected = float(read_number(printed) * factor)
    if abs(record.value - expected) <= 1e-12 * expected:
        return ""
    return f"{record.printed!r} is {expected!r} {record.unit}, not {record.value!r}"


def read_number(printed: str) -> Fraction:
    """Return a printed number exactly; a separator before the last one or two digits is a decimal mark."""
    try:
        return Fraction(printed)
    except ValueError:
        whole, decimals = re.fullmatch(r"(.*?)(?:[.,]([0-9]{1,2}))?", printed, re.DOTALL).groups()
        digits = re.sub(r"\D", "", whole) + (decimals or "")
        return Fraction(int(digits), 10 ** len(decimals or ""))


def _contradict_mdtest(record: Record, before: str) -> str:
    label = list(_MDTEST_LABEL.finditer(before))[-1]
    operation = f"{label[1].lower()}-{_MDTEST.get(label[2], label[2])}"
    if record.operation != operation:
        return f"{label[0]!r} is before it, not {record.operation}"
    if record.statistic != "value" and "stonewall" not in label[0]:
        count = len(re.findall(r"[0-9]+\.[0-9]+", before[label.end() :]))
        if record.statistic not in _MDTEST_COLUMNS[count]:
            return f"{count} numbers are before it, so it is no {record.statistic}"
    return ""


def _contradict_iozone(record: Record, before: str) -> str:
    words = list(_IOZONE_TEST.finditer(before))[-1][1]
    if _IOZONE[words] != record.operation:
        return f"{words!r} is before it, not {record.operation}"
    line = before[before.rfind("\n") + 1 :]
    for word, statistic in _IOZONE_WORDS.items():
        if re.search(rf"(?:^|[>| \t:])\b{re.escape(word)}", line) and record.statistic != statistic:
            return f"{line!r} is before it, so it is no {record.statistic}"
    if ("Parent" in line) != ("parent" in record.metric + record.definition):
        return f"{line!r} is before a {record.metric}: {record.definition}"
    return ""


def _contradict_ior(record: Record, before: str) -> str:
    row = _IOR_ROW.search(before[before.rfind("\n") + 1 :])
    heads = list(_IOR_HEAD.finditer(before))
    if not row or not heads:
        return ""
    if row[1] not in record.operation:
        return f"{row[1]!r} begins its line, not {record.operation}"
    head = re.split(r"\b(?:access|Operation)\b", heads[-1][0], maxsplit=1)[1].split()
    place = min(len(row[2].split()), len(head) - 1)
    column = head[place]
    expected = _IOR_HEADS.get(column)
    if column == "StdDev":
        expected = _IOR_HEADS[head[place - 1]].replace("mean", "stddev")
    if expected and expected != f"{record.metric} {record.statistic}":
        return f"the column's head is {column}, so that it is no {record.metric} {record.statistic}"
    return ""


def _contradict_fio(record: Record, before: str) -> str:
    key = _KEY.search(before)
    if not key:
        # The points of a series have no names.
        return ""
    side = list(_FIO_SIDE.finditer(before))[-1]
    of_names = record.operation.startswith(("file-", "directory-"))
    if side[1] in ("read", "write") and not of_names and side[1] not in record.operation:
        return f"it is below {side[1]!r}, and is no {record.operation}"
    if expected := _FIO_KEYS.get(key[1]):
        found = f"{record.metric.removesuffix('_per_process')} {record.statistic}"
        return "" if found == expected else f"{key[1]!r} is no {found}"
    kind = list(_FIO_KIND.finditer(before))[-1][1]
    statistic = key[1] if key[1][0].isalpha() else f"p{Fraction(key[1])!s}"
    found = record.statistic if record.statistic[1:2].isalpha() else f"p{Fraction(record.statistic[1:])!s}"
    if (found, record.metric) != (statistic, "latency") or f"({kind})" not in record.definition:
        return f"{kind} {key[1]!r} is no {record.definition} {record.metric} {record.statistic}"
    return ""


_PLACES: dict[str, Callable[[Record, str], str]] = {
    "mdtest": _contradict_mdtest,
    "iozone": _contradict_iozone,
    "ior": _contradict_ior,
    "fio": _contradict_fio,
}
