"""A seal covers every file of a campaign, and says what was changed, added or removed since."""

from pathlib import Path

import pytest

from coldcache.campaign.progress import missing_trials
from coldcache.campaign.seal import SUMS, check_seal, check_sums, is_sealed, raw_files, seal, sha256, write_sums
from coldcache.core.errors import CampaignError

#: Of the three bytes "abc" (FIPS 180-2, appendix B.1).
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder with two files."""
    (tmp_path / "c/study").mkdir(parents=True)
    (tmp_path / "c/campaign.json").write_text("{}")
    (tmp_path / "c/study/stdout.txt").write_text("abc")
    return tmp_path / "c"


def test_checksums_are_those_that_sha256sum_reads(folder):
    assert sha256(folder / "study/stdout.txt") == ABC
    assert write_sums(folder) == 2
    lines = (folder / SUMS).read_text().splitlines()
    assert [line.split("  ")[1] for line in lines] == ["campaign.json", "study/stdout.txt"]
    assert lines[1] == f"{ABC}  study/stdout.txt"
    assert is_sealed(folder)


def test_links_and_the_checksums_themselves_are_not_covered(folder):
    (folder / "link").symlink_to("campaign.json")
    write_sums(folder)
    (folder / f".{SUMS}").write_text("of a seal that was interrupted")
    assert [path.name for path in raw_files(folder)] == ["campaign.json", "stdout.txt"]


def test_a_sealed_folder_that_is_as_it_was_has_no_difference(folder):
    write_sums(folder)
    assert check_seal(folder) == []


def test_every_difference_is_one_line_by_name(folder):
    write_sums(folder)
    (folder / "campaign.json").write_text("{} ")
    (folder / "study/stdout.txt").unlink()
    (folder / "study/more.txt").write_text("")
    assert check_seal(folder) == [
        "campaign.json: changed since the campaign was sealed",
        "study/more.txt: added since the campaign was sealed",
        "study/stdout.txt: removed since the campaign was sealed",
    ]
    assert check_sums(folder) == ["campaign.json: changed", "study/more.txt: added", "study/stdout.txt: removed"]


def test_a_folder_without_a_seal_and_a_broken_seal_are_refused(folder):
    with pytest.raises(CampaignError, match=r"c is not sealed: python -m coldcache seal c"):
        check_seal(folder)
    (folder / SUMS).write_text(f"{ABC}  study/stdout.txt\n{ABC[:-1]}  campaign.json\n")
    with pytest.raises(CampaignError, match=r"SHA256SUMS, line 2: not a checksum and a file; the seal is broken"):
        check_seal(folder)


def test_a_sealed_campaign_is_sealed_once(folder):
    write_sums(folder)
    with pytest.raises(CampaignError, match="is sealed already; python -m coldcache seal --check c compares its files"):
        seal(folder)


def test_each_link_in_a_sealed_folder_counts_as_added(folder, tmp_path):
    (tmp_path / "elsewhere/r7").mkdir(parents=True)
    (tmp_path / "elsewhere/r7/trial.json").write_text("{}")
    write_sums(folder)
    (folder / "study/r7").symlink_to(tmp_path / "elsewhere/r7")
    (folder / "study/r8").mkdir()
    (folder / "study/r8/trial.json").symlink_to(tmp_path / "elsewhere/r7/trial.json")
    (folder / "study/lost").symlink_to("nowhere")
    (folder / "study/stdout.txt").rename(tmp_path / "stdout.txt")
    (folder / "study/stdout.txt").symlink_to(tmp_path / "stdout.txt")
    assert check_sums(folder) == [
        "study/lost: added", "study/r7: added", "study/r8/trial.json: added", "study/stdout.txt: removed",
    ]  # fmt: skip


def test_a_campaign_that_has_a_link_is_not_sealed(folder):
    (folder / "study/r7").symlink_to("nowhere")
    line = (
        r"c/study/r7 is a symbolic link, and a seal covers files alone \(1 in all\); replace each link by a copy of "
        "what it leads to, or remove it"
    )
    with pytest.raises(CampaignError, match=line):
        seal(folder)
    assert not is_sealed(folder)


def test_a_campaign_is_sealed_without_a_sweep_that_cannot_run_and_the_sentinel_around_it(refused):
    missing = missing_trials(refused)
    assert {key.split("/")[1] for key in missing} == {"cache", "probe"}
    assert seal(refused.folder) > len(missing)
    assert is_sealed(refused.folder)


def test_a_missing_trial_of_the_sentinel_beside_a_sweep_that_runs_is_measured_before_the_seal(refused):
    own = next(block for block in refused.blocks() if block.name == "tiny.files").trials[0]
    assert own.case.sweep == "probe"
    (refused.folder / own.key / "trial.json").unlink()
    with pytest.raises(CampaignError, match=f"1 trials are missing, the first is {own.key}; measure them"):
        seal(refused.folder)
