"""The output of SAS's throughput scripts is read in every locale, or refused by name."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools import read_file, read_log
from coldcache.tools.rhel_iotest.parse import recognise

SPECIMENS = Path(__file__).parents[2] / "specimens"
MIB = 2**20

SOUND = [
    "rhel_iotest-k8s-0.1.00-C.log", "rhel_iotest-k8s-0.1.00-de_CH.log", "rhel_iotest-k8s-0.1.00-de_DE.log",
    "rhel_iotest-k8s-0.1.00-en_US.log", "rhel_iotest-k8s-0.1.00-fr_FR.log", "rhel_iotest-k8s-0.1.00-en_US.results",
    "rhel_iotest-k8s-0.1.00-en_US.txt", "rhel_iotest-iotest.sh.txt", "rhel_iotest-iotest.sh.results",
    "rhel_iotest-viya-4.0.0.log", "rhel_iotest-viya-4.0.1.log",
]  # fmt: skip


def content(name):
    return (SPECIMENS / name).read_bytes()


def values(records):
    return [
        (found.operation, found.metric, found.statistic, found.value, found.printed, found.caveats) for found in records
    ]


def test_a_log_states_every_process_its_mean_and_the_published_rate():
    records = read_file(SPECIMENS / "rhel_iotest-k8s-0.1.00-en_US.log")
    size = 4320 * 65536
    cached = ("potential-caching",)
    assert values(records) == [
        ("read", "elapsed", "value", 0.27, "0.27 s", cached),
        ("read", "throughput", "value", 2 * size / 0.27, "0.27 s", ("derived", "rounded", *cached)),
        ("read", "elapsed", "value", 0.24, "0.24 s", cached),
        ("write", "elapsed", "value", 0.56, "0.56 s", ()),
        ("write", "elapsed", "value", 0.6, "0.60 s", ()),
        ("write", "throughput", "value", 2 * size / 0.6, "0.60 s", ("derived", "rounded")),
        ("read", "elapsed", "mean", 0.25, "0.25 seconds", cached),
        ("read", "throughput_per_core", "value", 1080 * MIB, "1,080.00 megabytes/second", ("rounded", *cached)),
        ("write", "elapsed", "mean", 0.58, "0.58 seconds", ()),
        ("write", "throughput_per_core", "value", 465.51 * MIB, "465.51 megabytes/second", ("rounded",)),
    ]
    assert {record.tool_version for record in records} == {"0.1.00"}
    assert records[6].factors == {
        "file_layout": "file-per-thread", "direct_io": False, "nodes": 1, "threads": 2, "transfer_size": 65536,
        "file_size": size,
    }  # fmt: skip
    assert [record.factors.get("process") for record in records[:5]] == [1, None, 2, 1, 2]


@pytest.mark.parametrize(
    ("name", "read", "write", "printed", "is_truncated"),
    [
        ("C", 843.75, 473.68, "843.75 megabytes/second", False),
        ("en_US", 1080.0, 465.51, "1,080.00 megabytes/second", False),
        ("de_CH", 1080.0, 428.57, "1\u2019080.00 megabytes/second", False),
        ("de_DE", 1038.0, 360.0, "1.038,00 megabytes/second", True),
        ("fr_FR", 1227.0, 284.0, "1\u202f227,00 megabytes/second", True),
    ],
)
def test_separators_of_every_locale_are_read(name, read, write, printed, is_truncated):
    log = content(f"rhel_iotest-k8s-0.1.00-{name}.log")
    rates = [record for record in read_log(log) if record.metric == "throughput_per_core"]
    assert [record.value for record in rates] == [read * MIB, write * MIB]
    assert rates[0].printed == printed
    number = log[rates[0].offset : rates[0].offset + rates[0].length]
    assert number.decode() + " megabytes/second" == printed
    assert ["truncated" in record.caveats for record in rates] == [is_truncated] * 2


def test_times_that_a_locale_cut_to_nothing_give_no_record():
    records = read_file(SPECIMENS / "rhel_iotest-k8s-0.1.00-de_DE.log")
    assert [record.value for record in records if record.metric == "elapsed"] == [0.27, 0.25, 0.73, 0.78]


@pytest.mark.parametrize("ending", ["results", "txt"])
def test_console_and_results_state_the_rates_alone(ending):
    records = read_file(SPECIMENS / f"rhel_iotest-k8s-0.1.00-en_US.{ending}")
    assert values(records) == [
        ("read", "throughput_per_core", "value", 1080 * MIB, "1,080.00 megabytes/second", ("potential-caching",)),
        ("write", "throughput_per_core", "value", 465.51 * MIB, "465.51 megabytes/second", ()),
    ]
    assert records[0].factors["threads"] == 2
    assert "file_size" not in records[0].factors


@pytest.mark.parametrize("ending", ["results", "txt"])
def test_the_unix_script_states_rates_per_process(ending):
    records = read_file(SPECIMENS / f"rhel_iotest-iotest.sh.{ending}")
    assert values(records) == [
        ("read", "elapsed", "mean", 0.4, ".40 seconds", ()),
        ("read", "throughput_per_process", "value", 312.5 * MIB, "312.50 megabytes per second", ("rounded",)),
        ("write", "elapsed", "mean", 0.61, ".61 seconds", ("no-fsync",)),
        ("write", "throughput_per_process", "value", 204.91 * MIB, "204.91 megabytes per second",
         ("no-fsync", "rounded")),
    ]  # fmt: skip
    assert records[0].factors == {
        "file_layout": "file-per-thread", "direct_io": False, "nodes": 1, "threads": 3, "transfer_size": 65536,
        "file_size": 131072000,
    }  # fmt: skip


def test_the_viya_tool_states_rates_of_one_and_of_two_processes_per_core():
    records = read_file(SPECIMENS / "rhel_iotest-viya-4.0.1.log")
    path, cache = 3839 * 65536, 2303 * 65536
    assert [(found.operation, found.metric, found.value, found.factors["threads"]) for found in records] == [
        ("write", "throughput", pytest.approx(2 * path / 3.048), 2),
        ("read", "throughput", pytest.approx(2 * path / 0.965), 2),
        ("read", "elapsed", 0.93, 2),
        ("read", "throughput_per_core", 257.98 * MIB, 2),
        ("write", "elapsed", 3.02, 2),
        ("write", "throughput_per_core", 79.44 * MIB, 2),
        ("write", "throughput", pytest.approx(4 * cache / 0.596), 4),
        ("read", "throughput", pytest.approx(4 * cache / 1.113), 4),
        ("read", "elapsed", 0.48, 4),
        ("read", "throughput_per_core", 299.85 * MIB, 4),
        ("write", "elapsed", 0.22, 4),
        ("write", "throughput_per_core", 654.22 * MIB, 4),
    ]
    assert {found.tool_version for found in records} == {"4.0.1"}
    assert records[0].printed == "2026-11-21T08:47:22.872Z"
    assert records[0].caveats == ("derived", "from-time-stamps")
    assert "viya-4.0.0-per-core" not in {caveat for found in records for caveat in found.caveats}


@pytest.mark.parametrize("version", [b"4.0.0", b"4.0.1"])
def test_figures_that_are_a_quarter_of_what_they_say_are_marked(version):
    """SAS's own example names 4.0.1 and has times that do not fit its phases unless 4.0.0 divided them."""
    log = content("rhel_iotest-viya-4.0.0.log").replace(b"Version: 4.0.0", b"Version: " + version)
    marked = [record for record in read_log(log) if "viya-4.0.0-per-core" in record.caveats]
    assert [record.value for record in marked if record.metric == "throughput_per_core"] == [205.61 * MIB, 22.55 * MIB]
    assert all("CDC test" in record.definition for record in marked)


