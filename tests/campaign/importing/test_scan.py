"""A folder of logs is read without following, opening or believing what is no log."""

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from coldcache.campaign.importing.scan import survey
from coldcache.core.errors import CampaignError

SPECIMENS = Path(__file__).parents[2] / "specimens"


def reasons(folder):
    return dict(survey(folder).unread)


def test_logs_are_found_by_content_in_folders_below(tmp_path):
    (tmp_path / "deep/er").mkdir(parents=True)
    shutil.copy(SPECIMENS / "ior-4.0.0.csv", tmp_path / "deep/er/x.bin")
    (log,) = survey(tmp_path).logs
    assert (log.file, log.tool, log.version, log.refusal) == ("deep/er/x.bin", "ior", "", "")
    assert [(part.operations, part.repetition, part.factors) for part in log.parts] == [
        (("write", "read"), 0, {"threads": 4, "transfer_size": 1048576}),
        (("write", "read"), 1, {"threads": 4, "transfer_size": 1048576}),
    ]
    assert log.sha256 == hashlib.sha256((SPECIMENS / "ior-4.0.0.csv").read_bytes()).hexdigest()


def test_a_broken_log_is_kept_with_its_refusal(tmp_path):
    shutil.copy(SPECIMENS / "ior-4.0.0-killed.txt", tmp_path)
    (log,) = survey(tmp_path).logs
    assert (log.tool, log.parts) == ("ior", [])
    assert log.refusal == "cut short: IOR's line 'Finished' is missing after 2 result rows, so the run ended early"


def test_what_is_no_log_is_listed_with_the_reason(tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "prose.md").write_text("nothing measured")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 2**40)
    assert reasons(tmp_path) == {
        "empty": "the log is empty",
        "prose.md": "no known tool wrote this log",
        "pipe": "no plain file",
        "huge": "1,099,511,627,776 bytes: a log is read whole, up to 1,073,741,824 bytes",
    }


def test_links_are_not_followed(tmp_path):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    shutil.copy(SPECIMENS / "ior-4.0.0.csv", outside)
    (inside / "file").symlink_to(outside / "ior-4.0.0.csv")
    (inside / "folder").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    (inside / "nowhere").symlink_to("/does/not/exist")
    found = survey(inside)
    assert found.logs == []
    assert dict(found.unread) == dict.fromkeys(
        ["file", "folder", "loop", "nowhere"], "a symbolic link: links are not followed"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a\nb.log", "a\\nb.log"),
        (b"\x1b[2J.log", "\\x1b[2J.log"),
        (b"\xff.log", "\\udcff.log"),
        ("\u202egol.exe".encode(), "\\u202egol.exe"),
    ],
)
def test_names_that_cannot_be_printed_are_refused(tmp_path, name, shown):
    shutil.copy(SPECIMENS / "ior-4.0.0.csv", os.fsencode(tmp_path) + b"/" + name)
    assert reasons(tmp_path) == {shown: "its name has characters that cannot be printed: rename it"}


def test_a_copy_is_no_second_measurement(tmp_path):
    for name in ("b.csv", "a.csv"):
        shutil.copy(SPECIMENS / "ior-4.0.0.csv", tmp_path / name)
    found = survey(tmp_path)
    assert [log.file for log in found.logs] == ["a.csv"]
    assert dict(found.unread) == {"b.csv": "the same bytes as a.csv: a copy is no second measurement"}


def test_a_run_that_several_files_state_counts_once(tmp_path):
    for ending in ("txt", "log", "results"):
        shutil.copy(SPECIMENS / f"rhel_iotest-k8s-0.1.00-en_US.{ending}", tmp_path / f"a.{ending}")
    shutil.copy(SPECIMENS / "rhel_iotest-k8s-0.1.00-C.log", tmp_path / "b.log")
    found = survey(tmp_path)
    assert [log.file for log in found.logs] == ["a.log", "b.log"]
    assert dict(found.unread) == {
        "a.results": "states no figure that a.log does not state: one run, seen twice",
        "a.txt": "states no figure that a.log does not state: one run, seen twice",
    }


def test_two_forms_of_one_file_of_results_count_once(tmp_path):
    for ending in ("csv", "json"):
        shutil.copy(SPECIMENS / f"elbencho-3.0-37.{ending}", tmp_path / f"a.{ending}")
    assert reasons(tmp_path) == {"a.csv": "states no figure that a.json does not state: one run, seen twice"}


def test_a_series_that_two_answers_hold_counts_once(tmp_path):
    for name in ("cloudwatch-data", "cloudwatch-data-label", "cloudwatch-statistics-write"):
        shutil.copy(SPECIMENS / f"{name}.json", tmp_path)
    assert [log.file for log in survey(tmp_path).logs] == ["cloudwatch-data-label.json"]


def test_notes_and_hidden_folders_are_passed_over(tmp_path):
    (tmp_path / "coldcache.yaml").write_text("study: x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref")
    assert survey(tmp_path) == ([], [])


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CampaignError, match=r"nothing: there is no such folder"):
        survey(tmp_path / "nothing")


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "ior.txt").touch()
    with pytest.raises(CampaignError) as refused:
        survey(tmp_path / "ior.txt")
    assert str(refused.value) == f"{tmp_path}/ior.txt: is a file; name its folder: every log in it is imported"
