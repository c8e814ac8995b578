"""A byte of a log is named by its line, in bytes as in text."""

import pytest

from coldcache.tools.lines import name_line


@pytest.mark.parametrize(("offset", "line"), [(0, "line 1"), (1, "line 1"), (2, "line 2"), (4, "line 3")])
def test_a_line_end_belongs_to_its_own_line(offset, line):
    assert name_line(b"a\nb\nc", offset) == line
    assert name_line("a\nb\nc", offset) == line