def test_hosts_of_one_test_are_told_apart():
    log = content(VIYA) + content(VIYA).replace(b"[vm]", b"[node2]").replace(b" 257.98 ", b" 257.97 ")
    rates = [record for record in read_log(log) if record.metric == "throughput_per_core"]
    assert [(record.factors["client"], record.value / MIB) for record in rates if record.operation == "read"] == [
        ("vm", 257.98), ("vm", 299.85), ("node2", 257.97), ("node2", 299.85),
    ]  # fmt: skip
    assert "client" not in read_file(SPECIMENS / VIYA)[0].factors


def later(log):
    """Return a log of the same tests of the next day."""
    return log.replace(b"2026-11-21T", b"2026-11-22T").replace(b" 257.98 ", b" 257.97 ")


def test_runs_of_the_viya_tool_in_one_file_are_repetitions_each_with_its_own_version():
    log = content(VIYA) + later(content(VIYA)).replace(b"Version: 4.0.1", b"Version: 4.0.0")
    rates = [
        record for record in read_log(log) if record.metric == "throughput_per_core" and record.operation == "read"
    ]
    assert [(record.tool_version, record.repetition, record.value / MIB) for record in rates] == [
        ("4.0.1", 0, 257.98), ("4.0.1", 0, 299.85), ("4.0.0", 1, 257.97), ("4.0.0", 1, 299.85),
    ]  # fmt: skip
    assert read_log(content(VIYA) * 2) == read_log(content(VIYA))


