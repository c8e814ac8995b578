import hashlib
import shutil

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.report.site import raw_files
from coldcache.report.site.raw_files import copy_raw_files

KEY = "quick/random/operation=random-read,threads=1/r0"


@pytest.fixture
def campaign(root, tmp_path, monkeypatch):
    """One trial of the reference campaign, not sealed, with a log that is called a page."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(root / "raw/reference" / KEY, tmp_path / "raw/one" / KEY)
    shutil.copy(root / "raw/reference/campaign.json", tmp_path / "raw/one")
    (tmp_path / "raw/one" / KEY / "log.html").write_text("<script>alert(1)</script>")
    return read_campaign(tmp_path / "raw/one")


def test_a_copy_is_never_taken_for_a_page(campaign, tmp_path):
    files = copy_raw_files(campaign, tmp_path / "report")
    assert files[f"{KEY}/log.html"].address == f"raw/{KEY}/log.html.txt"
    for name, file in files.items():
        copy = tmp_path / "report" / file.address
        assert copy.suffix in (".txt", ".json")
        assert copy.read_bytes() == (campaign.folder / name).read_bytes()
        assert file.sha256 == hashlib.sha256(copy.read_bytes()).hexdigest()
        assert file.size == copy.stat().st_size


def test_of_a_sealed_campaign_the_sums_are_those_that_seal_it(campaign, tmp_path):
    (campaign.folder / "SHA256SUMS").write_text(f"{'a' * 64}  {KEY}/stdout.txt\n")
    assert copy_raw_files(campaign, tmp_path / "report")[f"{KEY}/stdout.txt"].sha256 == "a" * 64


def test_pages_lead_to_the_folder_of_a_campaign_that_is_too_large_to_copy(campaign, tmp_path, monkeypatch):
    monkeypatch.setattr(raw_files, "MOST_COPIED", 100)
    report = tmp_path / "results/one/report"
    report.mkdir(parents=True)
    for file in copy_raw_files(campaign, report).values():
        assert (report / file.address).is_file()
    assert list(report.iterdir()) == []
