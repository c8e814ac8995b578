"""What runs on the nodes of one job: who sees the target, which settings are in force, and which ranks run where."""

import json
import sys

import pytest

#: A parameter of the kernel that each node has for itself: the setting `sysctl` of the sites.
PLACE = "/proc/sys/net/ipv4/tcp_keepalive_time"

#: Kills what has a setting in force on a node; every node sees its own processes alone.
KILL_AGENTS = (
    "kill -KILL $(grep -las coldcache.measure.settings.node_agent /proc/[0-9]*/cmdline"
    " | cut -d/ -f3 | grep -vw $$) || :"
)

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


def read_everywhere(lab, path):
    """Return what a file says on each node."""
    return [lab.on_node(number, "cat", path) for number in range(1, 5)]


def test_a_node_that_does_not_see_the_target_is_found_and_leaves_trials_missing_with_that_reason(lab):
    lab.on_node(2, "mount", "-t", "tmpfs", "none", str(lab.target))
    try:
        asked = lab.start("python", "-m", "coldcache", "check", "lab")
        said, _ = asked.communicate(timeout=120)
        assert asked.returncode == 1
        lab.in_job(lab.measure("fourth", "long", "writes"), nodes=4)
    finally:
        lab.on_node(2, "umount", str(lab.target))
    lines = [line.split(maxsplit=3) for line in said.splitlines() if line[5:].startswith(("node", "ranks"))]
    assert [line[0] for line in lines if line[2] != "n2"] == ["yes"] * 5
    assert [(line[0], line[2]) for line in lines if line[2] == "n2"] == [("yes", "n2"), ("no", "n2")]
    assert "does not see the target: there its folder is in tmpfs on none; mount it there" in said
    assert not list(lab.target.glob(".coldcache-*"))
    assert set(lab.verdicts("fourth").values()) == {("missing", "not-run")}
    reason = json.loads((lab.clone / "raw/fourth/long/writes/not-run.json").read_text())["reason"]
    assert (
        reason == f"node n2 does not see the target: there {lab.target}/coldcache is in tmpfs on none; mount it there"
    )


def test_a_client_that_loses_the_mount_makes_a_trial_void_although_iozone_tells_success(lab):
    job = lab.submit(lab.measure("fifth", "parted", "clients"), nodes=4)
    try:
        lab.wait(lambda: lab.inodes("fifth"))
        lab.on_node(2, "mount", "-t", "tmpfs", "none", str(lab.target))
        lab.finish(job)
    finally:
        lab.on_node(2, "umount", str(lab.target))
    outcomes = lab.outcomes("fifth")
    last = outcomes["parted/clients/only/r2"]
    assert (last["exit_status"], last["failure"]) == (
        0,
        {
            "code": "launch-failed",
            "message": "node n2 does not see the target: a process there found another folder under its path",
        },
    )
    assert lab.verdicts("fifth")["clients only r2"] == ("void", "preparation-failed")


def test_settings_are_put_in_force_read_and_undone_on_every_node(lab):
    before = read_everywhere(lab, PLACE)
    lab.in_job(lab.measure("seventh", "tuned", "writes"), nodes=4)
    for outcome in lab.outcomes("seventh").values():
        value = {"short": "600", "long": "1200"}[outcome["factors"]["sysctl"]]
        nodes = dict.fromkeys(("n1", "n2", "n3", "n4"), value)
        assert outcome["settings"] == {
            "sysctl": {
                "asked": value, "read": value, "where": PLACE, "nodes": nodes, "read_after": value,
                "nodes_after": nodes,
            },
        }  # fmt: skip
    assert set(lab.verdicts("seventh").values()) == {("valid", "")}
    assert read_everywhere(lab, PLACE) == before


def test_a_node_that_refuses_a_setting_makes_trials_void_with_its_name(lab):
    before = read_everywhere(lab, PLACE)
    lab.on_node(3, "mount", "--bind", "-o", "ro", PLACE, PLACE)
    try:
        lab.in_job(lab.measure("eighth", "tuned", "writes"), nodes=4)
    finally:
        lab.on_node(3, "umount", PLACE)
    outcomes = lab.outcomes("eighth")
    assert len(outcomes) == 4
    for outcome in outcomes.values():
        assert outcome["failure"]["code"] == "setting-failed"
        assert outcome["failure"]["message"].startswith(f"node n3: tee {PLACE}: exit status 1")
    assert read_everywhere(lab, PLACE) == before


