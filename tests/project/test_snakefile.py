"""The workflow plans one job per block, never measures a sealed campaign, and takes up where it was ended."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import psutil
import pytest
import yaml

from coldcache.campaign.seal import write_sums
from coldcache.report.archive.diff_results import compare_results
from coldcache.report.site.evidence_page import lacks_seal

RULES = ("workflow/Snakefile", "workflow/rules/measure.smk", "workflow/rules/collect.smk",
         "workflow/rules/notebooks.smk", "workflow/rules/report.smk")  # fmt: skip


def snakemake(*arguments, timeout=900):
    """Run Snakemake, which prints its own words where it prints commands."""
    return subprocess.run(
        ["snakemake", "--cores", "2", "--printshellcmds", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )


def planned(*arguments):
    """Return how many jobs of each rule a dry run plans."""
    found = snakemake("--dry-run", *arguments)
    assert found.returncode == 0, found.stdout + found.stderr
    table = re.search(r"Job stats:\n.*\n-.*\n((?:.+\n)+)", found.stdout + found.stderr)
    return {name: int(count) for name, count in (line.split() for line in table[1].splitlines())} if table else {}


def inodes():
    """Return the file of each outcome, which a trial that is run again does not keep."""
    return {path: path.stat().st_ino for path in Path("raw/x").rglob("trial.json")}


@pytest.fixture
def shipped(root):
    study = yaml.safe_load((root / "config/studies/quick.yaml").read_text())
    return len(study["notebooks"])


def test_by_default_all_rounds_are_measured_in_one_job_and_every_notebook_executed(clone, shipped):
    notebooks = shipped
    before = sorted(path for path in clone.rglob("*") if ".snakemake" not in path.parts)
    assert planned() == {
        "measure_block": 1, "collect_records": 1, "judge_claims": 1, "execute_notebook": notebooks + 2,
        "execute_overview": 1, "render_report": 1, "all": 1, "total": notebooks + 8,
    }  # fmt: skip
    assert sorted(path for path in clone.rglob("*") if ".snakemake" not in path.parts) == before


def test_the_reference_campaign_is_rebuilt_without_measuring(clone):
    studies = json.loads(Path("raw/reference/campaign.json").read_text())["studies"]
    # The claims of each study but the imported one, the statistics of the campaign, and the speed of the program.
    notebooks = sum(len(study["notebooks"]) + 1 for study in studies) - 1 + 2
    assert planned("--config", "campaign=reference") == {
        "collect_records": 1, "judge_claims": 1, "execute_notebook": notebooks, "execute_overview": len(studies),
        "render_report": 1, "all": 1, "total": notebooks + len(studies) + 4,
    }  # fmt: skip


def test_slurm_is_handed_one_job_for_all_rounds_of_a_site_without_a_launcher(clone):
    assert planned("--profile", "slurm")["measure_block"] == 1


@pytest.mark.parametrize(
    ("config", "line"),
    [
        (["studies=quik"], 'config/studies/quik.yaml: there is no such file; did you mean "quick"?'),
        (["campaigm=x"], '--config: unknown key "campaigm"; did you mean "campaign"?'),
        (
            ["target=/etc"],
            "target: /etc belongs to the system; name an empty folder of its own",
        ),
    ],
)
def test_a_mistake_costs_one_line_and_writes_nothing(clone, config, line):
    before = {path.name for path in clone.iterdir()}
    found = snakemake("--config", *config)
    assert found.returncode == 1
    assert [text for text in found.stderr.splitlines() if text.startswith("coldcache: ")] == [f"coldcache: {line}"]
    assert "Traceback" not in found.stdout + found.stderr
    assert {path.name for path in clone.iterdir()} == before | {".snakemake"}


def test_conda_environments_are_refused_in_one_line(clone):
    found = snakemake("--sdm", "conda")
    assert found.returncode == 1
    assert [text for text in found.stderr.splitlines() if "conda" in text] == [
        "coldcache: --sdm conda: leave it out: the rules run in the environment that started Snakemake"
    ]


@pytest.mark.slow
def test_after_a_kill_of_snakemake_alone_the_next_start_waits_for_the_runner_that_goes_on(clone, change, wait_for_tool):
    change(clone / "config/studies/tiny.yaml", "repetitions: 2", "repetitions: 5")
    words = ["results/x/blocks/tiny.transfers.json", "--nolock", "--rerun-incomplete", "--config", "campaign=x",
             "studies=tiny", "site=here"]  # fmt: skip
    killed = subprocess.Popen(["snakemake", "--cores", "2", *words], stderr=subprocess.DEVNULL, start_new_session=True)
    runner = psutil.Process(wait_for_tool("fio", clone)).parent()
    killed.kill()
    killed.wait()
    before = inodes()
    found = snakemake(*words)
    assert found.returncode == 0, found.stderr
    assert f"waiting for process {runner.pid} of an earlier start of campaign x, which measures" in found.stderr
    # Where nobody waits for orphans, one that has ended stays as a zombie.
    assert not runner.is_running() or runner.status() == psutil.STATUS_ZOMBIE
    assert before.items() <= inodes().items()
    assert len(inodes()) == 20


@pytest.mark.slow
def test_a_campaign_is_measured_collected_taken_up_again_and_left_alone_once_sealed(clone, change, wait_for_tool):
    change(clone / "config/studies/tiny.yaml", "repetitions: 2", "repetitions: 1")
    config = ["--nolock", "--rerun-incomplete", "--config", "campaign=x", "studies=tiny", "site=here"]
    dataset = "results/x/dataset.nc"
    killed = subprocess.Popen(
        ["snakemake", "--cores", "2", dataset, *config], stderr=subprocess.DEVNULL, start_new_session=True
    )
    wait_for_tool("fio", clone)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    found = snakemake(dataset, *config)
    assert found.returncode == 0, found.stderr
    assert "of 9 trials · tiny " in found.stdout + found.stderr
    outcomes = inodes()
    assert len(outcomes) == 9
    verdicts = list(csv.DictReader(Path("results/x/verdicts.csv").read_text().splitlines()))
    assert [row["verdict"] for row in verdicts] == ["valid"] * 9
    assert planned(dataset, *config) == {}

    # A rule that was edited, and times that a fresh checkout sets, measure nothing again.
    for path in (*Path("workflow/rules").iterdir(), *Path("raw/x").rglob("*")):
        path.touch()
    change(Path("workflow/rules/measure.smk"), "Run the missing trials", "Run  the missing trials")
    assert snakemake(dataset, *config).returncode == 0
    assert inodes() == outcomes

    # Results are derived: without them nothing is measured again, and one lost trial is measured alone.
    shutil.rmtree("results")
    lost = Path("raw/x/tiny/files/operation=file-stat/r0")
    shutil.rmtree(lost)
    left = inodes()
    assert snakemake(dataset, *config).returncode == 0
    assert inodes().keys() - left.keys() == {lost / "trial.json"}
    assert left.items() <= inodes().items()

    subprocess.run(["python", "-m", "coldcache", "seal", "x"], check=True, capture_output=True)
    shutil.rmtree("results")
    assert planned(dataset, *config) == {"collect_records": 1, "total": 1}


@pytest.mark.slow
def test_a_level_that_is_added_the_next_day_is_measured_alone(clone, change):
    study = clone / "config/studies/tiny.yaml"
    change(study, "repetitions: 2", "repetitions: 1")
    config = ["results/x/dataset.nc", "--config", "campaign=x", "studies=tiny", "site=here"]
    assert snakemake(*config).returncode == 0
    before = {path: (path.stat().st_ino, path.read_bytes()) for path in Path("raw/x/tiny").rglob("*") if path.is_file()}
    change(study, "threads: [1, 2]", "threads: [1, 2, 4]")
    assert planned(*config) == {"measure_block": 1, "collect_records": 1, "total": 2}
    assert snakemake(*config).returncode == 0
    after = {path: (path.stat().st_ino, path.read_bytes()) for path in Path("raw/x/tiny").rglob("*") if path.is_file()}
    assert before.items() <= after.items()
    added = {path.parts[4] for path in after.keys() - before.keys()}
    assert added == {"operation=read,threads=4", "operation=write,threads=4"}
    rows = list(csv.DictReader(Path("results/x/trials.csv").read_text().splitlines()))
    assert {row["threads"] for row in rows if row["sweep"] == "transfers"} == {"1", "2", "4"}
    assert planned(*config) == {}

    subprocess.run(["python", "-m", "coldcache", "seal", "x"], check=True, capture_output=True)
    change(study, "threads: [1, 2, 4]", "threads: [1, 2, 4, 8]")
    found = snakemake(*config)
    assert (
        "raw/x is sealed: nothing is added to it. To measure what tiny has now, choose another name "
        "(--config campaign=…, or make study CAMPAIGN=…)"
    ) in found.stderr
    assert inodes() == {path: number for path, (number, _) in after.items() if path.name == "trial.json"}


@pytest.mark.timeout(3600)
def test_a_notebook_is_executed_again_only_when_a_slice_that_it_read_changes(clone):
    notebooks = ["quick/random-iops", "anf-nfs/paired-settings"]
    wanted = [*(f"results/reference/notebooks/{name}.ipynb" for name in notebooks), "--config", "campaign=reference"]
    assert snakemake(*wanted).returncode == 0
    folder = Path("results/reference")
    assert (folder / "reads/quick/random-iops.txt").read_text().split() == [
        "limits/quick", "sweeps/quick/random", "sweeps/quick/write-cache-random", "tables/published/quick",
        "tables/records/quick", "tables/sweeps/quick", "tables/verdicts/quick",
    ]  # fmt: skip
    digests = {path: path.read_text() for path in sorted((folder / "digests").rglob("*.sha256"))}
    reader = Path("workflow/src/coldcache/tools/elbencho.py")
    reader.write_text(reader.read_text() + "# as before")
    again = snakemake(*wanted)
    assert "collect_records" in again.stderr and "execute_notebook" not in again.stderr
    assert {path: path.read_text() for path in digests} == digests
    for jobs, names in [
        (0, ["everything", "tables/hosts", "sweeps/quick/metadata"]),
        (1, ["sweeps/quick/random"]),
        (2, ["limits/anf-nfs"]),
    ]:
        for name in names:
            (folder / f"digests/{name}.sha256").write_text("of other values")
        assert planned(*wanted) == ({"execute_notebook": jobs, "total": jobs} if jobs else {}), names
    for path, digest in digests.items():
        path.write_text(digest)
    # One of them shows the bounds of claims.
    stated = Path("config/claims/anf-nfs.yaml")
    text = stated.read_text()
    stated.write_text(f"{text}# as before\n")
    assert planned(*wanted) == {"execute_notebook": 1, "total": 1}
    stated.write_text(text)
    # What a notebook has read is not known: any change may be of it.
    (folder / "reads/quick/random-iops.txt").write_text("tables/records\n")
    (folder / "digests/everything.sha256").write_text("of other values")
    assert planned(*wanted) == {"execute_notebook": 1, "total": 1}
    tables = Path("workflow/src/coldcache/analysis/tables.py")
    tables.write_text(tables.read_text() + "# as before")
    assert planned(*wanted) == {"execute_notebook": 2, "total": 2}


#: Notebooks that read single sweeps, that read all of a study, and that open the dataset by themselves.
NOTEBOOKS = ("throughput-over-threads", "metadata-rates", "campaign-validity", "own")


@pytest.fixture
def sealed(root, measured, change):
    """A project whose measured campaign is sealed and asks some notebooks, with all that the workflow needs."""
    for name in ("workflow", "notebooks"):
        shutil.copytree(root / name, measured / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("Snakefile", "environment.yml", "config/config.yaml"):
        shutil.copy(root / name, measured / name)
    own = nbformat.read("notebooks/metadata-rates.ipynb", as_version=4)
    own.cells = [*own.cells[:2], nbformat.v4.new_code_cell(OWN)]
    nbformat.write(own, "notebooks/own.ipynb")
    change(Path("config/studies/tiny.yaml"), "notebooks: []", f"notebooks: [{', '.join(NOTEBOOKS)}]")
    outcome = json.loads(Path("raw/tiny/campaign.json").read_text())
    outcome["studies"][0]["notebooks"] = list(NOTEBOOKS)
    Path("raw/tiny/campaign.json").write_text(json.dumps(outcome))
    shutil.rmtree("results")
    write_sums(Path("raw/tiny"))
    return measured


OWN = """\
import xarray as xr

