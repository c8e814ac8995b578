"""Whatever ends Snakemake or its jobs, the campaign goes on with what is missing and loses no trial that is whole."""

import os
import shutil
import signal

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]


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
    lab.signal_runner("STOP")
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
