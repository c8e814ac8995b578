"""A level counts when the live system says so; what was changed is put back whatever ends the runner."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from switched import SITE, STUDY, outcomes, take_settings_of_the_site, trials_of, use_loop, verdicts

from coldcache.core.errors import SettingError
from coldcache.design.cases import Environment, expand_cases
from coldcache.design.site import read_site
from coldcache.design.study import read_study
from coldcache.measure.settings.block import BlockSettings, is_left
from coldcache.measure.target import locked, make_work_folder

SENTINEL = """
  watch:
    title: The same read again and again
    tools: [fio]
    operations: [read]
    factors: {threads: [1], transfer_size: [64 KiB], file_size: [1 MiB]}

sentinel: {sweep: watch, every: 1}
"""

FIO = """\
#!/bin/sh
case "$*" in *--rw=*) echo "$(cat {state}) $*" >> {state}.seen ;; esac
exec {fio} "$@"
"""


def test_levels_are_applied_read_back_and_undone(controller, coldcache, measure_arguments):
    found = coldcache(*measure_arguments("tiny.cache"))
    assert (found.returncode, found.stdout) == (0, "")
    assert controller.read_text() == "factory"
    assert not is_left(Path("scratch/coldcache"))
    levels = {"on": "enabled", "off": "disabled"}
    assert len(outcomes()) == 4
    for outcome in outcomes():
        read = outcome["settings"]["write_cache"]
        asked = levels[outcome["factors"]["write_cache"]]
        assert (read["asked"], read["read"], read["read_after"]) == (asked, asked, asked)
        assert read["where"].endswith("controller.py " + str(controller) + " show")
    assert {verdict for _, verdict, _, _ in verdicts()} == {"valid"}


def test_a_level_that_is_not_in_force_makes_the_trial_void(controller, coldcache, measure_arguments, change):
    # A controller that accepts a level and does nothing.
    change(Path("controller.py"), "Path(state).write_text(level[0])", "pass")
    assert coldcache(*measure_arguments("tiny.cache")).returncode == 0
    expected = [
        (f"write_cache={level}", "void", ("setting-not-in-force",),
         (f"write_cache was to be {word}, the system says factory",))
        for level, word in (("off", "disabled"), ("off", "disabled"), ("on", "enabled"), ("on", "enabled"))
    ]  # fmt: skip
    assert verdicts() == expected
    assert all(outcome["start"] is None and outcome["argv"] == [] for outcome in outcomes())
    assert controller.read_text() == "factory"


def test_a_command_that_fails_makes_the_trial_void_and_is_told(controller, coldcache, measure_arguments, change):
    change(Path("controller.py"), "Path(state).write_text(level[0])", 'sys.exit("battery is missing")')
    assert coldcache(*measure_arguments("tiny.cache")).returncode == 0
    for case, verdict, codes, reasons in verdicts():
        assert (verdict, codes) == ("void", ("preparation-failed",))
        level = {"write_cache=on": "enabled", "write_cache=off": "disabled"}[case]
        assert reasons == (
            f"{sys.executable} controller.py {controller} set {level}: exit status 1: battery is missing",
        )
    assert controller.read_text() == "factory"


def test_a_trial_without_the_setting_of_an_earlier_one_runs_as_the_system_was_found(controller, held):
    off, plain = trials_of()["off"], trials_of("transfers")["None"]
    assert plain.case.settings == {}
    with BlockSettings(*held) as settings:
        for _ in range(2):
            settings.undo_others(off)
            with settings.in_force(off, held[0]):
                assert controller.read_text() == "disabled"
            settings.undo_others(off)
            assert (controller.read_text(), is_left(held[0])) == ("disabled", True)
            settings.undo_others(plain)
            assert (controller.read_text(), is_left(held[0])) == ("factory", False)


def test_the_sentinel_of_a_sweep_with_settings_runs_without_them(controller, coldcache, measure_arguments):
    with STUDY.open("a") as file:
        file.write(SENTINEL)
    # It notes what the controller says while it runs.
    program = Path("bin/fio")
    program.parent.mkdir()
    program.write_text(FIO.format(state=controller, fio=shutil.which("fio")))
    program.chmod(0o755)
    path = f"{program.parent.absolute()}{os.pathsep}{os.environ['PATH']}"
    found = coldcache(*measure_arguments("tiny.cache"), env={**os.environ, "PATH": path})
    assert (found.returncode, found.stdout) == (0, "")
    seen = [line.split(" ", 1) for line in Path(f"{controller}.seen").read_text().splitlines()]
    assert len(seen) == len(outcomes()) > 4
    assert {state for state, words in seen if "--rw=read" in words} == {"factory"}
    assert {state for state, words in seen if "--rw=read" not in words} == {"enabled", "disabled"}
    assert controller.read_text() == "factory"


def test_a_setting_that_is_in_force_already_is_not_touched(controller, held):
    controller.write_text("enabled")
    with BlockSettings(*held) as settings, settings.in_force(trials_of()["on"], held[0]) as readings:
        assert readings["write_cache"][:2] == ("enabled", "enabled")
        assert not is_left(held[0])
    assert controller.read_text() == "enabled"


def test_a_sweep_whose_setting_cannot_be_changed_here_is_not_run(project, coldcache, measure_arguments, change):
    use_loop("loop999")
    take_settings_of_the_site(change)
    reason = "write_cache cannot be put in force: /sys/block/loop999/queue/write_cache does not exist"
    found = coldcache(*measure_arguments("tiny.cache"))
    assert (found.returncode, found.stderr) == (0, f"tiny.cache is not run: {reason}\n")
    assert outcomes() == []
    assert [one[1:] for one in verdicts()] == [("missing", ("not-run",), (reason,))] * 4
    assert not Path("raw/tiny/tiny/cache/write_cache=on").exists()


def test_without_root_a_sweep_that_needs_it_is_not_run(project, measure_arguments, change, monkeypatch, loop_device):
    """Nobody but root, without sudo: the reason is written down, and nothing is imitated."""
    use_loop(loop_device)
    take_settings_of_the_site(change)
    from coldcache.measure.host import sudo as privilege

    monkeypatch.setattr(privilege.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(privilege.os, "access", lambda path, mode: mode != os.W_OK)
    monkeypatch.setenv("PATH", str(project))
    privilege.why_no_root.cache_clear()
    try:
        from coldcache.measure.settings.block import why_not_run

        path = f"/sys/block/{Path(loop_device).name}/queue/write_cache"
        expected = f"write_cache cannot be put in force: {path}: it needs root, and there is no sudo"
        assert why_not_run(trials_of()["on"].case, project) == expected
        Path("sudo").write_text("#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
        Path("sudo").chmod(0o755)
        privilege.why_no_root.cache_clear()
        expected = f"{path}: it needs root, and sudo -n is refused: sudo: a password is required"
        assert why_not_run(trials_of()["on"].case, project).endswith(expected)
    finally:
        privilege.why_no_root.cache_clear()


def test_the_write_cache_of_a_loop_device_is_set_verified_and_undone(project, change, held, loop_device):
    use_loop(loop_device)
    take_settings_of_the_site(change)
    path = Path(f"/sys/block/{Path(loop_device).name}/queue/write_cache")
    before = path.read_text()
    with BlockSettings(*held) as settings:
        for level, text in (("on", "write back"), ("off", "write through"), ("on", "write back")):
            with settings.in_force(trials_of()[level], held[0]) as readings:
                assert readings["write_cache"][:3] == (text, text, str(path))
                assert path.read_text() == f"{text}\n"
    assert path.read_text() == before


def test_a_name_of_the_targets_device_is_found(project, change, loop_mount, loop_device):
    """`{device}` stands for the block device under the target."""
    with SITE.open("a") as file:
        file.write("settings:\n  io_scheduler: {kind: file, path: '/sys/block/{device}/queue/scheduler'}\n")
    take_settings_of_the_site(change, "io_scheduler", "[none, mq-deadline]")
    work = make_work_folder(loop_mount)
    path = Path(f"/sys/block/{Path(loop_device).name}/queue/scheduler")
    before = path.read_text()
    site, study = read_site(Path("config/sites"), "here"), read_study(Path("config/studies"), "tiny")
    cases = expand_cases(study, site, Environment(1, True, {f"tiny/{name}": "fio" for name in study.sweeps}, 1))
    from coldcache.design.cases import Trial

    with locked(work) as lock, BlockSettings(work, lock) as settings:
        for case in (case for case in cases if case.sweep == "cache"):
            level = case.factors["io_scheduler"]
            with settings.in_force(Trial(case, 0), work) as readings:
                assert readings["io_scheduler"][:3] == (level, level, str(path))
                assert f"[{level}]" in path.read_text()
    assert path.read_text() == before


def test_the_barrier_of_ext4_is_set_by_remounting(project, change, loop_mount):
    with SITE.open("a") as file:
        file.write(
            "settings:\n  write_barrier: {kind: mount, values: {on: barrier, off: nobarrier}, shown: {on: default}}\n"
        )
    take_settings_of_the_site(change, "write_barrier")

    def options():
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
        return next(line for line in lines if f" {loop_mount} " in line).split(" ")[-1].split(",")

    work = make_work_folder(loop_mount)
    with locked(work) as lock, BlockSettings(work, lock) as settings:
        with settings.in_force(trials_of()["off"], work) as readings:
            assert readings["write_barrier"][:3] == ("nobarrier", "nobarrier", f"mount options of {loop_mount}")
            assert "nobarrier" in options()
        with settings.in_force(trials_of()["on"], work) as readings:
            assert readings["write_barrier"][:2] == ("default", "default")
            assert "nobarrier" not in options()
        with settings.in_force(trials_of()["off"], work):
            assert "nobarrier" in options()
    assert "nobarrier" not in options()


def test_a_mount_option_without_a_way_back_is_not_changed(project, change, loop_mount):
    with SITE.open("a") as file:
        file.write("settings:\n  write_barrier: {kind: mount, values: {off: nobarrier}}\n")
    take_settings_of_the_site(change, "write_barrier", "[off]")
    work = make_work_folder(loop_mount)
    with locked(work) as lock, BlockSettings(work, lock) as settings:  # noqa: SIM117
        with pytest.raises(SettingError, match="shows none of nobarrier, but rw"):
            with settings.in_force(trials_of()["off"], work):
                pass
    assert not is_left(work)


@pytest.mark.skipif(bool(os.geteuid()) or not shutil.which("setpriv"), reason="another user can be taken by root alone")
def test_an_ordinary_user_whom_sudo_refuses_runs_no_sweep_that_needs_root(
    project, measure_arguments, change, tmp_path, loop_device
):
    use_loop(loop_device)
    take_settings_of_the_site(change)
    (project / "bin").mkdir()
    (project / "bin/sudo").write_text("#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
    (project / "bin/sudo").chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents[:-1]):
        folder.chmod(folder.stat().st_mode | 0o011)
    shutil.chown(project, 65534, 65534)
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-m", "coldcache"]
    environment = {**os.environ, "PATH": f"{project}/bin{os.pathsep}{os.environ['PATH']}", "HOME": str(project)}
    able = subprocess.run([*words, "--help"], capture_output=True, env=environment, check=False, timeout=60)
    if able.returncode:
        pytest.skip("another user cannot read this clone")
    found = subprocess.run(
        [*words, *measure_arguments("tiny.cache")], capture_output=True, text=True, env=environment, check=False,
        timeout=60,
    )  # fmt: skip
    path = f"/sys/block/{Path(loop_device).name}/queue/write_cache"
    reason = f"{path}: it needs root, and sudo -n is refused: sudo: a password is required"
    assert found.stderr == f"tiny.cache is not run: write_cache cannot be put in force: {reason}\n"
    assert outcomes() == []
    assert [one[1:3] for one in verdicts()] == [("missing", ("not-run",))] * 4
