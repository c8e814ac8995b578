"""A target fails while a tool runs, comes back, and its trial's folder says when; elsewhere nothing is staged."""

import json
import os
import time

import pytest

from coldcache.design.model.stripes import Layout
from coldcache.measure.model import outage
from coldcache.measure.model.layout import make_files
from coldcache.measure.model.outage import TARGET, arm, read_outage, staged
from coldcache.measure.model.place import find_daemons

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def test_a_write_to_a_target_that_fails_waits_until_it_is_back(model, monkeypatch, tmp_path):
    monkeypatch.setattr(outage, "AFTER", 0.5)
    folder = model.mount_of(1) / "outage"
    assert make_files(model, folder, ["file"], 1 << 20, Layout(1)) == {"file": [TARGET]}
    before = find_daemons(model)[f"osd.{TARGET}"]
    arm(model, 2.0)
    try:
        assert read_outage(model) == 2.0
        start = time.monotonic()
        with staged(model, tmp_path):
            time.sleep(1)
            # The server is gone by now, and a flush waits for the one that takes its place.
            with (folder / "file").open("r+b", buffering=0) as file:
                file.write(bytes(4096))
                os.fsync(file.fileno())
            seconds = time.monotonic() - start
        assert seconds >= 2.5
        story = json.loads((tmp_path / "outage.json").read_text())
        assert (story["target"], read_outage(model)) == (TARGET, 2.0)
        assert story["lost"] < story["back"] and story["lasted"] >= 2.0
        assert find_daemons(model)[f"osd.{TARGET}"] != before
    finally:
        arm(model, None)
    assert read_outage(model) is None


def test_an_outage_that_was_cut_short_is_read_back_as_it_was(model):
    (model.folder / "outage.json").write_text(json.dumps({"seconds": 5.0, "lasted": 1.5}))
    assert read_outage(model) == 1.5
    arm(model, None)


def test_a_tool_that_ends_first_meets_no_outage(model, tmp_path):
    before = find_daemons(model)[f"osd.{TARGET}"]
    arm(model, 1.0)
    with staged(model, tmp_path):
        pass
    arm(model, None)
    assert find_daemons(model)[f"osd.{TARGET}"] == before
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_staged_off_a_model(tmp_path):
    with staged(None, tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []
