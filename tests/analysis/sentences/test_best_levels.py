"""The level with the highest median is told as a median, not as a test."""

import math

from coldcache.analysis.questions.select import choose
from coldcache.analysis.sentences import describe_best, describe_best_combination, title_best

FILES = ["file-create", "file-stat", "file-read", "file-remove"]


def test_layouts_are_told_by_what_is_fastest(dell):
    (stripes,) = choose(dell, "dell-lustre", "rate", FILES, by=["stripe_count", "stripe_size"], over="threads")
    assert describe_best_combination(stripes, ("stripe_count", "stripe_size")) == (
        "OSTs and stripe size of the metadata tests: stripe count 1 and stripe size 1 MiB has the highest median in 21 "
        "of 21 places (operation and threads); medians alone, no test."
    )
    found = next(iter(choose(dell, "dell-lustre", "throughput", ["write", "read"], by=["stripe_count"])))
    assert (
        title_best(found, "stripe_count")
        == "The highest medians: reads with stripe count 2, writes with stripe count 2"
    )
    assert describe_best(found, "stripe_count").startswith(
        "One thread of one client over several OSTs: the highest median of reads is that of "
    )


def test_the_best_level_is_told_with_the_lowest_and_unknown_ones_are_never_the_best(rise):
    found = rise({"read": [10, 30, 20], "write": [0, 0, 0]})
    found.cells["estimate"].loc[{"operation": "read", "threads": 4}] = math.nan
    assert describe_best(found, "threads") == (
        "A sweep: the highest median of reads is that of threads 2: 30.0 MB/s, the lowest 10.0 MB/s; "
        "the highest median of writes is that of threads 1: 0.00 B/s, the lowest 0.00 B/s."
    )
