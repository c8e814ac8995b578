"""Columns of IOR are named and converted the same, whatever the form of the log."""

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.ior.columns import (
    ROW_COLUMNS,
    ROW_KEYS,
    IorFacts,
    check_ior_version,
    command_size,
    make_record,
    name_ior_operation,
    parse_command,
    parse_size,
    stonewall_metric,
    verifies_reads,
)

MIB = 2**20


@pytest.mark.parametrize("version", ["3.0", "3.0.1", "3.3.0+dev", "3.4.0", "4.0.0", "4.1.0+dev"])
def test_known_versions_are_read(version):
    check_ior_version(version)


@pytest.mark.parametrize("version", ["2.10.3", "3.5", "4.2.0", "3.10", "4.11"])
def test_other_versions_are_refused(version):
    with pytest.raises(LogError, match=rf"IOR {version} is none of the versions read here \(3.0 to 4.1\)"):
        check_ior_version(version)


def test_a_figure_means_the_same_in_text_and_json():
    assert ROW_KEYS["bwMiB"]._replace(suffix="") == ROW_COLUMNS["bw(MiB/s)"]._replace(suffix="")
    assert ROW_COLUMNS["bw(MiB/s)"].scale == MIB
    assert ROW_COLUMNS["Latency"] == ROW_COLUMNS["Latency(s)"]


def test_an_access_is_random_only_if_it_moves_data():
    found = [name_ior_operation(access, True) for access in ("write", "read", "remove")]
    assert found == ["random-write", "random-read", "file-remove"]
    assert name_ior_operation("read", False) == "read"


@pytest.mark.parametrize(
    ("version", "rate", "metric"),
    [
        ("3.3.0", 10.0, "throughput"), ("4.0.0", 100.0, "throughput_per_process"),
        # 4 ranks moved 400 MiB in 1 s: one rank's share is 100 MiB.
        ("3.4.0+dev", 400.0, "throughput"), ("3.4.0+dev", 100.0, "throughput_per_process"),
        (None, 103.0, "throughput"), (None, 101.0, "throughput_per_process"),
    ],
)  # fmt: skip
def test_a_stonewall_rate_counts_all_ranks_or_a_mean_one_by_version_and_by_physics(version, rate, metric):
    assert stonewall_metric(version, rate, 1.0, 400.0, 4) == metric


@pytest.mark.parametrize(
    ("command", "found"),
    [
        (b"ior -w -r -t 1m", ({"write", "read"}, False)), (b"ior -w -B", ({"write"}, True)),
        (b"ior -r --posix.odirect", ({"read"}, True)), (b"ior -f script", (set(), None)), (b"", (set(), None)),
    ],
)  # fmt: skip
def test_the_command_states_accesses_and_direct_transfers(command, found):
    assert parse_command(command) == (frozenset(found[0]), found[1])


@pytest.mark.parametrize(
    ("command", "found"),
    [
        (b"ior -w -O useO_DIRECT=1,summaryFormat=JSON", ({"write"}, True)),
        (b"ior -w -O summaryFormat=JSON,USEo_direct=1", ({"write"}, True)), (b"ior -O=useO_DIRECT=1", (set(), True)),
        (b"ior -O useO_DIRECT=0 -r", ({"read"}, False)), (b"ior --posix.odirect=1", (set(), True)),
        (b"ior --posix.odirect=0", (set(), False)), (b"ior -wFB -t 1m", ({"write"}, True)),
        # A value of another option is no flag.
        (b"ior -w -oB", ({"write"}, False)), (b"ior -w -o B -Fo useO_DIRECT=1 -kr", ({"write", "read"}, False)),
        (b"ior -G -1572523248 -wt1m -a=B", ({"write"}, False)), (b"ior -w -f=script -B", (set(), None)),
    ],
)  # fmt: skip
def test_direct_transfers_are_found_in_directives_and_groups_of_flags(command, found):
    assert parse_command(command, "4.0.0") == (frozenset(found[0]), found[1])


@pytest.mark.parametrize(
    ("command", "version", "found"),
    [
        (b"ior -r -R -t 1m", "4.0.0", True), (b"ior -wrRF", "3.3.0", True),
        (b"ior -r -O checkRead=1", "4.1.0+dev", True),
        (b"ior -r -t 1m", "4.0.0", False), (b"ior -w -W -r", "4.0.0", False), (b"ior -r -o R", "4.0.0", False),
        # Up to 3.1 the data are read once more to be compared, after the read that counts.
        (b"ior -r -R", "3.0.1", False), (b"ior -r -R", "3.1.0", False), (b"ior -r -R", "3.2.1", True),
    ],
)  # fmt: skip
def test_the_command_states_whether_reads_are_verified_in_their_time(command, version, found):
    assert verifies_reads(command, version) is found


def test_version_3_2_reads_the_first_letter_of_a_group_alone():
    assert parse_command(b"ior -wB -rv", "3.2.1") == (frozenset(("write", "read")), False)


def test_sizes_are_read_from_the_command_and_from_what_is_printed():
    assert command_size(b"ior -t 1m -b=16k -s 4", b"-t") == MIB
    assert command_size(b"ior -t 1m -b=16k -s 4", b"-b") == 16 * 1024
    assert command_size(b"ior -t 1m -b=16k -s 4", b"-s") == 4
    assert command_size(b"ior -t 1m", b"-b") is None
    assert [parse_size(text) for text in (b"47008 bytes", b"1 MiB ", b"2 TiB")] == [47008, MIB, 2 * 2**40]
    # A rounded size is none.
    assert parse_size(b"1.50 GiB") is None


def test_a_record_has_the_unit_of_its_column_and_its_place_in_the_log():
    facts = IorFacts("4.0.0", False, (), {"threads": 4})
    found = make_record(facts, "write", ROW_COLUMNS["bw(MiB/s)"], b"1.50", 100, 2, ("rounded",))
    assert (found.value, found.unit, found.metric, found.repetition) == (1.5 * MIB, "B/s", "throughput", 2)
    assert (found.offset, found.length, found.printed, found.caveats) == (100, 4, "1.50 MiB/s", ("rounded",))
    assert found.factors == {"threads": 4}
