"""docs/sas-grid-on-the-model.md quotes the campaign raw/sas-grid/: its figures follow from logs."""

import csv
import json
from collections import Counter

import pytest
from sealed import check_claims, read_claims, read_medians, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "sas-grid"
#: The cores of each instance.
CORES = {"large": 1, "xlarge": 2, "2xlarge": 4, "4xlarge": 8, "8xlarge": 16}
#: The rate of each link in B/s, as the site states it.
LINKS = {"large": 2.1e6, "xlarge": 2.6e6, "2xlarge": 2.8e6, "4xlarge": 4.1e6, "8xlarge": 6.2e6}


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs/sas-grid-on-the-model.md").read_text()


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    """The results of the campaign, with its figures."""
    folder = rebuild(root, tmp_path_factory.mktemp("sas"), CAMPAIGN, CAMPAIGN, ["every-sweep"])
    return folder / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def medians(results):
    return read_medians(results)


@pytest.fixture(scope="module")
def rates(medians):
    """The median throughput of each instance's link by operation, in B/s, in the order of `CORES`."""
    return {
        operation: [
            medians["instance-links", operation, f"operation={operation},instance_link={name}"] for name in CORES
        ]
        for operation in ("read", "write")
    }


def test_the_page_states_the_verdicts_of_trials(results, page):
    rows = list(csv.DictReader((results / "verdicts.csv").open()))
    verdicts = Counter(row["verdict"] for row in rows)
    assert f"Of {len(rows)} trials {verdicts['valid']} are valid" in page
    assert {row["cold"] for row in rows if row["case"].startswith("operation=read")} == {"cold"}


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
            *(f"{rates[operation][place] / cores / 1e6:.3g} MB/s" for operation in ("read", "write")),
        ]
        for place, (name, cores) in enumerate(CORES.items())
    }
    assert read_table(page, "instance") == expected


def test_the_page_states_how_much_of_its_link_an_instance_uses(rates, page):
    shares = {
        operation: [rate / link for rate, link in zip(found, LINKS.values(), strict=True)]
        for operation, found in rates.items()
    }
    several = [share for found in shares.values() for share in found[1:]]
    assert f"{100 * min(several):.0f} to {100 * max(several):.0f} % of the link" in page
    assert f"{100 * shares['read'][0]:.0f} % of it" in page and min(shares["write"]) > shares["read"][0]


def test_the_page_states_what_the_smallest_and_the_largest_instance_read_per_core(rates, page):
    largest = rates["read"][-1] / 16 / rates["read"][0]
    assert f"reads {largest:.3f} of what that of the smallest reads" in page
    assert f"the document {154.98 / 850.20:.3f}" in page


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


def test_the_page_states_the_streams_of_this_machine(medians, page):
    found = {
        operation: [medians["per-core", operation, f"operation={operation},threads={count}"] / 1e6 for count in (1, 2)]
        for operation in ("write", "read")
    }
    expected = {operation: [f"{rate:.3g} MB/s" for rate in rates] for operation, rates in found.items()}
    assert read_table(page, "streams") == expected


def test_the_page_states_the_claims_as_they_are_judged(results, page):
    check_claims(page, read_claims(results))
