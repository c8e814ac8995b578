"""The highest estimates are told with their levels and scale."""

from coldcache.analysis.questions.select import choose
from coldcache.analysis.sentences import describe_order, describe_rates

FILES = ["file-create", "file-stat", "file-read", "file-remove"]


def test_rates_are_told_in_the_order_of_their_peaks(dell):
    (found,) = choose(dell, "dell-lustre", "rate", FILES, over="threads")
    assert describe_order(found) == "Look-ups peak at 129 k/s, removals 32.2 k/s, creations 16.1 k/s"


def test_rates_at_one_number_of_threads_are_told(invent):
    (found,) = choose(invent("fsx-metadata"), "fsx-metadata", "rate", FILES)
    assert describe_rates(found).startswith(
        "Files of the ranks, with the metadata IOPS that the system has (scaled down: at most 7,200 threads, full "
        "size): look-ups 129 k/s"
    )