print(xr.open_dataset(dataset, group="records", engine="h5netcdf").value.sum().item())
"""


def executed(stderr):
    """Return the notebooks that Snakemake says it has executed."""
    return set(
        re.findall(r"rule execute_(?:notebook|overview):(?:\n .*)*?\n    wildcards: .*notebook=([a-z-]+)", stderr)
    )


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_after_a_change_of_one_log_all_results_are_those_of_a_build_from_scratch(sealed):
    config = ["--config", "campaign=tiny", "studies=tiny", "site=here"]
    built = snakemake(*config)
    assert built.returncode == 0, built.stderr
    assert executed(built.stderr) == {*NOTEBOOKS, "overview", "how-far-statistics-hold"}
    assert planned(*config) == {}
    # Studies, notebooks and sites of which this campaign has none.
    for kind, name in (("config/studies", "tiny.yaml"), ("config/sites", "here.yaml"), ("notebooks", "own.ipynb")):
        Path(kind, f"another{Path(name).suffix}").write_text(Path(kind, name).read_text())
    assert planned(*config) == {}

    def change_log(pattern, replacement):
        log = Path("raw/tiny/tiny/transfers/operation=read,threads=2/r0/stdout.txt")
        text, count = re.subn(pattern, replacement, log.read_text(), count=1)
        assert count == 1 and text != log.read_text()
        log.write_text(text)
        write_sums(Path("raw/tiny"))

    # The longest latency is in no cube, the bandwidth that contradicts its run time makes the trial void.
    for change, again in [
        ((r'(?<="max" : )[1-9][0-9]+\b', lambda found: str(int(found[0]) + 1)), {"campaign-validity", "own"}),
        ((r'"bw_bytes" : [1-9]([0-9]+)', r'"bw_bytes" : 1\g<1>9'), {*NOTEBOOKS, "overview"} - {"metadata-rates"}),
    ]:
        change_log(*change)
        built = snakemake(*config)
        assert built.returncode == 0, built.stderr
        assert executed(built.stderr) == again
    Path("results").rename("before")
    assert snakemake(*config).returncode == 0
    compared = compare_results(Path("before/tiny"), Path("results/tiny"))
    assert [found for found in compared if found.state != "identical"] == []


@pytest.mark.slow
def test_a_changed_title_is_shown_by_the_next_report_and_nothing_is_measured(sealed, change):
    config = ["--config", "campaign=tiny", "studies=tiny", "site=here"]
    Path("raw/tiny/SHA256SUMS").unlink()
    change(Path("config/studies/tiny.yaml"), f"notebooks: [{', '.join(NOTEBOOKS)}]", "notebooks: [metadata-rates]")
    built = snakemake(*config)
    assert built.returncode == 0, built.stderr
    assert planned(*config) == {}
    logs = {path: path.stat().st_mtime_ns for path in Path("raw/tiny/tiny").rglob("*")}
    change(Path("config/studies/tiny.yaml"), "title: A study of seconds", "title: Seconds and nothing else")
    jobs = planned(*config)
    assert jobs["render_report"] == 1 and "measure_block" not in jobs
    assert "Seconds and nothing else" not in Path("raw/tiny/campaign.json").read_text()
    built = snakemake(*config)
    assert built.returncode == 0, built.stderr
    assert "Seconds and nothing else" in Path("results/tiny/report/index.html").read_text()
    assert {path: path.stat().st_mtime_ns for path in Path("raw/tiny/tiny").rglob("*")} == logs
    assert planned(*config) == {}


@pytest.mark.slow
def test_a_campaign_that_is_sealed_after_its_report_gets_another_one_that_says_so(sealed, change):
    config = ["--config", "campaign=tiny", "studies=tiny", "site=here"]
    Path("raw/tiny/SHA256SUMS").unlink()
    change(Path("config/studies/tiny.yaml"), f"notebooks: [{', '.join(NOTEBOOKS)}]", "notebooks: [metadata-rates]")
    built = snakemake(*config)
    assert built.returncode == 0, built.stderr
    report = Path("results/tiny/report")
    assert lacks_seal(report)
    write_sums(Path("raw/tiny"))
    built = snakemake(*config)
    assert built.returncode == 0, built.stderr
    assert not lacks_seal(report)


def test_rules_hold_no_logic(root):
    for name in RULES:
        code = re.sub(r'""".*?"""', "", (root / name).read_text(), flags=re.DOTALL)
        assert not re.search(r"\b(def|lambda|import os|run:)\b", code), name


def test_every_rule_says_what_it_does_and_keeps_a_log(root):
    found = {}
    for name in RULES:
        for rule in re.split(r"^(?:rule|checkpoint) ", (root / name).read_text(), flags=re.MULTILINE)[1:]:
            title, _, body = rule.partition(":\n")
            found[title] = body
            assert re.match(r'    """[A-Z][^"]+\."""\n', body), f"{title} has no docstring"
            if "shell:" in body:
                assert re.search(r"^    log:\n", body, flags=re.MULTILINE), f"{title} keeps no log"
    assert {"all", "measure_all", "measure_block", "collect_records", "execute_notebook", "render_report"} <= set(found)


def test_every_rule_file_is_included_and_looked_at_here(root):
    files = {f"workflow/rules/{path.name}" for path in (root / "workflow/rules").iterdir()}
    assert files == set(RULES[1:])
    included = re.findall(r'^include: "(.+)"$', (root / "workflow/Snakefile").read_text(), flags=re.MULTILINE)
    assert {f"workflow/{name}" for name in included} == files


def test_the_snakefile_of_the_root_is_one_include_of_the_one_that_the_catalogue_looks_for(root):
    code = re.sub(r'""".*?"""', "", (root / "Snakefile").read_text(), flags=re.DOTALL)
    code = re.sub(r"^#.*", "", code, flags=re.MULTILINE)
    assert code.split() == ["include:", '"workflow/Snakefile"', "workflow.default_target", "=", '"all"']


def test_a_folder_with_the_workflow_alone_plans_the_same(clone):
    Path("Snakefile").unlink()
    assert planned()["measure_block"] == 1


def test_snakemakes_own_report_shows_findings_and_verdicts(clone, root):
    collected = ["collect", "--campaign=reference", "--results=results/reference"]
    subprocess.run([sys.executable, "-m", "coldcache", *collected], check=True, timeout=60)
    Path("results/reference/claims.csv").write_text("id,source,scope,verdict,estimate,low,high,level,unit,trials,why\n")
    Path("results/reference/statements.csv").write_text("id,source,place,statement\n")
    for study in json.loads(Path("raw/reference/campaign.json").read_text())["studies"]:
        shutil.copytree(clone / "notebooks", clone / "results/reference/notebooks" / study["study"])
    rendered = ["report", "--campaign=reference", "--results=results/reference", "--log=logs/report.log"]
    subprocess.run([sys.executable, "-m", "coldcache", *rendered], check=True, timeout=60)
    found = snakemake("--config", "campaign=reference", "--report", "report.zip")
    assert found.returncode == 0, found.stderr
    with zipfile.ZipFile("report.zip") as archive:
        names = {Path(name).name for name in archive.namelist()}
        assert names == {
            "report.html", "summary.html", "claims.csv", "verdicts.csv", "reasons.csv", "cold.csv", "settings.csv",
            "coverage.csv",
        }  # fmt: skip
        page = archive.read("report/report.html").decode()
    assert "findings and figures" in page
    assert "The findings of campaign reference, with their figures." in page
