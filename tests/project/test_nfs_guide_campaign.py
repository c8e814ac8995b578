"""docs/nfs-guide-on-a-guest.md quotes the campaign raw/nfs-guide/: its figures follow from logs."""

import csv
import re

import pandas as pd
import pytest
from sealed import read_page, read_table, rebuild

from coldcache.dataset.reader import open_sweep

pytestmark = pytest.mark.slow

CAMPAIGN = "nfs-guide"

#: A ratio with its interval, as claims print it.
RATIO = r"is ([\d.]+) times (?:as fast as [^;]*?)?(?:that with [^;]*?)?\(95 %: ([\d.]+) to ([\d.]+)"


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "nfs-guide-on-a-guest")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    """The results of the campaign, with the figures of its ratios."""
    folder = rebuild(root, tmp_path_factory.mktemp("nfs"), CAMPAIGN, "anf-nfs", ["nfs-calls"])
    return folder / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def records(results):
    """The figures of the runs that count, each of a whole run."""
    records = pd.read_csv(results / "records.csv", dtype={"nfs_version": str}, low_memory=False)
    return records[records.verdict.isin(["valid", "suspect"]) & (records.statistic == "value")]


@pytest.fixture(scope="module")
def choose(records):
    """What an operation states in each run of a case, by sweep, operation, metric and levels."""

    def choose(sweep, operation, metric, **levels):
        found = records[(records.sweep == sweep) & (records.operation == operation) & (records.metric == metric)]
        for factor, level in levels.items():
            found = found[found[factor] == level]
        if operation.startswith("rpc-"):
            found = found[found.definition.str.startswith("operations,")]
        assert len(found) and found.case.nunique() == 1
        return found.value

    return choose


@pytest.fixture(scope="module")
def claims(results):
    return {row["id"]: row for row in csv.DictReader((results / "claims.csv").open()) if row["id"].startswith("AN")}


def test_each_figure_of_a_run_has_a_cell_of_its_own(results, records):
    for sweep, rows in records.groupby("sweep"):
        cube = open_sweep(results / "dataset.nc", "anf-nfs", sweep)
        for metric, figures in rows.groupby("metric"):
            runs = len(figures.drop_duplicates(["operation", "case", "repetition"]))
            assert metric == "latency" or int(cube[metric].notnull().sum()) == runs, (sweep, metric)


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = [row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open())]
    assert f"Of {len(verdicts)} trials {verdicts.count('valid')} are valid" in page


def test_the_page_states_the_claims_as_they_are_judged(claims, page):
    stated = read_table(page, "claim")
    assert set(stated) == set(claims)
    quoted = 0
    for name, cells in stated.items():
        assert cells[-1] == claims[name]["verdict"], name
        judged = {tuple(map(float, found)) for found in re.findall(RATIO, claims[name]["why"])}
        for ratio in re.findall(r"([\d.]+) \(([\d.]+)–([\d.]+)\)", cells[1]):
            assert tuple(map(float, ratio)) in judged, (name, ratio)
            quoted += 1
    assert quoted >= 10


def test_the_page_states_calls_by_wsize(choose, page):
    stated = read_table(page, "wsize")
    assert list(stated) == ["64 KiB", "128 KiB", "256 KiB", "512 KiB", "1 MiB"]
    for exponent, (counted, _) in zip(range(16, 21), stated.values(), strict=True):
        assert [counted] == [f"{calls:,.0f}" for calls in choose("wsize", "rpc-write", "count", io_size=2**exponent)]
    commits = {
        int(number)
        for exponent in range(16, 21)
        for number in choose("wsize", "rpc-commit", "count", io_size=2**exponent)
    }
    assert commits == {5, 7} and "there are five to seven commits" in page
    (sync,) = choose("write-mode", "rpc-write", "count", write_mode="sync")
    assert f"takes {sync:,.0f} calls" in page


def test_the_page_states_throughput_by_delay(choose, page):
    stated = read_table(page, "mount, file of 32 MiB in blocks of 8 KiB")
    assert list(stated) == ["`sync`", "`async`"]
    for mount, cells in stated.items():
        levels = {"write_mode": mount.strip("`")}
        for delay, cell in zip((0.0, 0.001), cells, strict=True):
            found = choose("network-delay", "write", "throughput", network_delay=delay, **levels)
            assert cell == f"{found.median() / 1e6:.3g}"
    sync, asynchronous = (
        choose("write-mode", "write", "throughput", write_mode=mode).median() / 1e6 for mode in ("sync", "async")
    )
    assert f"{sync:.3g} MB/s with `sync` and {asynchronous:.3g} MB/s with `async`" in page


