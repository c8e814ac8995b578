"""The metadata of an archive are a valid Workflow Run Crate."""

import json
import subprocess
import zipfile
from pathlib import Path

import pytest
import rocrate


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
    outcomes = [json.loads(path.read_text()) for path in Path("raw/tiny").rglob("trial.json")]
    assert entities["#run"]["startTime"][:19] == min(outcome["start"] for outcome in outcomes)[:19]
    assert entities["#run"]["instrument"] == {"@id": "code/Snakefile"}
    assert entities["#agent"]["name"] == "A. Name"
    assert entities["./"]["license"] == {"@id": "https://spdx.org/licenses/CC-BY-4.0"}
    assert {part["@id"] for part in entities["./"]["hasPart"]} <= names
