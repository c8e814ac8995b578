"""Layouts of Lustre are given to a folder by lfs, each without losing the others, and go with the folder."""

import os
from pathlib import Path

import pytest

from coldcache.core.errors import SettingError
from coldcache.design.settings.lustre_layout import LayoutSetting
from coldcache.measure.settings.block import BlockSettings, restore_left
from coldcache.measure.settings.journal import SettingChange, is_left, write_journal
from coldcache.measure.settings.registry import driver_of, locate, why_not
from coldcache.measure.target import locked, make_work_folder

#: lfs as it answers: a folder keeps its layout beside it, one call sets all stripes, and mkdir makes the folder.
LFS = """\
#!/bin/bash
echo "$@" >>{folder}/calls
word=$1; shift
for folder; do :; done
kept="$(dirname "$folder")/.layout-$(basename "$folder")"
case $word in
setstripe) echo "$2 $4" >"$kept.stripes" ;;
getstripe)
    read -r count size <<<"$(cat "$kept.stripes" 2>/dev/null || echo 1 1048576)"
    [ "$2" = --stripe-count ] && echo "$count" || echo "$size" ;;
mkdir) mkdir "$folder" && rm -f "$kept.stripes" && echo "$2" >"$kept.mdts" ;;
getdirstripe) cat "$kept.mdts" 2>/dev/null || echo 1 ;;
esac
"""


@pytest.fixture
def lfs(stand_in, project):
    """Return the calls of lfs, the folder of a sweep, and what finds the address of a layout."""
    calls = stand_in("lfs", LFS) / "calls"
    folder = project / "sweep"
    folder.mkdir()
    return calls, folder, lambda of: locate(LayoutSetting(kind="lfs", of=of), project, folder)


def put(address, value):
    driver_of(address).apply(address, value, 0)
    return driver_of(address).read(address, 0)


def test_a_layout_is_set_and_read_and_keeps_the_others(lfs):
    calls, folder, address = lfs
    assert put(address("stripe-count"), "4") == "4"
    assert put(address("stripe-size"), "4194304") == "4194304"
    assert driver_of(address("stripe-count")).read(address("stripe-count"), 0) == "4"
    sets = [line for line in calls.read_text().splitlines() if line.startswith("setstripe")]
    assert sets == [
        f"setstripe --stripe-count 4 --stripe-size 1048576 {folder}",
        f"setstripe --stripe-count 4 --stripe-size 4194304 {folder}",
    ]


def test_a_folder_over_several_metadata_targets_is_recreated_with_the_stripes_that_it_had(lfs):
    calls, folder, address = lfs
    put(address("stripe-count"), "8")
    assert put(address("mdt-count"), "2") == "2"
    assert driver_of(address("stripe-count")).read(address("stripe-count"), 0) == "8"
    assert f"mkdir --mdt-count 2 {folder}" in calls.read_text().splitlines()
    (folder / "file").touch()
    with pytest.raises(SettingError, match="cannot be recreated over 1 metadata targets: Directory not empty"):
        put(address("mdt-count"), "1")


def test_what_a_killed_run_left_goes_with_its_folder(lfs):
    _, folder, address = lfs
    work = make_work_folder(folder.parent / "scratch")
    with locked(work) as lock:
        put(address("stripe-count"), "8")
        write_journal(work, [SettingChange("stripe_count", address("stripe-count"), "1")])
        assert restore_left(work, lock) == 1
        assert not folder.exists()
        assert not is_left(work)
        with BlockSettings(work, lock):
            pass


def test_a_folder_that_is_not_on_lustre_is_told(project, monkeypatch):
    (project / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{project}/bin{os.pathsep}{os.environ['PATH']}")
    setting, folder = LayoutSetting(kind="lfs", of="stripe-count"), Path("scratch/coldcache/tiny/cache")
    assert why_not(setting, project, folder) == "lfs is not on PATH"
    # What lfs says on another file system.
    said = f"{project} has no stripe info"
    (project / "bin/lfs").write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    (project / "bin/lfs").chmod(0o755)
    assert why_not(setting, project, folder).endswith(f"exit status 1: {said}")
