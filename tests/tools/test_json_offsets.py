"""JSON with the place of each value; what foreign lines, quotation marks and broken text do to it."""

import json
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.json_offsets import (
    Member,
    blank_foreign_lines,
    find_figures,
    match_figure,
    scan_array,
    scan_document,
    scan_object,
)

SPECIMENS = sorted(Path(__file__).parents[1].joinpath("specimens").glob("fio-*.json"))


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda path: path.name)
def test_values_are_those_of_the_standard_library_and_stand_where_it_says(specimen):
    text = specimen.read_text("latin-1")
    start = text.rindex('{\n  "fio version"')
    expected, end = json.JSONDecoder().raw_decode(text, start)
    members, after = scan_object(text, start, ())
    assert after == end
    assert {key: member.value for key, member in members.items()} == expected
    for member in members.values():
        assert json.loads(text[member.start : member.end]) == member.value


def test_objects_in_a_list_are_members_of_members():
    text = '{"jobs" : [ {"a" : 1, "b" : [2, 3]}, 4 ], "c" : "x"}'
    members, end = scan_object(text, 0, ("jobs",))
    assert end == len(text)
    job = {"a": Member(1, 19, 20), "b": Member([2, 3], 28, 34)}
    assert members == {
        "jobs": Member([Member(job, 12, 35), Member(4, 37, 38)], 10, 40),
        "c": Member("x", 48, 51),
    }


@pytest.mark.parametrize(
    ("text", "members"), [("{}", {}), ("{ \n}", {}), ('{"a\\"b" :\t1}', {'a\\"b': Member(1, 10, 11)})]
)
def test_small_objects(text, members):
    assert scan_object(text, 0) == (members, len(text))


@pytest.mark.parametrize(("text", "elements"), [("[]", []), ("[ \n ]", []), ("[1 , 2]", [1, 2])])
def test_small_arrays(text, elements):
    found, end = scan_array(text, 0)
    assert ([element.value for element in found], end) == (elements, len(text))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "broken after the start"),
        ("[1]", "broken after the start"),
        ('{"a" : }', "no value at 7"),
        ('{"a" : 1', "broken after a"),
        ('{"a" : 1 "b" : 2}', "broken after a"),
        ('{"a" : 1, "a" : 2}', "two values for a at 16"),
        ('{"a" : [1, 2', "Expecting ',' delimiter: .*"),
    ],
)
def test_an_object_that_is_none(text, why):
    with pytest.raises(ValueError, match=f"^{why}$"):
        scan_object(text, 0)


@pytest.mark.parametrize(
    ("text", "why"), [("{}", "broken in an array at 0"), ("[1", "broken in an array at 0"), ("[,]", "no value at 1")]
)
def test_an_array_that_is_none(text, why):
    with pytest.raises(ValueError, match=f"^{why}$"):
        scan_array(text, 0)


def test_the_same_value_twice_is_one():
    assert scan_object('{"a" : 1, "a" : 1}', 0)[0] == {"a": Member(1, 16, 17)}


def test_figures_of_all_depths_in_the_order_of_the_text():
    text = 'x{"min" : 1, "percentile" : {"50.0" : 2.5e3, "99.0" : -3}, "N" : 4}'
    figures = find_figures(text, 1, len(text), ["min", "50.0", "99.0", "N"])
    assert [figure.groups() for figure in figures] == [("min", "1"), ("50.0", "2.5e3"), ("99.0", "-3"), ("N", "4")]
    assert find_figures(text, 1, len(text), ["min"])[0].span(2) == (10, 11)
    for keys in (["min", "99.0"], ["min", "50.0", "99.0", "N", "max"]):
        with pytest.raises(ValueError, match=r"^other keys of numbers at 1$"):
            find_figures(text, 1, len(text), keys)


def test_a_figure_is_matched_where_its_key_begins():
    text = '{"min" : 1.5, "max" : "x"}'
    assert match_figure(text, 1).groups() == ("min", "1.5")
    assert match_figure(text, 0) is None
    assert match_figure(text, text.index('"max"')) is None


def test_foreign_lines_become_blanks_and_places_stay():
    text = '{\n  "a" : 1,\nslurmstepd: error: killed\n> "b" : "x: y"\n}\n'
    members, end, clean = scan_document(text, 0, ())
    assert {key: member.value for key, member in members.items()} == {"a": 1, "b": "x: y"}
    assert len(clean) == len(text) and clean[members["b"].start] == text[members["b"].start] == '"'
    assert end == len(text) - 1


def test_a_sound_document_is_left_alone():
    text = 'x{"a" : 1}'
    assert scan_document(text, 1, ()) == ({"a": Member(1, 8, 9)}, 10, text)


@pytest.mark.parametrize("number", ["nan", "-nan", "inf", "-inf"])
def test_what_c_prints_for_no_number_is_no_value(number):
    text = f'{{\n"a" : {number},\n"b" : 1\n}}\n'
    members, _, clean = scan_document(text, 0, ())
    assert members["a"].value is None or members["a"].value != members["a"].value
    assert members["b"].value == 1
    assert len(clean) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        '{\n"a" : 1[ 12.3] nvme0: timeout\n2,\n"b" : 1\n}\n',
        '{\n"a" : 12\n',
        '{\n"a" : 1\n"b" : 2\n}\n',
        '{"a" : ' + "[" * 100_000,
    ],
    ids=["message in a number", "cut", "comma lost", "deep"],
)
def test_a_broken_document_is_refused_by_its_line(text):
    with pytest.raises(LogError) as refusal:
        scan_document("\n\n" + text, 2, ())
    assert str(refusal.value) == "line 3: the JSON that starts here is cut short or broken"


def test_a_line_with_a_key_is_never_blanked():
    text = '{\nkernel: "a" : 1\n}\n'
    assert blank_foreign_lines(text, 0) == text
