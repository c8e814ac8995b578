"""Numbers are read as bash's printf writes them in any locale, and a lost decimal is a caveat."""

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.rhel_iotest.numbers import ScriptFigure, ScriptRun, read_count, read_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1234.56", 1234.56), ("1,234.56", 1234.56), ("1.234,56", 1234.56), ("1'234.56", 1234.56),
        ("1\u202f234,56", 1234.56), ("1\u00a0234,56", 1234.56), ("12,34,567.89", 1234567.89), (".50", 0.5),
    ],
)  # fmt: skip
def test_a_number_of_any_locale_is_read(text, value):
    assert read_number(text.encode(), 0, text.encode()).value == value


@pytest.mark.parametrize("text", ["1,234,56", "1.234.56", "1,23.45", "1'234,567.89"])
def test_a_number_of_no_locale_is_refused_with_its_line(text):
    log = b"first\n" + text.encode()
    with pytest.raises(LogError, match=r"line 2: .* is a number of no locale"):
        read_number(text.encode(), 6, log)


def test_decimals_that_a_comma_lost_are_marked():
    assert read_number(b"12,00", 0, b"12,00").is_truncated
    assert not read_number(b"12.00", 0, b"12.00").is_truncated
    assert not read_number(b"12,50", 0, b"12,50").is_truncated


def test_a_count_has_any_separators():
    assert [read_count(text.encode()) for text in ("1,024", "1 024", "1024", "10,00,000")] == [1024, 1024, 1024, 10**6]


def test_a_record_has_the_caveats_of_its_figure_and_its_run():
    run = ScriptRun("1.0", {"threads": 4}, is_cached=True)
    figure = ScriptFigure(12.0, 7, b"12,00", True)
    read = run.record("read", "elapsed", figure, 12.0, "time", "s", process=1)
    assert read.caveats == ("truncated", "potential-caching")
    assert (read.value, read.offset, read.length, read.printed) == (12.0, 7, 5, "12,00 s")
    assert read.factors == {"file_layout": "file-per-thread", "direct_io": False, "threads": 4, "process": 1}
    assert run.record("write", "elapsed", figure._replace(is_truncated=False), 12.0, "time", "s").caveats == ()
