"""The words with which fio, IOzone and mdtest are called for a case."""

import pytest
from drafts import expand, make_study, sweep

from coldcache.design.blocks import arrange_blocks
from coldcache.workflow.commands.plan import describe_trial

FIO = ["fio", "--name=t", "--output-format=json", "--group_reporting", "--thread", "--clocksource=clock_gettime"]


@pytest.mark.parametrize(
    ("given_sweep", "words"),
    [
        (
            sweep(["write"], threads=[4]),
            [
                *FIO, "--numjobs=4", "--fallocate=none", "--rw=write", "--bs=1048576", "--size=67108864",
                "--refill_buffers", "--norandommap", "--randrepeat=0", "--ioengine=psync",
                "--directory=/t/coldcache/s/a", "--filename_format=t$jobnum", "--end_fsync=1", "--runtime=10000ms",
            ],
        ),
        (
            sweep(["read"], threads=[2], file_layout=["shared-file"], more={"seconds": 2}),
            [
                *FIO, "--numjobs=2", "--fallocate=none", "--rw=read", "--bs=1048576", "--size=67108864",
                "--refill_buffers", "--norandommap", "--randrepeat=0", "--ioengine=psync",
                "--directory=/t/coldcache/s/a", "--filename=shared", "--offset_increment=67108864",
                "--invalidate=0", "--runtime=2000ms",
            ],
        ),
        (
            sweep(["random-read"], direct_io=[True], queue_depth=[16], more={"options": {"fio": ["--x=1"]}}),
            [
                *FIO, "--numjobs=1", "--fallocate=none", "--rw=randread", "--bs=1048576", "--size=67108864",
                "--time_based", "--refill_buffers", "--norandommap", "--randrepeat=0", "--ioengine=libaio",
                "--iodepth=16", "--directory=/t/coldcache/s/a", "--filename_format=t$jobnum", "--direct=1",
                "--runtime=10000ms", "--x=1",
            ],
        ),
        (
            sweep(
                ["random-write"], queue_depth=[4], write_cache=["unsafe"],
                more={"settings": {"write_cache": "qemu-nbd"}},
            ),
            [
                *FIO, "--numjobs=1", "--fallocate=none", "--rw=randwrite", "--bs=1048576", "--size=67108864",
                "--time_based", "--refill_buffers", "--norandommap", "--randrepeat=0", "--ioengine=nbd",
                "--uri=nbd+unix:///?socket=/t/coldcache/s/a/nbd.socket", "--iodepth=4",
                "--offset_increment=67108864", "--end_fsync=1", "--runtime=10000ms",
            ],
        ),
        (
            sweep(["file-create"], threads=[2], files=[300]),
            [
                *FIO, "--numjobs=2", "--fallocate=none", "--ioengine=filecreate", "--directory=/t/coldcache/s/a",
                "--nrfiles=300", "--openfiles=1", "--file_service_type=sequential", "--create_on_open=1",
                "--filesize=1", "--bs=1",
            ],
        ),
        (
            sweep(["file-stat"], files=[3000]),
            [
                *FIO, "--numjobs=1", "--fallocate=none", "--ioengine=filestat", "--directory=/t/coldcache/s/a",
                "--nrfiles=1000", "--openfiles=1", "--file_service_type=sequential", "--create_on_open=1",
                "--filesize=1", "--bs=1", "--time_based", "--runtime=10000ms",
            ],
        ),
    ],
)  # fmt: skip
def test_fio_is_called_with_these_words(given_sweep, words):
    (case,) = expand(make_study(a=given_sweep))
    described = describe_trial(arrange_blocks([case], 1)[0].trials[0])
    assert described["argv"] == words


@pytest.mark.parametrize(
    ("operation", "more", "words"),
    [
        ("write", {}, ["iozone", "-i", "0", "-c", "-e", "-w", "-+n", "-r", "1024k", "-s", "65536k", "-t", "2", "-F"]),
        (
            "random-read",
            {"direct_io": [True], "transfer_size": ["4 KiB"]},
            ["iozone", "-i", "2", "-c", "-e", "-w", "-+n", "-r", "4k", "-s", "65536k", "-t", "2", "-I", "-F"],
        ),
    ],
)
def test_iozone_is_called_with_these_words(operation, more, words):
    study = make_study(a=sweep([operation], ["iozone"], threads=[2], **more))
    (case,) = expand(study, tool="iozone")
    files = ["/t/coldcache/s/a/t0", "/t/coldcache/s/a/t1"]
    assert describe_trial(arrange_blocks([case], 1)[0].trials[0])["argv"] == [*words, *files]


def test_mdtest_is_called_with_these_words_and_measures_its_phases_at_once():
    operations = ["file-create", "file-stat", "file-remove"]
    study = make_study(a=sweep(operations, ["mdtest", "fio"], threads=[1, 4], files=[100]))
    cases = expand(study, tool="mdtest")
    assert [case.name for case in cases] == ["threads=1", "threads=4"]
    described = describe_trial(arrange_blocks(cases, 1)[0].trials[0])
    threads = described["factors"]["threads"]
    assert described["factors"]["operation"] == "file-create+file-stat+file-remove"
    assert described["argv"] == [
        "mpirun", "--oversubscribe", "-n", str(threads), "mdtest", "-F", "-u", "-C", "-T", "-r", "-n", "100", "-d",
        "/t/coldcache/s/a/mdtest",
    ]  # fmt: skip


def test_each_thread_may_have_a_directory_of_its_own():
    study = make_study(a=sweep(["file-create"], threads=[3], more={"own_directories": True}))
    (case,) = expand(study)
    assert case.run.folders == ("/t/coldcache/s/a/d0", "/t/coldcache/s/a/d1", "/t/coldcache/s/a/d2")
    words = case.implementation.argv(case.run)
    assert "--directory=/t/coldcache/s/a/d0:/t/coldcache/s/a/d1:/t/coldcache/s/a/d2" in words


def test_files_may_have_bodies_and_be_synced_one_by_one():
    grid = sweep(["file-create", "file-remove"], files=[100], file_body=["4 KiB"], file_sync=["none", "each"])
    cases = expand(make_study(a=grid))
    assert [case.name for case in cases] == [
        f"operation={operation},file_sync={level}" for operation in ("file-create", "file-remove")
        for level in ("none", "each")
    ]  # fmt: skip
    creates = [case.implementation.argv(case.run) for case in cases[:2]]
    assert ["--fsync=1" in words for words in creates] == [False, True]
    assert all("--filesize=4096" in words for words in creates)
    assert {case.bytes for case in cases} == {100 * 4096}
