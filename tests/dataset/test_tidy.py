"""Tidy tables hold one row per figure, with its factors, its verdict and its place in a log."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from coldcache.core.vocabulary import FACTORS
from coldcache.dataset.tidy import tabulate_figures, tabulate_trials

PLAIN = {
    "study": "s", "sweep": "w", "case": "c", "repetition": 0, "operation": "read", "metric": "throughput",
    "statistic": "value", "value": 1.0, "unit": "B/s", "definition": "", "caveats": "", "verdict": "valid", "codes": "",
    "cold": "cold", "tool": "fio", "tool_version": "3.33", "log": "r0/stdout.txt", "offset": 1, "length": 2,
    "printed": "1", "share": "", **dict.fromkeys(FACTORS),
}  # fmt: skip


def table(*rows):
    return pd.DataFrame([{**PLAIN, **row} for row in rows])


def sweeps(operations=""):
    """Return the table of the one sweep, which asks for these operations."""
    return pd.DataFrame({"study": ["s"], "sweep": ["w"], "operations": [operations]})


def tabulate_all(records, operations=""):
    """Return the table of the trials that the records are of."""
    verdicts = records[["study", "sweep", "case", "repetition", "verdict", "codes", "cold"]].drop_duplicates()
    return tabulate_trials(records, verdicts, sweeps(operations))


def test_the_figure_of_a_trial_is_the_one_by_which_its_operation_is_judged():
    found = tabulate_all(table(
        {"metric": "rate", "value": 9.0}, {"statistic": "max", "value": 8.0}, {"statistic": "mean", "value": 7.0},
        {"value": 6.0}, {"share": "process=0", "value": 5.0},
    ))  # fmt: skip
    assert found[["metric", "value"]].values.tolist() == [["throughput", 6.0]]


def test_an_operation_without_a_metric_of_its_own_has_the_first_that_its_log_states():
    found = tabulate_all(table(
        {"operation": "rpc-write", "metric": "elapsed", "value": 0.5}, {"operation": "rpc-write", "metric": "rate"},
        {"operation": "find", "metric": "elapsed", "value": 2.0, "repetition": 1},
    ))  # fmt: skip
    assert found[["operation", "metric", "value"]].values.tolist() == [
        ["rpc-write", "rate", 1.0],
        ["find", "elapsed", 2.0],
    ]


def test_a_trial_has_one_row_that_of_the_first_operation_whose_figure_its_log_states():
    calls = {"operation": "rpc-lookup", "metric": "count", "value": 3.0}
    lost = {"operation": "write", "value": np.nan}
    found = tabulate_all(table(calls, lost, {"value": 2.0}, {"operation": "file-stat", "metric": "rate", "value": 4.0}))
    assert found[["operation", "metric", "value"]].values.tolist() == [["read", "throughput", 2.0]]


def test_the_figure_of_a_trial_is_of_an_operation_of_its_sweep_before_others_that_the_tool_measured():
    # IOzone reads at random before it writes at random, whatever is asked for.
    both = table({"operation": "random-read", "metric": "rate"}, {"operation": "random-write", "metric": "rate"})
    assert tabulate_all(both, "random-write").operation.tolist() == ["random-write"]
    assert tabulate_all(both, "random-read random-write").operation.tolist() == ["random-read"]
    assert tabulate_all(both[:1], "random-write").operation.tolist() == ["random-read"]


def test_a_trial_without_any_record_has_a_row_with_its_verdict():
    verdicts = table({"repetition": 1, "verdict": "missing", "codes": "not-run"}, {})
    found = tabulate_trials(table({"threads": 4}), verdicts, sweeps())
    assert found[["repetition", "verdict", "codes"]].values.tolist() == [[1, "missing", "not-run"], [0, "valid", ""]]
    assert found.value.isna().tolist() == [True, False] and found.threads.tolist() == [pd.NA, 4]


def test_a_trial_whose_log_states_nothing_has_a_row_and_no_record():
    rows = table({"value": np.nan, "verdict": "void", "codes": "exit-status", "offset": -1})
    (trial,) = tabulate_all(rows).to_dict("records")
    assert np.isnan(trial["value"]) and (trial["verdict"], trial["codes"]) == ("void", "exit-status")
    assert tabulate_figures(rows).empty


def test_records_have_every_statistic_of_whole_trials():
    rows = table({}, {"statistic": "p99", "metric": "latency", "value": 3.0}, {"share": "process=0"})
    found = tabulate_figures(rows)
    assert found[["metric", "statistic", "value"]].values.tolist() == [
        ["throughput", "value", 1.0],
        ["latency", "p99", 3.0],
    ]


def test_the_last_columns_say_what_a_figure_is_and_whether_its_work_reached_the_storage():
    row = {"definition": "all that was moved", "reached": "memory"}
    for found in (tabulate_all(table(row)), tabulate_figures(table(row))):
        assert found[["definition", "reached"]].values.tolist() == [["all that was moved", "memory"]]
    assert list(tabulate_all(table(row)))[-2:] == ["definition", "reached"]


def test_the_parents_figure_is_that_of_a_trial_and_the_sum_of_the_children_stays_a_record():
    rows = table(
        {"metric": "rate", "operation": "random-read", "value": 9.0, "definition": "sum of the processes' own rates"},
        {"metric": "rate", "operation": "random-read", "value": 7.0, "definition": "parent: all that was moved"},
    )
    assert tabulate_all(rows)["value"].tolist() == [7.0]
    assert tabulate_figures(rows)["value"].tolist() == [9.0, 7.0]


def test_factors_that_no_trial_states_have_no_column_and_whole_levels_stay_whole():
    found = tabulate_all(table({"threads": 4.0, "write_cache": "", "network_delay": 0.5}, {"repetition": 1}))
    assert list(found)[11:13] == ["threads", "network_delay"]
    assert found.threads.tolist() == [4, pd.NA] and found.network_delay.tolist()[0] == 0.5
    assert found.to_csv(index=False).splitlines()[1].startswith("s,w,c,0,read,throughput,1.0,B/s,valid,,cold,4,0.5,fio")


@pytest.mark.slow
def test_every_figure_of_a_campaign_leads_to_its_bytes(collected):
    results = collected().parent
    trials = pd.read_csv(results / "trials.csv")
    assert len(trials) == 18
    assert set(trials.verdict) == {"valid"} and trials.value.gt(0).all()
    assert not trials.duplicated(["study", "sweep", "case", "repetition"]).any()
    records = pd.read_csv(results / "records.csv")
    assert len(records) > 18 * 5
    for row in records.itertuples():
        printed = (Path("raw/tiny") / row.log).read_bytes()[row.offset : row.offset + row.length].decode()
        assert str(row.printed).split()[0].startswith(printed.split()[0])
