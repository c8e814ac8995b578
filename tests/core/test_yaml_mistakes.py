"""A mistake is said in plain words, with the line of the very value."""

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from coldcache.core.yaml_mistakes import explain, find_line, name_place
from coldcache.core.yaml_models import Name


class Given(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)

    text: Annotated[str, Field(min_length=1)] = "x"
    name: Name = "x"
    many: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    parts: dict[str, int] = {}
    inner: "Given | None" = None
    whole: int = 1
    number: float = 1.0
    flag: bool = True
    low: Annotated[float, Field(ge=2, le=3)] = 2
    open: Annotated[float, Field(gt=0, lt=1)] = 0.5
    choice: Literal["near", "far"] = "near"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": [1]}, "text: must be text, not [1]"),
        ({"text": None}, "text: must be text, not nothing"),
        ({"text": ""}, "text: must not be empty"),
        ({"name": "A b"}, 'name: "A b" cannot be meant: what belongs here has 1 to 63 lower-case letters, digits and '
         "hyphens, and begins with no hyphen"),
        ({"many": 8}, "many: must be a list, as in [8]"),
        ({"many": "1-4"}, "many: must be a list, as in [1, 4]"),
        ({"many": "16..64"}, "many: must be a list, as in [16, 64]"),
        ({"many": "a-b"}, 'many: must be a list, as in ["a-b"]'),
        ({"many": []}, "many: must not be empty"),
        ({"many": [1, 2, 3]}, "many: has 3 entries, where at most 2 may be"),
        ({"many": [1, "two"]}, 'many.1: must be a whole number, not "two"'),
        ({"parts": [1]}, "parts: must hold keys and values, not [1]"),
        ({"inner": 4}, "inner: must hold keys and values, not 4"),
        ({"whole": 1.5}, "whole: must be a whole number, not 1.5"),
        ({"whole": [1]}, "whole: must be a whole number, not [1]"),
        ({"number": "fast"}, 'number: must be a number, not "fast"'),
        ({"number": {"a": 1}}, "number: must be a number, not {a: 1}"),
        ({"number": float("inf")}, "number: .inf is no number that can be meant"),
        ({"flag": "perhaps"}, 'flag: must be true or false, not "perhaps"'),
        ({"flag": [True]}, "flag: must be true or false, not [true]"),
        ({"low": 1}, "low: must be at least 2, not 1"),
        ({"low": 4}, "low: must be at most 3, not 4"),
        ({"open": 0}, "open: must be greater than 0, not 0"),
        ({"open": 1}, "open: must be less than 1, not 1"),
        ({"choice": "neer"}, 'choice: unknown "neer"; did you mean "near"?'),
        ({"text": ["a" * 99]}, f"text: must be text, not [{'a' * 59}…"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_in_our_words(given, message):
    with pytest.raises(ValidationError) as refused:
        Given.model_validate(given)
    said = explain(refused.value, given)
    assert said == message
    assert "Input should" not in said


TEXT = """\
first: 1
sweeps:
  a:
    operations:
      - write
      - raed
    factors:
      threads: [1, 2,
        8, 2]
      transfer_size:
        - 4 KiB
        - 4k
    title:
      far below
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ('sweeps.a.operations.1: unknown "raed"; did you mean "read"?', 6),
        ('sweeps.a: factors.transfer_size: "4k" has an unknown unit "k"', 12),
        ('sweeps.a: factors.threads: the level "2" appears twice', 9),
        ("sweeps.a: factors.threads: 8 are more than 4", 9),
        ("sweeps.a.title: must be a list, not text", 14),
        ("sweeps.a: factors: file_size is required", 7),
        ('sweeps.a: unknown key "title"; known are b', 14),
        ("first: must be greater than 1, not 1", 1),
        ('unknown key "sweeps"; known are b', 2),
        ("other: is required", None),
    ],
)
def test_the_line_is_that_of_the_value(message, line):
    assert find_line(TEXT, message) == line


def test_a_place_without_a_file_has_no_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(TEXT)
    assert name_place(Path("a.yaml"), "first: is wrong") == "a.yaml, line 1, first: is wrong"
    assert name_place(Path("b.yaml"), "first: is wrong") == "b.yaml, first: is wrong"
    Path("c.yaml").write_text("a: [")
    assert name_place(Path("c.yaml"), "a: is wrong") == "c.yaml, a: is wrong"
