"""A study means what its YAML says; an unknown word in it is refused with file, key and the nearest valid one."""

from pathlib import Path

import pytest
from yaml_lines import drop_line

from coldcache.core.errors import DesignError
from coldcache.design.levels import Doubling, Share, stored_level
from coldcache.design.study import read_study

WHERE = "config/studies/tiny.yaml"


def refusal(function, *arguments):
    with pytest.raises(DesignError) as refused:
        function(*arguments)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.fixture
def altered(project, change):
    """Read the tiny study after a change to its text."""

    def read(old, new):
        change(Path(WHERE), old, new)
        return read_study(Path("config/studies"), "tiny")

    return read


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (
            "    repetitions: 6\n    repeat_until: {relative_width: 0.1, most: 4}\n",
            "13, sweeps.transfers.repeat_until.most: 4 are fewer than the 6 repetitions of transfers",
        ),
        (
            "    repetitions: 2\n    repeat_until: {relative_width: 0.1, most: 9}\n",
            "12, sweeps.transfers.repetitions: 2 of transfers are too few for repeat_until: no interval of fewer "
            "than 5 is believed",
        ),
    ],
)
def test_a_stop_rule_that_a_sweep_cannot_keep_is_named_in_the_line_of_the_sweep(altered, stated, message):
    line = "    operations: [write, read]\n"
    assert refusal(altered, line, line + stated) == f"{WHERE}, line {message}"


@pytest.mark.parametrize(
    ("first", "end", "cores", "levels"),
    [
        (1, {"last_per_core": 2}, 1, [1, 2]),
        (1, {"last_per_core": 2}, 2, [1, 2, 4]),
        (1, {"last_per_core": 2}, 3, [1, 2, 4, 6]),
        (1, {"last_per_core": 2}, 16, [1, 2, 4, 8, 16, 32]),
        (1, {"last_per_core": 1}, 3, [1, 2, 3]),
        (1, {"last_per_core": 0.5}, 1, [1]),
        (4, {"last_per_core": 1}, 2, [4]),
        (3, {"last": 24}, 1, [3, 6, 12, 24]),
        (1, {"last": 640}, 1, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 640]),
        (5, {"last": 5}, 64, [5]),
    ],
)
def test_levels_double_up_to_the_last_one(first, end, cores, levels):
    assert Doubling(first=first, **end).levels(cores) == levels


@pytest.mark.parametrize(
    ("share", "threads", "unit", "level"),
    [
        ({"aggregate": "1 GiB"}, 4, "B", 2**28),
        ({"aggregate": "1 GB", "round": "down"}, 3, "B", 333_333_333),
        ({"aggregate": "1 GB", "round": "up"}, 3, "B", 333_333_334),
        ({"aggregate": 60000, "round": "down"}, 7, "1", 8571),
        ({"aggregate": "2 TB", "at_most": "1 GiB"}, 64, "B", 2**30),
        ({"aggregate": "2 TB", "at_most": "1 TB"}, 4, "B", 500_000_000_000),
    ],
)
def test_a_share_is_what_each_thread_gets(share, threads, unit, level):
    assert Share(**share).level(threads, unit) == level


def test_a_share_that_no_number_holds_is_refused():
    message = refusal(Share(memory=1e300, round="down").level, 1, "B", 2**60)
    assert message == "1e+300 times the memory is more than a number can hold"


def test_a_share_that_does_not_divide_is_refused():
    message = refusal(Share(aggregate="1 GB").level, 3, "B")
    assert message == "1 GB does not divide by 3 threads; set round to down or up"


@pytest.mark.parametrize(
    ("factor", "level", "stored"),
    [
        ("transfer_size", "1 MiB", 1048576),
        ("threads", 4, 4),
        ("threads", "4", 4),
        ("direct_io", True, True),
        ("direct_io", "where-possible", "where-possible"),
        ("file_layout", "shared-file", "shared-file"),
    ],
)
def test_a_level_is_stored_in_the_unit_of_its_factor(factor, level, stored):
    assert stored_level(factor, level) == stored


