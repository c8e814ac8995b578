"""IOR's logs in text, JSON and CSV: every stated value of every specimen, what each figure means, and physics."""

import json
import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.ior.parse import printed_version, read, recognise

SPECIMENS = Path(__file__).parents[2] / "specimens"
MIB = 1 << 20

PER_THREAD = {"threads": 2, "nodes": 1, "transfer_size": MIB, "file_size": 4 * MIB, "file_layout": "file-per-thread"}
SHARED = {"threads": 2, "nodes": 1, "transfer_size": 65536, "file_size": 4 * MIB, "file_layout": "shared-file"}
FOUR = {"threads": 4, "nodes": 1, "transfer_size": MIB, "file_size": 16 * MIB, "file_layout": "file-per-thread"}
BUFFERED = {"direct_io": False}

#: Each specimen that is read: version, caveats of all figures together, and the factors of its first record.
READ = {
    "3.0.1-shared.txt": ("3.0.1", {"rounded"}, SHARED | BUFFERED),
    "3.0.1-two.txt": ("3.0.1", {"rounded"}, PER_THREAD),
    "3.2.1-both.txt": ("3.2.1", {"rounded"}, PER_THREAD | BUFFERED),
    "3.2.1-stonewall.txt": ("3.2.1", {"rounded", "stonewalled"}, PER_THREAD | BUFFERED | {"file_size": 3 << 30}),
    "3.3.0-rep3.txt": ("3.3.0", {"rounded"}, FOUR | BUFFERED),
    "3.3.0-two.json": ("3.3.0", {"latency-miscounts-transfers", "rounded"}, PER_THREAD),
    "3.3.0-two.txt": ("3.3.0", {"latency-miscounts-transfers", "rounded"}, PER_THREAD),
    "3.3.0-wear-out.txt": (
        "3.3.0", {"latency-miscounts-transfers", "stonewalled"}, PER_THREAD | BUFFERED | {"file_size": 2 << 30},
    ),
    "3.3.0.json": ("3.3.0", {"rounded"}, FOUR | BUFFERED),
    "3.4.0-dev-random.txt": ("3.4.0+dev", {"rounded"}, SHARED | BUFFERED),
    "4.0.0-check.txt": ("4.0.0", {"includes-verification", "rounded"}, PER_THREAD | BUFFERED),
    "4.0.0-delay.txt": ("4.0.0", {"rounded"}, PER_THREAD | BUFFERED),
    "4.0.0-pixstor-w.txt": (
        "4.0.0", set(), FOUR | BUFFERED
        | {"transfer_size": 8 * MIB, "file_size": 32 * MIB, "file_layout": "shared-file"},
    ),
    "4.0.0-rep3.txt": ("4.0.0", {"rounded"}, FOUR | BUFFERED),
    "4.0.0-same.json": ("4.0.0", {"rounded"}, PER_THREAD),
    "4.0.0-same.txt": ("4.0.0", {"rounded"}, PER_THREAD),
    "4.0.0-stonewall.txt": (
        "4.0.0", {"latency-miscounts-transfers", "stonewalled"}, FOUR | BUFFERED | {"file_size": 400 * MIB},
    ),
    "4.0.0-two.json": ("4.0.0", {"latency-miscounts-transfers", "rounded"}, PER_THREAD),
    "4.0.0-two.txt": ("4.0.0", {"latency-miscounts-transfers", "rounded"}, PER_THREAD),
    "4.0.0.csv": (None, {"no-end-marker", "pattern-unknown", "rounded"}, {"threads": 4, "transfer_size": MIB}),
    "4.0.0.json": ("4.0.0", {"rounded"}, FOUR | BUFFERED),
    "4.1.0-dev-both.txt": ("4.1.0+dev", {"rounded"}, PER_THREAD | BUFFERED),
    "4.1.0-dev-same.csv": (
        None, {"no-end-marker", "pattern-unknown", "rounded"}, {"threads": 2, "transfer_size": MIB},
    ),
    "4.1.0-dev-shared.txt": ("4.1.0+dev", {"rounded"}, SHARED | BUFFERED),
    "4.1.0-dev-wear-out.json": (
        "4.1.0+dev", {"rounded", "stonewalled"}, PER_THREAD | BUFFERED | {"file_size": 2 << 30},
    ),
    "4.1.0-dev.csv": (
        None, {"no-end-marker", "pattern-unknown", "rounded"}, {"threads": 2, "transfer_size": MIB},
    ),
    "4.1.0-dev.json": ("4.1.0+dev", {"rounded"}, PER_THREAD | BUFFERED),
}  # fmt: skip

