"""docs/sas-grid-on-the-model.md quotes the campaign raw/sas-grid/: its figures follow from logs."""

import csv
import json
from collections import Counter

import pytest
from sealed import check_claims, read_claims, read_page, read_table, rebuild

from coldcache.analysis.per_core_rates import tabulate_core_rates
from coldcache.dataset.reader import open_records

pytestmark = pytest.mark.slow

CAMPAIGN = "sas-grid"
#: The cores of each instance.
CORES = {"large": 1, "xlarge": 2, "2xlarge": 4, "4xlarge": 8, "8xlarge": 16}
#: The rate of each link in B/s, as the site states it.
LINKS = {"large": 2.1e6, "xlarge": 2.6e6, "2xlarge": 2.8e6, "4xlarge": 4.1e6, "8xlarge": 6.2e6}


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "sas-grid-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    """The results of the campaign, with its figures."""
    folder = rebuild(root, tmp_path_factory.mktemp("sas"), CAMPAIGN, CAMPAIGN, ["every-sweep"])
    return folder / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def rates(results):
    """The median throughput of a core in B/s, by sweep, operation and threads: by the mean time, and by the last."""
    found = tabulate_core_rates(open_records(results / "dataset.nc", CAMPAIGN))
    grouped = found.groupby(["sweep", "operation", "threads"])
    assert set(grouped.size()) == {6}
    return grouped[["by_mean_elapsed", "by_last_finisher"]].median()


def test_the_page_states_the_verdicts_of_trials(results, page):
    rows = list(csv.DictReader((results / "verdicts.csv").open()))
    assert Counter(row["verdict"] for row in rows) == {"valid": 69, "suspect": 15}
    assert "Of 84 trials 69 are valid and 15 suspect" in page
    assert {row["cold"] for row in rows if row["case"].startswith("operation=read")} == {"cold"}
    reasons = [row["reasons"] for row in csv.DictReader((results / "reasons.csv").open())]
    more = [float(reason.split()[0]) for reason in reasons if "more were written to the device" in reason]
    assert len(more) == 14 and f"in 14 the\ntargets wrote {min(more):.0f} to {max(more):.0f} MiB more" in page
    (other,) = (reason for reason in reasons if "more were written to the device" not in reason)
    assert other.startswith("75 % of the 2 cores were busy")


def test_the_page_states_the_rates_per_core_beside_those_of_the_document(rates, root, page):
    published = {
        (row["system"], row["operation"]): float(row["value"])
        for row in csv.DictReader((root / "config/published/values.csv").open())
        if (row["source"], row["item"]) == ("sas-grid", "table")
    }
    expected = {
        name: [
            str(cores),
            *(f"{published[f'm5n.{name}', operation]:.0f} MB/s" for operation in ("read", "write")),
            f"{LINKS[name] / 1e6:g} MB/s",
            *(show(rates.by_mean_elapsed["instance-links", operation, cores]) for operation in ("read", "write")),
        ]
        for name, cores in CORES.items()
    }
    assert read_table(page, "instance") == expected
    for name, cores in CORES.items():
        assert cores * published[f"m5n.{name}", "read"] / 400 == pytest.approx(LINKS[name] / 1e6, rel=0.02)


def show(rate):
    """Return a rate as the page prints it, with three digits."""
    return f"{rate / 1e6:.{2 if rate >= 1e6 else 3}f} MB/s"


def test_the_page_states_how_much_of_its_link_an_instance_uses(rates, page):
    by_mean, by_last = (
        {
            operation: [
                100 * cores * column["instance-links", operation, cores] / LINKS[name] for name, cores in CORES.items()
            ]
            for operation in ("read", "write")
        }
        for column in (rates.by_mean_elapsed, rates.by_last_finisher)
    )  # fmt: skip
    assert f"as much as {max(max(shares) for shares in by_mean.values()):.0f} % of the link" in page
    alone, *several = by_last["read"]
    assert f"read {min(several):.0f} to {max(several):.0f} % of it" in page
    assert {f"{share:.0f}" for share in by_last["write"][1:]} == {"95"} and "and write 95 %" in page
    assert f"One stream alone reads {alone:.0f} %" in page


def test_the_page_states_what_the_smallest_and_the_largest_instance_read_per_core(rates, page):
    reads = rates.by_mean_elapsed["instance-links", "read"]
    assert f"each reads {reads[16] / reads[1]:.3f} of what the only one" in page
    assert f"in the document {154.98 / 850.20:.3f};" in page


def test_the_page_states_the_streams_of_this_machine(rates, page):
    expected = {
        operation: [show(rates.by_mean_elapsed["per-core", operation, count]) for count in (1, 2)]
        for operation in ("write", "read")
    }
    assert read_table(page, "streams") == expected


def test_the_page_states_how_many_streams_of_16_were_ended_and_what_they_had_moved(root, page):
    ended, shares = [], []
    for path in (root / f"raw/{CAMPAIGN}/sas-grid/instance-links").glob("*8xlarge/r*/stdout.txt"):
        jobs = json.loads(path.read_text())["jobs"]
        size = int(jobs[0]["job options"]["size"])
        moved = [job["read"]["io_bytes"] + job["write"]["io_bytes"] for job in jobs]
        ended.append(sum(count < size for count in moved))
        shares.append(100 * sum(moved) / (16 * size))
    assert len(ended) == 12 and f"of 16 streams {min(ended)} to {max(ended)} were ended after 50 s" in page
    assert f"with {min(shares):.0f} to {max(shares):.0f} % of all bytes moved" in page


def test_what_an_instance_moves_crosses_the_link_of_one_client(root):
    for path in (root / f"raw/{CAMPAIGN}/sas-grid/instance-links").glob("*/r*/trial.json"):
        trial = json.loads(path.read_text())
        operation = "read" if "operation=read" in path.parts[-3] else "write"
        jobs = json.loads((path.parent / "stdout.txt").read_text())["jobs"]
        assert len(jobs) == trial["factors"]["threads"]
        moved = sum(job[operation]["io_bytes"] for job in jobs)
        before, after = trial["counters"]["before"], trial["counters"]["after"]
        way = {"read": "received", "write": "sent"}[operation]
        own, other = (after[f"{name}.{way}_bytes"] - before[f"{name}.{way}_bytes"] for name in ("c1", "c2"))
        assert 1 <= own / moved < 1.06 and other < 0.01 * moved


def test_the_page_states_the_claims_as_they_are_judged(results, page):
    check_claims(page, read_claims(results))


def test_the_page_shows_the_figure_that_the_logs_give(root, results):
    found = results / "figures/sas-grid-instance-links-sweep.svg"
    assert (root / "docs/figures/sas-grid-on-the-model.svg").read_text() == found.read_text()
