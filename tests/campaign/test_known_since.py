"""A sealed campaign is judged by the ceilings and offers that its site has got since; its own files stay."""

import csv
import subprocess
from pathlib import Path

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.known_since import list_sources, with_known_since
from coldcache.campaign.seal import check_seal
from coldcache.dataset.collect import collect
from coldcache.dataset.reader import open_limits

SITE, RAW = Path("config/sites/here.yaml"), Path("raw/tiny")


def state(change):
    change(SITE, "make: true}", "make: true, write_rate: 1 kB/s}")
    change(SITE, "title: This machine\n", "title: This machine\noffers: [a roof]\n")


def codes():
    with Path("results/tiny/verdicts.csv").open(newline="") as file:
        return {f"{row['sweep']}/{row['case']}": row["codes"] for row in csv.DictReader(file)}


def test_a_sealed_campaign_is_judged_by_what_is_stated_now(measured, change):
    subprocess.run(["python", "-m", "coldcache", "seal", "tiny"], check=True, capture_output=True)
    collect("tiny", Path("results/tiny"))
    assert not any("above-ceiling" in found for found in codes().values())
    state(change)
    collect("tiny", Path("results/tiny"))
    writes = {case for case, found in codes().items() if "above-ceiling" in found}
    assert writes >= {"transfers/operation=write,threads=1", "transfers/operation=write,threads=2"}
    assert open_limits(Path("results/tiny/dataset.nc"), "tiny") == {"write_rate": 1000.0}
    known = with_known_since(read_campaign(RAW))
    assert known.site.offers == ["a roof"] and read_campaign(RAW).site.offers == []
    assert check_seal(RAW) == []
    assert list_sources(known) == [SITE]


def test_a_campaign_that_goes_on_has_its_own_file(measured, change):
    state(change)
    campaign = read_campaign(RAW)
    assert with_known_since(campaign) == campaign
    assert list_sources(campaign) == []


def test_another_target_or_a_lost_file_adds_nothing(measured, change):
    subprocess.run(["python", "-m", "coldcache", "seal", "tiny"], check=True, capture_output=True)
    state(change)
    change(SITE, "path: scratch", "path: elsewhere")
    campaign = read_campaign(RAW)
    assert with_known_since(campaign) == campaign
    SITE.unlink()
    assert with_known_since(campaign) == campaign


def test_ceilings_may_be_stated_for_a_campaign_that_has_begun(project, coldcache, measure_arguments, change):
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    change(SITE, "make: true}", "make: true, write_rate: 1 kB/s}")
    again = coldcache(*measure_arguments("tiny.transfers"))
    assert (again.returncode, again.stderr) == (0, "")
