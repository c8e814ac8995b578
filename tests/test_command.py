"""A document's command line keeps its own words; a variable that is none, or that is missing, is refused."""

import pytest

from coldcache.command import check_command, fill
from coldcache.errors import DesignError

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
        ("x -t {thread} -r {transfer_size} -s {file_size}", 'unknown variable "thread"; did you mean "threads"?'),
        ("x -t {threads} -r {transfer_size}", "{file_size} is missing, so its levels would be mere labels"),
        (
            "x -t {threads} -r {transfer_size:T} -s {file_size}",
            '"{transfer_size:T}" is no variable such as {threads} or {file_size:G}',
        ),
    ],
)
def test_what_is_no_variable_and_what_is_missing_is_refused(command, message):
    with pytest.raises(DesignError) as refused:
        check_command("command.iozone", command, FACTORS)
    assert str(refused.value) == f"command.iozone: {message}"


def test_a_launcher_counts_the_threads():
    check_command("command.ior", "{launcher} ior -t {transfer_size} -b {file_size}", FACTORS)
