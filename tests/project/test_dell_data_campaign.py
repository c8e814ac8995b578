"""docs/dell-data-on-the-model.md quotes the campaign raw/dell-data/: its figures follow from logs."""

import csv
import json
import statistics

import pandas as pd
import pytest
from sealed import check_claims, read_claims, read_page, read_rate_with_last_transfers, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "dell-data"


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "dell-data-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    """The results of the campaign, with the figures of its curves."""
    folder = rebuild(root, tmp_path_factory.mktemp("dell"), CAMPAIGN, "dell-lustre", ["throughput-over-threads"])
    return folder / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def median(results):
    """The median over the runs of a case that count, by sweep, operation and levels."""
    records = pd.read_csv(results / "records.csv", low_memory=False)
    records = records[records.verdict.isin(["valid", "suspect"]) & (records.statistic == "value")]

    def median(sweep, operation, **levels):
        metric = "rate" if operation.startswith("random") else "throughput"
        found = records[(records.sweep == sweep) & (records.operation == operation) & (records.metric == metric)]
        for factor, level in levels.items():
            found = found[found[factor] == level]
        assert found.case.nunique() == 1 and found.repetition.is_unique
        return found.value.median()

    return median


@pytest.fixture(scope="module")
def claims(results):
    return read_claims(results)


def show_throughput(median, sweep, **levels):
    """Return the cells of a row: the medians of writing and of reading."""
    return [f"{median(sweep, operation, **levels) / 1e6:.3g} MB/s" for operation in ("write", "read")]


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = [row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open())]
    assert {verdict: verdicts.count(verdict) for verdict in set(verdicts)} == {"valid": 151, "suspect": 23}
    assert "Of 174 trials 151 are valid. 23 are suspect" in page
    codes = [row["codes"] for row in csv.DictReader((results / "reasons.csv").open())]
    assert sum("foreign-transfers" in code for code in codes) == 22 and "in 22 the" in page
    assert sum("slow-process-hidden" in code for code in codes) == 6 and "in six one process lagged" in page


def test_the_page_states_throughput_over_threads_and_over_targets(median, page):
    threads, targets = read_table(page, "threads"), read_table(page, "targets")
    assert list(threads) == ["1", "8", "24", "48", "96"]
    for count, cells in threads.items():
        assert cells == show_throughput(median, "sequential", threads=int(count))
    assert list(targets) == ["2", "4", "6", "8", "24"]
    for count, cells in targets.items():
        assert cells == show_throughput(median, "osts", stripe_count=int(count))


def test_the_page_states_rates_of_random_transfers(median, page):
    stated = read_table(page, "threads, random")
    assert list(stated) == ["24", "144", "240"]
    for count, cells in stated.items():
        found = [median("random", operation, threads=int(count)) for operation in ("random-write", "random-read")]
        assert cells == [f"{rate:,.0f}" for rate in found]


def test_the_page_states_how_long_a_random_write_takes_and_what_the_servers_write(root, median, page):
    waits = [round(1000 * threads / median("random", "random-write", threads=threads)) for threads in (24, 240)]
    assert "A write takes {} ms with 24 threads and {} ms with 240".format(*waits) in page
    shares = []
    for path in (root / f"raw/{CAMPAIGN}/dell-lustre/random").glob("*/r*/trial.json"):
        trial = json.loads(path.read_text())
        before, after = (trial["counters"][moment] for moment in ("before", "after"))
        written = sum(after[name] - before[name] for name in after if name.endswith(".written_bytes"))
        shares.append(written / (trial["factors"]["file_size"] * trial["factors"]["threads"]))
    assert (len(shares), round(min(shares)), round(max(shares))) == (18, 2, 4) and "two to four times its\n" in page


def test_the_page_states_throughput_of_one_shared_file(median, page):
    stated = read_table(page, "8 threads")
    assert stated["a file per thread"] == show_throughput(median, "sequential", threads=8)
    assert stated["one shared file"] == show_throughput(median, "shared-file", threads=8)


def test_the_page_states_the_claims_as_they_are_judged(claims, page):
    check_claims(page, claims)
    assert "19 runs per case would show 10 % with 80 % power" in claims["DL3"]["why"] and "takes 19 runs" in page


def test_the_page_shows_the_figure_that_the_logs_give(root, results):
    found = results / "figures/dell-lustre-sequential-curve.svg"
    assert (root / "docs/figures/sequential-on-the-model.svg").read_text() == found.read_text()


def test_the_page_states_what_was_read_with_the_transfers_that_the_stop_interrupts(root, page):
    stated = read_table(page, "threads, with the last transfers")
    assert list(stated) == ["24", "48", "96"]
    for threads, cells in stated.items():
        logs = (root / f"raw/{CAMPAIGN}/dell-lustre/sequential/operation=read,threads={threads}").glob("r*/stdout.txt")
        rates = [read_rate_with_last_transfers(path.read_text()) for path in logs]
        assert len(rates) == 6
        assert cells == [f"{statistics.median(rates) / 1e6:.3g} MB/s"]
        assert max(rates) < 1.04 * 96e6


def test_the_targets_read_all_files_whole(results):
    reached = pd.read_csv(results / "reached.csv")
    reads = reached[(reached.sweep == "sequential") & (reached.operation == "read")]
    assert len(reads) == 30
    assert (reads.crossed_bytes / reads.moved_bytes).between(0.98, 1.02).all()
