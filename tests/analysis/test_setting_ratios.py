"""Ratios of several sweeps are one table, with what is claimed of each."""

from dataclasses import replace

import pytest

from coldcache.analysis.questions.select import choose_settings
from coldcache.analysis.setting_ratios import tabulate_ratios


def test_every_case_has_a_row_with_the_bounds_of_its_claim(dell):
    ratios = tabulate_ratios(choose_settings(dell, "dell-lustre", ["write_cache"]))
    rows = ratios.set_index("case")
    assert rows.ratio.round(6).eq(2).all() and rows.n.eq(5).all()
    # Of many numbers of threads the fewest, the middle one and the most have a row.
    assert list(rows.index) == [
        "write, 1 thread: on / off", "write, 48 threads: on / off", "write, 192 threads: on / off",
        "random write, 1 thread: on / off", "random write, 48 threads: on / off",
        "random write, 192 threads: on / off",
    ]  # fmt: skip
    assert rows.loc["write, 1 thread: on / off", ["claim", "claimed_low"]].tolist() == ["DL6", 0.0]
    assert rows.loc["random write, 1 thread: on / off", ["claim", "claimed_low"]].tolist() == ["DL7", 1.25]


def test_levels_that_are_numbers_have_the_name_of_their_factor(invent):
    ratios = tabulate_ratios(choose_settings(invent("anf-nfs"), "anf-nfs", ["nconnect"]))
    assert ratios.case[0] == "write, client nodes 1: connections per mount 8 / 1"


def test_no_sweep_has_no_rows():
    assert tabulate_ratios([]).empty


@pytest.mark.parametrize(
    ("factor", "sweep", "claims"),
    [
        ("nconnect", "nconnect", {
            "write, client nodes 1: connections per mount 8 / 1": "AN4",
            "write, client nodes 4: connections per mount 8 / 1": "",
            "write, client nodes 16: connections per mount 8 / 1": "",
        }),
        ("write_mode", "network-delay", {
            "write, network delay each way 0 ms: async / sync": "",
            "write, network delay each way 1 ms: async / sync": "AN1",
        }),
        ("sysctl", "sysctl", {
            "read, network delay each way 1 ms: recommended / defaults": "",
            "read, network delay each way 100 ms: recommended / defaults": "AN10",
            "write, network delay each way 1 ms: recommended / defaults": "",
            "write, network delay each way 100 ms: recommended / defaults": "AN10",
        }),
    ],
)  # fmt: skip
def test_a_claim_bounds_the_cases_at_the_levels_that_it_names_alone(invent, factor, sweep, claims):
    ratios = tabulate_ratios(choose_settings(invent("anf-nfs"), "anf-nfs", [factor]))
    rows = ratios[ratios.sweep == f"anf-nfs/{sweep}"]
    assert dict(zip(rows.case, rows.claim, strict=True)) == claims
    assert rows.claimed_low.notna().tolist() == [claim != "" for claim in rows.claim]


def test_a_claim_on_rates_bounds_no_ratio_of_times(invent):
    times = choose_settings(invent("anf-nfs"), "anf-nfs", ["write_mode"], "elapsed")
    ratios = tabulate_ratios(times)
    assert len(ratios) and set(ratios.claim) == {""}


def test_a_factor_that_a_sweep_holds_fixed_is_one_of_its_levels(invent):
    (found,) = [
        one for one in choose_settings(invent("anf-nfs"), "anf-nfs", ["nconnect"]) if one.question.sweep == "nconnect"
    ]
    alone = replace(found, cube=found.cube.sel(nodes=1, drop=True), cells=found.cells.sel(nodes=1, drop=True))
    for nodes, claim in ((1, "AN4"), (4, "")):
        held = replace(alone, cube=alone.cube.assign_attrs(nodes=nodes))
        assert tabulate_ratios([held]).claim.tolist() == [claim]