REFUSED = {
    "2.10.3-both.txt": "IOR 2.10.3 is none of the versions read here (3.0 to 4.1)",
    "3.2.1.json": "IOR 3.2.1 prints broken JSON: repeat the run with the default format",
    "3.3.0.csv": "IOR 3.3.0 prints CSV without separators and without results: repeat the run with the default format",
    "3.4.0-dev.csv": "the column heads of IOR's CSV are damaged or unknown",
    "3.3.0-ENOSPC.txt": "IOR ended with an error: ior ERROR: write(17, 0x7f2b3c1aa000, 1048576) failed, errno 28, No"
    " space left on device (aiori-POSIX.c:534)",
    "4.0.0-EROFS.txt": 'IOR ended with an error: ERROR: open64("/mnt/target/scratch/ro/x", 66, 0664) failed. Error:'
    " Read-only file system, (aiori-POSIX.c:569)",
    "4.0.0-killed.json": "cut short or damaged: IOR's JSON does not end, the run ended early or was written over",
    "4.0.0-killed.txt": "cut short: IOR's line 'Finished' is missing after 2 result rows, so the run ended early",
    "4.0.0-missing.txt": 'IOR ended with an error: ERROR: open64("/mnt/target/none.00000000", 0) failed: No such file'
    " or directory, (aiori-POSIX.c:641)",
}

#: Metric and statistic of each column that holds a figure.
ROW = {
    "bw(MiB/s)": "throughput", "IOPS": "rate", "Latency(s)": "latency", "Latency": "latency",
    "open(s)": "elapsed", "wr/rd(s)": "elapsed", "close(s)": "elapsed", "total(s)": "elapsed",
    "bwMiB": "throughput", "iops": "rate", "latency": "latency",
    "openTime": "elapsed", "wrRdTime": "elapsed", "closeTime": "elapsed", "totalTime": "elapsed",
}  # fmt: skip
SUMMARY = {
    "Max(MiB)": ("throughput", "max"), "Min(MiB)": ("throughput", "min"), "Mean(MiB)": ("throughput", "mean"),
    "StdDev(MiB)": ("throughput", "stddev"), "Max(OPs)": ("rate", "max"), "Min(OPs)": ("rate", "min"),
    "Mean(OPs)": ("rate", "mean"), "StdDev(OPs)": ("rate", "stddev"), "Mean(s)": ("elapsed", "mean"),
    "Stonewall(s)": ("elapsed", "mean"), "Stonewall(MiB)": ("stonewalled", "mean"),
    "bwMaxMIB": ("throughput", "max"), "bwMinMIB": ("throughput", "min"), "bwMeanMIB": ("throughput", "mean"),
    "bwStdMIB": ("throughput", "stddev"), "OPsMax": ("rate", "max"), "OPsMin": ("rate", "min"),
    "OPsMean": ("rate", "mean"), "OPsSD": ("rate", "stddev"), "MeanTime": ("elapsed", "mean"),
    "StoneWallTime": ("elapsed", "mean"), "StoneWallbwMeanMIB": ("stonewalled", "mean"),
}  # fmt: skip


def load(name):
    return SPECIMENS.joinpath(f"ior-{name}").read_bytes()


def expected(offset, access, metric, statistic, repetition, text, version):
    """Return one figure in stored units; 3.3 states the stonewalled rate of all ranks, 4.x that of a mean rank."""
    if metric == "stonewalled":
        metric = "throughput" if version.startswith("3.3") else "throughput_per_process"
    operation = "file-remove" if access == "remove" else access
    return (offset, operation, metric, statistic, repetition, float(text) * (MIB if "throughput" in metric else 1))


