"""docs/pixstor-data-on-the-model.md quotes the campaign raw/pixstor-data/: its figures follow from logs."""

import csv
import json
import re
import statistics

import pandas as pd
import pytest
from sealed import (
    check_claims,
    read_claims,
    read_medians,
    read_page,
    read_rate_with_last_transfers,
    read_table,
    rebuild,
)

pytestmark = pytest.mark.slow

CAMPAIGN = "pixstor-data"
MIB = 2**20


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "pixstor-data-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    """The results of the campaign, with the figures of its curves."""
    folder = rebuild(root, tmp_path_factory.mktemp("pixstor"), CAMPAIGN, "pixstor-nvme", ["throughput-over-threads"])
    return folder / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def medians(results):
    return read_medians(results)


@pytest.fixture(scope="module")
def logs(root):
    """The logs of a case, by sweep, operation and threads."""

    def find(sweep, operation, threads, name="stdout.txt"):
        found = list(
            (root / f"raw/{CAMPAIGN}/pixstor-nvme/{sweep}").glob(f"operation={operation},threads={threads}/r*/{name}")
        )
        assert len(found) == 6
        return found

    return find


def show(rate):
    return f"{rate / 1e6:.3g} MB/s"


def list_rows(medians, sweep, threads):
    """Return the rows of a table: the medians of writing and of reading with each number of threads."""
    cases = {count: [f"operation={operation},threads={count}" for operation in ("write", "read")] for count in threads}
    return {
        str(count): [
            show(medians[sweep, operation, case]) for operation, case in zip(("write", "read"), found, strict=True)
        ]
        for count, found in cases.items()
    }


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = [row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open())]
    assert {verdict: verdicts.count(verdict) for verdict in set(verdicts)} == {"valid": 112, "suspect": 32}
    assert "Of 144 trials 112 are valid. 32 are suspect" in page
    codes = [row["codes"] for row in csv.DictReader((results / "reasons.csv").open())]
    counted = ("slow-process-hidden", "served-from-cache", "foreign-transfers")
    assert [sum(code in found for found in codes) for code in counted] == [12, 12, 8]


def test_the_page_states_throughput_over_threads_and_ranks(medians, page):
    assert read_table(page, "threads") == list_rows(medians, "sequential", (1, 16, 32, 64, 128))
    assert read_table(page, "ranks, one shared file") == list_rows(medians, "shared-file", (1, 16, 64))
    assert read_table(page, "ranks, a file each") == list_rows(medians, "file-per-rank", (16, 64))


def test_the_page_states_rates_with_the_transfers_that_the_stop_interrupts(logs, page):
    stated = read_table(page, "threads, with the last transfers")
    assert list(stated) == ["64", "128"]
    for threads, cells in stated.items():
        for operation, cell in zip(("write", "read"), cells, strict=True):
            rates = [read_rate_with_last_transfers(path.read_text()) for path in logs("sequential", operation, threads)]
            assert cell == show(statistics.median(rates))
            assert max(rates) < 96e6


def test_the_page_states_how_far_the_slowest_of_128_writers_came(root, page):
    logs = (root / f"raw/{CAMPAIGN}/pixstor-nvme/sequential/operation=write,threads=128").glob("r*/stdout.txt")
    texts = [log.read_text() for log in logs]
    least = [float(re.search(r"Min xfer\s+=\s+([\d.]+) kB", text)[1]) for text in texts]
    sizes = {int(re.search(r"-s (\d+)K", text)[1]) for text in texts}
    (size,) = sizes
    assert len(least) == 6 and f"had moved {100 * min(least) / size:.0f} to {100 * max(least) / size:.0f} %" in page


def test_each_round_writes_a_shared_file_at_less_than_a_quarter(results, page):
    trials = pd.read_csv(results / "trials.csv")
    rates = trials[trials.operation == "write"].set_index(["sweep", "case", "repetition"]).value
    ratios = (rates["shared-file"] / rates["file-per-rank"]).dropna()
    assert len(ratios) == 12 and ratios.max() < 0.25 and "less than a quarter" in page


def test_half_of_32_files_share_a_target_and_are_read_half_as_fast(results, page):
    reasons = pd.read_csv(results / "reasons.csv")
    chosen = (reasons.sweep == "sequential") & (reasons.case == "operation=read,threads=32")
    shares = reasons[chosen].reasons.str.extract(r"ran at (\d+) % of")[0].astype(int)
    assert shares.between(45, 55).all() and "Of 32 files 16 share a target with another" in page


def test_the_page_states_what_a_shared_file_costs_and_that_no_locks_explain_it(logs, medians, page):
    rate = medians["shared-file", "write", "operation=write,threads=64"] / (256 * 1024)
    assert f"{rate:.0f} writes per second are those of four" in page and f"one write of {4000 / rate:.0f} ms" in page
    asked = {
        sweep: statistics.median(count_requests(path) for path in logs(sweep, "write", 64, "trial.json"))
        for sweep in ("shared-file", "file-per-rank")
    }
    counts = f"{asked['shared-file']:.0f} requests, with files of their own {asked['file-per-rank']:.0f}"
    assert f"for 1,792 writes the metadata servers get {counts}" in " ".join(page.split())


def count_requests(path):
    """Return how many requests the metadata servers got during a trial."""
    counters = json.loads(path.read_text())["counters"]
    grown = {name: counters["after"][name] - count for name, count in counters["before"].items()}
    return sum(count for name, count in grown.items() if name.endswith(".requests"))


def test_the_page_states_how_much_ranks_read_ahead_into_the_parts_of_others(results, page):
    reached = pd.read_csv(results / "reached.csv")
    reads = reached[(reached.sweep == "shared-file") & (reached.case == "operation=read,threads=64")]
    more = (reads.crossed_bytes - reads.moved_bytes) / MIB
    assert len(more) == 6 and round(more.median()) == 63 and "63 MiB more than the file's 448" in page


def test_the_page_states_what_a_client_reads_from_its_memory(results, medians, page):
    reached = pd.read_csv(results / "reached.csv")
    reached = reached[reached.sweep == "client-memory"]
    shares = (reached.crossed_bytes / reached.moved_bytes).groupby(reached.case).median()
    expected = {}
    for size in (4, 8, 16, 32):
        case = f"file_size={size * MIB}"
        expected[f"{size} MiB"] = [show(medians["client-memory", "read", case]), f"{100 * shares[case]:.0f} %"]
    assert read_table(page, "file") == expected


def test_the_page_states_the_claims_as_they_are_judged(results, page):
    check_claims(page, read_claims(results))


def test_the_page_shows_the_figure_that_the_logs_give(root, results):
    found = results / "figures/pixstor-nvme-sequential-curve.svg"
    assert (root / "docs/figures/pixstor-sequential-on-the-model.svg").read_text() == found.read_text()
