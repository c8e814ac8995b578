"""mdtest is started with the phases, trees, bodies and syncs that a study asks for."""

import pytest

from coldcache.tools.launchers import HOSTS
from coldcache.tools.mdtest import command as mdtest
from coldcache.tools.run import NO_INPUTS, Run

FILES = ("file-create", "file-stat", "file-remove")


def run(operations=FILES, **fields):
    return Run(operations=operations, directory="/t", **{"threads": 4, "files": 100, **fields})


def test_all_phases_on_files_run_in_one_execution_in_a_directory_per_rank():
    assert mdtest.argv(run()) == [
        "mpirun", "--oversubscribe", "-n", "4", "mdtest", "-F", "-u", "-C", "-T", "-r", "-n", "100", "-d", "/t/mdtest",
    ]  # fmt: skip


def test_a_tree_has_leaf_directories_with_their_items():
    found = mdtest.argv(run(("directory-create",), directories_per_thread=5, items_per_directory=20, options=("-v",)))
    assert found[5:] == [
        "-D", "-u", "-C", "-b", "5", "-z", "1", "-L", "-I", "20", "-d", "/t/mdtest", "-v",
    ]  # fmt: skip


def test_folders_of_clients_are_dealt_out_by_mdtest_itself():
    found = mdtest.argv(run(launcher=("srun", "./rank"), mounts=("/m/c1", "/m/c2")))
    assert found[:3] == ["srun", "./rank", "mdtest"]
    assert found[-1] == "/m/c1/mdtest@/m/c2/mdtest"


def test_a_studys_own_command_is_run_as_it_is():
    assert mdtest.argv(run(command=("mdtest", "-n", "1"))) == ["mdtest", "-n", "1"]


def test_files_and_directories_are_measured_apart():
    assert mdtest.separate(("file-create", "directory-create", "file-stat")) == [
        ("file-create", "file-stat"), ("directory-create",),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, None),
        ({"operations": ("write",)}, "does not measure write"),
        ({"nodes": 2}, "runs on one node"),
        ({"nodes": 2, "starter": "srun"}, None),
        ({"nodes": 2, "launcher": ("mpirun",)}, None),
    ],
)
def test_what_it_cannot_do_is_named(fields, reason):
    assert mdtest.unfit(run(**fields)) == reason


def test_it_makes_its_own_files_and_needs_a_list_of_hosts():
    assert mdtest.inputs(run()) is NO_INPUTS
    assert mdtest.files(run(hosts=("a", "b"))) == {HOSTS: "a slots=2\nb slots=2\n"}


def words(**more):
    argv = mdtest.argv(run(**more))
    return argv[argv.index("mdtest") :]


def test_files_are_empty_and_nothing_is_synced_unless_asked():
    assert words() == ["mdtest", "-F", "-u", "-C", "-T", "-r", "-n", "100", "-d", "/t/mdtest"]


def test_bodies_are_plain_numbers_and_each_file_or_each_phase_is_synced():
    # Version 1.9.3 takes 4K for four bytes.
    assert words(file_body=4096, file_sync="each")[8:13] == ["-w", "4096", "-e", "4096", "-y"]
    assert words(file_body=4096)[8:] == ["-w", "4096", "-e", "4096", "-d", "/t/mdtest"]
    assert words(file_sync="phase")[8:] == ["-Y", "-d", "/t/mdtest"]


def test_empty_files_cannot_be_synced_one_by_one():
    """From 3.2.1 on the option -y does nothing to files without bytes."""
    assert mdtest.unfit(run(file_sync="each")) == "syncs no files without bytes: state file_body"
    assert mdtest.unfit(run(file_sync="each", file_body=1)) is None
    assert mdtest.unfit(run(file_sync="phase")) is None
