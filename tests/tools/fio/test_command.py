"""fio's command lines, word by word; the real fio takes each of them, and its reader reads what comes out."""

import shutil
import subprocess
import time

import pytest

from coldcache.measure.input_files import lay_out
from coldcache.tools import read_series
from coldcache.tools.fio import command as fio
from coldcache.tools.run import Inputs, Run

installed = pytest.mark.skipif(not fio.TRAITS.program.is_installed(), reason="fio is not installed")
KIB = 1024
START = ["fio", "--name=t", "--output-format=json", "--group_reporting", "--thread", "--clocksource=clock_gettime"]


def transfers(operation, **more):
    more = {"directory": "/mnt/target", "threads": 2, "transfer_size": 4 * KIB, "file_size": 64 * KIB, **more}
    return Run((operation,), **more)


def names(operation, **more):
    return Run((operation,), **{"directory": "/mnt/target", "threads": 2, "files": 20, **more})


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (transfers("write"),
         "--numjobs=2 --fallocate=none --rw=write --bs=4096 --size=65536 --refill_buffers --norandommap --randrepeat=0"
         " --ioengine=psync --directory=/mnt/target --filename_format=t$jobnum --end_fsync=1 --runtime=10000ms"),
        (transfers("read", threads=1),
         "--numjobs=1 --fallocate=none --rw=read --bs=4096 --size=65536 --refill_buffers --norandommap --randrepeat=0"
         " --ioengine=psync --directory=/mnt/target --filename_format=t$jobnum --invalidate=0 --runtime=10000ms"),
        (transfers("read", direct_io=True, seconds=0.25),
         "--numjobs=2 --fallocate=none --rw=read --bs=4096 --size=65536 --time_based --refill_buffers --norandommap"
         " --randrepeat=0 --ioengine=psync --directory=/mnt/target --filename_format=t$jobnum --direct=1"
         " --runtime=250ms"),
        (transfers("random-write", queue_depth=8, file_layout="shared-file", options=("--rwmixread=70",)),
         "--numjobs=2 --fallocate=none --rw=randwrite --bs=4096 --size=65536 --time_based --refill_buffers"
         " --norandommap --randrepeat=0 --ioengine=libaio --iodepth=8 --directory=/mnt/target --filename=shared"
         " --offset_increment=65536 --end_fsync=1 --runtime=10000ms --rwmixread=70"),
        (transfers("random-read", device="nbd://127.0.0.1:10809/", queue_depth=4),
         "--numjobs=2 --fallocate=none --rw=randread --bs=4096 --size=65536 --time_based --refill_buffers"
         " --norandommap --randrepeat=0 --ioengine=nbd --uri=nbd://127.0.0.1:10809/ --iodepth=4"
         " --offset_increment=65536 --runtime=10000ms"),
        (names("file-create"),
         "--numjobs=2 --fallocate=none --ioengine=filecreate --directory=/mnt/target --nrfiles=20 --openfiles=1"
         " --file_service_type=sequential --create_on_open=1 --filesize=1 --bs=1"),
        (names("file-stat", files=5000),
         "--numjobs=2 --fallocate=none --ioengine=filestat --directory=/mnt/target --nrfiles=1000 --openfiles=1"
         " --file_service_type=sequential --create_on_open=1 --filesize=1 --bs=1 --time_based --runtime=10000ms"),
        (names("file-remove"),
         "--numjobs=2 --fallocate=none --ioengine=filedelete --directory=/mnt/target --nrfiles=20 --openfiles=1"
         " --file_service_type=sequential --create_on_open=1 --filesize=1 --bs=1"),
    ],
    ids=["write", "read", "direct", "shared", "device", "create", "stat", "remove"],
)  # fmt: skip
def test_command_lines(run, words):
    assert fio.argv(run) == [*START, *words.split()]


def test_a_colon_in_a_folder_parts_no_folders():
    assert r"--directory=/mnt/a\:b" in fio.argv(transfers("write", directory="/mnt/a:b"))
    assert r"--directory=/mnt/a\:b" in fio.argv(names("file-create", directory="/mnt/a:b"))


@pytest.mark.parametrize(
    ("run", "inputs"),
    [
        (transfers("write"), Inputs()),
        (transfers("read"), Inputs((("t0",), ("t1",)), 64 * KIB)),
        (transfers("random-write"), Inputs((("t0",), ("t1",)), 64 * KIB)),
        (transfers("read", file_layout="shared-file"), Inputs((("shared",),), 128 * KIB)),
        (transfers("read", device="nbd://127.0.0.1:10809/"), Inputs()),
        (names("file-create"), Inputs()),
        (names("file-stat", files=2), Inputs((("t.0.0", "t.0.1"), ("t.1.0", "t.1.1")))),
        (names("file-remove", threads=1, files=3), Inputs((("t.0.0", "t.0.1", "t.0.2"),))),
    ],
)
def test_files_that_must_be_there_before(run, inputs):
    assert fio.inputs(run) == inputs


def test_a_pool_of_files_is_enough_for_stat():
    assert len(fio.inputs(names("file-stat", threads=1, files=5000)).names[0]) == 1000
    assert len(fio.inputs(names("file-remove", threads=1, files=5000)).names[0]) == 5000


def test_each_operation_is_an_execution_of_its_own():
    assert fio.separate(("write", "read")) == [("write",), ("read",)]


def test_more_than_one_node_is_out_of_reach():
    assert fio.unfit(transfers("write")) is None
    assert fio.unfit(transfers("write", nodes=2)) == "runs on one node"


@installed
def test_version_is_that_of_the_logs(tmp_path):
    words = fio.argv(transfers("write", directory=str(tmp_path), threads=1, seconds=0.05))
    log = subprocess.run(words, capture_output=True, check=True, timeout=60).stdout
    assert {record.tool_version for record in fio.read(log)} == {fio.version()}


