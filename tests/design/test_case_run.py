"""The run of a case has its processes, the folders of their files, and the study's own command line."""

import pytest
from drafts import expand, make_site, make_study, sweep

from coldcache.core.errors import DesignError
from coldcache.design.site import Site


def run(given, site=None, **more):
    (case, *_) = expand(make_study(a=given), site, **more)
    return case.run


def cluster(**clients):
    stated = {"nodes": 2, "cores": 2, "launcher": "srun", **clients}
    return Site.model_validate(
        {"site": "x", "title": "t", "targets": {"a": {"path": "/t"}}, "clients": stated, "settings": {}}
    )


def test_a_run_lies_in_the_folder_of_its_sweep():
    assert run(sweep()).directory == "/t/coldcache/s/a"


def test_levels_and_options_become_fields_of_the_run():
    found = run(sweep(threads=[4], queue_depth=[8], more={"options": {"fio": ["--thinktime=1ms"]}, "seconds": "3 s"}))
    assert (found.threads, found.queue_depth, found.transfer_size, found.file_size) == (4, 8, 2**20, 64 * 2**20)
    assert (found.options, found.seconds, found.nodes, found.starter) == (("--thinktime=1ms",), 3.0, 1, "")


def test_threads_on_files_may_have_a_directory_each():
    assert run(sweep(("file-create",), threads=[2], more={"own_directories": True})).subfolders == ("d0", "d1")
    assert run(sweep(("file-create",), threads=[2])).subfolders == ()


def test_a_tree_has_the_files_of_each_thread():
    tree = sweep(
        ("file-create",), threads=[2], files=[], tools=("mdtest",), directories_per_thread=[3], items_per_directory=[10]
    )
    del tree["factors"]["files"]
    found = run(tree, tool="mdtest")
    assert (found.files, found.directories_per_thread, found.items_per_directory) == (30, 3, 10)


def test_a_served_device_has_a_socket_in_the_folder_of_its_sweep():
    served = sweep(write_cache=["none"], more={"settings": {"write_cache": "qemu-nbd"}})
    assert run(served).device == "nbd+unix:///?socket=/t/coldcache/s/a/nbd.socket"


@pytest.mark.parametrize(
    ("clients", "launcher"),
    [
        ({}, ("srun", "--overlap", "--mpi=pmix", "--nodes=2", "--ntasks=4", "--distribution=cyclic", "./rank")),
        ({"launchers": {"ior": "mpirun -n {threads}"}}, ("mpirun", "-n", "4")),
        # A launcher of the sweep comes first.
        ({"launchers": {"ior": "x", "a": "own"}}, ("own",)),
    ],
)  # fmt: skip
def test_ranks_start_as_the_site_says_by_sweep_or_by_tool(clients, launcher):
    found = run(sweep(threads=[4], tools=("ior",)), cluster(**clients), tool="ior")
    assert found.launcher[: len(launcher)] == launcher
    assert (found.starter, found.nodes) == ("srun", 2)


def test_a_studys_command_is_filled_in_with_the_levels():
    words = {"command": {"mdtest": "{launcher} {program} -C -n {files} -d {directory}"}}
    found = run(sweep(("file-create",), threads=[2], files=[5], tools=("mdtest",), more=words), tool="mdtest")
    assert found.command[4:] == ("mdtest", "-C", "-n", "5", "-d", "/t/coldcache/s/a")
    assert found.command[:4] == ("mpirun", "--oversubscribe", "-n", "2")


@pytest.mark.parametrize(("more", "folders"), [
    ("", "mdt0-c1/files@mdt0-c2/files"), (" -N 1", "mdt0-c1/files"), (" -N=1", "mdt0-c1/files"),
])  # fmt: skip
def test_ranks_that_use_the_files_of_others_share_one_folder(more, folders):
    model = {"site": "x", "title": "t", "model": {"clients": 2},
             "targets": {"a": {"path": "/m/c1/data", "make": True}}}  # fmt: skip
    words = {"command": {"mdtest": f"{{launcher}} {{program}} -u -n {{files}} -d {{directory}}{more}"}}
    given = sweep(("file-stat",), threads=[4], files=[5], tools=("mdtest",), more=words)
    found = run(given, Site.model_validate(model), tool="mdtest")
    within = "/m/c1/data/coldcache/s/a/"
    place = found.command.index("-d") + 1
    assert found.command[place] == "@".join(within + folder for folder in folders.split("@"))


def test_a_path_that_is_too_long_for_a_socket_is_refused():
    served = sweep(write_cache=["none"], more={"settings": {"write_cache": "qemu-nbd"}})
    with pytest.raises(DesignError, match="is too long a path for a socket; name a target with a shorter one"):
        run(served, make_site(path=f"/{'t' * 100}"))