@pytest.mark.parametrize("ending", ["kill of the runner", "scancel", "kill on all nodes"])
def test_no_node_keeps_a_setting_whatever_ends_the_runner(lab, ending):
    before = read_everywhere(lab, PLACE)
    campaign = ending.replace(" ", "-")
    job = lab.submit(lab.measure(campaign, "tuned", "writes"), nodes=4)
    lab.wait(lambda: not set(read_everywhere(lab, PLACE)) & set(before))
    if ending == "kill of the runner":
        lab.signal_runner("KILL")
    elif ending == "scancel":
        lab.run("scancel", job)
    else:
        for number in (4, 3, 2, 1):
            lab.on_node(number, "sh", "-c", KILL_AGENTS)
    lab.finish(job)
    if ending == "kill on all nodes":
        # Nobody was left to undo it: the next job on these nodes does so first.
        assert not set(read_everywhere(lab, PLACE)) & set(before)
        assert len(list(lab.target.glob("coldcache/.settings-on-n?.json"))) == 4
        lab.in_job(lab.measure(campaign, "tuned", "writes"), nodes=4)
        assert len(lab.outcomes(campaign)) == 4
    lab.wait(lambda: read_everywhere(lab, PLACE) == before, seconds=10)
    assert not list(lab.target.glob("coldcache/.settings*"))


def test_ranks_of_mpi_are_dealt_out_in_turn_and_tell_where_they_ran(lab):
    folder = lab.clone / "ranks"
    folder.mkdir()
    (folder / "ranks.c").write_text(RANKS)
    lab.run("mpicc", "-o", str(folder / "ranks"), str(folder / "ranks.c"))
    (folder / "launch.py").write_text(
        "import json, os, subprocess\n"
        "from pathlib import Path\n"
        "from coldcache.measure.cluster.job_nodes import find_hosts\n"
        "from coldcache.measure.cluster.launch import Launch\n"
        "from coldcache.measure.cluster.ask_nodes import write_mark\n"
        "from coldcache.design.site import Clients\n"
        "from coldcache.tools import find_tool\n"
        "from coldcache.tools.launchers import start_ranks\n"
        "from coldcache.tools.run import Run\n"
        "hosts = find_hosts(Clients(nodes=4, cores=4, launcher='srun'))\n"
        "word = write_mark(Path.cwd())\n"
        "words = start_ranks('srun', 'pmix', 6, 4, 1)\n"
        "run = Run(('write',), '.', 6, nodes=4, launcher=words, starter='srun', hosts=hosts)\n"
        "launch = Launch(find_tool('ior'), run, Path.cwd(), Path.cwd(), os.environ)\n"
        "with launch.ready(), open('stderr.txt', 'wb') as said:\n"
        "    done = subprocess.run([*words, './ranks'], stderr=said, stdout=subprocess.PIPE, text=True,\n"
        "                          env={**launch.environment(), 'OMPI_ALLOW_RUN_AS_ROOT': '1',\n"
        "                               'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',\n"
        # On busy nodes one rank of several dies in the memory that PMIx shares among them (Open MPI 4.1.4).
        "                               'PMIX_MCA_gds': 'hash'}, timeout=60)\n"
        "told = launch.describe()\n"
        "print(Path('stderr.txt').read_text(), done)\n"
        "print(json.dumps([done.stdout, told['nodes'], launch.find_fault(told, word)]))\n"
    )
    said = lab.in_job(f"cd {folder} && {sys.executable} launch.py", nodes=4)
    printed, nodes, fault = json.loads(said.splitlines()[-1])
    assert printed == "6 ranks, sum 15\n", said
    assert fault is None
    assert nodes == {
        "n1": {"processes": 2, "ranks": [0, 4]}, "n2": {"processes": 2, "ranks": [1, 5]},
        "n3": {"processes": 1, "ranks": [2]}, "n4": {"processes": 1, "ranks": [3]},
    }  # fmt: skip
