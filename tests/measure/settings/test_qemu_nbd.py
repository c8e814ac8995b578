"""A setting is in force on the live system, or the trial says why not; what was started is ended again."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from coldcache.core.errors import SettingError
from coldcache.measure.settings.qemu_nbd import served
from coldcache.measure.target import locked, make_work_folder
from coldcache.workflow.configuration import read_design

CONFIG = {"campaign": "tiny", "studies": "tiny", "site": "here", "target": ""}


@pytest.fixture
def ready(project):
    """Return the trial of a cache level, its folder and a lock."""

    def prepare(level):
        trial = next(
            trial
            for block in read_design(CONFIG).blocks()
            for trial in block.trials
            if trial.case.factors.get("write_cache") == level
        )
        folder = Path(trial.case.run.directory)
        work = make_work_folder(project / "scratch")
        folder.mkdir(parents=True)
        return trial, folder, work

    return prepare


@pytest.mark.parametrize("level", ["writeback", "unsafe"])
def test_the_level_is_read_back_from_the_server_that_serves_the_image(ready, list_processes, level):
    trial, folder, work = ready(level)
    with locked(work) as lock:
        with served(str(trial.case.factors["write_cache"]), trial, folder, lock) as read:
            assert read == level
            assert list_processes() == ["qemu-nbd"]
            assert (folder / "image").stat().st_size == 4 * 2**20
            assert (folder / "image").stat().st_blocks * 512 >= 4 * 2**20
            assert (folder / "nbd.socket").is_socket()
        assert list_processes() == []
        assert not (folder / "nbd.socket").exists()


def test_a_socket_that_a_killed_runner_left_is_replaced(ready, list_processes):
    trial, folder, work = ready("unsafe")
    (folder / "nbd.socket").touch()
    with locked(work) as lock, served(str(trial.case.factors["write_cache"]), trial, folder, lock) as read:
        assert read == "unsafe"


def test_a_server_that_ends_at_once_is_told_with_its_last_words(ready):
    trial, folder, work = ready("unsafe")
    trial.case.factors["write_cache"] = "no-such-mode"
    with (
        locked(work) as lock,
        pytest.raises(SettingError) as refused,
        served(str(trial.case.factors["write_cache"]), trial, folder, lock),
    ):
        pass
    message = str(refused.value)
    assert message.startswith("qemu-nbd --cache=no-such-mode ends at once: ")
    assert "Invalid cache mode" in message
    assert "\n" not in message


def test_a_program_that_opens_no_socket_is_told_and_ended(ready, list_processes, monkeypatch, tmp_path):
    trial, folder, work = ready("unsafe")
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin/qemu-nbd"
    fake.write_text(f"#!/bin/sh\nexec {shutil.which('sleep')} 60\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    monkeypatch.setattr("coldcache.measure.settings.qemu_nbd._SECONDS_TO_START", 0.3)
    with (
        locked(work) as lock,
        pytest.raises(SettingError, match=r"qemu-nbd --cache=unsafe serves nothing within 0.3 s"),
        served(str(trial.case.factors["write_cache"]), trial, folder, lock),
    ):
        pass
    assert list_processes() == []


def test_every_measured_trial_ran_with_the_level_of_its_case(measured):
    outcomes = [json.loads(path.read_text()) for path in Path("raw/tiny/tiny/cache").rglob("trial.json")]
    assert len(outcomes) == 4
    for outcome in outcomes:
        level = outcome["factors"]["write_cache"]
        told = {"asked": level, "read": level, "where": "command line of qemu-nbd"}
        assert outcome["settings"] == {"write_cache": told}
        assert outcome["case"] == f"write_cache={level}"
        assert "--uri=nbd+unix:///?socket=scratch/coldcache/tiny/cache/nbd.socket" in outcome["argv"]
    others = [json.loads(path.read_text()) for path in Path("raw/tiny/tiny/transfers").rglob("trial.json")]
    assert all(outcome["settings"] == {} for outcome in others)


def test_a_setting_that_fails_makes_a_row_with_its_reason(project, coldcache, measure_arguments, change):
    # O_DIRECT is asked of a file system that lacks it, or taken by one that has it: either way there is a row.
    change(Path("config/studies/tiny.yaml"), "[writeback, unsafe]", "[none, unsafe]")
    change(Path("config/studies/tiny.yaml"), "repetitions: 2", "repetitions: 1")
    found = coldcache(*measure_arguments("tiny.cache"))
    assert found.returncode == 0
    outcome = json.loads(Path("raw/tiny/tiny/cache/write_cache=none/r0/trial.json").read_text())
    if outcome["failure"]:
        assert outcome["failure"]["code"] == "setting-failed"
        assert outcome["failure"]["message"].startswith("qemu-nbd --cache=none ends at once: ")
    else:
        assert outcome["settings"]["write_cache"]["read"] == "none"


def test_a_path_with_blanks_and_signs_is_served_and_measured(project, coldcache, measure_arguments, change):
    change(Path("config/studies/tiny.yaml"), "repetitions: 2", "repetitions: 1")
    name = "a target: ü&?#%41"
    Path(name).mkdir()
    for block in ("tiny.cache", "tiny.transfers"):
        found = coldcache(*measure_arguments(block), f"--target={name}")
        assert (found.returncode, found.stdout) == (0, ""), found.stderr
    for path in Path("raw/tiny").rglob("trial.json"):
        outcome = json.loads(path.read_text())
        assert (outcome["exit_status"], outcome["failure"]) == (0, None), (path, outcome["failure"])
    assert [path.name for path in Path(name).iterdir()] == ["coldcache"]
    subprocess.run(["python", "-m", "coldcache", "collect", "--campaign=tiny", "--results=results/x"], check=True)
    verdicts = Path("results/x/verdicts.csv").read_text()
    assert verdicts.count(",valid,") == 6
    assert verdicts.count(",missing,") == 3