@pytest.mark.parametrize("is_last", [False, True])
def test_each_run_of_the_viya_tool_needs_its_own_end(is_last):
    whole, cut = content(VIYA), content(VIYA).replace(b"Execution is complete!", b"")
    with pytest.raises(LogError, match="did not print 'Execution is complete!' behind whole tests"):
        read_log(whole + later(cut) if is_last else cut + later(whole))


@pytest.mark.parametrize("name", SOUND)
def test_every_record_points_to_its_number(name):
    log = content(name)
    for record in read_log(log):
        assert record.printed.startswith(log[record.offset : record.offset + record.length].decode())


@pytest.mark.parametrize("name", SOUND)
def test_a_log_cut_at_any_line_gives_all_or_nothing(name):
    log = content(name)
    whole = [found[:5] for found in values(read_log(log))]
    refused = 0
    for end in re.finditer(rb"\n", log):
        try:
            assert [found[:5] for found in values(read_log(log[: end.end()]))] == whole
        except LogError:
            refused += 1
    assert refused > 5


@pytest.mark.parametrize("name", [name for name in SOUND if "viya" not in name])
def test_a_log_that_stands_twice_counts_once(name):
    log = content(name)
    assert len(read_log(log + b"\n" + log)) == len(read_log(log))


def test_two_runs_in_one_file_are_repetitions():
    log = content("rhel_iotest-k8s-0.1.00-en_US.log") + content("rhel_iotest-k8s-0.1.00-C.log")
    rates = [record for record in read_log(log) if record.metric == "throughput_per_core"]
    assert [(record.repetition, record.value / MIB) for record in rates] == [
        (0, 1080), (0, 465.51), (1, 843.75), (1, 473.68),
    ]  # fmt: skip


def test_foreign_lines_do_not_matter():
    log = content("rhel_iotest-k8s-0.1.00-en_US.log").replace(b"\n", b"\nslurmstepd: error: *** STEP 1.0 ***\n")
    assert len(read_log(log)) == 10


