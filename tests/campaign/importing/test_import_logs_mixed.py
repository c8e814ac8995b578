"""A colleague's mixed folder: text, tables, compressed and concatenated logs become sweeps over what varies in them."""

import gzip
import json
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.importing.import_logs import import_logs
from coldcache.campaign.importing.scan import survey
from coldcache.campaign.trials import collect_trials
from coldcache.tools import read_file, read_log


@pytest.fixture
def folder(root, tmp_path, monkeypatch):
    specimens = root / "tests/specimens"
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "mixed"
    (folder / "slurm").mkdir(parents=True)
    text = (specimens / "fio-3.33-normal.txt").read_text()
    for size in (64, 256, 1024):
        (folder / f"w-{size}.txt").write_text(text.replace("256KiB-256KiB", f"{size}KiB-{size}KiB").replace(
            "total=0,8,", f"total=0,{2048 // size},").replace("IOPS=1600", f"IOPS={2048 * 200 // size}"))  # fmt: skip
    (folder / "w-256.txt").write_text(text)
    (folder / "jobs.json.gz").write_bytes(gzip.compress((specimens / "fio-3.33-seq-write.json").read_bytes()))
    table = (specimens / "iozone-3.489-auto-a.log").read_text()
    (folder / "slurm/slurm-1.out").write_text(f"srun: job 1 queued\n{table}slurmstepd: info: step done\n")
    return folder


def test_sweeps_vary_what_varies_among_the_logs(folder):
    imported = import_logs(folder, "mixed")
    assert (imported.found.unread, [log.refusal for log in imported.found.logs if log.refusal]) == ([], [])
    (study,) = read_campaign(Path("raw/mixed")).studies
    assert study.notebooks[-1] == "every-sweep"
    fio, iozone = study.sweeps["fio"].factors, study.sweeps["iozone"].factors
    assert {65536, 262144, 1048576} <= set(fio["transfer_size"])
    assert iozone["transfer_size"] == [size * 1024 for size in (4, 8, 16, 32, 64, 128)]
    assert iozone["file_size"] == [65536, 131072]
    assert iozone["threads"] == [1]
    # A trial of its own for each row of the table.
    assert sum(outcome.sweep == "iozone" for outcome in imported.trials.values()) == 11


def test_each_figure_of_a_compressed_log_is_found_in_its_stored_copy(folder):
    import_logs(folder, "mixed")
    logs = Path("raw/mixed/imported/logs")
    assert sorted(str(path.relative_to(logs)) for path in logs.rglob("*.*")) == [
        "jobs.json", "slurm/slurm-1.out", "w-1024.txt", "w-256.txt", "w-64.txt",
    ]  # fmt: skip
    stored = (logs / "jobs.json").read_bytes()
    for one in read_file(logs / "jobs.json"):
        assert stored[one.offset : one.offset + one.length].decode() == one.printed.split()[0]
    named = {json.loads(path.read_text())["log"]["file"] for path in Path("raw/mixed").rglob("trial.json")}
    assert all((Path("raw/mixed") / file).is_file() for file in named)


def test_each_tool_of_one_file_has_its_own_trials(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    specimens, folder = root / "tests/specimens", tmp_path / "jobs"
    folder.mkdir()
    ior, mdtest = ((specimens / name).read_bytes() for name in ("ior-4.0.0-rep3.txt", "mdtest-400-dellF.txt"))
    (folder / "slurm-7.out").write_bytes(ior + b"srun: next step\n" + mdtest)
    imported = import_logs(folder, "jobs")
    assert imported.found.unread == []
    assert [(log.file, log.tool) for log in imported.found.logs] == [("slurm-7.out", "ior"), ("slurm-7.out", "mdtest")]
    (study,) = read_campaign(Path("raw/jobs")).studies
    assert {name: sweep.tools for name, sweep in study.sweeps.items()} == {"ior": ["ior"], "mdtest": ["mdtest"]}
    trials = list(collect_trials(read_campaign(Path("raw/jobs"))))
    # What each alone gives, at its place in the file.
    for tool, log, start in (("ior", ior, 0), ("mdtest", mdtest, len(ior) + len(b"srun: next step\n"))):
        alone = [record._replace(offset=record.offset + start) for record in read_log(log)]
        found = [record for trial in trials if trial.outcome.tool == tool for record in trial.records]
        assert sorted(found, key=lambda record: record.offset) == alone
        assert len(alone) >= 60
    # The same runs in files of their own are no second measurement.
    (folder / "a-run-of-ior.txt").write_bytes(ior)
    (folder / "the-mdtest.txt").write_bytes(mdtest)
    found = survey(folder)
    assert [(log.file, log.tool) for log in found.logs] == [("a-run-of-ior.txt", "ior"), ("slurm-7.out", "mdtest")]
    assert found.unread == [
        ("slurm-7.out", "states no figure of ior that a-run-of-ior.txt does not state: one run, seen twice"),
        ("the-mdtest.txt", "states no figure that slurm-7.out does not state: one run, seen twice"),
    ]
