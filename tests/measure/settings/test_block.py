"""What a trial has put in force holds for trials that have it, and no longer."""

from types import SimpleNamespace

import pytest

from coldcache.design.settings.cgroup_limit import LimitSetting
from coldcache.design.settings.commands import CommandSetting
from coldcache.measure.settings.block import BlockSettings, is_left
from coldcache.measure.settings.drivers import cgroup_limit
from coldcache.measure.target import locked, make_work_folder


@pytest.fixture
def group(tmp_path, monkeypatch):
    """A folder with the file of a control group, as that of this process."""
    (tmp_path / "group").mkdir()
    (tmp_path / "group/io.max").write_text("")
    address = {"device": "7:0", "folder": str(tmp_path / "group"), "shown_as": "limit of loop0"}
    monkeypatch.setattr(cgroup_limit, "locate", lambda *_: address)
    return tmp_path / "group"


@pytest.fixture
def held(tmp_path):
    """The marked work folder of a target, and the descriptor of its lock."""
    work = make_work_folder(tmp_path / "t")
    with locked(work) as lock:
        yield work, lock


def trial(folder, settings, **factors):
    return SimpleNamespace(
        case=SimpleNamespace(settings=settings, factors=factors, run=SimpleNamespace(directory=str(folder)))
    )


def test_a_limit_of_a_control_group_does_not_hold_for_a_trial_without_it(group, held):
    work, _ = held
    limited = trial(work / "s/limited", {"device_iops": LimitSetting(kind="cgroup")}, device_iops=500)
    sentinel = trial(work / "s/watch", {})
    with BlockSettings(*held) as settings:
        for _ in range(2):
            settings.undo_others(limited)
            with settings.in_force(limited, work / "s/limited") as readings:
                assert readings["device_iops"].read == "500"
                assert (group / "io.max").read_text() == "7:0 riops=500 wiops=500"
            settings.undo_others(sentinel)
            assert (group / "io.max").read_text() == "7:0 riops=max wiops=max"
            assert not is_left(work)


def test_what_disappears_with_the_folder_of_its_sweep_stays_for_the_next_trial_of_the_sweep(held):
    work, _ = held
    folder = work / "s/sweep"
    folder.mkdir(parents=True)
    words = {
        "apply": ["sh", "-c", 'echo "$0" >"$1/layout"', "{level}", "{folder}"],
        "verify": ["sh", "-c", 'cat "$0/layout" || echo none', "{folder}"],
    }
    kind = CommandSetting(kind="commands", root=False, **words)
    with BlockSettings(*held) as settings:
        with settings.in_force(trial(folder, {"layout": kind}, layout="wide"), folder):
            pass
        settings.undo_others(trial(work / "s/watch", {}))
        assert (folder / "layout").read_text() == "wide\n"