def stated_in_text(log, version):
    """Return every figure of a text log by splitting its lines at blanks, columns by their heads."""
    found, offset, heads, maxima, prefix = [], 0, [], set(), ""
    for line in log.decode().split("\n"):
        words = [(match[0], offset + match.start()) for match in re.finditer(r"\S+", line)]
        first = words[0][0] if words else ""
        if line.startswith("ordering in a file  : random"):
            prefix = "random-"
        if first in ("access", "Operation") and len(words) > 6:
            heads = [word for word, _ in words]
            seen = heads.index("StdDev") if "StdDev" in heads else 0
            heads = [f"StdDev({'MiB' if at == seen else 'OPs'})" if h == "StdDev" else h for at, h in enumerate(heads)]
            maxima = maxima if first == "Operation" else set()
        elif first == "Max" and line[4:9] in ("Write", "Read:"):
            access = line[4:9].rstrip(":").lower()
            maxima.add(access)
            found.append(expected(words[2][1], prefix + access, "throughput", "max", None, words[2][0], version))
        elif first in ("write", "read", "remove") and len(words) == len(heads):
            cells = dict(zip(heads, words, strict=True))
            access = prefix + first if first != "remove" else first
            for head, (text, place) in cells.items():
                if text in ("-", "NA"):
                    continue
                if heads[0] == "access" and head in ROW:
                    repetition = int(cells["iter"][0])
                    found.append(expected(place, access, ROW[head], "value", repetition, text, version))
                elif heads[0] == "Operation" and head in SUMMARY and not (head == "Max(MiB)" and first in maxima):
                    found.append(expected(place, access, *SUMMARY[head], None, text, version))
        offset += len(line) + 1
    return found


def stated_in_json(log, version):
    """Return every figure of a JSON log, its place found by searching for key after key."""
    found, place = [], 0

    def take(key, text, access, metric, statistic, repetition):
        nonlocal place
        match = re.compile(rf'"{key}": {re.escape(text)}'.encode()).search(log, place)
        place = match.end()
        found.append(expected(match.end() - len(text), access, metric, statistic, repetition, text, version))

    document = json.loads(re.sub(rb"(?m)^(?:stonewalling pairs|WARNING:|Pairs ).*$", b"", log), parse_float=str)
    maxima = {}
    for test in document["tests"]:
        results = [row for rows in test["Results"] for row in (rows if isinstance(rows, list) else [rows])]
        repetitions = {}
        for row in results:
            repetition = repetitions[row["access"]] = repetitions.get(row["access"], -1) + 1
            for key, text in row.items():
                if key in ROW:
                    take(key, text, row["access"], ROW[key], "value", repetition)
        maxima[test["TestID"]] = test.get("max", {})
        for key, text in test.get("max", {}).items():
            if key in ("writeMiB", "readMiB"):
                take(key, text, key[:-3], "throughput", "max", None)
    for row in document["summary"]:
        for key, text in row.items():
            if key in SUMMARY and not (key == "bwMaxMIB" and f"{row['operation']}MiB" in maxima[row["TestID"]]):
                take(key, text, row["operation"], *SUMMARY[key], None)
    return found


def stated_in_csv(log):
    """Return every figure of a CSV log by splitting its lines at commas."""
    heads, *lines = log.decode().splitlines()
    found, offset = [], len(heads) + 1
    for line in lines:
        cells = dict(zip(heads.split(","), line.split(","), strict=True)) if line != heads else {}
        place = offset
        for head, text in cells.items():
            if head in ROW:
                found.append(expected(place, cells["access"], ROW[head], "value", int(cells["iter"]), text, ""))
            place += len(text) + 1
        offset += len(line) + 1
    return found


def stated(name):
    log = load(name)
    if name.endswith(".json"):
        return stated_in_json(log, READ[name][0])
    return stated_in_csv(log) if name.endswith(".csv") else stated_in_text(log, READ[name][0])


