"""A byte of a log is named by its line, and lines are found by their words, in bytes as in text."""

import re

import pytest

from coldcache.tools.lines import match_lines, name_line


@pytest.mark.parametrize(("offset", "line"), [(0, "line 1"), (1, "line 1"), (2, "line 2"), (4, "line 3")])
def test_a_line_end_belongs_to_its_own_line(offset, line):
    assert name_line(b"a\nb\nc", offset) == line
    assert name_line("a\nb\nc", offset) == line


@pytest.mark.parametrize(
    "text", ["", "ab", "xab\nab ab\n\n> ab1\n1ab2\nab", "\nab\n\nabab\n", "b\na\nb", "c\nab\nbc\n"]
)
def test_lines_with_a_word_are_those_that_the_expression_finds(text):
    line = r"^[> ]*([0-9]?)(?:a(b[^\n]*)|[a-z]*c)"
    expected = [match.regs for match in re.finditer(line, text, re.MULTILINE)]
    assert [match.regs for match in match_lines(re.compile(line, re.MULTILINE), ("ab", "c"), text)] == expected
    in_bytes = re.compile(line.encode(), re.MULTILINE)
    assert [match.regs for match in match_lines(in_bytes, (b"ab", b"c"), text.encode())] == expected