def test_the_tiny_study_is_read_as_written(project):
    study = read_study(Path("config/studies"), "tiny")
    assert study.repetitions == 2
    assert list(study.sweeps) == ["transfers", "files", "cache"]
    transfers = study.sweeps["transfers"]
    assert (transfers.tools, transfers.operations, transfers.seconds) == (["fio"], ["write", "read"], 0.2)
    assert study.sweeps["cache"].settings == {"write_cache": "qemu-nbd"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("question:", "qestion:", 'unknown key "qestion"; did you mean "question"?'),
        (
            "operations: [write, read]",
            "opertions: [write, read]",
            'sweeps.transfers: unknown key "opertions"; did you mean "operations"?',
        ),
        (
            "operations: [write, read]",
            "operations: [write, raed]",
            'sweeps.transfers.operations.1: unknown "raed"; did you mean "read"?',
        ),
        (
            "operations: [random-write]\n    settings",
            "operations: [randwrite]\n    settings",
            'sweeps.cache.operations.0: unknown "randwrite"; did you mean "random-write"?',
        ),
        (
            "title: Transfers of 64 KiB\n    tools: [fio]",
            "title: Transfers of 64 KiB\n    tools: [iozon]",
            'sweeps.transfers.tools.0: unknown "iozon"; did you mean "iozone"?',
        ),
        (
            "threads: [1, 2]",
            "thread: [1, 2]",
            'sweeps.transfers: factors: unknown factor "thread"; did you mean "threads"?',
        ),
        ("threads: [1, 2]", "nodes: [1]", "sweeps.transfers: factors: threads is required"),
        (
            "threads: [1, 2]",
            "threads: [1, two]",
            'sweeps.transfers: factors.threads: "two" is not a number',
        ),
        (
            "threads: [1, 2]",
            "threads: [0, 2]",
            "sweeps.transfers: factors.threads: 0 is not a whole number of at least 1",
        ),
        (
            "threads: [1, 2]",
            "threads: [1, 1.5]",
            "sweeps.transfers: factors.threads: 1.5 is not a whole number of at least 1",
        ),
        ("threads: [1, 2]", "threads: [2, 2]", 'sweeps.transfers: factors.threads: the level "2" appears twice'),
        (
            "threads: [1, 2]",
            "threads: [1, .inf]",
            "sweeps.transfers: factors.threads: inf is no number that can be meant",
        ),
        (
            "threads: [1, 2]",
            "threads: {first: 4, last: 2}",
            "sweeps.transfers.factors.threads: last (2) is below first (4)",
        ),
        (
            "threads: [1, 2]",
            "threads: {first: 4, last: 2, last_per_core: 2}",
            "sweeps.transfers.factors.threads: state either last or last_per_core",
        ),
        (
            "threads: [1, 2]",
            "threads: {first: 1, lst: 2}",
            'sweeps.transfers.factors.threads: unknown key "lst"; did you mean "last"?',
        ),
        (
            "threads: [1, 2]",
            "threads: {aggregate: 8}",
            "sweeps.transfers: factors.threads: cannot be a share of the threads",
        ),
        (
            "threads: [1, 2]",
            "threads: []",
            "sweeps.transfers.factors.threads: must not be empty",
        ),
        (
            "transfer_size: [64 KiB]",
            "transfer_size: [64 Kib]",
            'sweeps.transfers: factors.transfer_size: "64 Kib" has an unknown unit "Kib"; did you mean "KiB"?',
        ),
        (
            "transfer_size: [64 KiB]",
            "transfer_size: [0]",
            "sweeps.transfers: factors.transfer_size: 0 is not at least 1 B",
        ),
        (
            "transfer_size: [64 KiB]",
            "transfer_size: [64 KiB, 65536]",
            'sweeps.transfers: factors.transfer_size: the level "65536" appears twice, first as "64 KiB"',
        ),
        (
            "file_size: [16 MiB]\n      direct_io",
            "file_size: {aggregate: 4 MiG}\n      direct_io",
            'sweeps.transfers: factors.file_size: "4 MiG" has an unknown unit "MiG"; did you mean "MiB"?',
        ),
        (
            "file_size: [16 MiB]\n      direct_io",
            "file_size: {aggregate: 4 MiB, at_most: 1 MiG}\n      direct_io",
            'sweeps.transfers: factors.file_size: "1 MiG" has an unknown unit "MiG"; did you mean "MiB"?',
        ),
        (
            "file_size: [16 MiB]\n      direct_io",
            "file_size: {aggregate: 4 MiB, round: dwn}\n      direct_io",
            'sweeps.transfers.factors.file_size.round: unknown "dwn"; did you mean "down"?',
        ),
        (
            "file_layout: [file-per-thread]",
            "file_layout: [file-per-process]",
            'sweeps.transfers: factors.file_layout: unknown level "file-per-process"; did you mean "file-per-thread"?',
        ),
        (
            "file_layout: [file-per-thread]",
            "file_layout: {first: 1, last: 2}",
            "sweeps.transfers: factors.file_layout: its levels are names: list them",
        ),
        (
            "direct_io: [where-possible]",
            "direct_io: [where-posible]",
            'sweeps.transfers: factors.direct_io: unknown level "where-posible"; did you mean "where-possible"?',
        ),
        (
            "direct_io: [where-possible]",
            "direct_io: [1]",
            'sweeps.transfers: factors.direct_io: unknown level "1"; known are true, false, where-possible',
        ),
        (
            "write_cache: qemu-nbd",
            "write_cache: qemu-ndb",
            'sweeps.cache.settings.write_cache: unknown "qemu-ndb"; did you mean "qemu-nbd"?',
        ),
        (
            "write_cache: qemu-nbd",
            "write_cach: qemu-nbd",
            'sweeps.cache: settings: unknown factor "write_cach"; did you mean "write_cache"?',
        ),
        (
            "write_cache: qemu-nbd",
            "threads: qemu-nbd",
            "sweeps.cache: settings.threads: qemu-nbd puts write_cache in force, not threads",
        ),
        (
            "    settings: {write_cache: qemu-nbd}\n",
            "",
            "sweeps.cache: factors.write_cache: nothing puts its levels in force; name the setting, "
            "as in settings: {write_cache: qemu-nbd}",
        ),
        (
            "[writeback, unsafe]",
            "[writeback, writethru]",
            'sweeps.cache: factors.write_cache: unknown level "writethru"; did you mean "writethrough"?',
        ),
        (
            "[writeback, unsafe]",
            "[on, off]",
            'sweeps.cache: factors.write_cache: unknown level "True"; '
            "known are writeback, writethrough, none, directsync, unsafe",
        ),
        (
            "operations: [write, read]",
            "operations: [write, file-stat]",
            "sweeps.transfers: operations: write moves data and file-stat does not; give each a sweep of its own",
        ),
        (
            "files: [2000]",
            "files: [2000]\n      transfer_size: [4 KiB]",
            "sweeps.files: factors.transfer_size: file-create has no such factor; known are threads, nodes, files, "
            "directories_per_thread, items_per_directory, file_body, file_sync, and those of settings",
        ),
        (
            "file_layout: [file-per-thread]",
            "files: [10]",
            "sweeps.transfers: factors.files: write has no such factor; known are threads, nodes, transfer_size, "
            "file_size, file_layout, queue_depth, direct_io, writes_per_flush, and those of settings",
        ),
        ("      transfer_size: [64 KiB]\n", "", "sweeps.transfers: factors: transfer_size is required"),
        ("      files: [2000]\n", "", "sweeps.files: factors: files is required"),
        ("repetitions: 2", "repetitions: 0", "repetitions: must be at least 1, not 0"),
        ("study: tiny\n", "", "study: is required"),
    ],
)
def test_an_unknown_word_is_refused_with_its_place(altered, old, new, message):
    found = refusal(altered, old, new)
    assert drop_line(found, Path(WHERE).read_text()) == f"{WHERE}, {message}"


@pytest.mark.parametrize(
    ("seconds", "message"),
    [
        ("0.2 sec", '"0.2 sec" has an unknown unit "sec"; did you mean 0.2 s?'),
        (".inf", "inf is no number that can be meant"),
        ("0 s", "must be greater than 0, not 0"),
    ],
)
def test_a_duration_that_is_none_is_refused(altered, seconds, message):
    old = "operations: [write, read]\n    seconds: 0.2 s"
    found = refusal(altered, old, old.replace("0.2 s", seconds))
    assert drop_line(found, Path(WHERE).read_text()) == f"{WHERE}, sweeps.transfers.seconds: {message}"


def test_a_file_that_holds_another_study_is_refused(altered):
    message = refusal(altered, "study: tiny", "study: other")
    assert message == f'{WHERE}, line 1, study: "other" is not the name of the file; write "tiny"'
