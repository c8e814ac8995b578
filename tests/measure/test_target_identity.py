"""Nothing is measured on another file system than the site names, nor on one that took the target's place."""

import os
import stat
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trial_json import read_outcome
from coldcache.campaign.trials import collect_trials
from coldcache.core.errors import TargetError
from coldcache.design.site import Site, Target
from coldcache.measure import target, target_identity
from coldcache.measure.host.mounts import Mount, find_mount
from coldcache.measure.target import LOCK, locked, make_work_folder
from coldcache.measure.target_identity import refuse_other, why_lost

STUDY = Path("config/studies/tiny.yaml")


def other(folder, **stated):
    with pytest.raises(TargetError) as refused:
        refuse_other(Target(path="t", **stated), folder)
    return str(refused.value)


def test_what_the_site_states_of_the_file_system_must_be_so(tmp_path):
    mount = find_mount(tmp_path)
    right = Target(path="t", filesystem=mount.filesystem, source=mount.source, mount_point=mount.point)
    refuse_other(right, tmp_path / "not/yet")
    advice = "; mount the right one, or correct the site"
    kind = f"t lies on {mount.filesystem} ({mount.source}), the site names lustre{advice}"
    assert other(tmp_path, filesystem="lustre") == kind
    assert other(tmp_path, source="nas:/x") == f"t lies on {mount.source}, the site names nas:/x{advice}"
    place = f"t lies on what is mounted on {mount.point}, the site names /mnt/nowhere{advice}"
    assert other(tmp_path, mount_point="/mnt/nowhere") == place


def test_a_device_may_be_named_by_a_link(loop_mount, loop_device, tmp_path):
    link = tmp_path / "by-id"
    link.symlink_to(loop_device)
    refuse_other(Target(path="t", source=str(link)), loop_mount)


def test_a_link_may_name_the_device_of_btrfs_which_has_a_number_of_its_own(tmp_path, monkeypatch):
    disks = ["/dev/sdb", "/dev/sdc"]
    links = [tmp_path / Path(disk).name for disk in disks]
    for link, disk in zip(links, disks, strict=True):
        link.symlink_to(disk)
    numbers = dict(zip(map(str, (*disks, *links)), ((8, 16), (8, 32)) * 2, strict=True))
    plain = Path.stat

    def stat_of(path, **more):
        if str(path) not in numbers:
            return plain(path, **more)
        return SimpleNamespace(st_rdev=os.makedev(*numbers[str(path)]), st_mode=stat.S_IFBLK)

    monkeypatch.setattr(Path, "stat", stat_of)
    monkeypatch.setattr(target_identity, "find_mount", lambda _: Mount("/mnt/x", "btrfs", "/dev/sdb", "rw", "0:45"))
    refuse_other(Target(path="t", source=str(links[0])), tmp_path)
    advice = "; mount the right one, or correct the site"
    with monkeypatch.context() as spread:
        spread.setattr(target_identity, "list_members", lambda number: [number, "8:32"])
        refuse_other(Target(path="t", source=str(links[1])), tmp_path)
    assert other(tmp_path, source=str(links[1])) == f"t lies on /dev/sdb, the site names {links[1]}{advice}"


def test_the_program_refuses_another_file_system_and_writes_nothing(refuses, measure_arguments, change, project):
    Path("scratch").mkdir()
    mount = find_mount(project)
    change(Path("config/sites/here.yaml"), "make: true}", "make: true, filesystem: lustre}")
    refuses(
        f"config/sites/here.yaml, line 4, targets.scratch.path: scratch lies on {mount.filesystem} ({mount.source}), "
        "the site names lustre; mount the right one, or correct the site",
        *measure_arguments("tiny.transfers"),
    )


