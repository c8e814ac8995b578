"""Sweeps that differ in their layout of files alone share a part of each round."""

from dataclasses import dataclass, field
from typing import Any

from coldcache.design.companions import find_parts


@dataclass
class Case:
    sweep: str
    study: str = "s"
    tool: str = "fio"
    operations: tuple[str, ...] = ("write",)
    factors: dict[str, Any] = field(default_factory=lambda: {"threads": 1, "file_layout": "shared-file"})
    settings: dict[str, Any] = field(default_factory=dict)


def own(**factors):
    return {"threads": 1, "file_layout": "file-per-thread", **factors}


def test_two_layouts_of_the_same_operations_share_the_part_of_the_first():
    cases = [Case("own", factors=own()), Case("own", factors=own(threads=2)), Case("shared")]
    assert find_parts(cases) == {("s", "own"): "own", ("s", "shared"): "own"}


def test_sweeps_of_other_tools_operations_factors_or_studies_are_parts_of_their_own():
    cases = [
        Case("first"), Case("tool", tool="ior"), Case("operation", operations=("read",)),
        Case("factor", factors=own(transfer_size=4096)), Case("study", study="t"),
    ]  # fmt: skip
    assert find_parts(cases) == {(case.study, case.sweep): case.sweep for case in cases}


def test_a_sweep_with_a_setting_or_with_both_layouts_runs_alone():
    both = [Case("both"), Case("both", factors=own())]
    cases = [
        *both,
        Case("one"),
        Case("set", settings={"write_cache": "qemu-nbd"}),
        Case("two"),
        Case("none", factors={}),
    ]
    assert find_parts(cases) == {
        ("s", "both"): "both", ("s", "one"): "one", ("s", "set"): "set", ("s", "two"): "one", ("s", "none"): "none",
    }  # fmt: skip
