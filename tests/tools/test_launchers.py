"""Ranks are dealt out to nodes in turn, and their launcher keeps to that order."""

import subprocess

import pytest

from coldcache.tools.launchers import (
    HOSTS,
    RANK,
    REMOTE,
    deal_out,
    list_hosts,
    name_addresses,
    name_hosts,
    reach,
    start_local_ranks,
    start_ranks,
    write_scripts,
)
from coldcache.tools.run import Run


def run(**fields):
    return Run(operations=("write",), directory="/t", **{"threads": 5, **fields})


def test_threads_are_dealt_out_to_hosts_in_turn():
    assert deal_out(5, ("a", "b")) == {"a": [0, 2, 4], "b": [1, 3]}
    assert deal_out(1, ("a", "b")) == {"a": [0], "b": []}


def test_hosts_are_placeholders_until_they_are_known():
    assert name_hosts(run(nodes=2)) == ("{node0}", "{node1}")
    assert name_hosts(run(nodes=2, hosts=("a", "b"))) == ("a", "b")


def test_the_file_of_hosts_has_a_line_per_node_with_its_ranks():
    assert list_hosts(run(hosts=("a", "b"))) == {HOSTS: "a slots=3\nb slots=2\n"}


def test_a_clients_address_is_its_name_and_on_a_model_one_of_this_machine():
    assert name_addresses(run(hosts=("a", "b"), starter="srun")) == {"a": "a", "b": "b"}
    assert name_addresses(run(hosts=("c1", "c2"), starter="model")) == {"c1": "127.0.0.1", "c2": "127.0.0.2"}


def test_ranks_on_this_machine_may_be_more_than_its_cores():
    assert start_local_ranks(4) == ("mpirun", "--oversubscribe", "-n", "4")
    assert start_ranks("model", "", 4, 2, 2) == ("mpirun", "--oversubscribe", "-n", "4", RANK)


@pytest.mark.parametrize(("starter", "mpi"), [("ssh", "pmix"), ("srun", "mpirun")])
def test_mpirun_maps_ranks_by_node_from_the_file_of_hosts(starter, mpi):
    assert start_ranks(starter, mpi, 6, 2, 8) == (
        "mpirun", "--map-by", "node", "--oversubscribe", "-n", "6", "--hostfile", HOSTS, RANK,
    )  # fmt: skip


def test_srun_distributes_ranks_in_turn_and_shares_cores_only_where_it_must():
    words = ("srun", "--overlap", "--mpi=pmix", "--nodes=2", "--ntasks=8", "--distribution=cyclic")
    assert start_ranks("srun", "pmix", 8, 2, 8) == (*words, RANK)
    assert start_ranks("srun", "pmix", 8, 2, 7) == (*words, "--overcommit", RANK)


def test_ssh_reaches_the_first_host_and_srun_each_of_them():
    assert reach("ssh", ("a", "b")) == ["ssh", "-o", "BatchMode=yes", "a"]
    assert reach("srun", ("a", "b"))[-4:] == ["--nodes=2", "--ntasks=2", "--ntasks-per-node=1", "--nodelist=a,b"]


def test_the_script_of_a_rank_says_where_it_runs_and_becomes_the_program(tmp_path):
    (tmp_path / "seen").write_text("target 7")
    script = tmp_path / "rank"
    script.write_text(write_scripts("srun", str(tmp_path / "seen"))[RANK])
    done = subprocess.run(
        ["sh", script, "echo", "measured"], capture_output=True, text=True, check=True,
        env={"PATH": "/usr/bin:/bin", "SLURM_PROCID": "3"},
    )  # fmt: skip
    assert done.stdout == "measured\n"
    assert done.stderr.startswith("coldcache: rank 3 on ") and done.stderr.endswith(" sees target 7\n")


@pytest.mark.parametrize(("starter", "call"), [("ssh", "exec ssh -o BatchMode=yes"), ("srun", "exec srun --overlap")])
def test_the_remote_shell_of_iozone_reaches_the_host_by_the_jobs_own_means(starter, call):
    assert call in write_scripts(starter, "/t/.seen")[REMOTE]
