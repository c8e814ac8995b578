"""Whatever is wrong with a YAML file, one line names the file, the place and the values that are possible."""

from pathlib import Path

import pytest
import yaml
from pydantic import Field

from coldcache.core.errors import DesignError
from coldcache.core.yaml_models import LARGEST_FILE, Strict, read_model, read_yaml


class Inner(Strict):
    colour: str
    number: int = Field(1, ge=1)


class Outer(Strict):
    name: str
    parts: dict[str, Inner] = {}


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def written(content):
        path = Path("given.yaml")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def refusal(read, *arguments):
    with pytest.raises(DesignError) as refused:
        read(*arguments)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_what_is_written_is_what_is_read(write):
    assert read_model(write("name: x\nparts: {a: {colour: red, number: 3}}\n"), Outer) == Outer(
        name="x", parts={"a": Inner(colour="red", number=3)}
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: &x 1\nb: *x\n", "given.yaml, line 2: aliases are not allowed; write it out"),
        ("a: 1\nb: 2\na: 3\n", 'given.yaml, line 1: the key "a" appears twice'),
        ("b:\n  c: 1\n  c: 2\n", 'given.yaml, line 2: the key "c" appears twice'),
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
        ("!!int : 1\n", 'given.yaml, line 1: "" is no int; put quotes around what is text'),
        ("a: !!timestamp x\n", 'given.yaml, line 1: "x" is no timestamp; put quotes around what is text'),
    ],
)
def test_what_is_not_plain_yaml_is_refused_by_place(write, content, message):
    assert refusal(read_yaml, write(content)) == message


def test_a_number_too_long_for_a_number_is_refused(write):
    message = refusal(read_yaml, write("a: 1\nb: " + "9" * 5000 + "\n"))
    assert message == f'given.yaml, line 2: "{"9" * 40}" is no int; put quotes around what is text'


def test_a_file_too_large_for_a_design_is_refused(write):
    message = refusal(read_yaml, write("a: " + "x" * LARGEST_FILE))
    assert message == "given.yaml: larger than 1,000,000 bytes, which no design is"


def test_a_missing_file_is_refused_with_the_nearest_one(write):
    write("a: 1\n")
    Path("other.yaml").touch()
    assert refusal(read_yaml, Path("givne.yaml")) == 'givne.yaml: there is no such file; did you mean "given"?'
    assert refusal(read_yaml, Path("zzz.yaml")) == "zzz.yaml: there is no such file; known are given, other"
    assert refusal(read_yaml, Path("no/x.yaml")) == "no/x.yaml: there is no such file; no/ holds none"


def test_a_folder_in_place_of_a_file_is_refused(write):
    Path("folder.yaml").mkdir()
    assert refusal(read_yaml, Path("folder.yaml")).startswith("folder.yaml: there is no such file")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "given.yaml: must hold keys and values; see config/README.md"),
        ("- a\n", "given.yaml: must hold keys and values; see config/README.md"),
        ("nmae: x\n", 'given.yaml, line 1, unknown key "nmae"; did you mean "name"?'),
        ("1: x\n", 'given.yaml, line 1, unknown key "1"; known are name, parts'),
        ("parts: {}\n", "given.yaml, name: is required"),
        ("name: [x]\n", "given.yaml, line 1, name: Input should be a valid string"),
        (
            "name: x\nparts: {a: {color: red}}\n",
            'given.yaml, line 2, parts.a: unknown key "color"; did you mean "colour"?',
        ),
        (
            "name: x\nparts: {a: {colour: red, number: 0}}\n",
            "given.yaml, line 2, parts.a.number: Input should be greater than or equal to 1",
        ),
        (
            "name: x\nparts:\n  a:\n    colour: red\n    number: three\n",
            "given.yaml, line 5, parts.a.number: Input should be a valid integer, unable to parse string as an integer",
        ),
    ],
)
def test_what_does_not_fit_the_model_is_refused_by_key(write, content, message):
    assert refusal(read_model, write(content), Outer) == message


def test_a_model_that_was_read_does_not_change():
    with pytest.raises(ValueError, match="frozen"):
        Inner(colour="red").colour = "blue"


def test_a_text_that_only_one_of_the_loaders_takes_has_lines_too(write):
    text = "name: x\nparts: {a:\tred}\n"
    with pytest.raises(yaml.YAMLError):
        yaml.compose(text, yaml.SafeLoader)
    assert refusal(read_model, write(text), Outer).startswith("given.yaml, line 2, parts.a: ")
