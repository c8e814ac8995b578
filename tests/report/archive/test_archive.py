"""An archive holds all that belongs to a campaign, is valid, and is the same each time; anonymised, it names nobody."""

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
import rocrate

from coldcache import __main__ as program
from coldcache.dataset.reader import open_records
from coldcache.report.archive import identities
from coldcache.workflow.commands import rebuild as rebuilding


@pytest.fixture
def run(capsys):
    """Run a subcommand; return its exit status and what it says."""

    def call(*arguments):
        status = program.main(list(arguments))
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


@pytest.fixture
def project(reported, root):
    """A project with a report, and with the program beside it as a clone has it."""
    for name in ("Snakefile", "Makefile", "pyproject.toml", "LICENSE"):
        shutil.copy(root / name, reported)
    shutil.copytree(root / "envs", reported / "envs")
    return reported


def test_it_holds_logs_results_report_program_and_lock_and_is_the_same_each_time(project, run, tmp_path):
    by_hand = Path("results/tiny/by-hand/tables/mine.csv")
    by_hand.parent.mkdir(parents=True)
    by_hand.touch()
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
        name for name in names if "/blocks/" in name or "/by-hand/" in name or name.startswith("code/config/sites")
    ]
    checked = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path / "out", check=False)
    assert checked.returncode == 0


def test_it_is_rebuilt_from_the_file_alone_and_damage_is_noticed(project, run, monkeypatch):
    run("archive", "tiny", "--output", "a.zip")
    shutil.rmtree("raw/tiny")
    shutil.rmtree("results/tiny")
    status, said, error = run("rebuild", "a.zip")
    assert (status, error) == (0, "")
    assert re.search(r"\ntiny: \d+ identical, 0 equal, 0 different\n$", said)
    assert "made by" not in said
    with zipfile.ZipFile("a.zip") as packed, zipfile.ZipFile("b.zip", "w") as changed:
        for name in packed.namelist():
            changed.writestr(name, packed.read(name).replace(b'"exit_status": 0', b'"exit_status": 1'))
    monkeypatch.setattr(rebuilding, "name_version", lambda project: "9.9")
    status, said, error = run("rebuild", "b.zip")
    assert status == 1
    assert re.fullmatch(r"coldcache: b\.zip: raw/tiny/\S+/trial\.json: changed; fetch it again\n", error)


def test_what_has_no_report_yet_is_refused(project, run):
    shutil.rmtree("results/tiny/report")
    line = "results/tiny/report: missing; snakemake --cores all --config campaign=tiny makes it"
    assert run("archive", "tiny") == (1, "", f"coldcache: {line}\n")


@pytest.fixture(params=["login7.example.org", "vm"])
def host(request, monkeypatch):
    """Return the name of this host, which may be as short as a word of the kernel's."""
    monkeypatch.setattr(identities.platform, "node", lambda: request.param)
    return request.param


@pytest.fixture
def named(project, run, host):
    """The project, whose logs tell a host, a user, addresses and a path as a cluster's do."""
    replacements = {'"host": "[^"]*"': f'"host": "{host}"', '"path": "[^"]*"': '"path": "/gpfs/ähm/proj"'}
    for path in [*Path("raw/tiny").rglob("trial.json"), Path("raw/tiny/campaign.json")]:
        text = path.read_text()
        for old, new in replacements.items():
            text = re.sub(old, new.encode("ascii", "backslashreplace").decode().replace("\\xe4", "\\\\u00e4"), text)
        path.write_text(text)
    for log in Path("raw/tiny").rglob("stdout.txt"):
        told = (
            f"alice@{host.partition('.')[0].upper()}: /gpfs/ähm/proj/run on "
            "10.20.30.40 and fe80::1:2 (/home/alice/job.sh), 127.0.0.1, vm.dirty_ratio\n"
        )
        log.write_bytes(told.encode() + log.read_bytes())
    run("collect", "--campaign=tiny", "--results=results/tiny")
    return project


