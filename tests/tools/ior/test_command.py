"""IOR is asked for one operation at a time, into one file or one for each rank; what it would pass over is told."""

import pytest

from coldcache.tools.ior import command as ior
from coldcache.tools.run import Inputs, Run

RUN = Run(("write",), "/t", 4, transfer_size=2**20, file_size=2**28, file_layout="shared-file")
WORDS = ["mpirun", "--oversubscribe", "-n", "4", "ior", "-a", "POSIX", "-v", "-i", "1", "-e", "-k", "-o", "/t/tst.file"]


def test_ior_is_called_with_these_words():
    assert ior.argv(RUN) == [*WORDS, "-w", "-s", "1", "-t", "1048576", "-b", "268435456"]
    each = RUN._replace(operations=("read",), file_layout="file-per-thread", options=("-C",))
    assert ior.argv(each) == [*WORDS, "-r", "-s", "1", "-t", "1048576", "-b", "268435456", "-F", "-C"]


def test_a_launcher_and_a_stated_command_take_the_place_of_its_own():
    assert ior.argv(RUN._replace(launcher=("srun", "-n4")))[:3] == ["srun", "-n4", "ior"]
    assert ior.argv(RUN._replace(command=("ior", "-w"))) == ["ior", "-w"]


@pytest.mark.parametrize("command", [(), ("ior", "-w")])
def test_a_file_that_a_model_has_dealt_out_is_not_recreated(command):
    run = RUN._replace(starter="model", nodes=4, hosts=("c1", "c2", "c3", "c4"), command=command)
    assert "-E" in ior.argv(run)
    assert "-E" not in ior.argv(run._replace(operations=("read",)))


def test_a_read_finds_the_files_that_its_ranks_look_for():
    read = RUN._replace(operations=("read",))
    assert ior.inputs(RUN) == Inputs()
    assert ior.inputs(read) == Inputs((("tst.file",),), 2**30)
    each = ior.inputs(read._replace(file_layout="file-per-thread", threads=2))
    assert each == Inputs((("tst.file.00000000",), ("tst.file.00000001",)), 2**28)


def test_each_operation_runs_alone():
    assert ior.separate(("write", "read")) == [("write",), ("read",)]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, None),
        ({"operations": ("random-read",)}, "does not measure random-read"),
        ({"nodes": 2}, "runs on one node"),
        ({"nodes": 2, "launcher": ("srun",)}, None),
        ({"queue_depth": 4}, "keeps one transfer in flight per thread"),
        ({"direct_io": True}, "passes the page cache by an option that differs by version; state its command"),
        ({"direct_io": True, "command": ("ior", "-B")}, None),
        ({"device": "nbd://x"}, "drives no block device"),
    ],
)
def test_what_it_cannot_do_is_told(more, told):
    assert ior.unfit(RUN._replace(**more)) == told
