"""A trial that hangs on a model is cut off; one that ends in time is not."""

import time

from coldcache.design.model.specification import Specification
from coldcache.measure.model import watchdog
from coldcache.measure.model.place import MARK, find_place


def cut_within(folder, seconds, lasts, monkeypatch):
    cut = []
    monkeypatch.setattr(watchdog, "cut_client", lambda place, client: cut.append(client))
    with watchdog.guarded(find_place(folder), seconds):
        time.sleep(lasts)
    return cut


def test_every_client_is_cut_off_after_the_time(tmp_path, monkeypatch):
    (tmp_path / MARK).write_text(Specification(clients=3).model_dump_json())
    assert cut_within(tmp_path / "c1/data", 0.1, 0.5, monkeypatch) == [1, 2, 3]
    assert cut_within(tmp_path / "c1/data", 30, 0.1, monkeypatch) == []


def test_elsewhere_nothing_is_cut_off(tmp_path, monkeypatch):
    assert cut_within(tmp_path, 0.1, 0.3, monkeypatch) == []