@installed
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("operation", "more"),
    [
        ("write", {}),
        ("read", {}),
        ("random-write", {"queue_depth": 4}),
        ("random-read", {"file_layout": "shared-file"}),
        ("file-create", {"files": 50, "transfer_size": 0, "file_size": 0}),
        ("file-stat", {"files": 50, "transfer_size": 0, "file_size": 0}),
        ("file-remove", {"files": 50, "transfer_size": 0, "file_size": 0}),
    ],
)
def test_the_real_fio_takes_the_command_line_and_its_log_is_read(operation, more, threads, tmp_path):
    # A megabyte of input, so that the run takes fio's shortest time of 1 ms and more.
    run = transfers(operation, **{"file_size": 1024 * KIB, "threads": threads, "seconds": 0.1, **more})
    run = run._replace(directory=str(tmp_path))
    lay_out(tmp_path, fio.inputs(run))
    log = subprocess.run(fio.argv(run), capture_output=True, check=True, timeout=60).stdout
    assert fio.recognise(log)
    records = fio.read(log)
    assert {record.operation for record in records} == {operation}
    assert records[0].factors["threads"] == threads
    if run.transfer_size:
        assert records[0].factors["transfer_size"] == 4 * KIB
        assert records[0].factors["file_size"] == 1024 * KIB
        assert records[0].factors["queue_depth"] == run.queue_depth
        assert records[0].factors["direct_io"] is False
    count = next(record.value for record in records if record.metric == "count")
    if operation in ("write", "read"):
        assert count == 256 * threads
    elif operation in ("file-create", "file-remove"):
        assert count == 50 * threads
    else:
        assert count > 256


@installed
def test_nothing_but_its_files_is_left(tmp_path):
    run = transfers("write", directory=str(tmp_path), seconds=0.05)
    subprocess.run(fio.argv(run), capture_output=True, check=True, timeout=60, cwd=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t0", "t1"]


def test_writes_flush_after_so_many():
    run = transfers("random-write", writes_per_flush=16)
    assert "--fsync=16" in fio.argv(run)
    assert not any(word.startswith("--fsync") for word in fio.argv(transfers("random-write")))
    assert fio.unfit(run._replace(device="nbd")) == "does not flush a served device"


@installed
def test_a_log_states_how_many_writes_lie_between_flushes(tmp_path):
    run = transfers("write", directory=str(tmp_path), writes_per_flush=4, seconds=1)
    log = subprocess.run(fio.argv(run), capture_output=True, timeout=60, check=True).stdout
    assert {record.factors.get("writes_per_flush") for record in fio.read(log)} == {4}


def test_a_run_of_transfers_lets_a_burst_pass_before_it_is_timed(tmp_path):
    run = transfers("write", direct_io=False, file_size=1024 * KIB, seconds=0.4, ramp=0.5)._replace(
        operations=("random-write",), directory=str(tmp_path), threads=2, series=0.1
    )
    assert {"--ramp_time=500ms", "--runtime=400ms", "--per_job_logs=0"} <= set(fio.argv(run))
    began = time.monotonic()
    log = subprocess.run(fio.argv(run), capture_output=True, check=True, timeout=60).stdout
    took = time.monotonic() - began
    (elapsed,) = {record.value for record in fio.read(log) if record.metric == "elapsed"}
    # What is timed leaves the ramp out, and so do the windows of the series.
    assert 0.4 <= elapsed <= took - 0.5
    (path,) = tmp_path.glob(fio.TRAITS.series_logs)
    series = read_series(path)
    assert len(series) == 2
    assert all(record.factors["time"] <= elapsed + 0.1 for own in series for record in own)


@pytest.mark.parametrize(("sync", "syncs"), [("none", [0]), ("each", [78, 80]), ("phase", [80])])
def test_files_with_a_body_are_created_written_and_synced_one_after_the_other(tmp_path, sync, syncs):
    run = names("file-create", files=40, file_body=4 * KIB, file_sync=sync, threads=2, directory=str(tmp_path))
    counted = tmp_path / "syscalls"
    traced = ["strace", "-f", "-c", "-o", str(counted), "-e", "trace=fsync,openat"] if shutil.which("strace") else []
    log = subprocess.run([*traced, *fio.argv(run)], capture_output=True, check=True, timeout=60).stdout
    if traced:
        calls = [line.split() for line in counted.read_text().splitlines() if line.endswith(" fsync")]
        # fio leaves out the last file of each thread.
        assert sum(int(words[3]) for words in calls) in syncs
        counted.unlink()
    records = fio.read(log)
    assert {record.operation for record in records} == {"file-create"}
    assert {record.metric for record in records} <= {"rate", "elapsed", "count"}
    assert next(record.value for record in records if record.metric == "count") == 80
    stated = {name: records[0].factors[name] for name in ("threads", "files", "file_body", "file_sync")}
    assert stated == {"threads": 2, "files": 40, "file_body": 4 * KIB, "file_sync": sync}
    assert sorted(path.stat().st_size for path in tmp_path.iterdir()) == [4 * KIB] * 80


def test_what_fio_does_not_sync_is_unfit():
    assert fio.unfit(names("file-create", file_sync="each")) == "syncs no files without bytes: state file_body"
    assert fio.unfit(names("file-create", file_sync="phase")) == "syncs no files without bytes: state file_body"
    assert fio.unfit(names("file-remove", file_sync="each", file_body=1)) is None


def test_files_to_look_up_or_remove_have_the_body_too():
    assert fio.inputs(names("file-remove", file_body=512)).size == 512
    assert fio.inputs(names("file-create", file_body=512)) == Inputs()