@pytest.mark.parametrize("name", READ)
def test_every_stated_value_is_a_record(name):
    log = load(name)
    records = read(log)
    found = [(r.offset, r.operation, r.metric, r.statistic, r.repetition, r.value) for r in records]
    wanted = stated(name)
    if "same" in name:
        # Their tests differ in nothing that a factor states: the repetitions have a test of their own.
        found, wanted = ([(*one[:4], one[5]) for one in all_of_them] for all_of_them in (found, wanted))
    assert found == wanted
    for record in records:
        scale = MIB if record.unit == "B/s" else 1
        assert float(log[record.offset : record.offset + record.length]) * scale == record.value


@pytest.mark.parametrize("name", READ)
def test_version_caveats_and_factors(name):
    version, caveats, factors = READ[name]
    records = read(load(name))
    assert {record.tool for record in records} == {"ior"}
    assert {record.tool_version for record in records} == {version}
    assert {caveat for record in records for caveat in record.caveats} == caveats
    assert records[0].factors == factors


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_its_own_words(name):
    with pytest.raises(LogError) as refusal:
        read(load(name))
    assert str(refusal.value) == REFUSED[name]


def test_every_specimen_is_named_here():
    names = {path.name.removeprefix("ior-") for path in SPECIMENS.glob("ior-*")}
    assert names == READ.keys() | REFUSED.keys()


@pytest.mark.parametrize("name", [*READ, *REFUSED])
def test_recognised_by_content(name):
    assert recognise(load(name))


def test_values_of_3_3_0():
    rows = [r for r in read(load("3.3.0-rep3.txt")) if r.statistic == "value" and r.metric == "throughput"]
    assert [(r.operation, r.repetition, r.printed) for r in rows] == [
        ("write", 0, "2076.65 MiB/s"), ("read", 0, "12335 MiB/s"), ("write", 1, "2157.41 MiB/s"),
        ("read", 1, "9475 MiB/s"), ("write", 2, "1553.89 MiB/s"), ("read", 2, "9475 MiB/s"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "writes"),
    [
        ("4.0.0-same.txt", [597.05, 456.28, 678.14, 93.1]),
        ("4.0.0-same.json", [92.2679, 2108.6176, 88.7636, 93.6461]),
        ("4.1.0-dev-same.csv", [650.8347, 6001.5081, 91.2001, 568.5457]),
    ],
)
def test_tests_of_a_script_with_the_same_factors_are_repetitions(name, writes):
    records = [r for r in read(load(name)) if r.operation == "write"]
    rows = [r for r in records if r.metric == "throughput" and r.statistic == "value"]
    assert [(r.repetition, float(r.printed.split()[0])) for r in rows] == list(enumerate(writes))
    assert {r.repetition for r in records if r.statistic in ("max", "mean")} == (set() if "csv" in name else {0, 2})


def test_a_rate_printed_without_decimals_is_rounded_and_its_maximum_is_not():
    records = [r for r in read(load("3.0.1-two.txt")) if r.metric == "throughput" and r.operation == "read"]
    assert [(r.statistic, r.printed, r.caveats) for r in records[:3]] == [
        ("value", "9315 MiB/s", ("rounded",)), ("value", "25767 MiB/s", ("rounded",)), ("max", "25767.22 MiB/sec", ()),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "caveats"), [("4.0.0-stonewall.txt", {"stonewalled"}), ("4.0.0-rep3.txt", set()), ("4.0.0.csv", set())]
)
def test_an_excerpt_does_not_tell_its_pattern_but_may_tell_its_stonewall(name, caveats):
    log = load(name)
    records = read(log[log.index(b"access") if name.endswith(".csv") else log.index(b"access    bw(MiB/s)") :])
    moved = [record for record in records if record.operation != "file-remove"]
    assert all({"pattern-unknown", *caveats} <= set(record.caveats) for record in moved)
    assert caveats or not any("stonewalled" in record.caveats for record in moved)


