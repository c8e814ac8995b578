"""With accounting the same command works: under the account that is asked for, and however soon Slurm forgets a job."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def test_a_campaign_is_measured_under_its_account_although_the_login_node_stood_still(accounted, change):
    change(accounted.clone / "slurm/profile.yaml", "# slurm_account: name", "slurm_account: storage")
    head = accounted.start(*accounted.snakemake("first", "single", "measure_all"))
    accounted.wait(lambda: accounted.inodes("first"))
    # The job ends, and is forgotten, while nobody asks for it.
    with accounted.standing_still(head):
        accounted.wait(lambda: not accounted.run("squeue", "--noheader", "--states=all"))
    said, _ = head.communicate(timeout=120)
    assert head.returncode == 0, f"{said[-6000:]}\n{accounted.logs()}"
    assert set(accounted.verdicts("first").values()) == {("valid", "")}
    assert len(accounted.inodes("first")) == 6
    kept = accounted.run("sacct", "--noheader", "--parsable2", "-X", "--starttime=now-1hour", "--format=account,state")
    assert kept.split() == ["storage|COMPLETED"]


def test_an_account_that_does_not_exist_is_told_and_nothing_runs(accounted, change):
    change(accounted.clone / "slurm/profile.yaml", "slurm_account: storage", "slurm_account: nobody")
    head = accounted.start(*accounted.snakemake("second", "single", "measure_all"))
    said, _ = head.communicate(timeout=120)
    assert head.returncode == 1
    assert "account" in said
    assert not accounted.inodes("second")
