"""An archive holds all that belongs to a campaign, is valid, and is the same each time; anonymised, it names nobody."""

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from coldcache.campaign.seal import write_sums
from coldcache.dataset.reader import open_records
from coldcache.report.archive import identities
from coldcache.report.site.summary import SUMMARY


def test_it_holds_logs_results_report_program_and_lock_and_is_the_same_each_time(project, run, tmp_path):
    by_hand = Path("results/tiny/by-hand/tables/mine.csv")
    by_hand.parent.mkdir(parents=True)
    by_hand.touch()
    # What `export` writes.
    Path("results/tiny/trials.parquet").touch()
    assert run("archive", "tiny")[0] == 0
    assert run("archive", "tiny", "--output", "again.zip")[0] == 0
    assert Path("results/tiny.zip").read_bytes() == Path("again.zip").read_bytes()
    with zipfile.ZipFile("again.zip") as packed:
        names = set(packed.namelist())
        packed.extractall(tmp_path / "out")
    assert {str(path) for path in Path("raw/tiny").rglob("*") if path.is_file()} < names
    assert {
        "results/tiny/dataset.nc", "results/tiny/report/index.html", "code/Snakefile", "code/envs/requirements.lock",
        "ro-crate-metadata.json", "SHA256SUMS", "README.md",
    } < names  # fmt: skip
    assert not [
        name
        for name in names
        if "/blocks/" in name
        or "/by-hand/" in name
        or name.endswith(".parquet")
        or name.startswith("code/config/sites")
    ]
    checked = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path / "out", check=False)
    assert checked.returncode == 0


def test_an_output_that_is_a_folder_gets_a_file_of_the_campaigns_name(project, run):
    Path("out").mkdir()
    for _ in range(2):
        status, said, error = run("archive", "tiny", "--output", "out")
        assert (status, error, said.partition(": ")[0]) == (0, "", "out/tiny.zip")
    assert [path.name for path in Path("out").iterdir()] == ["tiny.zip"]


def test_a_name_that_ends_with_a_slash_is_refused(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = (
        'campaign "tiny/": a name has letters a to z, digits, hyphens and underscores only, and begins with a letter '
        "or a digit"
    )
    assert run("archive", "tiny/") == (1, "", f"coldcache: {line}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_report_from_before_the_seal_is_refused_as_no_rebuild_would_be_the_same(root, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = Path("results/small/report")
    report.mkdir(parents=True)
    (report / SUMMARY).write_text("{}")
    (report / "evidence.html").write_text("<p>Measure again</p>")
    Path("raw/small").mkdir(parents=True)
    shutil.copy(root / "raw/reference/campaign.json", "raw/small")
    # One that is not sealed may say so.
    assert run("archive", "small", "--output", "a.zip")[0] == 0
    write_sums(Path("raw/small"))
    line = (
        "results/small/report: rendered before raw/small was sealed, so that no rebuild would be the same; "
        "snakemake --cores all --config campaign=small renders it again"
    )
    assert run("archive", "small", "--output", "b.zip") == (1, "", f"coldcache: {line}\n")
    assert not Path("b.zip").exists()
    (report / "evidence.html").write_text("<code>cd raw/small &amp;&amp; sha256sum -c SHA256SUMS</code>")
    assert run("archive", "small", "--output", "b.zip")[0] == 0


def test_what_has_no_report_yet_is_refused(project, run):
    shutil.rmtree("results/tiny/report")
    line = "results/tiny/report: missing; snakemake --cores all --config campaign=tiny makes it"
    assert run("archive", "tiny") == (1, "", f"coldcache: {line}\n")


@pytest.fixture(params=["login7.example.org", "vm"])
def host(request, monkeypatch):
    """Return the name of this host, which may be as short as a word of the kernel's."""
    monkeypatch.setattr(identities.platform, "node", lambda: request.param)
    return request.param


def replace_values(**values):
    """Replace the values of some keys wherever the design and the trials state them."""
    for path in [*Path("raw/tiny").rglob("trial.json"), Path("raw/tiny/campaign.json")]:
        text = path.read_text()
        for key, value in values.items():
            new = f'"{key}": "{value}"'.encode("ascii", "backslashreplace").decode().replace("\\xe4", "\\\\u00e4")
            text = re.sub(f'"{key}": "[^"]*"', new, text)
        path.write_text(text)


@pytest.fixture
def named(project, run, host):
    """The project, whose logs tell a host, a user, addresses and a path as a cluster's do."""
    replace_values(host=host, path="/gpfs/ähm/proj")
    for log in Path("raw/tiny").rglob("stdout.txt"):
        told = (
            f"alice@{host.partition('.')[0].upper()}: /gpfs/ähm/proj/run on "
            "10.20.30.40 and fe80::1:2 (/home/alice/job.sh), 127.0.0.1, vm.dirty_ratio\n"
        )
        log.write_bytes(told.encode() + log.read_bytes())
    run("collect", "--campaign=tiny", "--results=results/tiny")
    return project


def test_an_anonymised_archive_names_nobody_and_its_numbers_stand_where_records_say(named, host, run, root, tmp_path):
    before = open_records(Path("results/tiny/dataset.nc"))
    status, said, error = run("archive", "tiny", "--anonymise", "--hide", "This machine", "--output", "a.zip")
    assert (status, error) == (0, "")
    assert f"{len(before)} records have the same values" in said
    with zipfile.ZipFile("a.zip") as packed:
        packed.extractall(tmp_path / "out")
        everything = b"\n".join(
            packed.read(name) for name in packed.namelist() if not (root / name.removeprefix("code/")).is_file()
        )
    for name in (b"login7", b"alice", b"gpfs", b"10.20.30.40", b"fe80::1:2", b"this machine"):
        assert name not in everything.lower(), name
    outcome = json.loads(next((tmp_path / "out/raw/tiny").rglob("trial.json")).read_text())
    alias = outcome["system"]["host"]
    assert re.fullmatch(r"host-\d", alias)
    log = next((tmp_path / "out/raw/tiny").rglob("stdout.txt")).read_text()
    assert re.fullmatch(
        rf"user-\d@{alias}: {outcome['target']['path']}/run on address-\d and address-\d "
        r"\(/anonymous/path-\d/job\.sh\), 127\.0\.0\.1, vm\.dirty_ratio", log.splitlines()[0],
    )  # fmt: skip
    after = open_records(tmp_path / "out/results/tiny/dataset.nc")
    assert after["value"].equals(before["value"])
    for row in after[after.offset >= 0].itertuples():
        text = (tmp_path / "out/raw/tiny" / row.log).read_bytes()
        assert text[row.offset : row.offset + row.length].decode() in row.printed


def test_an_anonymised_campaign_on_the_model_keeps_the_folders_of_its_clients(project, run):
    replace_values(path="/var/tmp/acme/c1/data")
    design = Path("raw/tiny/campaign.json")
    design.write_text(design.read_text().replace('"model": null', '"model": {}'))
    run("collect", "--campaign=tiny", "--results=results/tiny")
    status, said, error = run("archive", "tiny", "--anonymise", "--output", "a.zip")
    assert (status, error) == (0, "")
    alias = re.search(r"^path +/var/tmp/acme -> (/anonymous/path-\d)$", said, re.MULTILINE)[1]
    with zipfile.ZipFile("a.zip") as packed:
        stored = json.loads(packed.read("raw/tiny/campaign.json"))
        assert not [name for name in packed.namelist() if b"acme" in packed.read(name)]
    assert stored["site"]["targets"]["scratch"]["path"] == f"{alias}/c1/data"
