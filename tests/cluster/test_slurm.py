"""On a real Slurm every trial of `snakemake --profile slurm` ends valid, or void or missing with its reason."""

import json
import os
import re
import shutil
import signal

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]


def signal_runner(lab, name):
    """Send a signal to the runner that holds the target, past Slurm."""
    holder = json.loads((lab.target / "coldcache/.lease.json").read_text())
    lab.on_node(int(holder["host"].removeprefix("n")), "kill", f"-{name}", str(holder["pid"]))


def partials(lab, campaign):
    """Return the folders of trials that are running."""
    return list((lab.clone / "raw" / campaign).glob("*/*/*/.r*.partial/servers.txt"))


def test_a_study_runs_on_one_two_and_four_nodes_to_its_report_although_a_node_is_lost(lab):
    head = lab.start(*lab.snakemake("first", "spread", "all"))
    # The job of four nodes is lost with its node; no part of its trial is taken for a whole.
    lab.wait(lambda: any("nodes=4" in str(path) for path in partials(lab, "first")))
    lab.lose(3)
    lab.restore(3)
    said, _ = head.communicate(timeout=300)
    assert head.returncode == 0, f"{said[-6000:]}\n{lab.logs()}"
    assert (lab.clone / "results/first/report/summary.html").is_file()
    assert len(list(lab.clone.glob("logs/slurm/rule_measure_block/first_spread.servers.n4/*.log"))) == 2
    found = lab.verdicts("first")
    assert found == dict.fromkeys(found, ("valid", ""))
    assert len(found) == 8

    # The job of four nodes told each of them, wherever the runner was.
    hosts = json.loads((lab.clone / "raw/first/hosts.json").read_text())
    assert set(hosts) == {"n1", "n2", "n3", "n4"}
    assert hosts["n2"] == hosts["n4"]
    assert hosts["n4"]["cores"] == os.cpu_count()

    stories = lab.stories("first")
    ran = {key: {host: node["processes"] for host, node in story["launch"]["nodes"].items()}
           for key, story in stories.items() if "launch" in story}  # fmt: skip
    # fio has a server on each node, IOzone's threads are dealt out in turn; on one node neither needs a launch.
    assert ran == {
        "spread/servers/operation=write,nodes=2/r0": {"n1": 1, "n2": 1},
        "spread/servers/operation=read,nodes=2/r0": {"n1": 1, "n2": 1},
        "spread/servers/operation=write,nodes=4/r0": {"n1": 1, "n2": 1, "n3": 1, "n4": 1},
        "spread/servers/operation=read,nodes=4/r0": {"n1": 1, "n2": 1, "n3": 1, "n4": 1},
        "spread/clients/threads=6/r0": {"n1": 2, "n2": 2, "n3": 1, "n4": 1},
    }
    trial = lab.clone / "raw/first/spread/servers/operation=read,nodes=2/r0"
    shares = [re.search(r"numjobs=(\d+)", (trial / f"{host}.fio").read_text())[1] for host in ("n1", "n2")]
    assert shares == ["3", "2"]
    # No server found another file than the one that was laid out for it.
    assert "Laying out" not in (trial / "stdout.txt").read_text()
    assert stories["spread/servers/operation=read,nodes=2/r0"]["cold"]["nodes"].keys() == {"n1", "n2"}


def test_after_a_kill_of_the_head_the_next_start_waits_for_its_jobs_and_runs_what_is_missing(lab):
    command = lab.snakemake("second", "long", "measure_all")
    head = lab.start(*command)
    lab.wait(lambda: lab.inodes("second"))
    os.killpg(head.pid, signal.SIGKILL)
    head.communicate(timeout=30)
    assert len(lab.jobs()) == 1, "the job runs on without its head"
    before = lab.inodes("second")
    lost = next(iter(before)).parent
    said = lab.run(*command)
    assert "waiting for 1 jobs of an earlier start of campaign second" in said
    assert before.items() <= lab.inodes("second").items()
    assert len(lab.inodes("second")) == 6
    assert (lab.clone / "results/second/blocks/long.writes.json").is_file()

    # What is lost later is measured alone.
    shutil.rmtree(lost)
    shutil.rmtree(lab.clone / "results/second")
    left = lab.inodes("second")
    lab.run(*command)
    assert lab.inodes("second").keys() - left.keys() == {lost / "trial.json"}
    assert left.items() <= lab.inodes("second").items()


def test_an_interrupt_ends_what_was_submitted_and_a_cancelled_job_is_tried_again(lab):
    command = lab.snakemake("third", "long", "measure_all")
    head = lab.start(*command)
    lab.wait(lambda: lab.inodes("third"))
    os.killpg(head.pid, signal.SIGINT)
    head.communicate(timeout=120)
    lab.wait(lambda: not lab.jobs())
    assert head.returncode != 0
    assert 1 <= len(lab.inodes("third")) < 6
    before = lab.inodes("third")

    head = lab.start(*command)
    lab.wait(lambda: len(lab.inodes("third")) > len(before))
    lab.run("scancel", lab.jobs()[0])
    said, _ = head.communicate(timeout=240)
    assert head.returncode == 0, f"{said[-6000:]}\n{lab.logs()}"
    assert len(lab.inodes("third")) == 6
    assert before.items() <= lab.inodes("third").items()
    assert set(lab.verdicts("third").values()) == {("valid", "")}


def test_a_job_at_its_time_limit_is_followed_by_one_that_measures_the_rest_while_slurm_is_silent_in_between(lab):
    head = lab.start(*lab.snakemake("sixth", "single", "measure_all"))
    lab.wait(lambda: lab.inodes("sixth"))
    before = lab.inodes("sixth")
    # A job that hangs, as on a file system that no longer answers, and a controller that answers nobody.
    signal_runner(lab, "STOP")
    number = lab.jobs()[0]
    lab.silence(5)
    lab.run("scontrol", "update", f"JobId={number}", "TimeLimit=0")
    said, _ = head.communicate(timeout=240)
    assert head.returncode == 0, f"{said[-6000:]}\n{lab.logs()}"
    assert "squeue: " in said
    assert "Slurm: TIMEOUT" in said
    assert before.items() <= lab.inodes("sixth").items()
    assert set(lab.verdicts("sixth").values()) == {("valid", "")}
    assert len(lab.inodes("sixth")) == 6
