"""YAML that hides mistakes is refused by its place."""

from pathlib import Path

import pytest

from coldcache.core.yaml_loader import LARGEST_FILE, parse_yaml, read_text


def read_yaml(path):
    return parse_yaml(path, read_text(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: &x 1\nb: *x\n", "given.yaml, line 2: aliases are not allowed; write it out"),
        ("a: 1\nb: 2\na: 3\n", 'given.yaml, line 3: the key "a" appears twice, first in line 1'),
        ("b:\n  c: 1\n  c: 2\n", 'given.yaml, line 3: the key "c" appears twice, first in line 2'),
        ("? [1, 2]\n: 3\n", "given.yaml, line 1: the key [1, 2] is not a name"),
        ("? {a: 1}\n: 3\n", "given.yaml, line 1: the key {'a': 1} is not a name"),
        (b"a: 1\nb: \xff\n", "given.yaml: not UTF-8 text at byte 8"),
        ("a: [1, 2\n", "given.yaml, line 2: not YAML: expected ',' or ']', but got '<stream end>'"),
        ("a: b: c\n", "given.yaml, line 1: not YAML: mapping values are not allowed here"),
        ("a:\tb\n\tc: d\n", "given.yaml, line 1: not YAML: found character '\\t' that cannot start any token"),
        ("a: 1\n---\nb: 2\n", "given.yaml, line 2: not YAML: but found another document"),
        (
            "a: !!python/object:os.system x\n",
            "given.yaml, line 1: not YAML: could not determine a constructor for the tag "
            "'tag:yaml.org,2002:python/object:os.system'",
        ),
        ("a: \x00\n", "given.yaml: not YAML: special characters are not allowed at character 3"),
        ("[" * 2000 + "]" * 2000, "given.yaml: not YAML: nested too deeply"),
        ("a: 2024-13-45\n", 'given.yaml, line 1: "2024-13-45" is no timestamp; put quotes around what is text'),
        ("a: 0x_\n", 'given.yaml, line 1: "0x_" is no int; put quotes around what is text'),
        ("a: 1\nb: 007\n", 'given.yaml, line 2: YAML reads 007 as 7; write 7, or "007" if it is text'),
        ("a: [8, 010]\n", 'given.yaml, line 1: YAML reads 010 as 8; write 8, or "010" if it is text'),
        ("a: 1_0\n", 'given.yaml, line 1: YAML reads 1_0 as 10; write 10, or "1_0" if it is text'),
        ("a: 1:30\n", 'given.yaml, line 1: YAML reads 1:30 as 90; write 90, or "1:30" if it is text'),
        ("!!int : 1\n", 'given.yaml, line 1: "" is no int; put quotes around what is text'),
        ("a: !!timestamp x\n", 'given.yaml, line 1: "x" is no timestamp; put quotes around what is text'),
    ],
)
def test_what_is_not_plain_yaml_is_refused_by_place(write, refusal, content, message):
    assert refusal(read_yaml, write(content)) == message


def test_numbers_that_look_like_what_they_are_are_read(write):
    assert read_yaml(write("[0, -1, +8, 0x1f, 1.5, 1e3, -0.5, '007']\n")) == [0, -1, 8, 31, 1.5, "1e3", -0.5, "007"]


def test_a_number_too_long_for_a_number_is_refused(write, refusal):
    message = refusal(read_yaml, write("a: 1\nb: " + "9" * 5000 + "\n"))
    assert message == f'given.yaml, line 2: "{"9" * 40}" is no int; put quotes around what is text'


def test_a_file_too_large_for_a_design_is_refused(write, refusal):
    message = refusal(read_yaml, write("a: " + "x" * LARGEST_FILE))
    assert message == "given.yaml: larger than 1,000,000 bytes, which no design is"


def test_a_missing_file_is_refused_with_the_nearest_one(write, refusal):
    write("a: 1\n")
    Path("other.yaml").touch()
    assert refusal(read_yaml, Path("givne.yaml")) == 'givne.yaml: there is no such file; did you mean "given"?'
    assert refusal(read_yaml, Path("zzz.yaml")) == "zzz.yaml: there is no such file; known are given, other"
    assert refusal(read_yaml, Path("no/x.yaml")) == "no/x.yaml: there is no such file; no/ holds none"


def test_a_folder_in_place_of_a_file_is_refused(write, refusal):
    Path("folder.yaml").mkdir()
    assert refusal(read_yaml, Path("folder.yaml")) == "folder.yaml: is a folder; a file is needed here"
