"""The printed plan is what will be run: as lines for people, or one object per trial for programs."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from coldcache.core.errors import CampaignError, DesignError, ToolError
from coldcache.core.units import show_bytes
from coldcache.design.study import Sentinel, Study
from coldcache.statistics.dependence import INDEPENDENT
from coldcache.statistics.power import describe_power
from coldcache.workflow.commands.plan import describe_trial, print_plan
from coldcache.workflow.configuration import DEFAULTS, complete, draft_design
from coldcache.workflow.plan_power import describe_plan_power, measure_noise


def test_a_program_reads_one_object_per_trial_in_the_order_of_the_blocks(project, capsys):
    print_plan("tiny", "here", None, "jsonl")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    design = draft_design({"studies": "tiny", "site": "here"})
    assert rows == [describe_trial(trial) for block in design.blocks() for trial in block.trials]
    assert len(rows) == 18


def test_people_read_each_case_with_its_repetitions_the_time_and_the_space(project, capsys):
    print_plan("tiny", "here", None, "text")
    assert capsys.readouterr().out.splitlines() == [
        "tiny/transfers (fio)",
        "  operation=read,threads=1  x 2  16 MiB, about 0.6 s each",
        "  operation=read,threads=2  x 2  32 MiB, about 0.6 s each",
        "  operation=write,threads=1  x 2  16 MiB, about 0.6 s each",
        "  operation=write,threads=2  x 2  32 MiB, about 0.6 s each",
        "tiny/files (fio)",
        "  operation=file-create  x 2  4,000 items, about 0.6 s each",
        "  operation=file-remove  x 2  4,000 items, about 0.6 s each",
        "  operation=file-stat  x 2  4,000 items, about 0.6 s each",
        "tiny/cache (fio)",
        "  write_cache=unsafe  x 2  4 MiB, about 0.6 s each",
        "  write_cache=writeback  x 2  4 MiB, about 0.6 s each",
        "tiny: 2 rounds of transfers, files, cache, and the interval of a median at 95 % takes 6: set repetitions to 6 "
        "or more",
        "18 trials, about 11 s, up to 32 MiB on scratch",
    ]


def test_a_plan_says_what_a_sweep_leaves_out(project, capsys, change):
    study = Path("config/studies/tiny.yaml")
    change(study, "    title: Operations on empty files", "    leave_out: [{operation: file-stat}]\n    title: Files")
    print_plan("tiny", "here", None, "text")
    said = capsys.readouterr().out.splitlines()
    assert said[said.index("tiny/files (fio)") + 1 :][:4] == [
        "  left out: operation=file-stat",
        "  operation=file-create  x 2  4,000 items, about 0.6 s each",
        "  operation=file-remove  x 2  4,000 items, about 0.6 s each",
        "tiny/cache (fio)",
    ]


def test_six_rounds_are_enough_and_few_of_one_sweep_are_named(project, capsys, change):
    study = Path("config/studies/tiny.yaml")
    change(study, "repetitions: 2", "repetitions: 6")
    print_plan("tiny", "here", None, "text")
    assert "rounds of" not in capsys.readouterr().out
    change(study, "    title: Operations on empty files", "    repetitions: 5\n    title: Operations on empty files")
    print_plan("tiny", "here", None, "text")
    assert capsys.readouterr().out.splitlines()[-2].startswith("tiny: 5 rounds of files, and the interval")


def test_the_most_trials_are_those_that_run_here(project, capsys, change):
    study = Path("config/studies/tiny.yaml")
    change(study, "repetitions: 2", "repetitions: 6\nrepeat_until: {relative_width: 0.1, most: 10}")
    change(study, "    title: Operations on empty files", "    needs: [a moon]\n    title: Operations on empty files")
    print_plan("tiny", "here", None, "text")
    total = capsys.readouterr().out.splitlines()[-1]
    assert total.startswith("54 trials, 18 of them do not run here, about 22 s (at most 60 trials here, 36 s), up to ")


def test_a_plan_says_what_is_written_before_the_first_trial(project, capsys, change, loop_mount):
    site = Path("config/sites/here.yaml")
    change(site, "scratch: {path: scratch, make: true}", f"scratch: {{path: {loop_mount}/data, make: true}}")
    change(site, "limits:\n", "precondition: {fill: 0.25, passes: 2, round: 10 s}\nlimits:\n")
    print_plan("tiny", "here", None, "text")
    (told,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("before the first trial: ")]
    status = os.statvfs(loop_mount)
    size = status.f_blocks * status.f_frsize // 4 // 2**20 * 2**20
    assert told == (
        f"before the first trial: of {loop_mount}/data 25 % of its size is written twice, then at random in rounds of "
        f"10 s until five of them are steady, at most 25: {show_bytes(2 * size)} and the rounds, about 50.2 s to "
        "4 min 10 s"
    )


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_another_target_is_in_every_command(project, capsys, form):
    (project / "mine").mkdir()
    print_plan("tiny", "here", "mine", form)
    printed = capsys.readouterr().out
    assert "scratch" not in printed
    assert printed.count("mine") >= (1 if form == "text" else 18)


def test_what_is_not_given_is_as_the_configuration_of_the_folder_has_it(project, capsys):
    (project / "mine").mkdir()
    stated = 'campaign: local\nstudies: tiny.transfers\nsite: here\ntarget: mine\nsize: ""\nseconds: 2\n'
    (project / "config/config.yaml").write_text(stated)
    print_plan(None, None, None, "text")
    said = capsys.readouterr().out.splitlines()
    assert (said[0], said[-1]) == ("tiny/transfers (fio)", "8 trials, about 19 s, up to 32 MiB on mine")
    # What is given stands alone, and an empty target is the site's own.
    print_plan("tiny.files", None, "", "text", seconds="3")
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "tiny/files (fio)"
    assert said[-1].endswith(" on scratch")
    print_plan("tiny.files", None, "", "jsonl", repetitions="3")
    assert [json.loads(line)["repetition"] for line in capsys.readouterr().out.splitlines()].count(2) == 3
    (project / "config/config.yaml").write_text("campaign: local\nsite: here\n")
    with pytest.raises(DesignError, match=r"^config/config\.yaml: studies is required$"):
        print_plan(None, None, None, "text")


def test_a_folder_without_a_configuration_has_that_of_the_program_as_it_comes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert complete({"studies": None, "target": "/mnt/fast"}) == {**DEFAULTS, "target": "/mnt/fast"}


def test_a_plan_says_which_difference_it_can_show_by_the_noise_of_an_earlier_campaign(project, capsys, monkeypatch):
    found = xr.Dataset(
        {
            "throughput": (
                ("operation", "threads", "repetition"),
                [[[1.0, 1.1, 1.0, 0.9, 1.0], [2.0, 1.9, 2.2, 2.0, 2.1]]],
            )
        },
        coords={"operation": ["write"], "threads": [1, 2]},
    )
    logs = np.log(found.throughput.values[0])
    noise = logs - logs.mean(axis=1, keepdims=True)
    noise -= noise.mean(axis=0)
    spread = np.sqrt(2 * (noise**2).sum() / 4)
    assert measure_noise(found) == (pytest.approx(spread), INDEPENDENT)
    # With two cases this is the standard deviation of their ratio.
    assert spread == pytest.approx((logs[0] - logs[1]).std(ddof=1))
    (project / "results/before").mkdir(parents=True)
    (project / "results/before/dataset.nc").touch()
    monkeypatch.setattr("coldcache.workflow.plan_power.open_sweep", lambda *_: found)
    print_plan("tiny", "here", None, "text", noise="before")
    expected = f"  {describe_power(spread, 2)}, by the noise of before"
    assert capsys.readouterr().out.splitlines()[5] == expected
    # The latest campaign is taken unless one is named.
    print_plan("tiny", "here", None, "text")
    assert capsys.readouterr().out.splitlines()[5] == expected


def test_where_a_sweep_has_no_noise_yet_the_sentinel_has(project, monkeypatch):
    runs = [[[1.0, 1.1, 1.0, 0.9, 1.0]]]
    found = xr.Dataset({"throughput": (("operation", "threads", "repetition"), runs)}, coords={"operation": ["write"]})

    def open_sweep(_, study, sweep):
        return found if sweep == "probe" else found.isel(repetition=[0])

    (project / "results/begun").mkdir(parents=True)
    (project / "results/begun/dataset.nc").touch()
    monkeypatch.setattr("coldcache.workflow.plan_power.open_sweep", open_sweep)
    study = Study.model_construct(study="s", sentinel=Sentinel(sweep="probe", every=5))
    spread = np.sqrt(2) * np.log(runs[0][0]).std(ddof=1)
    assert describe_plan_power(study, "files", 5) == f"{describe_power(spread, 5)}, by the sentinel of begun"
    alone = Study.model_construct(study="s", sentinel=None)
    assert describe_plan_power(alone, "files", 5) is None
    assert describe_plan_power(alone, "files", 5, "begun") == (
        "which difference it can show is not known: begun has no case of it with two runs"
    )


def test_a_first_campaign_says_nothing(project, capsys):
    print_plan("tiny", "here", None, "text")
    assert "power" not in capsys.readouterr().out


def test_a_plan_by_the_noise_of_no_campaign_is_refused_before_anything_is_printed(project, capsys):
    with pytest.raises(CampaignError) as refused:
        print_plan("tiny", "here", None, "text", noise="none")
    assert str(refused.value) == (
        "results/none/dataset.nc: missing, so there is no noise to plan with; snakemake --cores all --config "
        "campaign=none makes it"
    )
    assert capsys.readouterr().out == ""


CLUSTER = """\
site: far
title: A cluster elsewhere
targets:
  shared: {path: /no/such/lustre, direct_io: true}
