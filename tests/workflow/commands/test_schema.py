"""The JSON Schemas that editors use are those of the models, and accept what the models accept."""

import json

import jsonschema
import pytest
import yaml

from coldcache.__main__ import main
from coldcache.workflow.commands.schema import render_schemas


@pytest.mark.parametrize("name", ["study", "site", "claims"])
def test_the_schemas_in_the_repository_are_those_of_the_models(root, name):
    assert (root / f"config/schema/{name}.json").read_text() == render_schemas()[name]


@pytest.mark.parametrize("name", ["study", "site", "claims"])
def test_the_schemas_are_json_of_which_an_editor_reads_every_value(name):
    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")

    assert json.loads(render_schemas()[name], parse_constant=refuse)["type"] == "object"


def test_the_program_writes_the_schemas(tmp_path):
    assert main(["schema", "--output", str(tmp_path / "new/schema")]) == 0
    written = {path.stem: path.read_text() for path in (tmp_path / "new/schema").iterdir()}
    assert written == render_schemas()


@pytest.mark.parametrize("name", ["study", "site"])
def test_the_schemas_accept_what_is_shipped_and_what_the_tests_measure(root, project, name):
    schema = json.loads(render_schemas()[name])
    folder = {"study": "studies", "site": "sites"}[name]
    files = [*(root / "config" / folder).glob("*.yaml"), *(project / "config" / folder).glob("*.yaml")]
    assert len(files) >= 2
    for path in files:
        jsonschema.validate(yaml.safe_load(path.read_text()), schema)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("operations: [write, read]", "operations: [write, raed]"),
        ("title: Transfers of 64 KiB", "titl: Transfers of 64 KiB"),
        ("threads: [2]", "threads: {first: 1, lst: 2}"),
        ("repetitions: 2", "repetitions: 0"),
        ("sweeps:", "sweep:"),
    ],
)
def test_the_schema_refuses_what_the_model_refuses(project, old, new):
    text = (project / "config/studies/tiny.yaml").read_text()
    assert text.count(old) == 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(text.replace(old, new)), json.loads(render_schemas()["study"]))


def test_every_shipped_configuration_says_where_its_schema_is(root):
    for path in (*root.glob("config/studies/*.yaml"), *root.glob("config/sites/*.yaml")):
        first = path.read_text().splitlines()[0]
        kind = {"studies": "study", "sites": "site"}[path.parent.name]
        assert first == f"# yaml-language-server: $schema=../schema/{kind}.json", path


def test_the_schema_of_claims_accepts_those_of_the_documents(root):
    schema = json.loads(render_schemas()["claims"])
    files = [path for path in (root / "config/claims").glob("*.yaml") if path.name != "contradictions.yaml"]
    assert len(files) == 5
    for path in files:
        jsonschema.validate(yaml.safe_load(path.read_text()), schema)
