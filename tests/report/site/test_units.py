"""Numbers and their units on the pages."""

import pytest

from coldcache.report.site.units import keep_units

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("broken", "kept"),
    [
        ("95 %: 7.78 to 8.43", f"95{NBSP}%: 7.78 to 8.43"),
        ("<td>774 MB/s</td>", f"<td>774{NBSP}MB/s</td>"),
        ("7 s, 137 µs, 2 min", f"7{NBSP}s, 137{NBSP}µs, 2{NBSP}min"),
        ("4 KiB, 25 GB, 512 B", f"4{NBSP}KiB, 25{NBSP}GB, 512{NBSP}B"),
        ("71.9 k/s, 2,913 1/s, 32,000 op/s", f"71.9{NBSP}k/s, 2,913{NBSP}1/s, 32,000{NBSP}op/s"),
        ("(fig 14; sec 4)", f"(fig{NBSP}14; sec{NBSP}4)"),
    ],
)
def test_a_number_stays_with_its_unit(broken, kept):
    assert keep_units(broken) == kept


def test_the_last_of_several_linked_numbers_stays_with_their_unit():
    html = keep_units('<a href="a b 5 s">1.2</a> <a href="r1.html">1.4</a> k/s; 779.1 – MB/s')
    assert html == f'<a href="a b 5 s">1.2</a> <a href="r1.html">1.4</a>{NBSP}k/s; 779.1 –{NBSP}MB/s'


@pytest.mark.parametrize(
    "same",
    [
        "4 threads, 2 hosts, 3 sweeps, 5 Bytes",
        "<code>sleep 5 s</code>",
        "<svg><text>900 MB/s</text></svg>",
        '<abbr title="at 5 s">x</abbr>',
    ],
)
def test_other_blanks_stay(same):
    assert keep_units(same) == same
