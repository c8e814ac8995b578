import json
import shutil
from datetime import UTC, datetime

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.core.errors import CampaignError
from coldcache.report.site.recorded_system import name_tools, read_recorded_system, show_recorded

CASE = "quick/sequential/operation=write,threads=1"


@pytest.fixture
def campaign(root, tmp_path, monkeypatch):
    """A campaign of five trials of the reference campaign, whose files may be changed."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(root / "raw/reference" / CASE, tmp_path / "raw/reference" / CASE)
    shutil.copy(root / "raw/reference/campaign.json", tmp_path / "raw/reference")
    return read_campaign(tmp_path / "raw/reference")


def _rewrite(campaign, repetition, **changes):
    path = campaign.folder / CASE / f"r{repetition}/trial.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_conditions_are_what_the_trials_of_the_reference_campaign_state(root, monkeypatch):
    monkeypatch.chdir(root)
    found = read_recorded_system(read_campaign(root / "raw/reference"))
    assert found.trials == 555
    assert found.machine["os"] == {"Debian GNU/Linux 12 (bookworm)": 555}
    assert found.target["filesystem"] == {"ext4": 464, "nfs": 91}
    assert found.queue["write_cache"] == {"write back": 464}
    assert found.tools == [("fio", "3.33"), ("iozone", "3.489")]
    assert found.begin < found.end


def test_a_condition_that_changed_has_each_value_with_its_trials(campaign):
    _rewrite(campaign, 1, system={"kernel": "6.1"}, tool_version="3.506")
    _rewrite(campaign, 3, system={"kernel": "6.1"}, tool_version=None)
    found = read_recorded_system(campaign)
    assert sorted(found.machine["kernel"].values()) == [2, 3]
    assert found.machine["kernel"]["6.1"] == 2
    assert sum(found.machine["host"].values()) == 3
    assert found.tools == [("iozone", "3.489"), ("iozone", "3.506"), ("iozone", "of unknown version")]


def test_a_trial_that_never_began_has_no_part_in_the_period(campaign):
    for repetition in range(5):
        _rewrite(campaign, repetition, start=None, end=None)
    assert read_recorded_system(campaign)[4:] == (None, None, 5)
    _rewrite(campaign, 2, start="2026-03-01T10:00:00.000+00:00", end="2026-03-01T10:00:02.500+00:00")
    found = read_recorded_system(campaign)
    assert found.begin == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert found.end == datetime(2026, 3, 1, 10, 0, 2, 500000, tzinfo=UTC)


def test_a_campaign_without_a_trial_has_no_conditions(campaign):
    shutil.rmtree(campaign.folder / "quick")
    assert read_recorded_system(campaign) == ({}, {}, {}, [], None, None, 0)


def test_a_trial_that_is_cut_short_is_named(campaign):
    path = campaign.folder / CASE / "r2/trial.json"
    path.write_text(path.read_text()[:40])
    with pytest.raises(CampaignError, match=r"^raw/reference/quick/.*/r2/trial.json: not the outcome of a trial \("):
        read_recorded_system(campaign)


def test_what_has_parts_is_shown_in_words():
    assert show_recorded({"disk": {"name": "vda", "number": "254:0"}}) == "disk: name vda, number 254:0"
    assert show_recorded({"disk": {"name": "vda"}, "loop": {"name": "loop0"}}) == "disk: name vda; loop: name loop0"
    assert (show_recorded("ext4"), show_recorded(True), show_recorded({})) == ("ext4", "True", "{}")


def test_a_tool_is_named_once_with_its_known_versions():
    tools = [
        ("cloudwatch", "of unknown version"), ("fio", "3.33"), ("fio", "of unknown version"),
        ("fio_series", "of unknown version"), ("io500", "io500-02091cf"), ("ior", "3.3.0"), ("ior", "4.0.0"),
    ]  # fmt: skip
    assert name_tools(tools) == ["cloudwatch", "fio 3.33", "fio series", "io500 02091cf", "ior 3.3.0 and 4.0.0"]
