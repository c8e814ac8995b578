"""Ratios of several sweeps are one table, with what is claimed of each."""

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
