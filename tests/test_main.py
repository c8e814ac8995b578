"""The program as a user meets it: a mistake costs one line, exit status 1, and nothing that was written."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from coldcache.__main__ import main

STUDY, SITE = Path("config/studies/tiny.yaml"), Path("config/sites/here.yaml")
PLAN = ["plan", "--study=tiny", "--site=here"]


@pytest.fixture(params=["plan", "measure"])
def command(request, measure_arguments):
    """The arguments of both commands that read a design."""
    return PLAN if request.param == "plan" else measure_arguments("tiny.transfers")


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        (STUDY, "question:", "qestion:", f'{STUDY}, line @, unknown key "qestion"; did you mean "question"?'),
        (
            STUDY,
            "threads: [2]",
            "treads: [2]",
            f'{STUDY}, line @, sweeps.files: factors: unknown factor "treads"; did you mean "threads"?',
        ),
        (
            STUDY,
            "64 KiB]",
            "64 Kib]",
            f'{STUDY}, line @, sweeps.transfers: factors.transfer_size: "64 Kib" has an unknown unit "Kib"; '
            'did you mean "KiB"?',
        ),
        (
            STUDY,
            "writeback, unsafe",
            "writeback, unsave",
            f'{STUDY}, line @, sweeps.cache: factors.write_cache: unknown level "unsave"; did you mean "unsafe"?',
        ),
        (
            STUDY,
            "file-stat",
            "file-state",
            f'{STUDY}, line @, sweeps.files.operations.1: unknown "file-state"; did you mean "file-stat"?',
        ),
        (
            STUDY,
            "repetitions: 2",
            "repetitions: 2\nstudy: x",
            f'{STUDY}, line 5: the key "study" appears twice, first in line 1',
        ),
        (
            SITE,
            "make: true",
            "mkae: true",
            f'{SITE}, line @, targets.scratch: unknown key "mkae"; did you mean "make"?',
        ),
        (
            SITE,
            "seconds: 20 s",
            "seconds: 20 sek",
            f'{SITE}, line @, limits.seconds: "20 sek" has an unknown unit "sek"; known are ms, s, min, h',
        ),
        (
            SITE,
            "path: scratch, make: true",
            "path: gone",
            f"{SITE}, line @, targets.scratch.path: gone does not exist; make it, or name another folder",
        ),
        (
            SITE,
            "bytes: 64 MiB",
            "bytes: 5 MiB",
            f"{STUDY}, line 8, sweeps.transfers: a trial of operation=write,threads=1 keeps 16 MiB on the target, "
            "the site here allows 5 MiB: lower factors.file_size or raise limits.bytes",
        ),
    ],
)
def test_a_mistake_in_a_design_costs_one_line(refuses, change, command, path, old, new, line):
    change(path, old, new)
    place = path.read_text().partition(new)[0].count("\n") + 1
    refuses(line.replace("line @", f"line {place}"), *command)


def test_a_missing_study_or_site_is_refused_with_the_nearest_one(refuses, measure_arguments):
    line = 'config/studies/tny.yaml: there is no such file; did you mean "tiny"?'
    refuses(line, "plan", "--study=tny", "--site=here")
    refuses(line, *measure_arguments("tiny.transfers"), "--studies=tny")
    refuses('config/sites/here2.yaml: there is no such file; did you mean "here"?', *PLAN, "--site=here2")
    refuses('studies: "tiny" is named twice', "plan", "--study=tiny,tiny", "--site=here")


def test_a_file_that_is_no_text_is_refused(refuses, command):
    STUDY.write_bytes(b"study: \xff\n")
    refuses(f"{STUDY}: not UTF-8 text at byte 7", *command)


def test_a_line_end_in_what_the_user_wrote_does_not_part_the_message(refuses, change, command):
    change(STUDY, "question:", '"que\\nstion":')
    refuses(f'{STUDY}, unknown key "que stion"; did you mean "question"?', *command)


def test_a_target_of_the_command_line_is_checked_too(refuses, project, command):
    Path("mine").mkdir()
    Path("mine/thesis.doc").touch()
    line = 'target: mine holds foreign files such as "thesis.doc"; name an empty folder'
    refuses(line, *command, "--target=mine")
    refuses(
        "target: mine/thesis.doc is not a folder; name an empty folder on the file system to measure",
        *command,
        "--target=mine/thesis.doc",
    )


@pytest.mark.parametrize(
    ("programs", "line"),
    [
        ([], f"{STUDY}, line 8, sweeps.transfers: fio is not on PATH; install it: apt-get install fio"),
        (["fio"], "qemu-nbd is not on PATH; install it: apt-get install qemu-utils"),
    ],
)
def test_a_missing_tool_is_refused_with_its_package_and_the_command(refuses, command, tmp_path, programs, line):
    (tmp_path / "bin").mkdir()
    for program in programs:
        (tmp_path / "bin" / program).symlink_to(shutil.which(program))
    refuses(line, *command, env={**os.environ, "PATH": str(tmp_path / "bin")})


def test_a_block_or_campaign_that_is_none_is_refused(refuses, measure_arguments):
    refuses(
        'campaign tiny has no block "tiny.transfer"; did you mean "tiny.transfers"?',
        *measure_arguments("tiny.transfer"),
    )
    refuses("raw/x holds no campaign.json: it is no campaign", "collect", "--campaign=x", "--results=results/x")
    refuses("raw/x holds no campaign.json: it is no campaign", "seal", "x")
    refuses("raw/x is not sealed: python -m coldcache seal x", "seal", "--check", "x")
    refuses(
        'campaign "../x": a name has letters a to z, digits, hyphens and underscores only, '
        "and begins with a letter or a digit",
        *measure_arguments("tiny.transfers", "../x"),
    )


def test_a_folder_that_cannot_be_written_to_is_named(project, mount_namespace, measure_arguments):
    Path("raw").mkdir()
    Path("results").mkdir()
    command = ["python", "-m", "coldcache", *measure_arguments("tiny.transfers")]
    found = subprocess.run(
        mount_namespace("mount -t tmpfs -o ro none raw", command), capture_output=True, text=True, check=False
    )
    assert found.stderr == "coldcache: raw/tiny: Read-only file system\n"
    assert (found.stdout, found.returncode) == ("", 1)
    assert not Path("scratch").exists()


def test_the_plan_is_printed_and_touches_nothing(coldcache, project):
    before = sorted(project.rglob("*"))
    text = coldcache(*PLAN)
    assert (text.returncode, text.stderr) == (0, "")
    lines = text.stdout.splitlines()
    assert lines[0] == "tiny/transfers (fio)"
    assert lines[1] == "  operation=read,threads=1  x 2  16 MiB, about 0.6 s each"
    assert lines[-1] == "18 trials, about 11 s, up to 32 MiB on scratch"
    rows = [json.loads(line) for line in coldcache(*PLAN, "--format=jsonl").stdout.splitlines()]
    assert len(rows) == 18
    assert {(row["sweep"], row["case"], row["repetition"]) for row in rows} >= {
        ("transfers", "operation=write,threads=2", 1),
        ("files", "operation=file-stat", 0),
        ("cache", "write_cache=unsafe", 1),
    }
    assert all(row["argv"][0] == "fio" and row["runs_here"] is True for row in rows)
    assert sorted(project.rglob("*")) == before


def test_the_plan_does_not_mind_a_campaign_of_that_name(coldcache, project):
    Path("raw/plan").mkdir(parents=True)
    Path("raw/plan/campaign.json").write_text("{}")
    assert coldcache(*PLAN).returncode == 0


def test_a_reader_that_has_seen_enough_ends_the_plan_silently(project):
    found = subprocess.run(
        "python -m coldcache plan --study=tiny --site=here --format=jsonl | head -c 10",
        shell=True,
        check=True,
        capture_output=True,
        text=True,
    )
    assert (found.stdout, found.stderr) == ('{"study": ', "")


def test_logs_are_printed_as_records_and_broken_ones_refused_by_name(root, capsys, monkeypatch):
    monkeypatch.chdir(root / "tests/specimens")
    status = main(["parse", "iozone-3.489-dell-i0-t4.log", "fio-3.33-ENOSPC.json", "nothing.txt", "ior-3.3.0.json"])
    printed = capsys.readouterr()
    logs = [json.loads(line)["log"] for line in printed.out.splitlines()]
    assert set(logs) == {"iozone-3.489-dell-i0-t4.log", "ior-3.3.0.json"}
    refused = printed.err.splitlines()
    assert len(refused) == 2
    assert refused[0].startswith("coldcache: fio-3.33-ENOSPC.json: ")
    assert refused[1] == "coldcache: nothing.txt: cannot be read: No such file or directory"
    assert status == 2
