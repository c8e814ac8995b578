"""Changes are undone whatever ends the runner, from a journal that is written before the first change."""

import json
import os
import random
import signal
import socket
import sys
import time
from pathlib import Path

import pytest
from switched import SITE, STUDY, take_settings_of_the_site, trials_of, use_loop

from coldcache.core.errors import SettingError
from coldcache.measure.settings.block import BlockSettings, is_left, restore_left
from coldcache.measure.settings.changes import Changes
from coldcache.measure.settings.journal import JOURNAL, SHARED
from coldcache.measure.settings.registry import locate


def test_the_journal_stands_before_the_first_change(controller, held, change):
    change(Path("controller.py"), "Path(state).write_text(level[0])",
           f'Path(state).write_text("yes" if Path({str(held[0] / JOURNAL)!r}).exists() else "no")')  # fmt: skip
    settings = BlockSettings(*held)
    with settings.in_force(trials_of()["on"], held[0]) as readings:
        assert readings["write_cache"].read == "yes"
    stated = json.loads((held[0] / JOURNAL).read_text())
    assert [(one["factor"], one["before"]) for one in stated["changes"]] == [("write_cache", "factory")]


def test_settings_are_undone_when_a_block_fails(controller, held):
    with pytest.raises(RuntimeError), BlockSettings(*held) as settings:  # noqa: SIM117
        with settings.in_force(trials_of()["off"], held[0]):
            assert controller.read_text() == "disabled"
            raise RuntimeError
    assert controller.read_text() == "factory"
    assert not is_left(held[0])


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_comes_while_settings_are_restored_waits(controller, held, change, ending):
    handler = signal.signal(ending, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), BlockSettings(*held) as settings:  # noqa: SIM117
            with settings.in_force(trials_of()["off"], held[0]):
                send = f"import os; os.kill({os.getpid()}, {int(ending)})"
                change(Path("controller.py"), 'if word == "set":', f'{send}\nif word == "set":')
    finally:
        signal.signal(ending, handler)
    assert controller.read_text() == "factory"
    assert not is_left(held[0])


def test_an_ignored_signal_does_not_hide_one_that_comes_after_it(controller, held, change):
    handlers = [signal.signal(signal.SIGHUP, signal.SIG_IGN), signal.signal(signal.SIGTERM, signal.default_int_handler)]
    try:
        with pytest.raises(KeyboardInterrupt), BlockSettings(*held) as settings:  # noqa: SIM117
            with settings.in_force(trials_of()["off"], held[0]):
                send = "".join(
                    f"import os; os.kill({os.getpid()}, {int(ending)})\n" for ending in (signal.SIGHUP, signal.SIGTERM)
                )
                change(Path("controller.py"), 'if word == "set":', f'{send}if word == "set":')
    finally:
        for ending, handler in zip((signal.SIGHUP, signal.SIGTERM), handlers, strict=True):
            signal.signal(ending, handler)
    assert controller.read_text() == "factory"
    assert not is_left(held[0])


def test_what_cannot_be_undone_is_told_and_stays_in_the_journal(controller, held, change):
    message = r"^write_cache is not as before \(.* show was factory\): .*: exit status 1: stuck; undo it by hand"
    with pytest.raises(SettingError, match=message), BlockSettings(*held) as settings:  # noqa: SIM117
        with settings.in_force(trials_of()["off"], held[0]):
            change(Path("controller.py"), "Path(state).write_text(level[0])", 'sys.exit("stuck")')
    assert is_left(held[0])
    change(Path("controller.py"), 'sys.exit("stuck")', "Path(state).write_text(level[0])")
    assert restore_left(*held) == 1
    assert controller.read_text() == "factory"
    assert not is_left(held[0])


def test_the_command_that_restores_gets_what_was_read_before(controller, held, change):
    program = f"{sys.executable}, controller.py, {controller}"
    change(SITE, "    values:", f'    restore: [{program}, set, "back to {{before}}"]\n    values:')
    with pytest.raises(SettingError, match="was factory, is back to factory after undoing it"):  # noqa: SIM117
        with BlockSettings(*held) as settings, settings.in_force(trials_of()["off"], held[0]):
            pass


def test_a_journal_of_another_host_is_left_alone(controller, held):
    work, lock = held
    (work / JOURNAL).write_text(json.dumps({"host": "elsewhere", "boot": "", "changes": []}))
    with pytest.raises(SettingError, match="elsewhere left settings changed; start there"):
        restore_left(work, lock)
    assert is_left(work)


def test_what_one_host_changed_of_a_whole_cluster_is_undone_by_any_other(controller, held):
    work, lock = held
    address = locate(trials_of()["on"].case.settings["write_cache"], work)
    Changes(work, lock, SHARED).put("write_cache", address, "enabled", "enabled")
    stated = json.loads((work / SHARED).read_text())
    (work / SHARED).write_text(json.dumps({**stated, "host": "elsewhere"}))
    assert controller.read_text() == "enabled"
    assert restore_left(work, lock) == 1
    assert controller.read_text() == "factory"
    assert not is_left(work)


