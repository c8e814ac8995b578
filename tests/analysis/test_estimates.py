"""A small dataset of two operations: what is estimated of it, and what is said where trials are lost."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from coldcache.analysis.estimates import estimate, fit_law, median_interval
from coldcache.analysis.format import format_growth, format_interval, format_ratio, format_suspect
from coldcache.analysis.question import Question
from coldcache.analysis.report_links import without_links
from coldcache.analysis.results import Peak
from coldcache.campaign.campaign import Campaign
from coldcache.campaign.trials import CollectedTrial
from coldcache.core.errors import NoData
from coldcache.core.outcome import Outcome
from coldcache.core.records import Record
from coldcache.dataset.tables import tabulate_records
from coldcache.dataset.writer import save_dataset
from coldcache.design.cases import Environment
from coldcache.design.site import Site
from coldcache.statistics.dependence import INDEPENDENT
from coldcache.statistics.intervals import Interval
from coldcache.verdicts.cold_proof import ColdProof
from coldcache.verdicts.judge import Judgement

#: Rates in MB/s by operation and threads; None is a void trial.
RATES = {
    ("write", 1): (100, 110, 90, 105, 95),
    ("write", 4): (200, 198, 189, 231, 190),
    ("read", 1): (400, 300, 500, 450, 350),
    ("read", 4): (410, 390, 300, 600, 350),
}


@pytest.fixture
def open_estimates(tmp_path):
    """Return the estimates of a sweep whose trials had these rates."""

    def write(rates=RATES, suspect=()):
        trials = [
            _collect(operation, threads, repetition, rate, (operation, threads, repetition) in suspect)
            for (operation, threads), row in rates.items()
            for repetition, rate in enumerate(row)
        ]
        path = tmp_path / "dataset.nc"
        site = Site.model_validate({"site": "here", "title": "Here", "targets": {"scratch": {"path": "/scratch"}}})
        campaign = Campaign("small", site, (), Environment(1, False, {}, 0))
        save_dataset(campaign, tabulate_records(trials), path)
        return estimate(path, "quick", "sequential", "throughput")

    return write


def _collect(operation, threads, repetition, rate, suspect):
    factors = {"threads": threads, "transfer_size": 1048576, "file_layout": "file-per-thread"}
    case = f"operation={operation},threads={threads}"
    outcome = Outcome("quick", "sequential", case, repetition, (operation,), factors, "fio", "3.33")
    record = Record("fio", "3.33", operation, "throughput", "value", 1e6 * (rate or 0), "B/s", None, "", 0, 3, "")
    verdict = "void" if rate is None else "suspect" if suspect else "valid"
    cold = "not applicable" if operation == "write" or rate is None else "cold"
    judgement = Judgement(verdict, (), (), cold, (ColdProof(cold, operation=operation),))
    return CollectedTrial(outcome.key, outcome, [record] if rate else [], judgement)


def without(operation, threads, *repetitions):
    row = [None if place in repetitions else rate for place, rate in enumerate(RATES[operation, threads])]
    return RATES | {(operation, threads): tuple(row)}


def test_each_case_has_its_median_and_range(open_estimates):
    cells = open_estimates().cells.sel(operation="write")
    assert cells.threads.values.tolist() == [1, 4]
    assert cells.estimate.values.tolist() == [100e6, 198e6]
    assert cells.low.values.tolist() == [90e6, 189e6]
    assert cells.high.values.tolist() == [110e6, 231e6]
    assert cells.n.values.tolist() == [5, 5]


def test_a_void_trial_does_not_count_and_a_suspect_one_does(open_estimates):
    found = open_estimates(without("write", 4, 3), suspect=[("write", 1, 1)])
    cells = found.cells.sel(operation="write")
    assert cells.n.values.tolist() == [5, 4]
    assert cells.high[0] == 110e6
    assert np.isnan(cells.high[1])
    assert np.isnan(found.runs.sel(operation="write", threads=4, repetition=3))


def test_peak_is_the_highest_median(open_estimates):
    found = open_estimates()
    write = "../trials/quick/sequential/operation=write,threads=4/index.html#write-throughput"
    runs = (200e6, 198e6, 189e6, 231e6, 190e6)
    assert found.peak("write") == Peak(4, 198e6, 189e6, 231e6, 5, write, 0, runs, "the most tried")
    read = "../trials/quick/sequential/operation=read,threads=1/index.html#read-throughput"
    assert found.peak("read") == Peak(
        1, 400e6, 300e6, 500e6, 5, read, 0, tuple(1e6 * rate for rate in RATES["read", 1])
    )
    assert (found.peak("write").at, found.peak("read").at) == ("4 threads (the most tried)", "1 thread")
    assert found.format_peak(found.peak("write")) == f'<a href="{write}">198 MB/s</a> (93.8 %: 189 to 231 MB/s)'


def test_a_peak_beside_threads_whose_trials_are_void_does_not_say_that_they_were_not_tried(open_estimates):
    assert open_estimates(without("write", 4, *range(5))).peak("write").at == "1 thread (the only number with a figure)"


def test_a_peak_of_suspect_trials_says_so(open_estimates):
    found = open_estimates(suspect=[("write", 4, repetition) for repetition in range(5)])
    assert found.peak("write").suspect == 5
    assert without_links(found.format_peak(found.peak("write"))) == (
        "198 MB/s (93.8 %: 189 to 231 MB/s; 5 of 5 flagged)"
    )
    assert without_links(found.format_peak(found.peak("read"))) == "400 MB/s (93.8 %: 300 to 500 MB/s)"


def test_how_many_trials_are_suspect_is_told_in_words():
    assert (format_suspect(0, 5), format_suspect(1, 1)) == (None, "flagged")


def test_operations_stand_by_their_highest_estimate(open_estimates):
    assert open_estimates().operations() == ["read", "write"]


def test_an_operation_without_an_estimate_stands_last(open_estimates):
    lost = {case: (None,) * 5 if case[0] == "read" else row for case, row in RATES.items()}
    assert open_estimates(lost).operations() == ["write", "read"]


def test_growth_is_paired_by_repetition(open_estimates):
    """Pair by pair 2, 1.8, 2.1, 2.2 and 2: their geometric mean, not the quotient of medians (1.98)."""
    found = open_estimates().growth("write")
    logs = np.log([2, 1.8, 2.1, 2.2, 2])
    expected = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    assert (found.estimate, found.n) == (pytest.approx(np.exp(logs.mean()), rel=1e-6), 5)
    assert (found.low, found.high) == pytest.approx((np.exp(expected.low), np.exp(expected.high)), rel=1e-6)
    assert format_growth(found) == "grow 2.02 times"
    assert format_ratio(found) == (
        '<a href="../trials/quick/sequential/index.html">2.02 times</a> (95 %: 1.84 to 2.21)'
    )


def test_a_pair_that_lost_a_member_does_not_count(open_estimates):
    """Four pairs are listed, and have no interval."""
    found = open_estimates(without("write", 1, 1)).growth("write")
    assert (found.estimate, found.n) == (pytest.approx((2 * 2.1 * 2.2 * 2) ** 0.25), 4)
    assert found.runs == pytest.approx((2, 2.1, 2.2, 2))
    assert np.isnan([found.low, found.high]).all()


def test_ratio_of_any_two_cases(open_estimates):
    found = open_estimates().ratio({"operation": "read", "threads": 1}, {"operation": "write", "threads": 1})
    pairs = np.divide(RATES["read", 1], RATES["write", 1])
    assert found.estimate == pytest.approx(np.exp(np.log(pairs).mean()), rel=1e-6)


def test_an_interval_that_holds_one_shows_no_growth(open_estimates):
    found = open_estimates().growth("read")
    assert found.low < 1 < found.high
    assert format_growth(found) == "show no growth"


def test_a_ratio_below_one_is_a_fall():
    assert format_growth(Interval(0.5, 0.4, 0.6, 5, 0.95, "order")) == "fall to 0.5 times"


def test_one_repetition_says_nothing_of_growth(open_estimates):
    single = {case: row[:1] for case, row in RATES.items()}
    found = open_estimates(single).growth("write")
    assert (found.estimate, found.n) == (2, 1)
    assert math.isnan(found.low)
    assert format_ratio(found) == '<a href="../trials/quick/sequential/index.html">2 times</a> (1 pair)'


def test_cases_without_a_common_repetition_have_no_ratio(open_estimates):
    found = open_estimates(RATES | {("write", 4): (None,) * 5}).growth("write")
    assert format_ratio(found) == "not known"
    assert format_growth(found) == "lack a rate at one end"


@pytest.mark.parametrize(
    ("repetitions", "said"),
    [
        (2, "Points: median of 2 repetitions, too few for an interval; dots: single trials."),
        (3, "Points: median of 3 repetitions, too few for an interval; dots: single trials."),
        (5, "Points: median of 5 repetitions; bands and bars: its 93.8 % interval; dots: single trials."),
        (6, "Points: median of 6 repetitions; bands and bars: its 95 % interval; dots: single trials."),
        (1, "Points: single trials; one repetition has no interval."),
    ],
)
def test_caption_tells_what_the_bands_cover(open_estimates, repetitions, said):
    rates = {case: (*row, 200)[:repetitions] for case, row in RATES.items()}
    assert open_estimates(rates).caption().startswith(f"{said} Trials: ")


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ((4,), "median of 4 to 5 repetitions; bands and bars: its 93.8 % interval, none of fewer than 5; dots"),
        ((1, 2, 3), "median of 2 to 5 repetitions; bands and bars: its 93.8 % interval, none of fewer than 5; dots"),
        ((0, 1, 2, 3), "median of 1 to 5 repetitions; bands and bars: its 93.8 % interval, none of fewer than 5; dots"),
        ((0, 1, 2, 3, 4), "median of 5 repetitions; bands and bars: its 93.8 % interval; dots"),
    ],
)
def test_caption_tells_what_fewer_repetitions_cover(open_estimates, lost, said):
    assert open_estimates(without("read", 4, *lost)).caption().startswith(f"Points: {said}")


def test_caption_says_once_what_six_and_seven_repetitions_cover(open_estimates):
    rates = {case: (*row, 200, 210) for case, row in RATES.items()}
    rates["read", 4] = (*RATES["read", 4], 200, None)
    said = "Points: median of 6 to 7 repetitions; bands and bars: its 95 % interval; dots: single trials. "
    assert open_estimates(rates).caption().startswith(said)


def test_caption_counts_trials_and_cold_reads_and_names_the_tool(open_estimates):
    found = open_estimates(without("write", 4, 3), suspect=[("read", 1, 0)])
    assert found.caption().split("single trials. ")[1] == (
        "Trials: 18 valid, 1 suspect, 1 void. Hollow dots: suspect. Reads: 10 cold. Tool: fio 3.33."
    )


def test_table_has_every_trial(open_estimates):
    table = open_estimates(without("write", 4, 3)).table()
    assert table.columns.tolist() == ["operation", "threads", "median", "low", "high", "n", "trials"]
    row = table[(table.operation == "write") & (table.threads == 4)].iloc[0]
    assert row["median"] == 194e6
    assert row["n"] == 4
    assert row["trials"] == pytest.approx((200e6, 198e6, 189e6, np.nan, 190e6), nan_ok=True)


def test_an_estimate_without_bounds_is_shown_alone():
    assert format_interval(1.5e9, np.nan, np.nan, "B/s", 0) == "1.50 GB/s"


def test_no_sweep_of_that_name_is_no_data(open_estimates, tmp_path):
    open_estimates()
    with pytest.raises(NoData) as caught:
        estimate(tmp_path / "dataset.nc", "quick", "metadata", "rate")
    assert str(caught.value) == "the campaign has no sweep quick/metadata"


def test_a_metric_that_no_trial_states_is_no_data(open_estimates, tmp_path):
    open_estimates()
    with pytest.raises(NoData) as caught:
        estimate(tmp_path / "dataset.nc", "quick", "sequential", "rate")
    assert str(caught.value) == "no trial of quick/sequential counts: see the page on validity"


def test_an_operation_whose_trials_are_all_void_is_no_data(open_estimates):
    lost = {case: (None,) * 5 if case[0] == "read" else row for case, row in RATES.items()}
    for ask in (lambda found: found.peak("read"), lambda found: found.growth("read")):
        with pytest.raises(NoData) as caught:
            ask(open_estimates(lost))
        assert str(caught.value) == "no trial of read counts: see the page on validity"


def test_each_row_of_the_table_has_the_page_of_its_case(open_estimates):
    found = open_estimates()
    table = found.table()
    assert found.pages() == [
        f"../trials/quick/sequential/operation={row.operation},threads={row.threads}/index.html#{row.operation}-throughput"
        for row in table.itertuples()
    ]
    assert found.page({"operation": "write", "threads": 4}) in found.pages()


def test_a_combination_that_is_no_case_has_no_page(open_estimates):
    found = open_estimates({case: row for case, row in RATES.items() if case != ("read", 4)})
    assert found.page({"operation": "read", "threads": 4}) is None
    assert len(found.pages()) == len(found.table()) == 3


def test_a_sweep_is_named_as_its_question_and_its_page(sweep):
    named = replace(sweep, question=Question("s", "w", "A sweep", ("fig 1",), factor="write_cache"))
    assert (named.name, named.heading, named.path) == ("s-w", "A sweep (fig 1)", "s/w")
    assert named.factor == "write_cache"
    assert named.is_stated is False
    assert (named.published, named.ceilings) == ((), {})
    assert named.tool == "fio 3.33"
    assert replace(named, cube=named.cube.assign_attrs(tool_version="3.33 3.36")).tool == "fio 3.33, 3.36"


@pytest.mark.parametrize(
    ("metric", "label"),
    [
        ("throughput", "throughput"), ("rate", "operations"), ("elapsed", "time"), ("count", "calls"),
        ("throughput_per_core", "throughput per core"),
    ],
)  # fmt: skip
def test_the_quantity_of_a_metric_labels_an_axis(sweep, metric, label):
    assert replace(sweep, metric=metric).quantity == label


def test_the_scale_and_each_note_stand_once_at_the_end_of_the_caption(sweep):
    assert sweep.origin() == "Tool: fio 3.33."
    scaled = replace(sweep, question=Question(why="scaled down: at most 4 threads"))
    assert scaled.origin() == "Tool: fio 3.33. Scale: at most 4 threads."
    assert scaled.caption("One.", None, "Two.", "One.").endswith("Scale: at most 4 threads. One. Two.")


def test_suspect_trials_of_a_case_are_counted(sweep):
    sweep.cube.verdict.loc[{"operation": "read", "threads": 1, "repetition": [0, 2]}] = "suspect"
    assert sweep.count_suspect({"operation": "read", "threads": 1}) == 2
    assert sweep.count_suspect({"operation": "write"}) == 0
    assert "Trials: 28 valid, 2 suspect. Hollow dots: suspect." in sweep.caption()


def test_a_table_of_what_logs_state_leaves_out_cases_that_count_and_state_nothing(sweep):
    sweep.runs.loc[{"operation": "read", "threads": 1}] = np.nan
    stated = replace(sweep, cells=median_interval(sweep.runs), is_stated=True)
    assert len(replace(stated, is_stated=False).table()) == 6
    assert len(stated.table()) == len(stated.pages()) == 5
    sweep.cube.verdict.loc[{"operation": "read", "threads": 1}] = "void"
    assert len(stated.table()) == 6


def test_a_law_needs_rates_at_enough_numbers_of_threads(sweep):
    assert fit_law(sweep, "read") is None
    threads = [1, 2, 4, 8, 16, 32]
    cube = sweep.cube.isel(threads=[0] * 6).assign_coords(threads=threads)
    rates = 1e6 * np.array([100, 190, 360, 640, 1000, 1400])
    cube["throughput"] = cube.throughput.copy(data=np.broadcast_to(rates[:, None], (2, 6, 5)).copy())
    law = fit_law(replace(sweep, cube=cube), "read")
    assert law.tested == (1, 32)
    assert 0 < law.contention < 0.1


def test_the_one_estimate_is_the_median_with_its_order_interval(sweep):
    cells = median_interval(sweep.runs)
    assert cells.attrs == {"level": 0.95, "rounds": INDEPENDENT}
    here = cells.sel(operation="read", threads=1)
    assert [float(here[name]) for name in ("estimate", "low", "high", "n")] == [100e6, 90e6, 130e6, 5]


def test_reads_that_are_proved_cold_are_counted_per_case_without_void_trials(sweep):
    place = {"operation": "read", "threads": 4}
    sweep.cube.cold.loc[{**place, "repetition": 1}] = "warm"
    sweep.cube.verdict.loc[{**place, "repetition": 0}] = "void"
    sweep.cube.cold.loc[{"operation": "write"}] = "not applicable"
    assert sweep.count_cold(place) == (3, 4)
    assert sweep.count_cold({"operation": "write", "threads": 4}) == (0, 0)


def test_a_case_with_fewer_repetitions_than_others_lists_no_more_than_its_own(sweep):
    verdicts = sweep.cube.verdict.copy()
    verdicts.loc[{"operation": "read", "threads": 1, "repetition": [3, 4]}] = ""
    verdicts.loc[{"operation": "read", "threads": 2, "repetition": [3, 4]}] = "void"
    runs = sweep.cube.throughput.where(verdicts == "valid")
    table = replace(sweep, cube=sweep.cube.assign(verdict=verdicts, throughput=runs)).table()
    counts = {(row.operation, row.threads): len(row.trials) for row in table.itertuples()}
    assert counts[("read", 1)] == 3
    assert counts[("read", 2)] == counts[("read", 4)] == 5
