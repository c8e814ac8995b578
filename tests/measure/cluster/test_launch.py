"""Who ran where is told by the processes themselves, and what differs from the plan makes a trial void."""

import os

import pytest

from coldcache.measure.cluster.launch import SERVERS, Launch
from coldcache.tools.fio import command as fio
from coldcache.tools.ior import command as ior
from coldcache.tools.iozone import command as iozone
from coldcache.tools.launchers import start_ranks
from coldcache.tools.run import Run

HOSTS = ("n1", "n2")


def run_of(tool, threads=3):
    words = start_ranks("srun", "pmix", threads, 2, 8) if tool is ior else ()
    return Run(("write",), "/t", threads, nodes=2, transfer_size=1024, file_size=1024, launcher=words, starter="srun",
               hosts=HOSTS)  # fmt: skip


def judge(tool, said, tmp_path, file="stderr.txt"):
    (tmp_path / file).write_text(said)
    launch = Launch(tool, run_of(tool), tmp_path, tmp_path, os.environ)
    told = launch.describe()
    return told["nodes"], launch.find_fault(told, "abc")


def test_ranks_are_listed_by_node(tmp_path):
    said = "".join(f"coldcache: rank {rank} on {host} sees abc\n" for rank, host in ((2, "n1"), (1, "n2"), (0, "n1")))
    assert judge(ior, f"srun: noise\n{said}", tmp_path) == (
        {"n1": {"processes": 2, "ranks": [0, 2]}, "n2": {"processes": 1, "ranks": [1]}}, None,
    )  # fmt: skip


def test_a_step_that_never_launched_is_told_although_its_launcher_ended_well(tmp_path):
    assert judge(ior, "", tmp_path) == ({}, "no process started: the launcher ended without starting any")


@pytest.mark.parametrize(
    ("tool", "file", "said", "fault"),
    [
        (ior, "stderr.txt", [("n1", "abc"), ("n1", "abc"), ("n1", "abc")], "3 processes started on node n1, 2 were to"),
        (iozone, "stderr.txt", [("n1", "abc"), ("n2", "abc")], "1 processes started on node n1, 2 were to"),
        (fio, SERVERS, [("n1", "abc")], "0 processes started on node n2, 1 were to"),
        (fio, SERVERS, [("n1", "abc"), ("n2.cluster", "abc")], None),
        (fio, SERVERS, [("n1", "abc"), ("n2", "nothing")],
         "node n2 does not see the target: a process there found another folder under its path"),
    ],
)  # fmt: skip
def test_a_launch_that_differs_from_the_plan_is_told(tool, file, said, fault, tmp_path):
    lines = "".join(f"coldcache: rank 0 on {host} sees {word}\n" for host, word in said)
    assert judge(tool, lines, tmp_path, file)[1] == fault


def test_processes_of_iozones_random_test_start_once_to_read_and_once_to_write(tmp_path):
    run = run_of(iozone)._replace(operations=("random-write", "random-read"), transfer_size=1, file_size=1)
    said = "".join(f"coldcache: rank 0 on {host} sees abc\n" for host in ("n1", "n1", "n2"))
    launch = Launch(iozone, run, tmp_path, tmp_path, os.environ)
    for times, fault in ((1, "2 processes started on node n1, 4 were to"), (2, None)):
        (tmp_path / "stderr.txt").write_text(said * times)
        assert launch.find_fault(launch.describe(), "abc") == fault


def test_the_files_of_a_launch_deal_the_threads_out_in_turn():
    assert iozone.files(run_of(iozone))["clients.txt"].split("\n") == [
        f"{host} /t {iozone.TRAITS.program.require()}" for host in ("n1", "n2", "n1")
    ] + [""]  # fmt: skip
    jobs = fio.files(run_of(fio))
    assert jobs["n1.fio"].endswith("unique_filename=0\n[t]\nnumjobs=2\nfilename_format=t0.$jobnum\n")
    assert jobs["n2.fio"].endswith("unique_filename=0\n[t]\nnumjobs=1\nfilename_format=t1.$jobnum\n")
    read = run_of(fio)._replace(operations=("read",))
    assert fio.inputs(read).names == (("t0.0",), ("t0.1",), ("t1.0",))


def test_a_tool_on_a_single_machine_needs_no_launch(tmp_path):
    launch = Launch(fio, Run(("write",), "/t", 2), tmp_path, tmp_path, os.environ)
    with launch.ready():
        assert (launch.folder(), launch.spreads, list(tmp_path.iterdir())) == (None, False, [])
