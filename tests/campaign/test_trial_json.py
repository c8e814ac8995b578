"""`trial.json` is read and written in one place, and a file that is read can be written back as it was."""

import json
import re
from pathlib import Path

import pytest

from coldcache.campaign.trial_json import format_outcome, read_descriptions, read_outcome, write_outcome
from coldcache.core.errors import CampaignError

REFERENCE = Path(__file__).resolve().parents[2] / "raw/reference"


def test_every_trial_of_the_reference_campaign_is_written_back_byte_for_byte(tmp_path):
    layouts = set()
    for path in REFERENCE.rglob("trial.json"):
        content = path.read_text()
        # Earlier versions gave nested values lines of their own.
        indented = content.count("\n") > len(json.loads(content)) + 2
        layouts.add(indented)
        assert format_outcome(read_outcome(path), indented=indented) == content, path
    assert layouts == {True, False}


def test_a_trial_is_written_in_the_layout_of_its_kind(tmp_path):
    imported = next(REFERENCE.glob("specimens/*/*/r*/trial.json"))
    write_outcome(tmp_path / "imported.json", read_outcome(imported))
    assert (tmp_path / "imported.json").read_bytes() == imported.read_bytes()
    measured = read_outcome(next(REFERENCE.glob("quick/*/*/r*/trial.json")))
    write_outcome(tmp_path / "measured.json", measured)
    lines = (tmp_path / "measured.json").read_text().splitlines()
    assert len(lines) == len(measured.to_json()) + 2
    assert read_outcome(tmp_path / "measured.json") == measured


@pytest.mark.parametrize(
    ("text", "reason"), [("", "Expecting value"), ("{}", "it lacks study"), ("3", "it is no object")]
)
def test_a_file_that_is_no_outcome_is_refused_by_name(tmp_path, text, reason):
    path = tmp_path / "trial.json"
    path.write_text(text)
    with pytest.raises(CampaignError, match=rf"^{re.escape(str(path))}: not the outcome of a trial \({reason}"):
        read_outcome(path)


def test_descriptions_are_found_in_files_that_are_broken_otherwise(tmp_path):
    for number, text in enumerate(('{"system": {"host": "n1"}, "target": 3}', "[]", "{", '{"target": {"path": "/x"}}')):
        folder = tmp_path / f"s/w/c/r{number}"
        folder.mkdir(parents=True)
        (folder / "trial.json").write_text(text)
    assert list(read_descriptions(tmp_path)) == [({"host": "n1"}, {}), ({}, {"path": "/x"})]
