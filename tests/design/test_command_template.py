"""A document's command line keeps its own words; a variable that is none, or that is missing, is refused."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.design.command_template import check_command, check_options, fill

FACTORS = {"threads": [1], "transfer_size": ["1 MiB"], "file_size": ["1 GiB"]}


@pytest.mark.parametrize(
    ("word", "size", "filled"),
    [
        ("{file_size:G}", 4 * 2**30, "4G"),
        ("{file_size:G}", 3 * 2**29, "1536M"),
        ("{file_size:g}", 2**20 + 1024, "1025k"),
        ("{file_size:M}", 2**30, "1024M"),
        ("{file_size:K}", 2**20, "1024K"),
        ("-s{file_size:k}", 4096, "-s4k"),
        ("{file_size}", 4096, "4096"),
    ],
)
def test_a_size_takes_the_suffix_of_the_document_or_the_next_smaller_one(word, size, filled):
    assert fill(word, {"file_size": size}) == (filled,)


def test_a_size_below_the_smallest_suffix_is_refused():
    with pytest.raises(DesignError, match="1000 B is no whole number of KiB, as the command's sizes need"):
        fill("{file_size:G}", {"file_size": 1000})


def test_a_list_takes_the_place_of_a_word_or_leaves_it_out():
    values = {"launcher": ["mpirun", "-np", "4"], "direct_io": [], "threads": 4}
    assert fill("{launcher} x {direct_io} list.{threads}", values) == ("mpirun", "-np", "4", "x", "list.4")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("iozone -t {thread} -r {transfer_size} -s {file_size}", 'unknown variable "thread"; did you mean "threads"?'),
        ("iozone -t {threads} -r {transfer_size}", "{file_size} is missing, so its levels would be mere labels"),
        (
            "{program} -t {threads} -r {transfer_size:T} -s {file_size}",
            '"{transfer_size:T}" is no variable such as {threads} or {file_size:G}',
        ),
    ],
)
def test_what_is_no_variable_and_what_is_missing_is_refused(command, message):
    with pytest.raises(DesignError) as refused:
        check_command("command.iozone", "iozone", command, FACTORS)
    assert str(refused.value) == f"command.iozone: {message}"


def test_a_launcher_counts_the_threads():
    check_command("command.ior", "ior", "{launcher} ior -t {transfer_size} -b {file_size}", FACTORS)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("sh -c {threads}", 'begins with "sh"; it starts ior, which {program} stands for'),
        ("{launcher} sh {program}", 'begins with "sh"; it starts ior, which {program} stands for'),
        ("", 'begins with "-t"; it starts ior, which {program} stands for'),
        ("ior -o /dev/sda", '"/dev/sda" names a path; files lie in the target, which the site names'),
        ("ior -o {directory}/..", '"{directory}/.." names a path; files lie in the target, which the site names'),
        (
            "ior -o {directory}/x/../..",
            '"{directory}/x/../.." names a path; files lie in the target, which the site names',
        ),
    ],
)
def test_a_command_starts_its_own_tool_and_stays_in_the_target(command, message):
    with pytest.raises(DesignError) as refused:
        check_command("command.ior", "ior", f"{command} -t {{transfer_size}} -b {{file_size}} {{threads}}", FACTORS)
    assert str(refused.value) == f"command.ior: {message}"


def test_a_file_in_the_folder_of_the_trial_may_be_named():
    for place in ("{directory}", "{directory}/", "{directory}/tst.file"):
        check_command("c", "ior", f"{{program}} {{threads}} -o {place} -t {{transfer_size}} -b {{file_size}}", FACTORS)


@pytest.mark.parametrize(
    ("tool", "option"),
    [
        ("fio", "--exec_prerun=touch x"), ("fio", "--exec_pre=x"), ("fio", "--exec_postrun"), ("fio", "--trigger=x"),
        ("fio", "--filename=sda"), ("fio", "--dir=x"), ("fio", "--output=x"), ("fio", "--ioengine=exec"),
        ("iozone", "-fREADME.md"), ("iozone", "-b"), ("ior", "-o"), ("mdtest", "-d"),
    ],
)  # fmt: skip
def test_an_option_that_runs_a_program_or_uses_files_elsewhere_is_refused(tool, option):
    with pytest.raises(DesignError) as refused:
        check_options(
            "o", tool, ["--rate=1m", option] if tool == "fio" else ["-x" if tool == "iozone" else "-v", option]
        )
    assert str(refused.value) == f'o: "{option}" lets {tool} run a program or use files elsewhere; leave it out'


def test_a_file_of_jobs_and_a_path_are_refused():
    with pytest.raises(DesignError, match=r'o: "other\.fio" is no option of fio: these start with two hyphens'):
        check_options("o", "fio", ["other.fio"])
    with pytest.raises(DesignError, match='o: "--read_lat_log=/x" names a path; files lie in the target'):
        check_options("o", "fio", ["--read_lat_log=/x"])


def test_other_options_are_taken():
    check_options(
        "o", "fio", ["--nrfiles=2048", "--filename_format=t$jobnum.$filenum", "--ioengine=libaio", "--rate=1m"]
    )
    check_options("o", "iozone", ["-x", "-l", "4"])
