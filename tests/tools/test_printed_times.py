"""Times are found in the order of the log; what is no date is left out."""

import re
from datetime import datetime

from coldcache.tools.printed_times import find_moments

BEGAN = re.compile(rb"^Began +: (.*)$", re.MULTILINE)
FORM = "%a %b %d %H:%M:%S %Y"


def test_times_are_read_as_the_tool_prints_them():
    log = b"Began : Tue Jan  2 03:04:05 2024\nother\nBegan  : Mon Dec 31 23:59:59 2018\n"
    assert find_moments(log, BEGAN, FORM) == [datetime(2024, 1, 2, 3, 4, 5), datetime(2018, 12, 31, 23, 59, 59)]


def test_what_is_no_date_is_left_out():
    assert find_moments(b"Began : Tue Feb 30 03:04:05 2024\nBegan : \xff\xfe\nBegan : soon\n", BEGAN, FORM) == []
