"""What one shared file costs is told by pairs."""

from coldcache.analysis.questions.select import choose
from coldcache.analysis.sentences import compare_layouts


def test_one_file_is_told_against_many(dell):
    (one,) = choose(dell, "dell-lustre", "throughput", ["write", "read"], "shared-file", over="threads")
    (many,) = choose(dell, "dell-lustre", "throughput", ["write", "read"], "file-per-thread", over="threads")
    assert compare_layouts(one, many) == ("Sharing one file: no measurable difference to reads and writes.")
