"""What holds for every reader of logs and every specimen: the full values, or a refusal, and never anything else."""

import math
import random
import re
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.tools import READERS, find_readers, read_by, read_log
from coldcache.tools.fio import series_logs

# A snapshot of the kernel's counters is a file of its own, without an end and without lines of others between its own:
# tests/tools/test_mountstats.py says what of the following holds for it. A guest of the NFS study logs two.
SPECIMENS = sorted(
    path for path in Path(__file__).parents[1].joinpath("specimens").iterdir()
    if path.suffix in (".csv", ".json", ".log", ".txt") and not path.name.startswith(("mountstats", "nfs-guest"))
)  # fmt: skip

#: What schedulers, kernels, MPI and login scripts print into a log, on lines of their own.
FOREIGN = (
    b"[ 1234.567890] nfs: server fileserver not responding, still trying",
    b"slurmstepd: error: Detected 1 oom_kill event in StepId=7.0",
    b"[vm:01234] 3 more processes have sent help message help-mpi-btl-base.txt / btl:no-nics",
    b"A process has executed an operation involving a call to the fork() system call",
    b"",
)


def read(log):
    """Return the records of a log, or None where it is refused."""
    try:
        return read_log(log)
    except LogError:
        return None


def meaning(records):
    """Return what records say, without the place where it is said."""
    if records is None:
        return None
    return [(*record[:9], record.printed, record.caveats) for record in records]


def figures(records):
    """Return the figures alone, sorted: of what, and how much."""
    return sorted((record.operation, record.metric, record.statistic, record.value) for record in records)


def is_same_or_refused(log, full):
    records = read(log)
    return records is None or (full is not None and meaning(records) == meaning(full))


def is_keyed(path):
    """Return whether a specimen is JSON, or an INI file of IO500."""
    return (
        re.search(rb'"(?:jobs|client_stats|tests|MetricDataResults)"\s*:|\nconfig-hash', path.read_bytes()) is not None
    )


RECORDS = {path: read(path.read_bytes()) for path in SPECIMENS}
SOUND = [path for path, records in RECORDS.items() if records is not None]
every_specimen = pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda path: path.name)


@pytest.fixture(scope="module", params=SOUND, ids=lambda path: path.name)
def sound(request):
    """Return the bytes, the records and a source of random numbers of a specimen that is read."""
    return request.param.read_bytes(), RECORDS[request.param], random.Random(request.param.name)


@pytest.fixture(scope="module", params=[path for path in SOUND if not is_keyed(path)], ids=lambda path: path.name)
def sound_text(request):
    """Return the same of a specimen that has no keys and sections.

    Where it has, nothing but its place tells a line of a write from one of a read, and one job from the next.
    """
    return request.param.read_bytes(), RECORDS[request.param], random.Random(request.param.name)


def test_every_reader_has_a_specimen_that_it_reads():
    """A series of fio needs the name of its file; it and the kernel's snapshots have tests of their own."""
    names = {reader.TOOL for path in SOUND for reader in find_readers(path.read_bytes())}
    assert names == {reader.TOOL for reader in READERS} - {"fio_series", "mountstats", "nfs_guest"}


@every_specimen
def test_a_log_of_points_alone_is_one_that_no_other_reader_knows(specimen):
    log = specimen.read_bytes()
    asked = [reader for reader in READERS if reader.recognise(log)]
    assert series_logs.is_alone(log) == (asked == [series_logs])
    assert not series_logs.is_alone(log + b"\nfio-3.33\n")


def test_a_log_of_points_alone_is_offered_to_the_readers_of_other_packages(monkeypatch):
    log = Path(__file__).parents[1].joinpath("specimens/fio-3.33-window_bw.1.log").read_bytes()
    theirs = SimpleNamespace(TOOL="theirs", recognise=lambda log: log[:1].isdigit())
    monkeypatch.setattr("coldcache.tools._PACKAGED", SimpleNamespace(readers=(theirs,)))
    assert find_readers(log) == [series_logs, theirs]


def test_a_record_points_to_the_bytes_that_state_it(sound):
    log, records, _ = sound
    for record in records:
        text = log[record.offset : record.offset + record.length].decode()
        assert record.printed.startswith(text)
        if "derived" not in record.caveats:
            digits = re.sub(r"e[+-][0-9]+|[^0-9]", "", text)
            assert digits
            assert (int(digits) == 0) == (record.value == 0.0)
        assert record.unit == UNIT_OF_METRIC[record.metric]
        assert math.isfinite(record.value) and record.value >= 0.0


def test_no_place_is_read_twice_and_all_stand_in_order(sound):
    _, records, _ = sound
    assert [record.offset for record in records] == sorted(record.offset for record in records)
    places = [record.offset for record in records if "derived" not in record.caveats]
    assert len(set(places)) == len(places)


