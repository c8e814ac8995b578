"""What a command line of mdtest says, as each version understands it."""

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.mdtest.semantics import (
    Settings,
    check_mdtest_version,
    factors,
    file_defects,
    has_leaf_count_defect,
    read_options,
)


def make_settings(command="", version="4.0.0", tasks=4, old=False):
    return Settings(version, tasks, 1, read_options(command, old), old)


@pytest.mark.parametrize(
    "version", ["1.9.3", "1.9.4-rc1", "3.2.1", "3.3alpha1", "3.3.0", "3.3.0rc1", "3.4.0+dev", "4.0.0rc1", "4.1.0+dev"]
)
def test_known_versions_pass(version):
    check_mdtest_version(version)


@pytest.mark.parametrize("version", ["1.8.4", "1.9.1", "1.9.33", "3.1.0", "3.20", "4.2.0", "5.0.0", "latest"])
def test_other_versions_are_refused_by_name(version):
    with pytest.raises(LogError) as refusal:
        check_mdtest_version(version)
    assert str(refusal.value) == f"mdtest {version} is none of the versions read here (1.9.3, 1.9.4, 3.2 to 4.1)"


@pytest.mark.parametrize(
    ("command", "old"),
    [
        ("/opt/mdtest -F -n 10 -d /mnt/target/d -v -w4K", True),
        ('/opt/mdtest "-F" "-n" "10" "-d" "/mnt/target/d" "-v" "-w" "4K"', False),
        ("/opt/mdtest '-F' '-n=10' '-d' '/mnt/target/d' '-v' '-w=4K'", False),
    ],
    ids=["1.9.3", "3.2", "since 3.3"],
)
def test_options_of_each_way_of_quoting(command, old):
    assert read_options(command, old) == {"F": "", "n": "10", "d": "/mnt/target/d", "v": "", "w": "4K"}


def test_flags_may_share_a_dash_and_long_options_take_values():
    assert read_options("mdtest -Fuv --random-seed 7 --print-all-procs -I 5", False) == {
        "F": "", "u": "", "v": "", "--random-seed": "7", "--print-all-procs": "", "I": "5",
    }  # fmt: skip


def test_a_directory_that_begins_with_a_dash_is_a_value():
    assert read_options("'-d' '-n' '-F'", False) == {"d": "-n", "F": ""}


def test_a_suffix_multiplies_since_3_2_and_is_dropped_before():
    assert make_settings("-w 4K").number("w") == 4096
    assert make_settings("-w 4K", old=True).number("w") == 4
    assert make_settings("-w 2g").number("w") == 2 << 30
    assert make_settings().number("w", 7) == 7


@pytest.mark.parametrize(
    ("command", "old", "tests"),
    [
        ("", False, [4]),
        ("-f 2 -l 3", False, [2, 3]),
        ("-l 9", False, [1, 2, 3, 4]),
        ("-f 1 -l 4 -s 2", False, [1, 3]),
        ("-f 1 -l 4 -s 2", True, [1, 2, 4]),
        ("-f 2 -l 4 -s 2", True, [2, 4]),
    ],
)
def test_ranges_of_ranks(command, old, tests):
    settings = make_settings(command, old=old)
    assert settings.asks_for(tests)
    assert not settings.asks_for(tests[:-1] or [1])
    assert not settings.asks_for([*tests, 5])


def test_a_range_of_a_billion_ranks_costs_nothing():
    assert not make_settings("-l 999999999", tasks=999_999_999).asks_for([1])


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        ("-n 9", {"file", "directory"}),
        ("-F", {"file"}),
        ("-D", {"directory"}),
        ("-F -D", {"file", "directory"}),
        ("-S", {"file"}),
    ],
)
def test_kinds_of_items(command, kinds):
    assert make_settings(command).kinds() == kinds


@pytest.mark.parametrize(
    ("command", "tasks", "items", "expected"),
    [
        ("-L -I 50 -b 2 -z 1", 4, 600, True),
        ("-L -I 50 -b 2 -z 1", 4, 400, False),
        ("-L -I 50 -b 2", 4, 200, False),
        ("-I 50 -b 2 -z 1", 4, 600, False),
        ("-L -n 50 -b 2 -z 1", 4, 200, False),
        ("-L -I 50 -b 2 -z 1", None, None, True),
    ],
    ids=["inner directories counted", "leaves counted", "no depth", "not -L", "-n alone", "count missing"],
)
def test_the_leaf_count_defect_shows_in_the_count_of_items(command, tasks, items, expected):
    assert has_leaf_count_defect(make_settings(command, "1.9.3", old=True), tasks, items) is expected


def test_the_leaf_count_is_sound_since_3_2_1():
    assert not has_leaf_count_defect(make_settings("-L -I 50 -b 2 -z 1", "3.3.0"), 4, 400)


@pytest.mark.parametrize(
    ("command", "old", "create", "read"),
    [
        ("-F -w 4K -e 4K", True, ("write-size-in-bytes",), ("read-size-in-bytes",)),
        ("-F -w 4K -e 4K", False, (), ()),
        ("-F -w 4096", True, (), ()),
        ("-F -y", True, ("fsync-of-empty-files",), ()),
        ("-F -y", False, ("no-fsync-of-empty-files",), ()),
        ("-F -y -w 1", False, (), ()),
        ("-F -w 1 -e 1 -X", False, (), ("includes-verification",)),
        ("-F -w 1 -e 1 --verify-read --verify-write", False, ("includes-verification",), ("includes-verification",)),
        ("-F -X", True, (), ()),
    ],
)
def test_defects_that_the_command_line_brings(command, old, create, read):
    assert file_defects(make_settings(command, old=old)) == (create, read)


@pytest.mark.parametrize("command", ["-W 30", "-x /mnt/target/status", "-S"])
def test_items_are_unknown_where_a_stonewall_or_a_shared_file_decides(command):
    files, directories = factors(make_settings(command), 4, 400)
    assert "items" not in files and "items" not in directories


def test_an_excerpt_without_banner_tells_what_its_line_of_tasks_says():
    assert factors(Settings(None, None, None, {}, False), 4, 400) == ({"threads": 4, "items": 400},) * 2