def test_what_takes_the_place_of_a_target_is_noticed(loop_mount):
    work = make_work_folder(loop_mount)
    stated = Target(path=str(loop_mount))
    with locked(work) as lock:
        assert why_lost(stated, loop_mount, work / LOCK, lock) is None
        subprocess.run(["mount", "-o", "remount,ro", str(loop_mount)], check=False)
        # A descriptor that is open for writing keeps a file system writable; only by force it is not.
        subprocess.run(["mount", "-t", "tmpfs", "none", str(loop_mount)], check=True)
        gone = f"{loop_mount} is not the file system any more on which the campaign began: {work / LOCK}: "
        assert why_lost(stated, loop_mount, work / LOCK, lock) == f"{gone}No such file or directory"
        make_work_folder(loop_mount)
        (work / LOCK).touch()
        replaced = f"{loop_mount} was replaced by another file system, tmpfs on none"
        assert why_lost(stated, loop_mount, work / LOCK, lock) == replaced
        subprocess.run(["umount", str(loop_mount)], check=True)
        assert why_lost(stated, loop_mount, work / LOCK, lock) is None


def test_a_disk_that_met_an_error_has_become_read_only(loop_mount):
    work = make_work_folder(loop_mount)
    stated = Target(path=str(loop_mount))
    with locked(work) as lock:
        subprocess.run(["mount", "-o", "remount,abort", str(loop_mount)], check=False, capture_output=True)
        assert why_lost(stated, loop_mount, work / LOCK, lock) == f"{loop_mount} has become read-only"


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["unmounted", "replaced"])
def test_a_target_lost_in_mid_run_makes_the_trial_void_and_nothing_is_written_elsewhere(
    project, start, coldcache, measure_arguments, loop_mount, loop_device, change, fault
):
    STUDY.write_text(STUDY.read_text().partition("  files:\n")[0])
    change(STUDY, "threads: [1, 2]", "threads: [1]")
    change(STUDY, "operations: [write, read]", "operations: [write]\n    options: {fio: ['--rate=8m']}")
    arguments = [*measure_arguments("tiny.transfers"), f"--target={loop_mount}"]
    runner = start(*arguments)
    written = loop_mount / "coldcache/tiny/transfers/t0"
    while not written.exists() or not written.stat().st_size:
        assert runner.poll() is None
        time.sleep(0.01)
    if fault == "unmounted":
        subprocess.run(["umount", "--lazy", str(loop_mount)], check=True)
    else:
        subprocess.run(["mount", "-t", "tmpfs", "none", str(loop_mount)], check=True)
    _, errors = runner.communicate(timeout=60)
    assert runner.returncode == 1
    last = errors.splitlines()[-1]
    begun = f"coldcache: {loop_mount} is not the file system any more on which the campaign began: "
    assert last.startswith(begun)
    assert last.endswith("; fix it and start again: the missing trials are measured then")
    assert list(loop_mount.iterdir()) == []
    outcomes = [read_outcome(path) for path in Path("raw/tiny").rglob("trial.json")]
    (lost,) = [outcome for outcome in outcomes if outcome.failure]
    assert lost.failure.code == "target-lost"
    (judged,) = [trial.judgement for trial in collect_trials(read_campaign(Path("raw/tiny"))) if trial.outcome == lost]
    assert (judged.verdict, judged.codes[0], judged.reasons[0]) == ("void", "target-lost", lost.failure.message)

    words = ["mount", loop_device, str(loop_mount)] if fault == "unmounted" else ["umount", str(loop_mount)]
    subprocess.run(words, check=True)
    found = coldcache(*arguments)
    assert found.returncode == 0, found.stderr
    judged = [t.judgement for t in collect_trials(read_campaign(Path("raw/tiny"))) if t.outcome.sweep == "transfers"]
    assert sorted(judgement.verdict for judgement in judged) == ["valid", "void"]


def test_a_work_folder_of_another_user_is_refused_by_name(tmp_path, monkeypatch):
    work = make_work_folder(tmp_path / "t")
    access = os.access
    monkeypatch.setattr(target.os, "access", lambda path, mode: path != work and access(path, mode))
    site = Site.model_validate({"site": "s", "title": "S", "targets": {"t": {"path": str(work.parent)}}})
    with pytest.raises(TargetError) as refused:
        target.check_target(site, [])
    expected = (
        f"config/sites/s.yaml, targets.t.path: {work} is {work.owner()}'s, who measured here; name another folder"
    )
    assert str(refused.value) == expected
