"""Two figures side by side show what each core gets, and rates over time are summed over the processes."""

import math
from pathlib import Path

import pandas as pd
import pytest
import xarray as xr

from coldcache.analysis.per_core_rates import add_streams, judge_core, tabulate_core_rates
from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trials import collect_trials
from coldcache.core.records import name_share
from coldcache.dataset.tables import tabulate_records
from coldcache.tools import read_file

SPECIMENS = Path(__file__).parents[1] / "specimens"

STUDY = """\
study: tiny
title: A study of streams
question: What does each core get?
scale: site
repetitions: 1
notebooks: []
sweeps:
  per-core:
    title: One stream for each core
    tools: [fio]
    operations: [write]
    # Without a pause, 8 MiB take some 20 ms, and fio counts in whole milliseconds.
    options: {fio: [--group_reporting=0, --thinktime=5000]}
    factors: {threads: [2], transfer_size: [64 KiB], file_size: [4 MiB], direct_io: [false]}
    seconds: 1 h
  minutes:
    title: Rates by the window
    tools: [fio]
    operations: [write]
    series: 1 min
    factors: {threads: [2], transfer_size: [64 KiB], file_size: [64 MiB], direct_io: [where-possible]}
    seconds: 10 min
"""


def tell(records, threads):
    shared = {"study": "s", "sweep": "w", "case": "c", "repetition": 0, "verdict": "valid", "threads": threads}
    return pd.DataFrame(
        [
            {
                **shared, "operation": record.operation, "metric": record.metric, "statistic": record.statistic,
                "value": record.value, "file_size": 2**25, "share": name_share(record) or "", "time": float("nan"),
            }
            for record in records
        ]
    )  # fmt: skip


def test_the_mean_of_the_times_and_the_last_to_finish_stand_side_by_side():
    records = tell(read_file(SPECIMENS / "fio-3.33-processes.json"), threads=2)
    (row,) = tabulate_core_rates(records).to_dict("records")
    assert row["by_mean_elapsed"] == pytest.approx(2**25 / 0.228)
    assert row["by_last_finisher"] == pytest.approx(2**25 / 0.250)
    assert row["judgement"] == "enough"


def test_the_throughput_of_all_streams_follows_from_their_mean_time():
    rates = tabulate_core_rates(tell(read_file(SPECIMENS / "fio-3.33-processes.json"), threads=2))
    throughput = xr.DataArray([[5e8], [math.nan]], {"threads": [1, 2], "repetition": [0]})
    assert add_streams(throughput, rates).values.tolist() == [[5e8], [pytest.approx(2 * 2**25 / 0.228)]]
    assert math.isnan(throughput.sel(threads=2).item())


def test_of_streams_that_were_ended_early_what_they_moved_counts():
    records = tell(read_file(SPECIMENS / "fio-3.33-processes.json"), threads=2).assign(transfer_size=65536, link="a")
    calls = (records.metric == "count") & (records.statistic == "value")
    assert records[calls].value.tolist() == [512, 512]
    (whole,) = tabulate_core_rates(records).to_dict("records")
    assert whole["by_mean_elapsed"] == pytest.approx(2**25 / 0.228)
    records.loc[calls, "value"] = [512, 256]
    (ended,) = tabulate_core_rates(records).to_dict("records")
    assert ended["by_mean_elapsed"] == pytest.approx(0.75 * 2**25 / 0.228)
    assert ended["by_last_finisher"] == pytest.approx(0.75 * 2**25 / 0.250)


@pytest.mark.parametrize(
    ("level", "stored", "other"), [("large", "large", "xlarge"), (True, "true", "false"), (4, 4, 8)]
)
def test_streams_are_added_up_in_the_case_of_their_levels(level, stored, other):
    records = tell(read_file(SPECIMENS / "fio-3.33-processes.json"), threads=2)
    factor = {"large": "instance_link", True: "direct_io", 4: "queue_depth"}[level]
    rates = tabulate_core_rates(records.assign(**{factor: level}))
    empty = xr.DataArray([[[math.nan], [math.nan]]], {"threads": [2], factor: [stored, other], "repetition": [0]})
    assert add_streams(empty, rates).sel({factor: stored}).item() == pytest.approx(2 * 2**25 / 0.228)
    assert add_streams(empty, rates.drop(columns=factor)).isnull().all()


def test_a_log_that_states_its_group_alone_tells_no_mean():
    records = tell(read_file(SPECIMENS / "fio-3.33-seq-write.json"), threads=2)
    assert tabulate_core_rates(records).empty


@pytest.mark.parametrize(
    ("rate", "judgement"),
    [(99.9e6, "too little"), (100e6, "just enough"), (124.9e6, "just enough"), (125e6, "enough")],
)
def test_a_core_is_judged_by_the_documents_thresholds(rate, judgement):
    assert judge_core(rate) == judgement


def test_a_measured_trial_keeps_the_series_of_its_processes_and_proves_what_each_moved(project, coldcache):
    Path("config/studies/tiny.yaml").write_text(STUDY)
    for sweep in ("per-core", "minutes"):
        found = coldcache(
            "measure", "--campaign=tiny", "--studies=tiny", "--site=here", f"--block=tiny.{sweep}",
            f"--manifest=results/{sweep}.json",
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
    trials = list(collect_trials(read_campaign(Path("raw/tiny"))))
    assert [trial.judgement.verdict for trial in trials] == ["valid", "valid"]
    minutes = next(trial for trial in trials if trial.outcome.sweep == "minutes")
    # Ten windows of a minute are as many of 0.2 s, since the site lets a trial last 2 s.
    assert "--log_avg_msec=200" in minutes.outcome.argv
    assert [log for log, _ in minutes.series] == [f"{minutes.key}/series_bw.log"] * 2
    records = tabulate_records(trials)
    assert records.time.notna().any()
    (row,) = tabulate_core_rates(records).to_dict("records")
    assert row["by_last_finisher"] <= row["by_mean_elapsed"]


def test_a_series_that_is_broken_makes_its_trial_void(project, coldcache):
    Path("config/studies/tiny.yaml").write_text(STUDY)
    found = coldcache(
        "measure", "--campaign=tiny", "--studies=tiny", "--site=here", "--block=tiny.minutes", "--manifest=m.json"
    )
    assert found.returncode == 0, found.stderr
    Path("raw/tiny/tiny/minutes/only/r0/series_bw.log").write_text("200, 81920, 1, 0, 0\n4")
    broken = next(trial for trial in collect_trials(read_campaign(Path("raw/tiny"))) if trial.records)
    assert broken.judgement.codes == ("log-refused",)
    assert broken.judgement.reasons[0].startswith("series_bw.log: line 2: ")
