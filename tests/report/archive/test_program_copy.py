"""An archive holds the program that rebuilds it, with the studies and claims of the working folder."""

import shutil
import zipfile
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.known_since import with_known_since
from coldcache.campaign.seal import SUMS, write_sums
from coldcache.core.program_files import PROGRAM
from coldcache.report.archive import rebuild
from coldcache.report.archive.anonymise import anonymise, make_replacer
from coldcache.report.archive.archive import archive
from coldcache.report.archive.identities import Identity
from coldcache.report.archive.program_copy import copy_program, name_version, write_known_since
from coldcache.report.archive.rebuild import make_results
from coldcache.report.site.summary import SUMMARY
from coldcache.workflow.commands.rebuild import print_rebuild


def test_the_program_is_copied_with_what_belongs_to_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config/studies").mkdir(parents=True)
    Path("config/studies/mine.yaml").write_text("study: mine\n")
    Path("config/sites").mkdir()
    Path("config/sites/secret.yaml").write_text("site: secret\n")
    copy_program(Path("copy"))
    for name in ("Snakefile", "workflow/Snakefile", "workflow/src/coldcache/__main__.py", "envs/requirements.lock",
                 "config/published/values.csv", "config/schema/study.json", "config/studies/quick.yaml",
                 "notebooks/random-iops.ipynb", "LICENSE"):  # fmt: skip
        assert Path("copy", name).read_bytes() == (PROGRAM / name).read_bytes(), name
    assert Path("copy/config/studies/mine.yaml").read_text() == "study: mine\n"


def test_sites_caches_and_tests_are_left_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copy_program(Path("copy"))
    assert not Path("copy/config/sites").exists()
    assert not Path("copy/tests").exists()
    assert not [*Path("copy").rglob("__pycache__"), *Path("copy").rglob("*.pyc"), *Path("copy").rglob("*.egg-info")]


def test_a_file_of_the_working_folder_replaces_the_programs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config/studies").mkdir(parents=True)
    Path("config/studies/quick.yaml").write_text("study: quick\n")
    copy_program(Path("copy"))
    assert Path("copy/config/studies/quick.yaml").read_text() == "study: quick\n"


NAMES = [Identity("path", "/mnt/scratch", "/anonymous/path-1"), Identity("word", "reference", "word-1")]


@pytest.fixture
def sealed(root, tmp_path, monkeypatch):
    """A sealed campaign without trials, whose site states ceilings and offers since."""
    monkeypatch.chdir(tmp_path)
    Path("raw/small").mkdir(parents=True)
    shutil.copy(root / "raw/reference/campaign.json", "raw/small")
    write_sums(Path("raw/small"))
    return read_campaign(Path("raw/small"))


@pytest.mark.parametrize("names", [[], NAMES])
def test_a_rebuild_has_what_the_site_states_since_the_campaign_was_sealed(sealed, monkeypatch, names):
    known = with_known_since(sealed).site
    write_known_since(sealed, Path("sites"), make_replacer(names))
    anonymise(Path("raw/small"), Path("other/small"), names)
    Path("config/sites").mkdir(parents=True)
    for path in Path("sites").iterdir():
        Path("config/sites", path.name).write_text("of the working folder")
    monkeypatch.setattr(rebuild, "_run", lambda *words: None)
    monkeypatch.setattr(rebuild, "list_notebooks", lambda *words: [])
    Path("work").mkdir()
    make_results(Path("other/small"), Path("work"), sites=Path("sites"))
    assert {path.read_text() for path in Path("config/sites").iterdir()} == {"of the working folder"}
    monkeypatch.chdir("work")
    site = with_known_since(read_campaign(Path("raw/small"))).site
    assert (site.site, site.target.path) == (
        ("word-1", "/anonymous/path-1") if names else ("reference", "/mnt/scratch")
    )
    assert (site.target.read_rate, site.offers) == (known.target.read_rate, known.offers) == (900e6, known.offers)
    assert "an NFS server" in site.offers


def test_a_campaign_that_is_not_sealed_needs_no_file_of_its_site(sealed):
    Path("raw/small", SUMS).unlink()
    write_known_since(sealed, Path("sites"))
    assert not Path("sites").exists()


def test_an_archive_has_what_the_site_states_since_and_its_rebuild_receives_it(sealed, monkeypatch):
    Path("results/small/report").mkdir(parents=True)
    Path("results/small/report", SUMMARY).write_text("{}")
    archive("small", Path("a.zip"))
    with zipfile.ZipFile("a.zip") as packed:
        written = packed.read("code/config/sites/reference.yaml").decode()
    assert "read_rate: 900000000.0" in written
    received = []

    def make_nothing(campaign, work, comparison, sites):
        received.extend(path.read_text() for path in sites.iterdir())
        return work

    monkeypatch.setattr(rebuild, "make_results", make_nothing)
    print_rebuild("a.zip")
    assert received == [written]


def test_the_version_names_the_commit_of_a_clone():
    number, _, commit = name_version().partition(" ")
    assert number == "0.1.0"
    assert commit == "" or (commit.startswith("(commit ") and len(commit.removesuffix("-dirty)").strip("()")) >= 47)
