"""What the rules know of a trial is its outcome, its records, or the reason why its log is refused."""

import shutil
from pathlib import Path

import pytest
from drafts import make_site

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.observe import observe, read_log_bytes
from coldcache.campaign.trial_json import read_outcome
from coldcache.core.errors import LogError
from coldcache.core.outcome import Outcome
from coldcache.tools import TOOLS
from coldcache.verdicts.observation import Baseline
from coldcache.verdicts.thresholds import MeasuredCeiling

KEY = "quick/random/operation=random-read,threads=1/r0"


@pytest.fixture
def trial(root, tmp_path):
    """A copy of a trial of the reference campaign."""
    shutil.copytree(root / "raw/reference" / KEY, tmp_path / KEY)
    return tmp_path / KEY


def look(trial, root, **more):
    outcome = read_outcome(trial / "trial.json")
    site = read_campaign(root / "raw/reference").site
    return observe(trial, outcome, TOOLS[outcome.tool], site, Baseline(), **more)


def test_a_trial_has_the_records_of_its_log_and_the_thresholds_of_its_site(trial, root):
    found, series = look(trial, root)
    assert found.refusal is None
    assert {record.operation for record in found.records} == {"random-read"}
    assert found.outcome.key == KEY
    assert found.thresholds == read_campaign(root / "raw/reference").site.thresholds
    assert set(series) == {f"{KEY}/{path.name}" for path in trial.glob(TOOLS["fio"].TRAITS.series_logs)}


def test_a_log_that_is_gone_or_cut_is_a_reason(trial, root):
    log = trial / "stdout.txt"
    whole = log.read_bytes()
    log.write_bytes(whole[: len(whole) // 2])
    cut, _ = look(trial, root)
    assert cut.refusal and list(cut.records) == []
    log.unlink()
    lost, _ = look(trial, root)
    assert lost.refusal == "stdout.txt cannot be read: No such file or directory"


def test_ceilings_that_were_measured_are_known_by_name(trial, root):
    ceiling = MeasuredCeiling(2e9, "how")
    found, _ = look(trial, root, measured={"read_rate": ceiling})
    assert found.measured == {"read_rate": 2e9}


def test_bytes_of_a_log_are_read_as_they_are(tmp_path):
    (tmp_path / "a.log").write_bytes(b"\x00\xff")
    assert read_log_bytes(tmp_path / "a.log") == b"\x00\xff"
    with pytest.raises(LogError, match=r"b.log cannot be read: No such file or directory"):
        read_log_bytes(Path(tmp_path / "b.log"))


@pytest.mark.parametrize(
    ("guest", "stated", "measured"), [(None, 1e9, {"write_rate": 3e9}), ({"kernel": "6.1"}, None, {})]
)
def test_the_ceilings_of_the_target_bound_no_guest(tmp_path, guest, stated, measured):
    site = make_site()
    target = site.target.model_copy(update={"write_rate": 1e9})
    site = site.model_copy(update={"targets": {"a": target}})
    outcome = Outcome("s", "a", "only", 0, ("write",), {}, "fio", "3.33", guest=guest)
    ceilings = {"write_rate": MeasuredCeiling(3e9, "written for 2 s")}
    found, _ = observe(tmp_path, outcome, TOOLS["fio"], site, Baseline(), ceilings)
    assert (found.ceilings.write_rate, found.measured) == (stated, measured)
