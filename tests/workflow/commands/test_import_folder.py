"""What was read goes to standard output, with what to run next; why a log was not read goes to standard error."""

from pathlib import Path

import pytest

from coldcache.workflow.commands.import_folder import print_import

SPECIMENS = Path(__file__).parents[2] / "specimens"


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """A folder with a log of IOR, one that was cut short, and one that no tool wrote."""
    monkeypatch.chdir(tmp_path)
    folder = Path("logs")
    folder.mkdir()
    for name in ("ior-4.0.0-stonewall.txt", "ior-4.0.0-killed.txt"):
        (folder / name).write_bytes((SPECIMENS / name).read_bytes())
    (folder / "notes.txt").write_text("bought new disks\n")
    return folder


def test_what_was_read_and_what_to_run_next_are_printed(logs, capsys):
    print_import(logs, "old")
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "raw/old: 3 trials from 2 logs, 1 of them refused, 1 files were not read",
        "snakemake --cores 1 --config campaign=old",
    ]
    assert said.err.splitlines()[0] == "coldcache: logs/notes.txt: no known tool wrote this log"
    assert said.err.splitlines()[1].startswith("coldcache: logs/ior-4.0.0-killed.txt: ")
