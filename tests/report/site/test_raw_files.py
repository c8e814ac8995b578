import hashlib
import shutil
from pathlib import Path

import pytest

from coldcache.report.site import places, raw_files
from coldcache.report.site.raw_files import RawFiles

KEY = "quick/random/operation=random-read,threads=1/r0"


@pytest.fixture
def folder(root, tmp_path, monkeypatch):
    """One trial of the reference campaign, not sealed, with a log that is called a page."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(root / "raw/reference" / KEY, f"raw/one/{KEY}")
    shutil.copy(root / "raw/reference/campaign.json", "raw/one")
    campaign = Path("raw/one")
    (campaign / KEY / "log.html").write_text("<script>alert(1)</script>")
    return campaign


def test_a_copy_is_never_taken_for_a_page(folder, tmp_path):
    files = RawFiles(folder)
    files.copy(tmp_path / "report")
    assert files.find(f"{KEY}/log.html").address == f"raw/{KEY}/log.html.txt"
    listed = files.list_folder(KEY)
    assert [file.name.removeprefix(f"{KEY}/") for file in listed] == [
        "log.html", "stderr.txt", "stdout.txt", "trial.json",
    ]  # fmt: skip
    for file in [*listed, files.find("campaign.json")]:
        copy = tmp_path / "report" / file.address
        assert copy.suffix in (".txt", ".json")
        assert copy.read_bytes() == (folder / file.name).read_bytes()
        assert file.sha256 == hashlib.sha256(copy.read_bytes()).hexdigest()
        assert file.size == copy.stat().st_size
    assert len([path for path in (tmp_path / "report/raw").rglob("*") if path.is_file()]) == 5


def test_of_a_sealed_campaign_the_sums_are_those_that_seal_it(folder):
    (folder / "SHA256SUMS").write_text(f"{'a' * 64}  {KEY}/stdout.txt\n")
    assert RawFiles(folder).find(f"{KEY}/stdout.txt").sha256 == "a" * 64


@pytest.mark.parametrize(("bound", "most"), [("MOST_COPIED", 100), ("MOST_COPIES", 4)])
def test_pages_lead_to_the_folder_of_a_campaign_that_is_too_large_to_copy(folder, tmp_path, monkeypatch, bound, most):
    monkeypatch.setattr(raw_files, bound, most)
    report = tmp_path / "results/one/report"
    report.mkdir(parents=True)
    files = RawFiles(folder)
    files.copy(report)
    for file in files.list_folder(KEY):
        assert (report / file.address).is_file()
    assert list(report.iterdir()) == []


def test_a_campaign_is_copied_up_to_its_number_of_files(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(raw_files, "MOST_COPIES", 5)
    RawFiles(folder).copy(tmp_path / "report")
    assert len([path for path in (tmp_path / "report/raw").rglob("*") if path.is_file()]) == 5


def test_pages_and_copies_of_a_report_stay_below_20_000_files():
    assert places.MOST_FILES + raw_files.MOST_COPIES < 20_000


def test_a_link_and_a_missing_file_are_no_raw_files(folder):
    (folder / KEY / "linked.txt").symlink_to("stdout.txt")
    assert RawFiles(folder).find(f"{KEY}/linked.txt") is None
    assert RawFiles(folder).find(f"{KEY}/other.txt") is None
    assert "linked" not in str(RawFiles(folder).list_folder(KEY))
