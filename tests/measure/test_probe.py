"""A probe measures a target before a campaign begins, and totals of the campaign follow from it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from drafts import expand, make_site, make_study, sweep
from pydantic import ValidationError

from coldcache.campaign.progress import missing_trials
from coldcache.core.errors import DesignError, TargetError
from coldcache.design.jobs import arrange_allocations
from coldcache.design.levels import Share
from coldcache.measure.probe import probe, with_paces
from coldcache.measure.settings.block import BlockSettings
from coldcache.measure.target import MARKER, locked, make_work_folder
from coldcache.workflow.configuration import read_design


def test_it_returns_what_the_target_does_per_second_and_leaves_nothing(tmp_path):
    (tmp_path / MARKER).touch()
    found = probe(tmp_path / "probe")
    assert sorted(found) == ["file-create", "file-remove", "read", "write"]
    # No storage is slower than a megabyte per second and ten files, and none is faster than memory.
    assert all(1e6 < found[name] < 1e12 for name in ("read", "write"))
    assert all(10 < found[name] < 1e8 for name in ("file-create", "file-remove"))
    assert not (tmp_path / "probe").exists()


def test_what_a_killed_runner_left_is_removed_first(tmp_path):
    (tmp_path / MARKER).touch()
    left = tmp_path / "probe"
    left.mkdir()
    (left / "0").write_bytes(b"_" * 1000)
    assert probe(left)["write"] > 0
    assert not left.exists()


def test_files_are_created_and_removed_as_fast_as_the_fastest_of_three_times(tmp_path, monkeypatch):
    (tmp_path / MARKER).touch()
    places, measured = [], iter([7.0, 8.0, 1e3, 4e3, 3e3, 5e3, 2e3, 1e3])

    def run(_pool, _part, there):
        places.append(there)
        if len(places) == 1:
            for path in there:
                path.touch()
        return next(measured)

    monkeypatch.setattr("coldcache.measure.probe._run", run)
    found = probe(tmp_path / "probe")
    assert found == {"write": 7.0, "read": 8.0, "file-create": 3e3, "file-remove": 5e3}
    # Each time in new folders, and files are removed where they were created.
    assert places[2::2] == places[3::2]
    assert len({folder for folders in places[2::2] for folder in folders}) == 3 * len(places[2])


PROBE = """
import json
from pathlib import Path
from coldcache.measure.probe import probe
from coldcache.measure.target import MARKER
Path("t", MARKER).touch()
print(json.dumps(probe(Path("t/probe"))))
"""


def test_a_small_target_is_not_filled(project, mount_namespace):
    Path("t").mkdir()
    script = "mount -t tmpfs -o size=8m,nr_inodes=400 none t"
    found = subprocess.run(
        mount_namespace(script, [sys.executable, "-c", PROBE]), capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert all(pace > 0 for pace in json.loads(found.stdout).values())


def test_it_writes_no_more_than_the_site_allows(project, monkeypatch, change):
    change(Path("config/sites/here.yaml"), "bytes: 64 MiB", "bytes: 4500 KiB")
    change(Path("config/studies/tiny.yaml"), "[16 MiB]", "[1 MiB]")
    sizes = []

    def run(_pool, part, there):
        count = sum(map(part, there))
        sizes.append(sum(path.stat().st_size for path in there if path.is_file()))
        return count

    monkeypatch.setattr("coldcache.measure.probe._run", run)
    monkeypatch.setattr("coldcache.measure.probe._SECONDS", 0.1)
    work = make_work_folder(Path("scratch"))
    with locked(work) as lock, BlockSettings(work, lock) as settings:
        design = with_paces(read_design({"campaign": "tiny", "studies": "tiny", "site": "here"}), work, settings)
    assert 0 < design.environment.paces["write"] == sizes[0] <= 4500 * 2**10


def test_it_writes_nowhere_but_in_a_marked_folder(tmp_path):
    with pytest.raises(TargetError, match="was not made by this program"):
        probe(tmp_path / "probe")


def test_a_total_is_raised_to_what_the_fastest_operation_does_in_the_time():
    size = {"aggregate": "4 MiB", "lasts": "2 s"}
    study = make_study(a=sweep(["write", "read"], threads=[1, 4], file_size=size))
    paces = {"write": 100 * 2**20, "read": 200 * 2**20, "file-create": 1e9}
    sizes = {case.bytes for case in expand(study, make_site(bytes="1 GiB"), paces=paces)}
    assert sizes == {400 * 2**20}
    # The site's limit holds; a slow target keeps the total that the study states; without a probe nothing is raised.
    assert {case.bytes for case in expand(study, make_site(bytes="64 MiB"), paces=paces)} == {64 * 2**20}
    assert {case.bytes for case in expand(study, paces={"write": 1, "read": 1})} == {2**22}
    assert {case.bytes for case in expand(study)} == {2**22}


def test_a_total_of_files_follows_from_the_operation_and_is_the_same_for_all_threads():
    files = {"aggregate": 800, "lasts": "2 s"}
    study = make_study(a=sweep(["file-create", "file-stat", "file-remove"], threads=[1, 4], files=files))
    paces = {"write": 1e9, "file-create": 1000, "file-remove": 3000}
    totals = {(case.operations, case.factors["files"] * case.factors["threads"]) for case in expand(study, paces=paces)}
    assert totals == {(("file-create",), 2000), (("file-stat",), 800), (("file-remove",), 6000)}


def test_transfers_that_repeat_until_their_time_is_over_need_no_more():
    size = {"aggregate": "4 MiB", "lasts": "2 s"}
    paces = {"write": 100 * 2**20}
    for direct, total in ((True, 2**22), (False, 200 * 2**20)):
        study = make_study(a=sweep(["write"], file_size=size, direct_io=[direct]))
        assert {case.bytes for case in expand(study, make_site(bytes="1 GiB"), paces=paces)} == {total}


def test_a_raised_total_has_whole_transfers_and_equal_parts():
    size = {"aggregate": "1 MiB", "lasts": "1 s"}
    study = make_study(a=sweep(threads=[3], file_size=size, transfer_size=["64 KiB"]))
    with pytest.raises(DesignError, match="does not divide"):
        expand(study)
    (case,) = expand(study, paces={"write": 10_000_000})
    assert case.run.file_size == 10_000_000 // (3 * 65536) * 65536


def test_a_time_needs_a_total():
    with pytest.raises(ValidationError, match="lasts: state an aggregate with it"):
        Share(memory=2, lasts="1 s")


def test_a_campaign_is_probed_once(project, coldcache, measure_arguments):
    path = Path("config/studies/tiny.yaml")
    path.write_text(path.read_text().replace("files: [2000]", "files: {aggregate: 2000, lasts: 10 ms, round: down}"))
    assert "lasts" in path.read_text()
    found = coldcache(*measure_arguments("tiny.files"))
    assert found.returncode == 0, found.stderr
    begun = json.loads(Path("raw/tiny/campaign.json").read_text())["circumstances"]["paces"]
    assert sorted(begun) == ["file-create", "file-remove", "read", "write"]
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    assert json.loads(Path("raw/tiny/campaign.json").read_text())["circumstances"]["paces"] == begun


DD = """\
study: tiny
title: Writes by dd
question: Does a job keep its name?
repetitions: 6
notebooks: []
sweeps:
"""

DD_SWEEP = """\
  NAME:
    title: Writes of one file
    tool: command
    command: dd if=/dev/zero of={file} bs={transfer_size} count={transfers} conv=fsync
    version: --version
    operations: [write]
    factors:
      transfer_size: [64 KiB]
      file_size: {aggregate: 1 MiB, lasts: 1 s, round: down}
    success: {text: copied}
    patterns:
      seconds: {operation: write, metric: elapsed, unit: s, regex: 'copied, ([0-9.e-]+) s'}
"""


def test_a_job_keeps_its_name_and_its_trials_when_the_probe_makes_them_last(project, coldcache, change):
    limits = "seconds: 5 min\n  walltime: 2 h\n  merged: 1 min\nexpected: {throughput: 1 MB/s}\n"
    change(Path("config/sites/here.yaml"), "seconds: 20 s\n", limits)
    Path("config/studies/tiny.yaml").write_text(DD + "".join(DD_SWEEP.replace("NAME", name) for name in ("one", "two")))
    config = {"campaign": "tiny", "studies": "tiny", "site": "here"}
    planned = read_design(config).allocations
    assert [job.name for job in planned] == ["rounds-1-to-6"]
    stated = [f"--{key}={value}" for key, value in config.items()]
    done = coldcache("measure", *stated, "--block=rounds-1-to-6", "--manifest=done.json")
    assert done.returncode == 0, done.stderr
    begun = read_design(config)
    assert {case.bytes for case in begun.cases()} != {2**20}
    # By their length alone they would be several jobs.
    assert len(arrange_allocations(begun.blocks(), begun.site)) > 1
    assert [job.name for job in begun.allocations] == ["rounds-1-to-6"]
    assert missing_trials(begun) == []
