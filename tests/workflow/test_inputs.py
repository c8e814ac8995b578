"""The rules get their inputs from the design, and a user's mistake ends Snakemake with one line."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from coldcache.campaign.seal import seal
from coldcache.workflow.inputs import read_inputs

CONFIG = {"campaign": "tiny", "studies": "tiny", "site": "here", "target": ""}


class Wildcards(NamedTuple):
    """What Snakemake hands to a function of a rule."""

    block: str


def test_a_campaign_to_be_measured_needs_a_manifest_of_each_block(project):
    inputs = read_inputs(CONFIG)
    assert inputs.campaign == "tiny"
    assert inputs.evidence == ["results/tiny/blocks/rounds-1-to-2.json"]
    assert inputs.seal == []
    assert inputs.notebooks == [
        f"results/tiny/notebooks/tiny/{name}.ipynb" for name in ("overview", "how-far-statistics-hold")
    ]
    assert inputs.cores >= 1
    assert not Path("results").exists()


def test_the_arguments_survive_a_shell(project):
    target = "it's a {target} $HOME"
    Path(target).mkdir()
    arguments = shlex.split(read_inputs({**CONFIG, "target": target}).arguments)
    assert arguments == ["--campaign=tiny", "--studies=tiny", "--site=here", f"--target={target}"]
    config = {key: value for key, value in CONFIG.items() if key != "target"}
    assert read_inputs(config).arguments == "--campaign=tiny --studies=tiny --site=here"


def test_a_block_may_take_three_times_its_estimate_and_five_minutes(project, change):
    assert read_inputs(CONFIG).time_limit(Wildcards("rounds-1-to-2")) == 6
    change(Path("config/studies/tiny.yaml"), "repetitions: 2", "repetitions: 1000")
    # 9 cases of 0.2 s and 0.4 s beside it, 1,000 times: 90 minutes.
    assert read_inputs(CONFIG).time_limit(Wildcards("rounds-0001-to-1000")) == 275


def test_a_sealed_campaign_needs_its_seal_and_what_its_site_states_now(measured):
    seal(Path("raw/tiny"))
    inputs = read_inputs(CONFIG)
    assert inputs.evidence == ["raw/tiny/SHA256SUMS", "config/sites/here.yaml"]
    assert inputs.seal == ["raw/tiny/SHA256SUMS"]


def test_a_sealed_campaign_is_to_collect_until_its_dataset_is_newer(measured):
    dataset, sums = Path("results/tiny/dataset.nc"), Path("raw/tiny/SHA256SUMS")
    assert not read_inputs(CONFIG).is_to_collect, "trials may be missing"
    seal(Path("raw/tiny"))
    assert read_inputs(CONFIG).is_to_collect
    dataset.parent.mkdir(parents=True, exist_ok=True)
    dataset.touch()
    assert not read_inputs(CONFIG).is_to_collect
    os.utime(sums, (dataset.stat().st_mtime + 1,) * 2)
    assert read_inputs(CONFIG).is_to_collect


def test_notebooks_are_asked_for_once_for_each_study(project, change):
    change(Path("config/studies/tiny.yaml"), "notebooks: []", "notebooks: [one, two]")
    Path("notebooks").mkdir()
    for name in ("one", "two"):
        Path(f"notebooks/{name}.ipynb").touch()
    assert read_inputs(CONFIG).notebooks == [
        f"results/tiny/notebooks/tiny/{name}.ipynb" for name in ("one", "two", "overview", "how-far-statistics-hold")
    ]


def test_an_unknown_notebook_is_refused_with_the_nearest_one(project, change):
    change(Path("config/studies/tiny.yaml"), "notebooks: []", "notebooks: [writecache]")
    Path("notebooks").mkdir()
    Path("notebooks/write-cache.ipynb").touch()
    with pytest.raises(SystemExit) as ended:
        read_inputs(CONFIG)
    assert str(ended.value) == (
        'coldcache: config/studies/tiny.yaml, line 5, notebooks.0: unknown notebook "writecache"; '
        'did you mean "write-cache"?'
    )


def test_templates_are_inputs_and_what_python_makes_of_sources_is_not(root, monkeypatch):
    monkeypatch.chdir(root)
    templates = read_inputs({"campaign": "reference", "studies": "quick", "site": "local"}).templates
    assert templates
    assert not any("__pycache__" in path for path in templates)


@pytest.fixture
def code_in(root, tmp_path, monkeypatch):
    """Return a function that returns the code of each step in a copy of the sources with a line added to one file."""
    monkeypatch.chdir(root)
    inputs = read_inputs({"campaign": "reference", "studies": "quick", "site": "local"})

    def find(copy, changed=None):
        folder = tmp_path / copy
        shutil.copytree(root / "workflow/src/coldcache", folder / "workflow/src/coldcache")
        shutil.copytree(root / "notebooks", folder / "notebooks")
        if changed:
            with (folder / "workflow/src/coldcache" / changed).open("a") as file:
                file.write("# a line\n")
        monkeypatch.chdir(folder)
        return {
            "collect": inputs.code_of_collect(None), "claims": inputs.code_of_claims(None),
            "notebook": inputs.code_of_notebook(SimpleNamespace(notebook="random-iops")),
            "report": inputs.code_of_report(None),
        }  # fmt: skip

    return find


def test_the_code_of_a_step_is_the_same_in_every_folder(code_in):
    assert code_in("a") == code_in("b")


@pytest.mark.parametrize(
    ("changed", "steps"),
    [
        ("dataset/tidy.py", {"collect"}),
        ("claims/judge.py", {"claims"}),
        ("analysis/questions/sweep_parts.py", {"notebook"}),
        ("report/site/pages.py", {"report"}),
        ("report/comparison/decisions.py", {"report"}),
        ("core/vocabulary.py", {"collect", "claims", "notebook", "report"}),
        ("measure/runner.py", set()),
    ],
)
def test_a_step_runs_again_after_a_change_of_a_module_that_it_runs(code_in, changed, steps):
    before, after = code_in("before"), code_in("after", changed)
    assert {step for step, code in after.items() if code != before[step]} == steps


def test_numbers_of_documents_and_periods_of_cloudwatch_are_inputs(measured):
    inputs = read_inputs(CONFIG)
    assert [Path(path).name for path in inputs.published] == ["mdtest-parameters.csv", "values.csv"]
    before = inputs.evidence
    period = Path("raw/tiny/cloudwatch/DataReadBytes.json")
    period.parent.mkdir()
    period.write_text("{}")
    assert read_inputs(CONFIG).evidence == [*before, str(period)]
    seal(Path("raw/tiny"))
    assert read_inputs(CONFIG).evidence == ["raw/tiny/SHA256SUMS", "config/sites/here.yaml", str(period)]


def test_what_is_shown_changes_with_titles_and_ceilings_and_with_nothing_that_is_measured(measured, change):
    before = read_inputs(CONFIG).shown
    site = Path("config/sites/here.yaml")
    change(site, "make: true", "make: true, write_rate: 500 MB/s")
    assert [json.loads(shown) for shown in read_inputs(CONFIG).shown if shown not in before] == [
        {**json.loads(before[-1]), "target": {**json.loads(before[-1])["target"], "write_rate": 500e6}}
    ]
    change(site, ", write_rate: 500 MB/s", "")
    assert read_inputs(CONFIG).shown == before
    change(Path("config/studies/tiny.yaml"), "title: A study of seconds", "title: Seconds")
    assert len(set(read_inputs(CONFIG).shown) - set(before)) == 1


def test_a_notebook_that_shows_bounds_of_claims_reads_their_file(root, monkeypatch):
    monkeypatch.chdir(root)
    inputs = read_inputs({"campaign": "reference", "studies": "quick", "site": "local"})
    judged = []
    checkpoints = SimpleNamespace(judge_claims=SimpleNamespace(get=lambda campaign: judged.append(campaign)))
    read = inputs.claims_read(checkpoints)

    def of(study, notebook):
        return read(SimpleNamespace(campaign="reference", study=study, notebook=notebook))

    assert of("anf-nfs", "paired-settings") == ["config/claims/anf-nfs.yaml"]
    assert of("quick", "paired-settings") == of("anf-nfs", "random-iops") == [] == judged
    assert of("anf-nfs", "claims") == ["results/reference/digests/claims/anf-nfs.sha256"]
    assert judged == ["reference"]


@pytest.mark.parametrize("more", [{"campaigm": "x"}, {"studies": "tny"}, {"site": None}, {"target": "/etc"}])
def test_a_mistake_ends_the_workflow_with_one_line(project, more):
    with pytest.raises(SystemExit) as ended:
        read_inputs({**CONFIG, **more})
    assert re.match("coldcache: (config/|--config: |target: )", str(ended.value))
    assert "\n" not in str(ended.value)


def test_a_job_of_one_block_plans_nothing(project):
    block = Wildcards("tiny.transfers")
    Path("config/studies/tiny.yaml").unlink()
    inputs = read_inputs(CONFIG, in_job=True)
    assert inputs.arguments == "--campaign=tiny --studies=tiny --site=here"
    assert inputs.evidence == []
    assert (inputs.time_limit(block), inputs.node_count(block)) == (1, 1)


def test_a_job_of_a_campaign_that_has_begun_takes_its_studies_and_site_as_the_plan_does(measured):
    asked = {"campaign": "tiny", "studies": "quick", "site": "local", "target": "", "size": ""}
    arguments = ["--campaign=tiny", "--studies=tiny", "--site=here"]
    assert [shlex.split(read_inputs(asked, in_job).arguments) for in_job in (True, False)] == [arguments, arguments]


def test_a_block_runs_again_only_where_trials_were_added_to_it(project, change):
    def planned():
        inputs = read_inputs(CONFIG)
        return {block: inputs.planned_trials(Wildcards(block)) for block in inputs.jobs}

    before = planned()
    assert before["tiny.transfers"].startswith("8 trials ")
    study = Path("config/studies/tiny.yaml")
    change(study, "threads: [1, 2]", "threads: [2, 1]")
    assert planned() == before
    change(study, "threads: [2, 1]", "threads: [2, 1, 4]")
    after = planned()
    assert {block for block in before if before[block] != after[block]} == {"tiny.transfers", "rounds-1-to-2"}
    assert after["tiny.transfers"].startswith("12 trials ")
    assert read_inputs(CONFIG, in_job=True).planned_trials(Wildcards("tiny.transfers")) == ""
