"""Foreign logs become a campaign that is collected like a measured one, or nothing is written."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from html_pages import Page

from coldcache.__main__ import main
from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.importing import import_logs as importing
from coldcache.campaign.importing.import_logs import import_logs
from coldcache.campaign.progress import missing_trials
from coldcache.campaign.seal import check_seal, is_sealed
from coldcache.core.errors import CampaignError, DesignError
from coldcache.dataset.collect import collect
from coldcache.dataset.reader import open_records, open_sweep
from coldcache.report.site.render import render
from coldcache.workflow.execute_notebook import execute_notebook

SPECIMENS = Path(__file__).parents[2] / "specimens"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """Work in an empty project; return the folder of logs in it."""
    monkeypatch.chdir(tmp_path)
    Path("logs").mkdir()
    return Path("logs")


def put(name, to=None):
    target = Path("logs") / (to or name)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(SPECIMENS / name, target)
    return target


def outcomes(campaign="old"):
    return {
        str(path.parent.relative_to(f"raw/{campaign}")): json.loads(path.read_text())
        for path in sorted(Path(f"raw/{campaign}").rglob("trial.json"))
    }


def test_logs_are_copied_whole_and_sealed():
    put("ior-4.0.0-rep3.txt", "2019/deep/a.out")
    import_logs(Path("logs"), "old")
    copy = Path("raw/old/imported/logs/2019/deep/a.out")
    assert copy.read_bytes() == (SPECIMENS / "ior-4.0.0-rep3.txt").read_bytes()
    assert is_sealed(Path("raw/old"))
    assert check_seal(Path("raw/old")) == []
    checked = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd="raw/old", check=False)
    assert checked.returncode == 0
    outcome = outcomes()["imported/ior/only/r1"]
    assert outcome["log"] == {
        "file": "imported/logs/2019/deep/a.out", "repetition": 1,
        "factors": {
            "threads": 4, "nodes": 1, "transfer_size": 1048576, "file_size": 16777216,
            "file_layout": "file-per-thread", "direct_io": False,
        },
    }  # fmt: skip
    assert (outcome["tool"], outcome["tool_version"], outcome["operations"]) == ("ior", "4.0.0", ["write", "read"])
    assert outcome["argv"] == []


def test_a_campaign_says_that_it_was_never_measured():
    put("ior-4.0.0-rep3.txt")
    (Path("logs") / "README").write_text("prose")
    import_logs(Path("logs"), "old")
    campaign = read_campaign(Path("raw/old"))
    assert campaign.environment is None
    assert campaign.planned == ()
    assert campaign.foreign[0].origin.model_dump() == {
        "folder": "logs", "system": "A system elsewhere",
        "unread": [{"file": "README", "reason": "no known tool wrote this log"}],
    }  # fmt: skip
    assert campaign.blocks() == []
    assert missing_trials(campaign) == []
    assert campaign.studies[0].sweeps["ior"].operations == ["write", "read"]
    assert campaign.studies[0].notebooks == ["what-logs-state", "every-sweep"]


def test_records_verdicts_and_cubes_are_those_of_a_measured_campaign():
    put("ior-4.0.0-stonewall.txt")
    put("ior-4.0.0-killed.txt")
    import_logs(Path("logs"), "old")
    collect("old", Path("results/old"))
    cube = open_sweep(Path("results/old/dataset.nc"), "imported", "ior")
    assert cube.throughput.sel(operation="write").values.tolist() == [607.92 * 2**20, 558.29 * 2**20]
    assert cube.attrs["threads"] == 4
    assert cube.attrs["tool_version"] == "4.0.0"
    lines = Path("results/old/verdicts.csv").read_text().splitlines()
    assert lines == [
        "study,sweep,case,repetition,verdict,codes,cold,reached",
        "imported,ior,log=ior-4.0.0-killed.txt-4ad53e9e,0,void,log-refused,not applicable,unknown",
        "imported,ior,only,0,valid,,not applicable,unknown",
        "imported,ior,only,1,valid,,not applicable,unknown",
    ]
    records = open_records(Path("results/old/dataset.nc"))
    row = records[records.metric == "throughput"].iloc[0]
    log = (Path("raw/old") / row.log).read_bytes()
    assert float(log[row.offset : row.offset + row.length]) * 2**20 == row.value


def test_reads_of_foreign_logs_are_not_proved_cold():
    put("iozone-3.489-dell-i1-t4.log")
    import_logs(Path("logs"), "old")
    collect("old", Path("results/old"))
    assert set(open_records(Path("results/old/dataset.nc")).cold) == {"unproved"}


def test_logs_of_several_versions_of_a_tool_stay_apart():
    put("mdtest-193-dellF.txt")
    put("mdtest-400-dellF.txt")
    put("mdtest-193-EROFS.txt")
    imported = import_logs(Path("logs"), "old")
    assert {key.split("/")[1] for key in imported.trials} == {"mdtest-1-9-3", "mdtest-4-0-0", "mdtest"}


def test_a_broken_log_parts_no_versions():
    put("ior-4.0.0-rep3.txt")
    put("ior-4.0.0-killed.txt")
    assert {key.split("/")[1] for key in import_logs(Path("logs"), "old").trials} == {"ior"}


def test_the_same_case_in_two_logs_is_repeated():
    put("ior-3.3.0-rep3.txt")
    put("ior-3.3.0.json")
    imported = import_logs(Path("logs"), "old")
    assert [(key, outcome.log.file) for key, outcome in imported.trials.items()] == [
        ("imported/ior/only/r0", "imported/logs/ior-3.3.0-rep3.txt"),
        ("imported/ior/only/r1", "imported/logs/ior-3.3.0-rep3.txt"),
        ("imported/ior/only/r2", "imported/logs/ior-3.3.0-rep3.txt"),
        ("imported/ior/only/r3", "imported/logs/ior-3.3.0.json"),
        ("imported/ior/only/r4", "imported/logs/ior-3.3.0.json"),
    ]


def test_notes_name_sweeps_and_add_factors(project):
    put("iozone-3.489-dell-i0-t4.log", "off/w.log")
    put("iozone-3.489-cluster-i0-t4.log", "on/n2-w.log")
    put("ior-4.0.0-rep3.txt")
    (project / "coldcache.yaml").write_text(
        """
