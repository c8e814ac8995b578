"""Campaigns that cannot be compared are refused in one line."""

import shutil
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["before"], "compare: before alone cannot be compared; name two campaigns or more"),
        (["before", "before"], "compare: before is named twice; a campaign cannot be compared with itself"),
        (["before", "aftr"], 'raw/aftr: there is no such campaign; did you mean "after"?'),
        (["before", "after", "--threshold=0"],
         "compare: a threshold of 0 % is out of range; state it as --threshold 5"),
        (["before", "after", "--metric=speed"],
         'compare: unknown metric "speed"; known are throughput, throughput_per_process, throughput_per_core, '
         "throughput_parent, throughput_children, rate, elapsed, latency"),
        (["before", "after", "--metric=throughput_parent"],
         "compare: none of the 4 cases that before and after share can be compared; the first is paced/transfers "
         "operation=random-read,threads=1: both state no throughput_parent"),
        (["before", "other"], "compare: before and other have no case in common (their studies: paced; other)"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_in_one_line(compare, arguments, line):
    shutil.copytree("raw/before", "raw/other")
    Path("raw/other/paced").rename("raw/other/other")
    for path in Path("raw/other").rglob("*.json"):
        path.write_text(path.read_text().replace('"paced', '"other'))
    assert compare(*arguments) == (1, "", f"coldcache: {line}\n")