@every_specimen
def test_a_log_cut_at_a_line_end_gives_all_its_values_or_none(specimen):
    """Where several results of fio, or calls of IOzone, follow each other, those before the cut are whole."""
    log, full = specimen.read_bytes(), RECORDS[specimen]
    ends = [found.end() for found in re.finditer(rb"\n", log)]
    step = max(1, len(ends) // 40)
    for end in sorted({*ends[::step], *ends[-12:]}):
        records = read(log[:end])
        if records is None or (full is not None and figures(records) == figures(full)):
            continue
        if not log[:end].endswith((b"\n}\n", b"\niozone test complete.\n")):
            # IOR's CSV says nowhere how many repetitions were asked for.
            assert all("no-end-marker" in record.caveats for record in records), log[:end][-80:]


def test_a_log_cut_in_its_last_lines_gives_all_its_values_or_none(sound):
    log, full, _ = sound
    for end in range(max(0, len(log) - 120), len(log), 3):
        records = read(log[:end])
        if records is not None and figures(records) != figures(full):
            assert all("no-end-marker" in record.caveats for record in records), log[:end][-80:]


def test_lines_of_others_do_not_change_the_values(sound):
    """JSON may be refused where such a line precedes the key of its version."""
    log, full, source = sound
    lines = log.splitlines(keepends=True)
    for _ in range(6):
        at = source.randrange(len(lines) + 1)
        foreign = source.choice(FOREIGN) + b"\n"
        records = read(b"".join([*lines[:at], foreign, *lines[at:]]))
        if records is None and b'ersion"' in b"".join(lines[max(0, at - 1) : at + 2]):
            continue
        assert meaning(records) == meaning(full), (at, foreign)


def test_lines_of_others_before_and_after_do_not_change_the_values(sound):
    log, full, _ = sound
    others = b"".join(line + b"\n" for line in FOREIGN)
    assert meaning(read(others + log)) == meaning(full)
    assert meaning(read(log.rstrip(b"\n") + b"\n" + others)) == meaning(full)


def test_random_bytes_on_lines_of_their_own_change_no_value(sound):
    log, full, source = sound
    lines = log.splitlines(keepends=True)
    for _ in range(6):
        noise = source.randbytes(source.randrange(1, 200)).replace(b"\n", b"").replace(b"\r", b"") + b"\n"
        at = source.randrange(len(lines) + 1)
        assert is_same_or_refused(b"".join([*lines[:at], noise, *lines[at:]]), full), (at, noise)


def test_a_log_that_is_there_twice_counts_once_or_is_refused(sound):
    log, full, _ = sound
    twice = log + (b"" if log.endswith(b"\n") else b"\n") + log
    assert is_same_or_refused(twice, full)


def test_a_doubled_block_of_lines_of_text_counts_once_or_is_refused(sound_text):
    log, full, source = sound_text
    lines = log.splitlines(keepends=True)
    for _ in range(6):
        first, last = sorted(source.choices(range(len(lines) + 1), k=2))
        records = read(b"".join([*lines[:last], *lines[first:last], *lines[last:]]))
        assert records is None or figures(records) == figures(full), (first, last)


def test_swapped_lines_of_text_neither_lose_nor_change_a_figure(sound_text):
    log, full, source = sound_text
    for _ in range(6):
        lines = log.splitlines(keepends=True)
        first, second = source.choices(range(len(lines)), k=2)
        lines[first], lines[second] = lines[second], lines[first]
        records = read(b"".join(lines))
        assert records is None or figures(records) == figures(full), (first, second)


def test_line_ends_of_windows_change_no_value(sound):
    log, full, _ = sound
    assert meaning(read(log.replace(b"\n", b"\r\n"))) == meaning(full)


@pytest.mark.parametrize(
    ("number", "spelling"),
    [(rb"(\d)\.(\d)", rb"\1,\2"), (rb"(\d)(\d{3}\.\d)", rb"\1,\2"), (rb"(\d)(\d{3}\.\d)", rb"\1'\2")],
    ids=["decimal comma", "thousands comma", "thousands apostrophe"],
)
def test_separators_of_another_locale_change_no_value(sound, number, spelling):
    log, full, _ = sound
    assert is_same_or_refused(re.sub(number, spelling, log), full)


@every_specimen
def test_damage_is_refused_with_a_cause_of_one_line(specimen):
    """Whatever happens to the bytes, the reader answers with records or with one line."""
    log, source = specimen.read_bytes(), random.Random(specimen.name)
    words = re.findall(rb"\S+", log)
    for _ in range(12):
        damaged = bytearray(log)
        for _ in range(source.randrange(1, 6)):
            at = source.randrange(len(damaged))
            stop = at + source.choice((0, 1, 2, 8, 100))
            damaged[at:stop] = source.choice((b"", b"\n", b"\0", b"-1", b"9" * 400, b"nan", source.choice(words)))
        try:
            records = read_log(bytes(damaged))
        except LogError as cause:
            assert str(cause) and "\n" not in str(cause)
        else:
            assert all(math.isfinite(record.value) for record in records)


FRAGMENTS = sorted({word for path in SPECIMENS for word in re.findall(rb"\S+\s", path.read_bytes()[:20000])})


@settings(derandomize=True, deadline=None, max_examples=150, database=None)
@given(st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=8), max_size=60))
def test_any_bytes_give_records_or_a_refusal(parts):
    log = b"".join(parts)
    records = read(log)
    assert records is None or all(log[r.offset : r.offset + r.length].decode() for r in records)


