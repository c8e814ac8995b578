"""Prepared mounts are chosen by level; new files take the layout of their folder."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trials import collect_trials

SITE = Path("config/sites/here.yaml")
STUDY = Path("config/studies/tiny.yaml")


@pytest.fixture
def setting(project):
    """State how a factor of the tiny study's last sweep is put in force."""

    def state(factor, levels, stated):
        with SITE.open("a") as file:
            file.write(f"settings:\n  {factor}: {stated}\n")
        head, _, cache = STUDY.read_text().partition("  cache:\n")
        cache = cache.replace("write_cache: qemu-nbd", f"{factor}: site").replace("      queue_depth: [4]\n", "")
        cache = cache.replace("write_cache: [writeback, unsafe]", f"{factor}: {levels}")
        STUDY.write_text(f"{head}  cache:\n{cache}")

    return state


def outcomes():
    return [json.loads(path.read_text()) for path in sorted(Path("raw/tiny").rglob("trial.json"))]


def test_each_trial_runs_on_the_mount_of_its_level(project, setting, mount_namespace, measure_arguments):
    setting("nfs_version", "['3', '4.2']", f"{{kind: mounts, values: {{'3': {project}/v3, '4.2': {project}/v42}}}}")
    for name in ("v3", "v42"):
        Path(name).mkdir()
    script = "mount -t tmpfs -o size=32m three v3; mount -t tmpfs -o size=48m four v42"
    command = " ".join(measure_arguments("tiny.cache"))
    look = "find v3 v42 scratch/coldcache/tiny; grep -c scratch/coldcache /proc/mounts"
    tell = f"{sys.executable} -m coldcache {command}; {look}"
    found = subprocess.run(mount_namespace(script, ["sh", "-c", tell]), capture_output=True, text=True, check=False)
    assert found.stdout.splitlines() == ["v3", "v42", "scratch/coldcache/tiny", "0"], found.stderr
    assert len(outcomes()) == 4
    for outcome in outcomes():
        read = outcome["settings"]["nfs_version"]
        point = {"3": "v3", "4.2": "v42"}[outcome["factors"]["nfs_version"]]
        assert (read["asked"], read["read"], read["read_after"]) == (f"{project}/{point}",) * 3
        assert read["where"] == f"what is mounted on {project}/scratch/coldcache/tiny"
        assert outcome["size_bytes"] == {"v3": 32, "v42": 48}[point] * 2**20
    verdicts = [trial.judgement.verdict for trial in collect_trials(read_campaign(Path("raw/tiny")))]
    assert verdicts.count("valid") == 4


def test_a_mount_that_is_not_there_or_not_empty_is_told(project, setting, coldcache, measure_arguments):
    setting("nfs_version", "['3']", f"{{kind: mounts, values: {{'3': {project}/v3}}}}")
    found = coldcache(*measure_arguments("tiny.cache"))
    reason = f"nfs_version cannot be put in force: nothing is mounted on {project}/v3"
    assert found.stderr == f"tiny.cache is not run: {reason}\n"


@pytest.mark.skipif(not shutil.which("chattr"), reason="no chattr: package e2fsprogs")
def test_new_files_take_the_layout_of_their_folder(setting, coldcache, measure_arguments, loop_mount):
    # Synchronous updates are an attribute that files inherit from their folder, as they do a stripe layout.
    stated = """
    kind: commands
    apply: [chattr, "{level}", "{folder}"]
    verify: [sh, -c, "lsattr -d {folder} | cut -c3"]
    values: {on: +S, off: -S}
    shown: {on: S, off: "-"}
    fresh_files: true"""
    setting("write_mode", "[on, off]", stated)
    arguments = [*measure_arguments("tiny.cache"), f"--target={loop_mount}"]
    found = coldcache(*arguments)
    assert found.returncode == 0, found.stderr
    assert [outcome["settings"]["write_mode"]["read"] for outcome in outcomes()] == ["-", "-", "S", "S"]
    assert all(outcome["exit_status"] == 0 for outcome in outcomes())
