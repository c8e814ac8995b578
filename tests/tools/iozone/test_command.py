"""IOzone's command lines, word by word; the real IOzone takes each of them, and its reader reads what comes out."""

import subprocess

import pytest

from coldcache.measure.input_files import lay_out
from coldcache.tools.iozone import command as iozone
from coldcache.tools.run import Inputs, Run

installed = pytest.mark.skipif(not iozone.TRAITS.program.is_installed(), reason="IOzone is not installed")
KIB, MIB = 1024, 2**20


def transfers(operation, **more):
    more = {"directory": "/mnt/target", "threads": 2, "transfer_size": 64 * KIB, "file_size": MIB, **more}
    return Run((operation,), **more)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (transfers("write"),
         "iozone -i 0 -c -e -w -+n -r 64k -s 1024k -t 2 -F /mnt/target/t0 /mnt/target/t1"),
        (transfers("read", threads=1, direct_io=True),
         "iozone -i 1 -c -e -w -+n -r 64k -s 1024k -t 1 -I -F /mnt/target/t0"),
        (transfers("random-read", threads=1, options=("-O", "-C")),
         "iozone -i 2 -c -e -w -+n -r 64k -s 1024k -t 1 -O -C -F /mnt/target/t0"),
        (transfers("random-write", threads=1),
         "iozone -i 2 -c -e -w -+n -r 64k -s 1024k -t 1 -F /mnt/target/t0"),
    ],
    ids=["write", "read", "random-read", "random-write"],
)  # fmt: skip
def test_command_lines(run, words):
    assert iozone.argv(run) == words.split()


@pytest.mark.parametrize(
    ("run", "inputs"),
    [
        (transfers("write"), Inputs()),
        (transfers("read"), Inputs((("t0",), ("t1",)), MIB)),
        (transfers("random-write", threads=1), Inputs((("t0",),), MIB)),
    ],
)
def test_files_that_must_be_there_before(run, inputs):
    assert iozone.inputs(run) == inputs


def test_each_operation_is_an_execution_of_its_own():
    assert iozone.separate(("write", "random-read")) == [("write",), ("random-read",)]


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({}, None),
        ({"nodes": 2}, "runs on one node"),
        ({"file_layout": "shared-file"}, "knows no shared-file"),
        ({"queue_depth": 2}, "keeps one transfer in flight per thread"),
        ({"device": "nbd://127.0.0.1:10809/"}, "drives no block device"),
        ({"transfer_size": 512}, "counts sizes in KiB"),
        ({"file_size": MIB + 1}, "counts sizes in KiB"),
    ],
)
def test_what_iozone_cannot_do(more, what):
    assert iozone.unfit(transfers("write", **more)) == what


def test_operations_that_iozone_does_not_know():
    assert iozone.unfit(Run(("write", "file-create"), "/mnt/target", 1)) == "does not measure file-create"


@installed
@pytest.mark.slow
@pytest.mark.parametrize(
    ("operation", "options", "metric"),
    [("write", (), "throughput"), ("read", ("-C",), "throughput"), ("random-read", ("-O",), "rate")],
)
def test_the_real_iozone_takes_the_command_line_and_its_log_is_read(operation, options, metric, tmp_path):
    # One thread: of two short ones the first to end may leave the other none of the time.
    run = transfers(operation, directory=str(tmp_path), threads=1, file_size=32 * MIB, options=options)
    lay_out(tmp_path, iozone.inputs(run))
    log = subprocess.run(iozone.argv(run), capture_output=True, check=True, timeout=60, cwd=tmp_path).stdout
    assert iozone.recognise(log)
    records = [record for record in iozone.read(log) if record.operation == operation]
    assert records[0].metric == metric and records[0].value > 0
    assert {record.tool_version for record in records} == {iozone.version()}
    assert {key: records[0].factors[key] for key in ("threads", "transfer_size", "file_size", "file_layout")} == {
        "threads": 1, "transfer_size": 64 * KIB, "file_size": 32 * MIB, "file_layout": "file-per-thread",
    }  # fmt: skip
    assert records[0].factors["direct_io"] is False
    assert "t0" in [path.name for path in tmp_path.iterdir()]