@pytest.mark.parametrize("name", ["4.0.0-check.txt", "4.0.0.json"])
def test_reads_that_are_verified_say_that_its_time_is_in_them(name):
    records = read(load(name).replace(b'"checkRead": 0', b'"checkRead": 1'))
    verified = {record.operation for record in records if "includes-verification" in record.caveats}
    assert verified == {"read"}
    assert all("includes-verification" in record.caveats for record in records if record.operation == "read")


def test_what_the_definitions_say():
    records = read(load("4.0.0-stonewall.txt"))
    assert {(r.metric, r.statistic): r.definition for r in records} == {
        ("throughput", "value"): "aggregate over ranks, open to close",
        ("rate", "value"): "transfers of all ranks, first start to last end of the reads or writes",
        ("latency", "value"): "mean per transfer of the fastest rank",
        ("elapsed", "value"): "open to close",
        ("throughput", "max"): "aggregate over ranks, open to close",
        ("throughput", "min"): "aggregate over ranks, open to close",
        ("throughput", "mean"): "aggregate over ranks, open to close",
        ("throughput", "stddev"): "aggregate over ranks, open to close",
        ("rate", "max"): "transfers of all ranks, open to close",
        ("rate", "min"): "transfers of all ranks, open to close",
        ("rate", "mean"): "transfers of all ranks, open to close",
        ("rate", "stddev"): "transfers of all ranks, open to close",
        ("elapsed", "mean"): "until the stonewall",
        ("throughput_per_process", "mean"): "mean rank, up to the stonewall",
    }
    rows = [r.definition for r in records if r.metric == "elapsed" and r.repetition == 0]
    assert rows == ["open", "write or read", "close", "open to close"]


WHOLE = [name for name in READ if not re.search(r"stonewall|wear-out|\.csv", name)]


@pytest.mark.parametrize("name", WHOLE)
def test_throughput_times_elapsed_is_the_number_of_bytes(name):
    """Holds within what both figures were rounded to; under a stonewall, and in CSV, no log states the bytes."""
    whole = [r for r in read(load(name)) if r.statistic == "value" and r.definition.endswith("open to close")]
    rates = [r for r in whole if r.metric == "throughput"]
    times = [r for r in whole if r.metric == "elapsed"]
    assert len(rates) == len(times) > 0
    for rate, time in zip(rates, times, strict=True):
        assert (rate.operation, rate.repetition) == (time.operation, time.repetition)
        moved = rate.factors["threads"] * rate.factors["file_size"]
        slack = rate.value * half_step(time, 1) + time.value * half_step(rate, MIB)
        assert abs(rate.value * time.value - moved) <= 1.01 * slack


def half_step(record, scale):
    """Return the largest rounding error of a figure as printed."""
    text = record.printed.split()[0]
    return scale * 0.5 * 10.0 ** -len(text.partition(".")[2])


def test_the_mean_of_the_summary_is_that_of_the_rows():
    records = read(load("4.0.0-rep3.txt"))
    for operation in ("write", "read"):
        rates = [r for r in records if r.operation == operation and r.metric == "throughput"]
        rows = [r.value for r in rates if r.statistic == "value"]
        figures = {r.statistic: r.value for r in rates if r.statistic != "value"}
        assert figures["mean"] == pytest.approx(sum(rows) / len(rows), abs=0.51 * MIB)
        assert figures["max"] == pytest.approx(max(rows), abs=0.51 * MIB)
        assert figures["min"] == pytest.approx(min(rows), abs=0.51 * MIB)


def test_a_block_that_overruns_its_column_changes_nothing():
    """`io500.sh` asks for blocks of petabytes and ends the test by its stonewall."""
    log = load("3.3.0-rep3.txt")
    records = read(log.replace(b" 16384      1024.00", b" 1015808000000000 1024.00"))
    assert [record[:9] for record in records] == [record[:9] for record in read(log)]


@pytest.mark.parametrize("name", [name for name in READ if name.endswith(".txt")])
def test_its_banner_tells_the_version_before_anything_is_read(name):
    assert printed_version((SPECIMENS / f"ior-{name}").read_bytes()) == READ[name][0]


def test_without_its_banner_no_version_is_told():
    assert printed_version((SPECIMENS / "ior-4.0.0.csv").read_bytes()) is None
