"""Operations of a sweep are split into parts that one figure can show, and those without a figure say why."""

import pandas as pd

from coldcache.analysis.questions.sweep_parts import Part, name_reason


def test_an_operation_belongs_to_a_part_by_its_metric_and_its_kind():
    names = ("read", "random-read", "file-create", "an operation of a command")
    for part, expected in (
        (Part("throughput", "sequential", {"write"}, "sequential"), [True, False, False, False]),
        (Part("rate", "random", {"random-write"}, "rate-random"), [False, True, False, False]),
        (Part("rate", "", {"file-remove"}, "rate"), [False, True, True, False]),
    ):
        assert [part.is_for(name) for name in names] == expected


def test_the_commonest_reason_is_named_and_of_several_the_first():
    void = pd.DataFrame({"reasons": ["the disk is full; the log is cut", "no log", "the disk is full"]})
    assert name_reason(void) == "none of 3 runs counts: the disk is full"
    assert name_reason(void[1:2]) == "its only run does not count: no log"