def test_an_anonymised_archive_names_nobody_and_its_numbers_stand_where_records_say(named, host, run, tmp_path):
    before = open_records(Path("results/tiny/dataset.nc"))
    status, said, error = run("archive", "tiny", "--anonymise", "--hide", "This machine", "--output", "a.zip")
    assert (status, error) == (0, "")
    assert f"{len(before)} records have the same values" in said
    with zipfile.ZipFile("a.zip") as packed:
        packed.extractall(tmp_path / "out")
        everything = b"\n".join(packed.read(name) for name in packed.namelist() if not name.startswith("code/workflow"))
    for name in (b"login7", b"alice", b"gpfs", b"10.20.30.40", b"fe80::1:2", b"this machine"):
        assert name not in everything.lower(), name
    story = json.loads(next((tmp_path / "out/raw/tiny").rglob("trial.json")).read_text())
    alias = story["system"]["host"]
    assert re.fullmatch(r"host-\d", alias)
    log = next((tmp_path / "out/raw/tiny").rglob("stdout.txt")).read_text()
    assert re.fullmatch(
        rf"user-\d@{alias}: {story['target']['path']}/run on address-\d and address-\d "
        r"\(/anonymous/path-\d/job\.sh\), 127\.0\.0\.1, vm\.dirty_ratio", log.splitlines()[0],
    )  # fmt: skip
    after = open_records(tmp_path / "out/results/tiny/dataset.nc")
    assert after["value"].equals(before["value"])
    for row in after[after.offset >= 0].itertuples():
        text = (tmp_path / "out/raw/tiny" / row.log).read_bytes()
        assert text[row.offset : row.offset + row.length].decode() in row.printed


@pytest.fixture
def validate(root, tmp_path):
    """Return a function that lists what the validator of RO-Crates has against an archive."""
    python = root / ".venv/rocrate/bin/python"
    if not python.exists():
        pytest.skip("the validator of RO-Crates is not set up: bash envs/rocrate.sh")
    # The library's context, as version 1.1 names its terms.
    text = (Path(rocrate.__file__).parent / "data/ro-crate.jsonld").read_text()
    context = tmp_path / "context.jsonld"
    context.write_text(text.replace("https://bioschemas.org/terms/", "https://bioschemas.org/"))

    def list_issues(archive):
        done = subprocess.run(
            [python, Path(__file__).with_name("validate_crate.py"), archive, context], capture_output=True, text=True,
            check=False, timeout=200,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return list_issues


def test_the_metadata_are_those_of_a_workflow_run_crate(project, run, validate, tmp_path):
    run("archive", "tiny", "--output", str(tmp_path / "a.zip"))
    assert validate(tmp_path / "a.zip") == []


def test_the_validator_objects_to_an_archive_without_its_run(project, run, validate, tmp_path):
    run("archive", "tiny", "--output", str(tmp_path / "a.zip"))
    with zipfile.ZipFile(tmp_path / "a.zip") as packed, zipfile.ZipFile(tmp_path / "b.zip", "w") as changed:
        for name in packed.namelist():
            changed.writestr(name, packed.read(name).replace(b'"mentions"', b'"mentioned"'))
    assert validate(tmp_path / "b.zip") != []


def test_the_metadata_tell_when_by_what_and_from_what(project, run, tmp_path):
    run("archive", "tiny", "--licence", "https://spdx.org/licenses/CC-BY-4.0", "--author", "A. Name",
        "--output", str(tmp_path / "a.zip"))  # fmt: skip
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        graph = json.loads(packed.read("ro-crate-metadata.json"))["@graph"]
        names = set(packed.namelist())
    entities = {entity["@id"]: entity for entity in graph}
    stories = [json.loads(path.read_text()) for path in Path("raw/tiny").rglob("trial.json")]
    assert entities["#run"]["startTime"][:19] == min(story["start"] for story in stories)[:19]
    assert entities["#run"]["instrument"] == {"@id": "code/Snakefile"}
    assert entities["#agent"]["name"] == "A. Name"
    assert entities["./"]["license"] == {"@id": "https://spdx.org/licenses/CC-BY-4.0"}
    assert {part["@id"] for part in entities["./"]["hasPart"]} <= names