study: cache
title: The cache, before and after
system: A Lustre of 24 OSTs
notebooks: [write-cache]
sweeps:
  sequential: {title: Sequential writes, logs: ["o*/**"]}
factors:
  "off/*": {write_cache: false}
  "on/n{nodes}-*": {write_cache: true}
"""
    )
    imported = import_logs(Path("logs"), "old")
    assert [key for key in imported.trials if "sequential" in key] == [
        "cache/sequential/file_size=67108864,write_cache=off/r0",
        "cache/sequential/nodes=2,file_size=33554432,write_cache=on/r0",
    ]
    campaign = read_campaign(Path("raw/old"))
    assert campaign.site.title == "A Lustre of 24 OSTs"
    assert campaign.studies[0].title == "The cache, before and after"
    assert campaign.studies[0].notebooks == ["write-cache"]
    assert campaign.studies[0].sweeps["sequential"].title == "Sequential writes"
    assert campaign.studies[0].sweeps["sequential"].factors["write_cache"] == ["off", "on"]
    collect("old", Path("results/old"))
    cube = open_sweep(Path("results/old/dataset.nc"), "cache", "sequential")
    assert cube.write_cache.values.tolist() == ["off", "on"]
    written = cube.throughput.sel(write_cache="off", operation="write").max()
    assert float(written) == 1481106.36 * 1024


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        (
            "study: old\nfactors:\n  '*':\n    nodes: 1\n    threads: 8\n",
            'logs/coldcache.yaml, line 5, factors."*".threads: a.log states 4 by itself, which contradicts 8',
        ),
        (
            "factors:\n  'on/*': {nodes: 1}\n  'a*': {nodes: 1}\n",
            'logs/coldcache.yaml, line 2, factors: "on/*" matches no log',
        ),
        (
            "sweeps:\n  x:\n    logs:\n    - a.log\n    - b.log\n",
            'logs/coldcache.yaml, line 5, sweeps.x.logs: "b.log" matches no log',
        ),
        (
            "sweeps:\n  x: {logs: ['*']}\n  y: {logs: ['a*']}\n",
            "logs/coldcache.yaml, line 3, sweeps.y.logs: a.log belongs to the sweep x, too",
        ),
        (
            "title: x\nnotebooks:\n- every-sweep\n- overveiw\n",
            'logs/coldcache.yaml, line 4, notebooks.1: unknown notebook "overveiw"; did you mean "overview"?',
        ),
    ],
)
def test_notes_that_do_not_fit_the_logs_are_refused_before_anything_is_written(project, notes, message):
    put("iozone-3.489-dell-i0-t4.log", "a.log")
    (project / "coldcache.yaml").write_text(notes)
    with pytest.raises(DesignError) as refused:
        import_logs(Path("logs"), "old")
    assert str(refused.value) == message
    assert not Path("raw").exists()


def test_a_name_that_is_taken_by_something_else_is_refused():
    put("ior-4.0.0.csv")
    Path("raw/old").mkdir(parents=True)
    with pytest.raises(CampaignError, match="raw/old exists and is no campaign; choose another name"):
        import_logs(Path("logs"), "old")
    assert list(Path("raw/old").iterdir()) == []


@pytest.mark.parametrize("name", ["../old", "", "a b", "old\n", "Größe"])
def test_a_name_that_is_no_folders_is_refused(name):
    put("ior-4.0.0.csv")
    with pytest.raises(DesignError, match="a name has letters a to z, digits, hyphens and underscores only"):
        import_logs(Path("logs"), name)


def test_a_folder_without_a_log_that_can_be_read_is_refused(project):
    with pytest.raises(CampaignError, match="logs: no log in it can be read, it is empty"):
        import_logs(Path("logs"), "old")
    (project / "README").write_text("prose")
    put("ior-4.0.0-killed.txt")
    with pytest.raises(CampaignError, match="2 were tried, the first is README: no known tool wrote this log"):
        import_logs(Path("logs"), "old")
    assert not Path("raw").exists()


def test_a_log_that_changes_meanwhile_leaves_nothing_behind(monkeypatch):
    put("ior-4.0.0.csv")
    monkeypatch.setattr(importing, "read_plain_file", lambda path: b"other")
    with pytest.raises(CampaignError, match=r"ior-4.0.0.csv: changed while it was imported: import it when it is fin"):
        import_logs(Path("logs"), "old")
    assert not Path("raw").exists()


def test_a_campaign_is_made_again_of_the_logs_and_notes_that_it_has_kept(project):
    put("ior-4.0.0-rep3.txt", "a/b.txt")
    put("mdtest-400-dellF.txt")
    (project / "coldcache.yaml").write_text("study: cluster\nsystem: Gone\nsweeps: {data: {logs: ['a/*']}}\n")
    import_logs(project, "old")
    import_logs(Path("raw/old/cluster/logs"), "again")
    of_old, of_again = (
        [
            *outcomes(name).values(),
            [path.read_bytes() for path in sorted(Path(f"raw/{name}/cluster/logs").rglob("*.*"))],
        ]
        for name in ("old", "again")
    )
    assert of_old == of_again
    assert len(of_old) == 8


def test_nothing_is_written_beside_the_campaign(project):
    put("ior-4.0.0.csv")
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    import_logs(Path("logs"), "old")
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before
    assert sorted(path.name for path in Path().iterdir()) == ["logs", "raw"]
    assert [path.name for path in Path("raw").iterdir()] == ["old"]


def test_a_log_that_was_changed_since_is_told():
    put("ior-4.0.0.csv")
    import_logs(Path("logs"), "old")
    Path("raw/old/imported/logs/ior-4.0.0.csv").write_text("other")
    with pytest.raises(CampaignError, match=r"raw/old/imported/logs/ior-4.0.0.csv: changed since the campaign was se"):
        collect("old", Path("results/old"))


def test_the_command_names_each_file_that_was_not_read(capsys):
    put("ior-4.0.0.csv")
    put("ior-4.0.0-killed.txt")
    Path("logs/a\nb").write_text("x")
    assert main(["import", "logs", "--campaign", "old"]) == 0
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [
        "coldcache: logs/a\\nb: its name has characters that cannot be printed: rename it",
        "coldcache: logs/ior-4.0.0-killed.txt: cut short: IOR's line 'Finished' is missing after 2 result rows, "
        "so the run ended early",
    ]
    assert printed.out.splitlines() == [
        "raw/old: 3 trials from 2 logs, 1 of them refused, 1 files were not read",
        "snakemake --cores 1 --config campaign=old",
    ]
    assert main(["import", "logs", "--campaign", "old"]) == 1
    assert (
        capsys.readouterr().err
        == "coldcache: raw/old is sealed: no logs are added to it; choose another name, or remove raw/old/SHA256SUMS, "
        "import, and seal it again\n"
    )


def test_no_plotting_library_is_loaded_to_import_logs():
    put("ior-4.0.0.csv")
    code = "import sys; from coldcache.__main__ import main; main(['import', 'logs', '--campaign', 'x']); "
    code += "print([name for name in ('matplotlib', 'xarray', 'pandas') if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_levels_that_no_folder_can_hold_are_told_apart():
    put("mountstats-6.1-after.txt")
    imported = import_logs(Path("logs"), "old")
    assert [key.split("/")[2].partition("mount=")[2] for key in imported.trials] == [
        "mnt-a-f72353b3", "mnt-with-blank-8669b7e1",
    ]  # fmt: skip
    collect("old", Path("results/old"))
    cube = open_sweep(Path("results/old/dataset.nc"), "imported", "mountstats")
    assert float(cube["count"].sel(operation="rpc-write", mount="/mnt/a").squeeze()) == 256


@pytest.mark.slow
def test_a_tree_of_io500_gives_a_report_that_opens(project, capsys):
    shutil.copytree(SPECIMENS / "io500-02091cf", project / "run")
    results = Path("results/old")
    assert main(["import", "logs", "--campaign", "old"]) == 0
    collect("old", results)
    for name in ("what-logs-state", "every-sweep"):
        notebook = Path(__file__).parents[3] / f"notebooks/{name}.ipynb"
        output = results / f"notebooks/imported/{name}.ipynb"
        execute_notebook(notebook, output, Path("logs.ipynb"), results.absolute() / "dataset.nc", "imported")
    assert "its page says so" not in capsys.readouterr().err
    render("old", results, Path("sphinx.log"))
    index = Page(results / "report/index.html").text
    assert "Nothing was measured: foreign logs were imported and sealed" in index
    assert "Highest medians: io500, throughput read 1.63 GB/s (1 run)" in index
    assert "run/find.csv" in (results / "report/validity.html").read_text()
    assert "mdtest-hard" in (results / "report/imported/what-logs-state.html").read_text()
