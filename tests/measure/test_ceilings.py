"""What a target can carry, and how fast memory copies, is measured when a campaign begins, unless it is known."""

import json
import re
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.measure import ceilings
from coldcache.measure.ceilings import fastest_window, measure_memory
from coldcache.measure.target import MARKER
from coldcache.verdicts.thresholds import MeasuredCeiling

SITE = Path("config/sites/here.yaml")
CAMPAIGN = Path("raw/tiny")


@pytest.fixture
def begin(project, coldcache, measure_arguments, change):
    """Return a function that measures a block with some ceilings stated, and returns those that were measured."""

    def measure(stated=""):
        change(SITE, "measures_ceilings: false", "measures_ceilings: true")
        if stated:
            change(SITE, "make: true}", f"make: true, {stated}}}")
        found = coldcache(*measure_arguments("tiny.files"))
        assert found.returncode == 0, found.stderr
        return json.loads((CAMPAIGN / "campaign.json").read_text()).get("ceilings", {})

    return measure


def test_what_nobody_states_is_measured_first_and_kept(begin, coldcache, measure_arguments):
    found = begin()
    assert sorted(found) == ["memory_rate", "read_rate", "write_rate"]
    # No storage is slower than a megabyte per second, and none is faster than memory.
    assert all(1e6 < one["rate"] < 1e12 for one in found.values())
    assert re.fullmatch(
        r"8 files on the target, rewritten by direct I/O in 1 MiB by (2|8|32) threads for 0.5 s, the fastest 0.25 s",
        found["write_rate"]["how"],
    )
    assert "read by direct I/O" in found["read_rate"]["how"]
    assert not Path("scratch/coldcache/ceilings").exists()
    # Later blocks and starts keep them.
    assert coldcache(*measure_arguments("tiny.cache")).returncode == 0
    assert json.loads((CAMPAIGN / "campaign.json").read_text())["ceilings"] == found
    kept = read_campaign(CAMPAIGN).ceilings
    assert kept == {name: MeasuredCeiling(**one) for name, one in found.items()}


def test_what_a_killed_runner_left_is_removed_first(begin):
    left = Path("scratch/coldcache/ceilings")
    left.mkdir(parents=True)
    (left.parent / MARKER).touch()
    (left / "0").write_bytes(b"_" * 1000)
    assert sorted(begin()) == ["memory_rate", "read_rate", "write_rate"]
    assert not left.exists()


def test_what_the_site_states_is_not_measured(begin):
    assert sorted(begin("read_rate: 2 GB/s, write_rate: 1 GB/s")) == ["memory_rate"]


def test_a_site_can_do_without(project, coldcache, measure_arguments):
    assert coldcache(*measure_arguments("tiny.files")).returncode == 0
    assert "ceilings" not in json.loads((CAMPAIGN / "campaign.json").read_text())


def test_the_fastest_window_counts():
    # Four transfers of 10 B within a quarter of a second, at the end; before that one in each tenth.
    ends = [0.1, 0.2, 0.3, 1.0, 1.05, 1.1, 1.15, 1.2]
    assert fastest_window(ends, 10) == 4 * 10 / 0.25
    assert fastest_window([], 10) == fastest_window([0.1], 10) == 0


@pytest.mark.parametrize("rate", [5, 8, 12.5, 16.7, 25, 60, 250])
def test_slow_storage_is_as_fast_as_its_transfers_follow_each_other(rate):
    ends = [2**20 / (rate * 1e6) * number for number in range(1, 4 + int(rate / 2))]
    assert fastest_window(ends, 2**20) == pytest.approx(rate * 1e6, rel=1e-9)


def test_one_of_several_devices_is_no_ceiling(monkeypatch):
    monkeypatch.setattr(ceilings, "list_members", lambda number: [number, "8:32"])
    monkeypatch.setattr(ceilings.Path, "is_block_device", lambda path: True)
    assert ceilings._find_device("8:16") is None
    monkeypatch.setattr(ceilings, "list_members", lambda number: [number])
    assert ceilings._find_device("8:16") == Path("/dev/8:16")


def test_memory_is_copied_by_every_processor():
    found = measure_memory()
    assert 1e8 < found.rate < 1e13
    assert found.how.startswith("memory copied in 64 MiB by ")
