"""Logs that were made elsewhere lie beside what a campaign measured, and neither changes what the other says."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from coldcache import __main__ as program
from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.progress import missing_trials
from coldcache.campaign.seal import check_seal, is_sealed
from coldcache.dataset.collect import collect
from coldcache.dataset.reader import open_limits, open_records, open_sweep, open_table
from coldcache.design.notebooks import list_notebooks

TINY, RESULTS = Path("raw/tiny"), Path("results/tiny")

NOTES = """\
study: old-cluster
title: Logs of the old cluster
system: A cluster that is switched off
sweeps:
  data: {title: Data, logs: ["ior/*"]}
"""


@pytest.fixture
def run(capsys):
    """Run a subcommand; return its exit status and what it says."""

    def call(*arguments):
        status = program.main(list(arguments))
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def put_logs(root):
    """Lay out a folder of foreign logs: of an IOR, of an older fio than this machine has, and of nothing known."""
    Path("old/ior").mkdir(parents=True)
    shutil.copy(root / "tests/specimens/ior-4.0.0-rep3.txt", "old/ior/out.txt")
    shutil.copy(root / "tests/specimens/fio-3.19-jobs.json", "old")
    Path("old/README").write_text("prose\n")
    Path("old/coldcache.yaml").write_text(NOTES)


@pytest.fixture
def mixed(measured, root, run):
    """The measured campaign with foreign logs beside it; what its measured files held before."""
    before = files_of_tiny()
    put_logs(root)
    status, said, _ = run("import", "old", "--campaign", "tiny")
    assert (status, said.splitlines()) == (0, [
        "raw/tiny: 4 trials from 2 logs, 1 files were not read",
        "python -m coldcache seal tiny",
        "snakemake --cores 1 --config campaign=tiny",
    ])  # fmt: skip
    return before


def files_of_tiny():
    """Return what each raw file of the measured study holds."""
    return {str(path): path.read_bytes() for path in sorted(Path("raw/tiny/tiny").rglob("*")) if path.is_file()}


def test_what_was_measured_stays_as_it_was_and_the_logs_are_kept_with_their_notes(mixed):
    assert files_of_tiny() == mixed
    campaign = read_campaign(TINY)
    assert [study.study for study in campaign.planned] == ["tiny"]
    assert [study.study for study in campaign.foreign] == ["old-cluster"]
    assert campaign.site.site == "here"
    assert campaign.foreign[0].origin.model_dump() == {
        "folder": "old", "system": "A cluster that is switched off",
        "unread": [{"file": "README", "reason": "no known tool wrote this log"}],
    }  # fmt: skip
    assert missing_trials(campaign) == []
    kept = Path("raw/tiny/old-cluster/logs")
    files = sorted(str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file())
    assert files == ["coldcache.yaml", "fio-3.19-jobs.json", "ior/out.txt"]
    assert all((kept / file).read_bytes() == (Path("old") / file).read_bytes() for file in files)
    assert sorted(path.name for path in Path("raw").iterdir()) == ["tiny"]


def test_each_is_judged_by_what_is_known_of_its_own_system(mixed):
    design = json.loads((TINY / "campaign.json").read_text())
    design["site"]["targets"]["scratch"] |= {"write_rate": 1.0, "read_rate": 1.0}
    (TINY / "campaign.json").write_text(json.dumps(design))
    collect("tiny", RESULTS)
    with (RESULTS / "verdicts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    told = {(row["study"], row["sweep"], row["verdict"], row["codes"]) for row in rows}
    # Neither the ceiling of this target, nor its shortest run, nor the version of this machine's fio counts for them.
    assert {one for one in told if one[0] == "old-cluster"} == {
        ("old-cluster", "data", "suspect", "too-short"), ("old-cluster", "fio", "suspect", "too-short"),
    }  # fmt: skip
    assert ("tiny", "transfers", "suspect", "above-ceiling") in told
    dataset = RESULTS / "dataset.nc"
    assert open_limits(dataset, "tiny") == {"read_rate": 1.0, "write_rate": 1.0}
    assert open_limits(dataset, "old-cluster") == {}
    sweeps = open_table(dataset, "sweeps").set_index(["study", "sweep"])
    assert sweeps.loc[("old-cluster", "data"), "why"] == "imported"
    assert sweeps.loc[("tiny", "cache"), "why"] != "imported"
    records = open_records(dataset)
    row = records[(records.study == "old-cluster") & (records.tool == "ior") & (records.metric == "throughput")].iloc[0]
    number = (TINY / row.log).read_bytes()[row.offset : row.offset + row.length]
    assert float(number) * 2**20 == row.value


def test_measuring_goes_on_beside_them(mixed, run, measure_arguments):
    trial = TINY / "tiny/files/operation=file-stat/r1"
    shutil.rmtree(trial)
    assert missing_trials(read_campaign(TINY)) == ["tiny/files/operation=file-stat/r1"]
    assert run(*measure_arguments("tiny.files"))[0] == 0
    assert (trial / "trial.json").is_file()
    assert [study.study for study in read_campaign(TINY).studies] == ["tiny", "old-cluster"]
    assert run("status", "tiny")[1].startswith("18 of 18 trials are done\n")


def test_a_sealed_campaign_takes_logs_only_when_its_seal_is_removed_and_is_sealed_again(measured, root, run):
    put_logs(root)
    assert run("seal", "tiny")[0] == 0
    before = {path: path.read_bytes() for path in Path("raw").rglob("*") if path.is_file()}
    line = (
        "raw/tiny is sealed: no logs are added to it; choose another name, or remove raw/tiny/SHA256SUMS, import, "
        "and seal it again"
    )
    assert run("import", "old", "--campaign", "tiny") == (1, "", f"coldcache: {line}\n")
    assert {path: path.read_bytes() for path in Path("raw").rglob("*") if path.is_file()} == before
    (TINY / "SHA256SUMS").unlink()
    assert run("import", "old", "--campaign", "tiny")[0] == 0
    assert not is_sealed(TINY)
    assert run("seal", "tiny")[0] == 0
    assert check_seal(TINY) == []
    Path("raw/tiny/old-cluster/logs/ior/out.txt").write_text("other")
    assert check_seal(TINY) == ["old-cluster/logs/ior/out.txt: changed since the campaign was sealed"]


@pytest.mark.parametrize("study", ["old-cluster", "tiny"])
def test_a_study_that_the_campaign_holds_is_refused_and_nothing_is_written(mixed, run, study):
    Path("old/coldcache.yaml").write_text(f"study: {study}\n")
    before = {path: path.read_bytes() for path in Path("raw").rglob("*") if path.is_file()}
    line = f"raw/tiny/{study} exists: logs are never added to a study; name another one in old/coldcache.yaml, study: …"
    assert run("import", "old", "--campaign", "tiny") == (1, "", f"coldcache: {line}\n")
    assert {path: path.read_bytes() for path in Path("raw").rglob("*") if path.is_file()} == before


def test_what_cannot_be_written_leaves_the_campaign_as_it_was(measured, root, run, monkeypatch):
    put_logs(root)
    before = {path: path.read_bytes() for path in Path("raw").rglob("*") if path.is_file()}

    def fail(path, text):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("coldcache.campaign.importing.import_logs.write_whole", fail)
    line = "coldcache: raw/tiny: cannot be written: No space left on device\n"
    assert run("import", "old", "--campaign", "tiny") == (1, "", line)
    assert {path: path.read_bytes() for path in Path("raw").rglob("*") if path.is_file()} == before
    assert not Path("raw/tiny/old-cluster").exists()


def test_they_serve_no_item_of_a_document_and_no_claim(measured, root, run):
    design = json.loads((TINY / "campaign.json").read_text())
    design["studies"][0]["sweeps"]["transfers"]["item"] = "fig 1; fig 2"
    (TINY / "campaign.json").write_text(json.dumps(design))
    Path("config/claims").mkdir()
    Path("config/claims/tiny.yaml").write_text(
        "source: tiny\nclaims:\n  - {id: TI1, scope: protocol, place: page 1, statement: Reads are faster., "
        "tests: [{kind: ordering, sweep: transfers, over: peaks, falling: [{operation: read}, {operation: write}]}]}\n"
    )
    told = []
    for _ in range(2):
        for step in ("collect", "claims"):
            assert run(step, "--campaign=tiny", "--results=results/tiny")[0] == 0
        told.append([(RESULTS / name).read_text() for name in ("coverage.csv", "claims.csv", "statements.csv")])
        if not Path("old").exists():
            put_logs(root)
            assert run("import", "old", "--campaign", "tiny")[0] == 0
    assert "\nTI1,tiny," in told[0][1]
    assert "fig 2,measured" in told[0][0]
    assert told[0] == told[1]


@pytest.fixture
def reported_mixed(mixed, root, run):
    """The same with its results, its report among them; the imported study has a page of its own."""
    studies = read_campaign(Path("raw/tiny")).studies
    executions = [
        ["notebook", f"--notebook={root}/notebooks/{name}.ipynb", "--dataset=results/tiny/dataset.nc",
         f"--study={study.study}", f"--output=results/tiny/notebooks/{study.study}/{name}.ipynb",
         f"--log=logs/{study.study}-{name}.ipynb"]
        for study in studies for name in list_notebooks(study, study is studies[0], "tiny")
    ]  # fmt: skip
    for step in (["collect"], ["claims"], *executions, ["report", "--log=logs/report.log"]):
        more = [] if step[0] == "notebook" else ["--campaign=tiny", "--results=results/tiny"]
        status, _, error = run(*step, *more)
        assert (status, error) == (0, "")


@pytest.mark.slow
def test_the_report_says_which_is_which(reported_mixed):
    words = {
        name: " ".join(re.sub(r"<[^>]*>", " ", (RESULTS / f"report/{name}.html").read_text()).split())
        for name in ("index", "system", "validity", "evidence")
    }
    assert "Nothing of “Logs of the old cluster” was measured: its logs were imported." in words["index"]
    assert "Another 4 trials come from imported logs." in words["index"]
    assert "18 runs : " in words["index"]
    assert re.search(r"(All 4|\d of 4) reads proved cold", words["index"])
    assert "Recorded in 18 trials while they ran." in words["system"]
    assert "A cluster that is switched off old raw/tiny/old-cluster/logs" in words["system"]
    assert "old/README no known tool wrote this log" in words["validity"]
    assert "python -m coldcache import raw/tiny/old-cluster/logs --campaign again" in words["evidence"]
    assert "studies=tiny site=here" in words["evidence"]
    assert (RESULTS / "report/trials/old-cluster/data/only/r0.html").is_file()
    assert "stated limit" not in (RESULTS / "report/old-cluster/what-logs-state.html").read_text()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_it_is_rebuilt_archived_and_anonymised_like_any_other(reported_mixed, run):
    assert run("rebuild", "tiny")[1].splitlines()[-1].endswith(" identical, 0 equal, 0 different")
    status, said, error = run("archive", "tiny", "--anonymise", "--hide", "switched", "--output", "b.zip")
    assert (status, error) == (0, "")
    assert "word     switched -> word-1" in said.splitlines()
    status, said, error = run("rebuild", "b.zip")
    assert (status, error) == (0, "")
    assert said.splitlines()[-1].endswith(" identical, 0 equal, 0 different")


def test_two_such_campaigns_are_compared(mixed, run):
    shutil.copytree(TINY, "raw/twin")
    status, said, error = run("compare", "tiny", "twin")
    assert (status, error) == (0, "")
    assert "old-cluster" not in [line.split()[0] for line in said.splitlines() if line.strip()]


def test_levels_that_foreign_logs_lack_stay_whole_numbers_of_what_was_measured(measured, root, run):
    Path("more").mkdir()
    shutil.copy(root / "tests/specimens/mountstats-6.1-after.txt", "more")
    assert run("import", "more", "--campaign", "tiny")[0] == 0
    collect("tiny", RESULTS)
    assert open_records(RESULTS / "dataset.nc").threads.isna().any()
    cube = open_sweep(RESULTS / "dataset.nc", "tiny", "files")
    assert (cube.attrs["threads"], str(cube.attrs["threads"])) == (2, "2")
    assert open_sweep(RESULTS / "dataset.nc", "tiny", "transfers").threads.dtype.kind == "i"