def one_per_format():
    """Return the smallest sound specimen of each tool and kind of file."""
    chosen = {}
    for path in sorted(SOUND, key=lambda path: path.stat().st_size):
        chosen.setdefault((RECORDS[path][0].tool, path.suffix), path)
    return list(chosen.values())


@pytest.mark.parametrize("specimen", one_per_format(), ids=lambda path: path.name)
@pytest.mark.parametrize(
    "character", [b" ", b">", b"x", b"0", b'"', b"{", b"[", b"\t", b"1.0 ", b"a,", b"\r", b"\0", b"\n"]
)
def test_a_line_of_a_megabyte_costs_no_more_than_its_length(specimen, character):
    """A pattern that tries each start of a line with each end needs hours for this, and the time limit ends it."""
    log = specimen.read_bytes()
    full = read(log)
    line = character * (1_000_000 // len(character)) + b"\n"
    half = log.find(b"\n", len(log) // 2) + 1
    assert is_same_or_refused(line + log, full)
    assert is_same_or_refused(log[:half] + line + log[half:], full)
    assert is_same_or_refused(log + line, full)


@pytest.mark.parametrize("specimen", one_per_format(), ids=lambda path: path.name)
def test_a_log_of_20_mb_is_read_in_bounded_memory(specimen):
    log = specimen.read_bytes()
    full = read(log)
    others = b"".join(line + b"\n" for line in FOREIGN)
    large = log.rstrip(b"\n") + b"\n" + b"x" * 10_000_000 + b"\n" + others * (10_000_000 // len(others))
    tracemalloc.start()
    records = read(large)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert meaning(records) == meaning(full)
    assert peak < 8 * len(large)


@pytest.mark.timeout(25)
@pytest.mark.parametrize(
    ("name", "runs", "records"),
    [
        ("rhel_iotest-k8s-0.1.00-en_US.log", 3000, 10),
        ("rhel_iotest-viya-4.0.1.log", 1500, 1500 * 12),
        ("io500-script-result_summary.txt", 4000, 23),
        ("fio-3.33-seq-write.json", 2500, 29),
        ("ior-4.0.0-rep3.txt", 2500, 2500 * 60),
    ],
)
def test_thousands_of_runs_in_one_log_cost_no_more_than_their_length(name, runs, records):
    """A reader that compares each run with each, or counts lines from the start for each, needs minutes for this."""
    log = SPECIMENS[0].with_name(name).read_bytes().rstrip(b"\n") + b"\n"
    dated = (re.sub(rb"2026(?=-11-21T|\n)", b"%04d" % (2026 + run), log) for run in range(runs))
    assert len(read_log(b"".join(dated))) == records


def test_no_group_that_may_match_in_several_ways_is_possessive(root):
    """Before Python 3.11.5 such a group matches wrongly: github.com/python/cpython/issues/106052."""
    for path in (root / "workflow/src/coldcache/tools").rglob("*.py"):
        assert not re.search(r"(?<!\*\+)\)(?:[?+]|\{[0-9,]+\})\+", path.read_text()), path.name


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", ["ior-3.3.0.json", "fio-3.33-window_bw.1.log"])
def test_no_value_that_nothing_measured_can_be_leaves_a_reader(name, value):
    path = Path(__file__).parents[1] / "specimens" / name
    records = read_log(path.read_bytes(), path.name)
    if isinstance(records, list):
        wrong = [*records[:1], records[1]._replace(value=value)]
    else:
        records.value[1] = value
        wrong = records
    reader = SimpleNamespace(__name__="reader", read=lambda log: wrong)
    with pytest.raises(
        LogError, match=f"^line [0-9]+: .* would make .* {value:g} (B|1)/s, which nothing measured can be"
    ):
        read_by(reader, path.read_bytes())
