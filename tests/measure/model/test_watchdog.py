"""A trial that hangs on a model is cut off; one that ends in time is not."""

import os
import signal
import time
from types import SimpleNamespace

from coldcache.design.model.specification import Specification
from coldcache.measure import runner
from coldcache.measure.model import watchdog
from coldcache.measure.model.place import MARK, find_daemons, find_place
from coldcache.measure.target import MARKER


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


def answers(folder):
    try:
        return folder.is_dir()
    except OSError:
        return False


def test_the_removal_of_a_blocks_files_ends_where_no_server_answers(model, monkeypatch):
    work = model.mount_of(1) / "data"
    folder = work / "s/a"
    (folder / "below").mkdir(parents=True)
    (work / MARKER).touch()
    (folder / "below/file").touch()
    monkeypatch.setattr(runner, "_SECONDS_AROUND", 3.0)
    servers = [process for name, process in find_daemons(model).items() if name.startswith("mds.")]
    assert servers
    context = SimpleNamespace(model=model, why_lost=lambda: None if answers(folder) else "lost")
    for server in servers:
        os.kill(server, signal.SIGSTOP)
    try:
        runner._clear_all(context, [folder])
    finally:
        for server in servers:
            os.kill(server, signal.SIGCONT)
    assert not answers(folder)
