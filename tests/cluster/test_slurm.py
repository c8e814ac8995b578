"""On a real Slurm every trial of `snakemake --profile slurm` ends valid, or void or missing with its reason."""

import csv
import json
import os
import re
import shutil
import signal
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]

RANKS = """\
#include <mpi.h>
#include <stdio.h>
int main(int count, char **words) {
    int rank, ranks, all;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d ranks, sum %d\\n", ranks, all);
    MPI_Finalize();
    return 0;
}
"""


def verdicts(lab, campaign):
    """Return the verdict of each trial of a campaign, by its case, with the rule that decided."""
    lab.run("python", "-m", "coldcache", "collect", f"--campaign={campaign}", f"--results=results/{campaign}")
    rows = csv.DictReader((lab.clone / f"results/{campaign}/verdicts.csv").read_text().splitlines())
    return {f"{row['sweep']} {row['case']} r{row['repetition']}": (row["verdict"], row["codes"]) for row in rows}


def inodes(lab, campaign):
    """Return the file of each story, which a trial that is run again does not keep."""
    return {path: path.stat().st_ino for path in (lab.clone / "raw" / campaign).glob("*/*/*/r*/trial.json")}


def partials(lab, campaign):
    """Return the folders of trials that are running."""
    return list((lab.clone / "raw" / campaign).glob("*/*/*/.r*.partial/servers.txt"))


def jobs(lab):
    return lab.run("squeue", "--noheader", "--format=%i %T").split("\n")[:-1]


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
    found = verdicts(lab, "first")
    assert found == dict.fromkeys(found, ("valid", ""))
    assert len(found) == 8

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
    lab.wait(lambda: inodes(lab, "second"))
    os.killpg(head.pid, signal.SIGKILL)
    head.communicate(timeout=30)
    assert len(jobs(lab)) == 1, "the job runs on without its head"
    before = inodes(lab, "second")
    lost = next(iter(before)).parent
    said = lab.run(*command)
    assert "waiting for 1 jobs of an earlier start of campaign second" in said
    assert before.items() <= inodes(lab, "second").items()
    assert len(inodes(lab, "second")) == 6
    assert (lab.clone / "results/second/blocks/long.writes.json").is_file()

    # What is lost later is measured alone.
    shutil.rmtree(lost)
    shutil.rmtree(lab.clone / "results/second")
    left = inodes(lab, "second")
    lab.run(*command)
    assert inodes(lab, "second").keys() - left.keys() == {lost / "trial.json"}
    assert left.items() <= inodes(lab, "second").items()


def test_an_interrupt_ends_what_was_submitted_and_a_cancelled_job_is_tried_again(lab):
    command = lab.snakemake("third", "long", "measure_all")
    head = lab.start(*command)
    lab.wait(lambda: inodes(lab, "third"))
    os.killpg(head.pid, signal.SIGINT)
    head.communicate(timeout=120)
    lab.wait(lambda: not jobs(lab))
    assert head.returncode != 0
    assert 1 <= len(inodes(lab, "third")) < 6
    before = inodes(lab, "third")

    head = lab.start(*command)
    lab.wait(lambda: len(inodes(lab, "third")) > len(before))
    lab.run("scancel", jobs(lab)[0].split()[0])
    said, _ = head.communicate(timeout=240)
    assert head.returncode == 0, f"{said[-6000:]}\n{lab.logs()}"
    assert len(inodes(lab, "third")) == 6
    assert before.items() <= inodes(lab, "third").items()
    assert set(verdicts(lab, "third").values()) == {("valid", "")}


def test_a_node_that_does_not_see_the_target_is_found_and_leaves_trials_missing_with_that_reason(lab):
    lab.on_node(2, "mount", "-t", "tmpfs", "none", str(lab.target))
    try:
        asked = lab.start("python", "-m", "coldcache", "check", "lab")
        said, _ = asked.communicate(timeout=120)
        assert asked.returncode == 1
        lab.in_job(
            "python -m coldcache measure --campaign=fourth --studies=long --site=lab --block=long.writes"
            " --manifest=results/fourth/blocks/long.writes.json",
            nodes=4,
        )
    finally:
        lab.on_node(2, "umount", str(lab.target))
    lines = [line.split(maxsplit=3) for line in said.splitlines() if line[5:].startswith(("node", "ranks"))]
    assert [line[0] for line in lines if line[2] != "n2"] == ["yes"] * 5
    assert [(line[0], line[2]) for line in lines if line[2] == "n2"] == [("yes", "n2"), ("no", "n2")]
    assert "does not see the target: its folder lies there in tmpfs on none; mount it there" in said
    assert not list(lab.target.glob(".coldcache-*"))
    assert set(verdicts(lab, "fourth").values()) == {("missing", "not-run")}
    reason = json.loads((lab.clone / "raw/fourth/long/writes/not-run.json").read_text())["reason"]
    assert (
        reason == f"node n2 does not see the target: {lab.target}/coldcache lies there in tmpfs on none; mount it there"
    )


def test_ranks_of_mpi_are_dealt_out_in_turn_and_tell_where_they_ran(lab):
    folder = lab.clone / "ranks"
    folder.mkdir()
    (folder / "ranks.c").write_text(RANKS)
    lab.run("mpicc", "-o", str(folder / "ranks"), str(folder / "ranks.c"))
    (folder / "launch.py").write_text(
        "import json, subprocess\n"
        "from pathlib import Path\n"
        "from types import SimpleNamespace\n"
        "from coldcache.cluster.hosts import find_hosts\n"
        "from coldcache.cluster.launch import Launch\n"
        "from coldcache.cluster.probing import write_mark\n"
        "from coldcache.site import Clients\n"
        "from coldcache.tools.nodes import start_ranks\n"
        "from coldcache.tools.run import Run\n"
        "hosts = find_hosts(Clients(nodes=4, cores=4, launcher='srun'))\n"
        "word = write_mark(Path.cwd())\n"
        "words = start_ranks('srun', 'pmix', 6, 4, 1)\n"
        "run = Run(('write',), '.', 6, nodes=4, launcher=words, starter='srun', hosts=hosts)\n"
        "launch = Launch(SimpleNamespace(PROGRAM='ior'), run, Path.cwd(), Path.cwd())\n"
        "with launch.ready(), open('stderr.txt', 'wb') as said:\n"
        "    done = subprocess.run([*words, './ranks'], stderr=said, stdout=subprocess.PIPE, text=True,\n"
        "                          env={**launch.environment(), 'OMPI_ALLOW_RUN_AS_ROOT': '1',\n"
        "                               'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}, timeout=60)\n"
        "told = launch.describe()\n"
        "print(json.dumps([done.stdout, told['nodes'], launch.find_fault(told, word)]))\n"
    )
    said = lab.in_job(f"cd {folder} && {sys.executable} launch.py", nodes=4)
    printed, nodes, fault = json.loads(said.splitlines()[-1])
    assert printed == "6 ranks, sum 15\n", said
    assert fault == ""
    assert nodes == {
        "n1": {"processes": 2, "ranks": [0, 4]}, "n2": {"processes": 2, "ranks": [1, 5]},
        "n3": {"processes": 1, "ranks": [2]}, "n4": {"processes": 1, "ranks": [3]},
    }  # fmt: skip