clients: {nodes: 4, cores: 8, memory: 64 GiB, launcher: srun}
limits: {bytes: 1 GiB, seconds: 1 min}
"""


@pytest.fixture
def far(project, monkeypatch):
    """A cluster that this machine is not part of, and no tool of a sweep."""
    (project / "config/sites/far.yaml").write_text(CLUSTER)
    study = project / "config/studies/tiny.yaml"
    study.write_text(study.read_text().partition("  cache:")[0])
    monkeypatch.setenv("PATH", "/no/such/folder")
    return project / "config/sites/far.yaml"


def test_a_proposal_gets_its_node_hours_off_the_cluster(far, capsys):
    print_plan("tiny", "far", None, "text")
    *_, total, note = capsys.readouterr().out.splitlines()
    # 14 trials of 0.6 s (data) or 0.6 s (files), of 1 or 2 threads on as many nodes.
    assert total.startswith("14 trials, about ")
    assert " node-hours in 2 jobs, up to 32 MiB on /no/such/lustre" in total
    assert note == "/no/such/lustre is not on this machine: its space and the installed tools were not checked"


def test_a_plan_off_the_cluster_still_keeps_its_limits(far, change):
    change(far, "seconds: 1 min", "seconds: 1 min, max_node_hours: 0.0001")
    with pytest.raises(DesignError, match=r"limits.max_node_hours: the plan takes .* 0.0001 are allowed"):
        print_plan("tiny", "far", None, "text")
    change(far, "bytes: 1 GiB", "bytes: 1 MiB")
    with pytest.raises(DesignError, match="keeps 16 MiB on the target, the site far allows 1 MiB"):
        print_plan("tiny", "far", None, "text")


def test_the_cluster_itself_is_checked(far, project, change):
    (project / "lustre").mkdir()
    change(far, "/no/such/lustre", str(project / "lustre"))
    with pytest.raises(ToolError, match="fio is not on PATH"):
        print_plan("tiny", "far", None, "text")