def test_what_a_restart_undid_is_not_undone_again(held, loop_device):
    work, lock = held
    path = f"/sys/block/{Path(loop_device).name}/queue/write_cache"
    address = {"module": "kernel-value", "path": path, "shown_as": path, "value_of": {}, "outlives_restart": False}
    change = {"factor": "write_cache", "address": address, "before": "write through"}
    stated = {"host": socket.gethostname(), "boot": "another", "changes": [change]}
    (work / JOURNAL).write_text(json.dumps(stated))
    assert restore_left(work, lock) == 0
    assert Path(path).read_text() == "write back\n"
    assert not is_left(work)


def test_a_broken_journal_is_refused(held):
    (held[0] / JOURNAL).write_text("{")
    with pytest.raises(SettingError, match="not a journal of settings"):
        restore_left(*held)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_block_leaves_nothing_changed(
    project, start, wait_for_tool, measure_arguments, change, loop_device, ending
):
    use_loop(loop_device)
    take_settings_of_the_site(change)
    path = Path(f"/sys/block/{Path(loop_device).name}/queue/write_cache")
    change(STUDY, "{write_cache: site}", "{write_cache: site}\n    repetitions: 20")
    runner = start(*measure_arguments("tiny.cache"))
    wait_for_tool("fio")
    while path.read_text() == "write back\n":
        assert runner.poll() is None
    os.kill(runner.pid, ending)
    runner.wait(120)
    assert path.read_text() == "write back\n"
    assert not is_left(Path("scratch/coldcache"))


@pytest.mark.slow
def test_a_runner_killed_at_random_moments_leaves_nothing_changed_after_the_next_start(
    project, start, coldcache, measure_arguments, change, loop_device, list_processes
):
    use_loop(loop_device)
    take_settings_of_the_site(change)
    path = Path(f"/sys/block/{Path(loop_device).name}/queue/write_cache")
    change(STUDY, "{write_cache: site}", "{write_cache: site}\n    repetitions: 200")
    moments = random.Random(5)
    left = 0
    for _ in range(10):
        runner = start(*measure_arguments("tiny.cache"))
        while not (journal := is_left(Path("scratch/coldcache"))) and runner.poll() is None:
            time.sleep(0.001)
        assert journal
        time.sleep(moments.uniform(0, 0.5))
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait(120)
        left += path.read_text() == "write through\n"
        # The next start asks for nothing but another block, and still undoes what was left.
        found = coldcache(*measure_arguments("tiny.files"))
        assert found.returncode == 0, found.stderr
        assert path.read_text() == "write back\n"
        assert not is_left(Path("scratch/coldcache"))
        # A tool of the killed runner may end a moment later; none stays.
        end = time.monotonic() + 10
        while list_processes() and time.monotonic() < end:
            time.sleep(0.05)
        assert list_processes() == []
    assert left, "no kill hit a moment at which the value was changed"


def test_a_value_is_held_for_a_while_and_a_killed_runner_s_is_restored(held, loop_device):
    path = Path(f"/sys/block/{Path(loop_device).name}/queue/read_ahead_kb")
    before = path.read_text()
    (work, lock), value = held, "64" if before != "64\n" else "32"
    with BlockSettings(work, lock) as settings:
        for _ in range(2):
            with settings.held(path, value):
                assert path.read_text() == f"{value}\n"
                assert is_left(work)
            assert path.read_text() == before
    assert not is_left(work)
    child = os.fork()
    if child == 0:
        try:
            with BlockSettings(work, lock) as settings, settings.held(path, value):
                os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    os.waitpid(child, 0)
    assert path.read_text() == f"{value}\n"
    assert restore_left(work, lock) == 1
    assert path.read_text() == before


def test_of_50_kills_within_a_block_of_settings_each_is_undone(project, change, held, loop_device):
    use_loop(loop_device)
    take_settings_of_the_site(change)
    path = Path(f"/sys/block/{Path(loop_device).name}/queue/write_cache")
    trials, (work, lock) = trials_of(), held
    moments, left = random.Random(50), 0
    for _ in range(50):
        child = os.fork()
        if child == 0:
            try:
                with BlockSettings(work, lock) as settings:
                    while True:
                        for level in ("off", "on"):
                            with settings.in_force(trials[level], work):
                                pass
            finally:
                os._exit(1)
        while not is_left(work):
            assert os.waitpid(child, os.WNOHANG) == (0, 0)
        time.sleep(moments.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        left += path.read_text() == "write through\n"
        restore_left(work, lock)
        assert path.read_text() == "write back\n"
        assert not is_left(work)
    assert left > 5, f"only {left} kills hit a moment at which the value was changed"