def test_the_page_states_that_reads_take_as_many_calls_with_both_sizes(choose, page):
    calls = {
        operation: [int(choose("rsize-wsize", operation, "count", io_size=size).median()) for size in (2**18, 2**20)]
        for operation in ("rpc-write", "rpc-read")
    }
    assert calls == {"rpc-write": [768, 192], "rpc-read": [771, 771]}
    assert "with 768\ncalls against 192. Reads take 771 calls at both sizes" in page


def test_the_page_states_throughput_by_connections_and_clients(choose, page):
    stated = read_table(page, "clients")
    assert set(stated) == {"1", "4", "16"}
    for clients, cells in stated.items():
        one, eight = (
            choose("nconnect", "write", "throughput", nodes=int(clients), nconnect=connections).median()
            for connections in (1, 8)
        )
        assert cells == [f"{one / 1e6:.3g}", f"{eight / 1e6:.3g}", f"{eight / one:.2f}"]


def test_larger_buffers_gain_nothing_over_a_short_way(choose, page):
    for operation in ("write", "read"):
        one, other = (
            choose("sysctl", operation, "throughput", network_delay=0.001, sysctl=level).median()
            for level in ("defaults", "recommended")
        )
        assert other / one == pytest.approx(1, abs=0.01)
    assert "at 2 ms nothing" in page
    short, far, listed = (
        choose("sysctl", "write", "throughput", network_delay=delay, sysctl=level).median() / 1e6
        for delay, level in ((0.001, "defaults"), (0.1, "defaults"), (0.1, "recommended"))
    )
    assert f"medians of {short:.0f} MB/s" in page and f"they reach {far:.2g} and {listed:.3g} MB/s" in page


def test_the_page_states_requests_in_flight(choose, page):
    for connections, slots, most in ((1, 128, 128), (8, 128, 1024), (1, 65536, 4096), (8, 65536, 4096)):
        found = choose("in-flight", "most-in-flight", "count", nconnect=connections, slot_table_entries=slots)
        assert set(found) == {most}
    assert "128, 1,024 and 4,096" in page


def test_the_page_states_calls_for_attributes(results, choose, page):
    stated = read_table(page, "mount")
    options = {"defaults": "defaults", "`nocto,actimeo=600`": "nocto-actimeo-600", "`noac`": "noac"}
    assert list(stated) == list(options)
    moved = pd.read_csv(results / "reached.csv")
    moved = moved[(moved.sweep == "attribute-cache") & (moved.operation == "read")].set_index(["case", "repetition"])
    for mount, (calls, rate, per_read) in stated.items():
        levels = {"mount_option": options[mount]}
        reads = choose("attribute-cache", "read", "throughput", **levels) / 4096
        counted = choose("attribute-cache", "rpc-getattr", "count", **levels)
        assert calls == (f"{counted.min():,.0f}–{counted.max():,.0f}" if counted.max() else "0")
        assert rate == f"{reads.median():,.0f}"
        done = moved.moved_bytes.loc[f"mount_option={options[mount]}"] / 4096
        assert per_read == f"{(counted.to_numpy() / done.to_numpy()).mean():.1f}"


def test_the_page_states_rates_by_version(choose, page):
    stated = read_table(page, "operation")
    rows = {
        "create": ("version-metadata", "file-create", "rate", 1), "status": ("version-stat", "file-stat", "rate", 1),
        "remove": ("version-metadata", "file-remove", "rate", 1),
        "write": ("version-streaming", "write", "throughput", 1e6),
        "read": ("version-streaming", "read", "throughput", 1e6),
    }  # fmt: skip
    assert list(stated) == list(rows)
    for name, (sweep, operation, metric, unit) in rows.items():
        medians = [choose(sweep, operation, metric, nfs_version=version).median() / unit for version in ("3", "4.1")]
        assert [cell.split()[0] for cell in stated[name]] == [f"{median:,.3g}" for median in medians]


def test_the_page_shows_the_figure_that_the_logs_give(root, results):
    found = results / "figures/anf-nfs-ratios.svg"
    assert (root / "docs/figures/nfs-mount-options-on-a-guest.svg").read_text() == found.read_text()
