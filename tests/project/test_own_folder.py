"""A study in a folder of one's own runs to its report, and leaves the clone as it was."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = """\
study: mine
title: Reads of two sizes
question: Which transfer size makes random reads fast?
repetitions: 2
notebooks: [every-sweep]
sweeps:
  reads:
    title: Random reads
    tools: [fio]
    operations: [random-read]
    seconds: 1 s
    factors: {threads: [1, 2], transfer_size: [4 KiB, 64 KiB], file_size: [1 MiB], direct_io: [where-possible]}
"""


def call(*arguments, folder):
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    return done


@pytest.mark.slow
def test_an_own_folder_runs_to_its_report_and_the_clone_stays_clean(root, tmp_path):
    before = call("git", "status", "--porcelain", folder=root).stdout
    call(sys.executable, "-m", "coldcache", "new", "mine", folder=tmp_path)
    folder = tmp_path / "mine"
    (folder / "config/studies/mine.yaml").write_text(STUDY)
    snakemake = str(Path(sys.executable).with_name("snakemake"))
    call(snakemake, "--cores", "2", "--quiet", "all", folder=folder)
    assert "Reads of two sizes" in (folder / "results/local/report/index.html").read_text()
    assert len(list((folder / "raw/local/mine/reads").rglob("trial.json"))) == 8
    # Nothing to do, from elsewhere too: the program's Snakefile with another folder.
    again = call(snakemake, "-s", str(root / "Snakefile"), "-d", str(folder), "--cores", "2", folder=tmp_path)
    assert "Nothing to be done" in again.stderr
    assert call("git", "status", "--porcelain", folder=root).stdout == before
    archived = call(sys.executable, "-m", "coldcache", "archive", "local", folder=folder)
    assert archived.stdout.startswith("results/local.zip: ")


@pytest.mark.slow
def test_another_workflow_takes_the_rules_as_a_module_as_its_page_says(root, tmp_path):
    page = (root / "docs/use-as-a-module.md").read_text()
    block = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0]
    call(sys.executable, "-m", "coldcache", "new", "mine", folder=tmp_path)
    folder = tmp_path / "mine"
    (folder / "Snakefile").write_text(block)
    (folder / "config/studies/mine.yaml").write_text(STUDY.replace("threads: [1, 2]", "threads: [1]"))
    snakemake = str(Path(sys.executable).with_name("snakemake"))
    call(snakemake, "--cores", "2", "--quiet", "all", folder=folder)
    assert "Reads of two sizes" in (folder / "results/local/report/index.html").read_text()
    # The handlers write what the study says now to the campaign.
    study = folder / "config/studies/mine.yaml"
    study.write_text(study.read_text().replace("Reads of two sizes", "Reads of both sizes"))
    call(snakemake, "--cores", "2", "--quiet", "all", folder=folder)
    assert "Reads of both sizes" in (folder / "results/local/report/index.html").read_text()
    listed = call(snakemake, "--list-rules", folder=folder).stdout.split()
    assert {"all", "storage_all", "storage_measure_block"} <= set(listed)


#: What snakedeploy 0.17.1 writes, beside copies of config/ and profiles/.
DEPLOYED = """\
from snakemake.utils import min_version


min_version("6.10.0")


configfile: "config/config.yaml"


module coldcache:
    snakefile:
        github("owner/coldcache", path="workflow/Snakefile", tag="v0.1.0")
    config:
        config


use rule * from coldcache
"""


def test_a_deployment_by_snakedeploy_plans_the_study(root, tmp_path, monkeypatch):
    repository = tmp_path / "hub/owner/coldcache"
    call("git", "clone", "--quiet", "--bare", str(root), str(repository), folder=tmp_path)
    call("git", "tag", "v0.1.0", folder=repository)
    # git takes the copy in place of the address; Snakemake keeps what it fetches in a cache.
    (tmp_path / "gitconfig").write_text(f'[url "file://{tmp_path}/hub/"]\n    insteadOf = https://github.com/\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "deployed"
    for name in ("config", "profiles"):
        shutil.copytree(root / name, folder / name)
    (folder / "workflow").mkdir()
    (folder / "workflow/Snakefile").write_text(DEPLOYED)
    snakemake = str(Path(sys.executable).with_name("snakemake"))
    planned = call(snakemake, "--cores", "2", "--dry-run", "--config", "target=", folder=folder)
    assert re.search(r"^measure_block +1$", planned.stdout + planned.stderr, re.MULTILINE)