EN_US = "rhel_iotest-k8s-0.1.00-en_US.log"
VIYA = "rhel_iotest-viya-4.0.1.log"


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (EN_US, b"1,080.00", b"1,08.00", "line 94: '1,08.00' is a number of no locale"),
        (EN_US, b"1,080.00", b"1,080", "line 94: a line of results is broken: 'read throughput rate:   1,080 megab"),
        (EN_US, b"1,080.00", b"1,090.00", "line 94: size, time and rate of read contradict each other"),
        (EN_US, b"1,080.00", b"0.00", "line 94: the read rate is zero: nothing was measured"),
        (EN_US, b"real 0.24", b"real 0.44", "line 94: the times of read contradict their mean: a digit is lost"),
        (EN_US, b"real 0.24", b"real 0.2", "k8s_iotest-readtest.out.2:real 0.2'"),
        (
            EN_US,
            b"readtest.out.2:",
            b"readtest.out.3:",
            "line 94: the times of read are of processes 1, 3, not of 1 to 2",
        ),
        (EN_US, b"processing complete", b"processing", "line 6: the run that starts here did not end: the log is cut"),
        (EN_US, b"  write throughput", b"  xrite throughput", "are not all there: the log is cut short"),
        (VIYA, b"257.98", b"25.798", "a line of results is broken: '   25.798 MB/second per physical core'"),
        (VIYA, b"257.98", b"357.98", "size, time and rate of read contradict each other: a digit is lost"),
        (VIYA, b"257.98", b"0.00", "PATH IO test for 'vm': the read rate or time is zero: nothing was measured"),
        (VIYA, b": Read tests complete", b": -", "PATH IO test for 'vm': a line of read is missing: the log is cut"),
        (VIYA, b"Total iterations: 2", b"Total: 2", "PATH IO test for 'vm': 'Total iterations' counts none"),
        (VIYA, b"Total iterations: 2", b"Total iterations: 0", "'vm': 'Total iterations' counts none"),
        ("rhel_iotest-viya-4.0.0.log", b"file cache): 3", b"file cache): 0", "'vm': 'Total iterations' counts none"),
        ("rhel_iotest-viya-4.0.0.log", b"file cache): 3", b"file cache): 1", "'vm': 'Total iterations' counts none"),
        (
            VIYA,
            b"Total iterations: 2",
            b"Total iterations (incl\xff): x",
            "Total iterations (incl\ufffd) is broken: ' x'",
        ),
        (VIYA, b"Blocks per iteration: 3839", b"Blocks per iteration: x", "Blocks per iteration is broken: ' x'"),
        (VIYA, b"Executing read tests", b"ERROR - Read test failed for [/x]", "says 'Read test failed for [/x]'"),
        (VIYA, b"Execution is complete!", b"", "the log is cut short"),
        (VIYA, b"Begin CDC IO Test", b"Begin", "a test ends that did not begin: the log is cut"),
        (VIYA, b"25.578Z]: Read tests", b"24.678Z]: Read tests", "does not fit a phase of 0.065 s: a digit is lost"),
    ],
)
def test_damage_is_refused_by_name(name, old, new, message):
    log = content(name)
    assert old in log
    with pytest.raises(LogError, match=re.escape(message)):
        read_log(log.replace(old, new))


@pytest.mark.parametrize("locale", ["de_DE", "fr_FR"])
def test_sizes_of_another_run_are_refused_where_the_decimals_are_lost(locale):
    lines = content(f"rhel_iotest-k8s-0.1.00-{locale}.log").splitlines(keepends=True)
    first, second = (number for number, line in enumerate(lines) if line.startswith(b"Blocks:"))
    lines[first], lines[second] = lines[second], lines[first]
    with pytest.raises(LogError, match="line 94: size, time and rate of read contradict each other"):
        read_log(b"".join(lines))


def test_a_line_of_another_test_is_told_by_its_stamp():
    lines = content(VIYA).splitlines(keepends=True)
    first, second = [number for number, line in enumerate(lines) if b"Total iterations" in line][-2:]
    lines[first], lines[second] = lines[second], lines[first]
    with pytest.raises(LogError, match=r"line [0-9]+: time goes back: lines of the log are mixed up"):
        read_log(b"".join(lines))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("k8s-0.1.00-ENOSPC.log", "line 62: the script says '<<ERROR>> failed to execute write test successfully.'"),
        ("k8s-0.1.00-ENOSPC.txt", "line 7: the script says '<<ERROR>> failed to execute write test successfully.'"),
        ("iotest.sh-ENOSPC.txt", "the script says '<<ERROR>> iotest.sh: failed to execute write test successfully'"),
        ("k8s-0.1.00-killed.log", "line 6: the results of the run that starts here are not all there: the log is cut"),
    ],
)
def test_failed_runs_are_refused(name, message):
    with pytest.raises(LogError, match=re.escape(message)):
        read_file(SPECIMENS / f"rhel_iotest-{name}")


def test_prose_about_the_script_is_no_log():
    assert not recognise(b"Run rhel_iotest.sh -t /lustre on all clients and compare the read throughput rate.\n")
