"""A factor is called a cause only where all that was recorded is alike, and what is not is listed whole."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coldcache.analysis.questions.confounders import (
    _list,
    describe_hosts,
    display_causes,
    open_comparisons,
    tabulate_causes,
)
from coldcache.analysis.questions.select import choose_settings

DATASET = Path("results/tiny/dataset.nc")


@pytest.fixture
def collect(measured):
    def run():
        words = [sys.executable, "-m", "coldcache", "collect", "--campaign=tiny", "--results=results/tiny"]
        subprocess.run(words, check=True, env=os.environ)
        return display_causes(choose_settings(DATASET, "tiny", ["write_cache"]), DATASET)._repr_mimebundle_()[
            "text/plain"
        ]

    return run


def alter(level, **circumstances):
    for path in Path("raw/tiny/tiny/cache").glob(f"write_cache={level}/r*/trial.json"):
        outcome = json.loads(path.read_text())
        for place, values in circumstances.items():
            outcome[place] = {**outcome[place], **values}
        path.write_text(json.dumps(outcome))


def test_a_factor_that_differs_alone_can_be_the_cause(collect):
    assert collect() == (
        "A write cache on and off: nothing that was recorded differs but write cache; "
        "where its levels differ, it can be the cause."
    )
    (comparison,) = open_comparisons(DATASET, "tiny")
    table = tabulate_causes([comparison])
    assert table.shown.to_dict("records") == [{
        "sweep": "cache", "factor": "write cache", "levels": "unsafe, writeback", "else recorded otherwise": "nothing",
        "can be the cause": "yes",
    }]  # fmt: skip


def test_another_difference_takes_the_cause_away_and_is_listed_with_its_values(collect):
    alter("unsafe", target={"mount_options": "rw,noatime"}, system={"cores": 3})
    alter("writeback", target={"mount_options": "rw,relatime"}, system={"cores": 5})
    sentence, *table = collect().splitlines()
    assert sentence == (
        "A write cache on and off: beside write cache, system cores and target mount options differ; "
        "no single cause can be named."
    )
    rows = [line.split() for line in table]
    assert rows[1:] == [
        ["write", "cache", "unsafe", "writeback"],
        ["system", "cores", "3", "5"],
        ["target", "mount", "options", "rw,noatime", "rw,relatime"],
    ]
    saved = Path("results/tiny/by-hand/tables/tiny-cache-differences.csv").read_text().splitlines()
    assert saved[0] == "what,level,recorded"
    assert "system.cores,unsafe,3" in saved
    assert (Path("results/tiny/differences.csv").read_text().splitlines()[-1]).startswith("tiny,cache,write_cache,")


def test_a_sweep_whose_logs_tell_nothing_of_the_system_names_no_cause(collect):
    for path in Path("raw/tiny/tiny/cache").rglob("trial.json"):
        outcome = json.loads(path.read_text())
        path.write_text(json.dumps({**outcome, "start": None, "end": None}))
    assert collect().endswith("what each level of write cache was measured on is not recorded; no cause can be named.")


def test_one_level_that_counts_is_compared_with_nothing(collect):
    for path in Path("raw/tiny/tiny/cache").glob("write_cache=unsafe/r*/trial.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "exit_status": 1}))
    assert collect() == (
        "Fewer than two levels have trials that count, so nothing is compared: A write cache on and off."
    )


def test_hosts_are_compared_without_naming_them(collect):
    collect()
    assert describe_hosts(DATASET) == "One host measured: nothing differs between hosts."
    path = Path("raw/tiny/hosts.json")
    ((host, described),) = json.loads(path.read_text()).items()
    other = {**described, "governor": "powersave", "numa_nodes": 8}
    path.write_text(json.dumps({host: {**described, "governor": "performance", "numa_nodes": 2}, "zz": other}))
    collect()
    assert (
        describe_hosts(DATASET) == "2 hosts measured; they differ in governor and numa nodes: the page System has each."
    )
    path.unlink()
    collect()
    assert describe_hosts(DATASET) == "What its hosts have is not recorded."


def test_levels_with_units_are_shown_in_them_and_levels_that_follow_from_the_factor_are_told(invent):
    dataset = invent("anf-nfs")
    comparisons = {one.sweep: one for one in open_comparisons(dataset, "anf-nfs")}
    levels = tabulate_causes([comparisons["wsize"]]).shown["levels"].iloc[0]
    assert levels == "64 KiB, 128 KiB, 256 KiB, 512 KiB, 1 MiB"
    types = {one.sweep: one for one in open_comparisons(invent("sas-grid"), "sas-grid")}["instance-types"]
    assert not types.is_cause
    assert "threads" in types.others


@pytest.mark.parametrize(
    ("names", "words"),
    [("", ""), ("a", "a"), ("ab", "a and b"), ("abc", "a, b and c"), ("abcd", "a, b, c and 1 more"),
     ("abcdef", "a, b, c and 3 more")],
)  # fmt: skip
def test_of_many_names_the_first_ones_are_listed(names, words):
    assert _list([*names], 3) == words
