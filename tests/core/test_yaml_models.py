"""Whatever is wrong with a YAML file, one line names the file, the place and the values that are possible."""

import pytest
import yaml
from pydantic import Field

from coldcache.core.yaml_models import Strict, read_model


class Inner(Strict):
    colour: str
    number: int = Field(1, ge=1)


class Outer(Strict):
    name: str
    parts: dict[str, Inner] = {}


def test_what_is_written_is_what_is_read(write):
    assert read_model(write("name: x\nparts: {a: {colour: red, number: 3}}\n"), Outer) == Outer(
        name="x", parts={"a": Inner(colour="red", number=3)}
    )


def test_a_text_is_parsed_once_and_a_changed_one_again(write):
    first = read_model(write("name: x\n"), Outer)
    assert read_model(write("name: x\n"), Outer) is first
    assert read_model(write("name: y\n"), Outer) == Outer(name="y")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "given.yaml: must hold keys and values; see config/README.md"),
        ("- a\n", "given.yaml: must hold keys and values; see config/README.md"),
        ("nmae: x\n", 'given.yaml, line 1, unknown key "nmae"; did you mean "name"?'),
        ("1: x\n", 'given.yaml, line 1, unknown key "1"; known are name, parts'),
        ("parts: {}\n", "given.yaml, name: is required"),
        ("name: [x]\n", "given.yaml, line 1, name: must be text, not [x]"),
        (
            "name: x\nparts: {a: {color: red}}\n",
            'given.yaml, line 2, parts.a: unknown key "color"; did you mean "colour"?',
        ),
        (
            "name: x\nparts: {a: {colour: red, number: 0}}\n",
            "given.yaml, line 2, parts.a.number: must be at least 1, not 0",
        ),
        (
            "name: x\nparts:\n  a:\n    colour: red\n    number: three\n",
            'given.yaml, line 5, parts.a.number: must be a whole number, not "three"',
        ),
    ],
)
def test_what_does_not_fit_the_model_is_refused_by_key(write, refusal, content, message):
    assert refusal(read_model, write(content), Outer) == message


def test_a_model_that_was_read_does_not_change():
    with pytest.raises(ValueError, match="frozen"):
        Inner(colour="red").colour = "blue"


def test_a_text_that_only_one_of_the_loaders_takes_has_lines_too(write, refusal):
    text = "name: x\nparts: {a:\tred}\n"
    with pytest.raises(yaml.YAMLError):
        yaml.compose(text, yaml.SafeLoader)
    assert refusal(read_model, write(text), Outer).startswith("given.yaml, line 2, parts.a: ")
