"""Operations and factors follow from the options that fio prints with a job, and from nothing else."""

import pytest

from coldcache.tools.fio.options import (
    PARTIAL,
    bytes_moved,
    expected_sides,
    is_job_done,
    merge_options,
    name_factors,
    name_fio_operation,
    read_size,
    take_number,
    verifies_reads,
)

MIB = 2**20


def test_options_of_a_job_override_the_global_ones_under_one_name_each():
    merged = merge_options({"blocksize": "4k", "runtime": 10, "rw": "read"}, {"readwrite": "randread", "timeout": "3"})
    assert merged == {"bs": "4k", "runtime": "3", "rw": "randread"}


@pytest.mark.parametrize(
    ("words", "size"),
    [
        ("4096", 4096), ("4k", 4096), ("4kb", 4096), ("4Ki", 4000), ("1KiB", 1000), ("2m", 2 * MIB), ("1G", 2**30),
        # An i without a prefix, a share, a range and a sum are no plain sizes.
        ("4i", None), ("50%", None), ("4k-8k", None), ("", None),
    ],
)  # fmt: skip
def test_sizes_are_read_as_fio_reads_them(words, size):
    assert read_size(words) == size


def test_with_a_base_of_1000_the_prefixes_change_places():
    assert (read_size("4k", 1000), read_size("4ki", 1000), read_size("1mib", 1000)) == (4000, 4096, MIB)


@pytest.mark.parametrize(
    ("side", "options", "name", "found"),
    [
        ("read", {"rw": "randread"}, "j", ("random-read", None)),
        ("write", {"rw": "write"}, "j", ("write", None)),
        ("write", {"rw": "randrw"}, "j", ("random-write", None)),
        ("mixed", {"rw": "randrw"}, "j", ("random-mix", None)),
        ("mixed", {"rw": ""}, "j", ("mixed", "pattern-unknown")),
        ("read", {"rw": "read:64k"}, "j", ("stride-read", None)),
        ("read", {}, "j", ("read", None)),
        ("read", {"ioengine": "filecreate"}, "j", ("file-create", None)),
        # Another job of the reporting group moved it.
        ("read", {"rw": "write"}, "j", ("read", "pattern-unknown")),
        # fio before 2.3 prints no options.
        ("read", None, "RandomRead", ("random-read", "pattern-from-name")),
        ("write", None, "seq-write", ("write", "pattern-from-name")),
        ("write", None, "job1", ("write", "pattern-unknown")),
    ],
)  # fmt: skip
def test_the_operation_is_that_of_the_pattern_or_the_engine(side, options, name, found):
    assert name_fio_operation(side, options, name) == found


@pytest.mark.parametrize(
    ("options", "sides"),
    [({"rw": "randwrite"}, ("write",)), ({}, ("read",)), ({"rw": "rw"}, ()), ({"ioengine": "filestat"}, ())],
)
def test_a_pattern_of_one_side_must_move_on_that_side(options, sides):
    assert expected_sides(options) == sides


def moved(size, runtime_ms=1000, **more):
    return {"write": {"io_bytes": size, "io_kbytes": size // 1024, "runtime": runtime_ms}, **more}


@pytest.mark.parametrize(
    ("options", "values", "done"),
    [
        ({"rw": "write", "size": "1m"}, moved(MIB), True),
        ({"rw": "write", "size": "1m", "numjobs": "2"}, moved(2 * MIB), True),
        ({"rw": "write", "size": "1m"}, moved(MIB // 2), None),
        ({"rw": "write", "size": "1m", "runtime": "2"}, moved(MIB // 2, 1000), False),
        ({"rw": "write", "size": "1m", "runtime": "1"}, moved(MIB // 2, 1000), True),
        ({"rw": "write", "size": "1m", "loops": "3"}, moved(3 * MIB), True),
        # Another option may have ended it early.
        ({"rw": "write", "size": "1m", "runtime": "2", "number_ios": "5"}, moved(MIB // 2), None),
        (None, moved(MIB), None),
    ],
)  # fmt: skip
def test_a_job_is_done_once_it_has_reached_its_size_or_its_time(options, values, done):
    assert is_job_done(options, values, slack=0.0) is done


def test_the_time_of_a_job_covers_its_start_since_3_8():
    options = {"rw": "write", "size": "1m", "runtime": "2"}
    assert is_job_done(options, moved(MIB // 2, 1950), slack=0.0) is False
    assert is_job_done(options, moved(MIB // 2, 1950), slack=0.05) is True
    assert is_job_done(options, moved(MIB // 2, 1950, job_runtime=2000), slack=0.0) is True


@pytest.mark.parametrize(
    ("options", "values", "done"),
    [
        # Three of four transfers fit into the size: 3 MiB of 3.5 MiB.
        ({"size": "3584k", "bs": "1m"}, moved(3 * MIB, 100), True),
        ({"size": "3584k", "bs": "1m"}, moved(2 * MIB, 100), False),
        ({"size": "4m", "bs": "1m"}, moved(3 * MIB, 100), False),
        ({"size": "1m", "bs": "1m"}, moved(0, 100), False),
        # Two sections of one reporting group, one size each: the time is that of two processes.
        ({"size": "4m"}, moved(8 * MIB, 1000, job_runtime=2000), None),
        ({"size": "4m"}, moved(8 * MIB, 1000, job_runtime=1005), False),
        # The ramp moves a part of the size that is not printed.
        ({"size": "4m", "ramp_time": "1"}, moved(3 * MIB, 100), None),
        ({"size": "4m", "ramp_time": "1"}, moved(3 * MIB, 60000), True),
    ],
)  # fmt: skip
def test_a_job_whose_size_may_have_ended_it_before_its_time_is_no_status(options, values, done):
    assert is_job_done({"rw": "write", "runtime": "60", **options}, values, slack=0.0) is done


def test_numbers_and_bytes_are_taken_as_each_version_prints_them():
    assert (take_number({"a": 3}, "a"), take_number({"a": "3"}, "a"), take_number({}, "a")) == (3.0, 0.0, 0.0)
    assert take_number({"a": True}, "a") == 0.0
    assert (bytes_moved({"io_bytes": 5}), bytes_moved({"io_bytes": 5, "io_kbytes": 0})) == (5 * 1024, 5)


def test_reads_are_verified_unless_the_method_only_pretends_to():
    assert verifies_reads({"rw": "read", "verify": "crc32c"})
    assert not any(map(verifies_reads, (None, {}, {"rw": "read", "verify": "null"})))


def test_factors_are_those_that_the_options_state():
    options = {"rw": "randread", "bs": "4k", "iodepth": "8", "direct": "1", "size": "64m", "ioengine": "libaio"}
    assert name_factors("read", options, 4, 40960.0, 10) == {
        "threads": 4, "queue_depth": 8, "transfer_size": 4096, "direct_io": True, "file_size": 64 * MIB,
        "file_layout": "file-per-thread",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("engine", "depth"),
    [
        # fio: "both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1".
        ({"ioengine": "psync"}, 1), ({"ioengine": "mmap"}, 1), ({}, 1),
        ({"ioengine": "psync", "io_submit_mode": "offload"}, 32), ({"ioengine": "libaio"}, 32),
        ({"ioengine": "io_uring"}, 32),
    ],
)  # fmt: skip
def test_an_engine_that_keeps_one_transfer_in_flight_has_a_queue_depth_of_1(engine, depth):
    assert name_factors("read", {"rw": "randread", "iodepth": "32", **engine}, 1, 40960.0, 10)["queue_depth"] == depth


def test_a_transfer_size_that_contradicts_the_calls_is_left_out():
    # Several transfers may be in flight, so a few calls prove nothing.
    assert "transfer_size" in name_factors("read", {"bs": "4k"}, 1, 4096.0 * 100, 101)
    assert "transfer_size" not in name_factors("read", {"bs": "4k"}, 1, 4096.0 * 100, 50)


@pytest.mark.parametrize(
    ("side", "size", "found"),
    [("read", "4k,8k", 4096), ("write", "4k,8k", 8192), ("trim", "4k,8k", 8192), ("mixed", "4k,8k", None)],
)
def test_each_side_has_its_own_transfer_size(side, size, found):
    assert name_factors(side, {"rw": "rw", "bs": size}, 1, 0.0, 0).get("transfer_size") == found


def test_engines_without_data_or_page_cache_state_neither_sizes_nor_direct_transfers():
    names = name_factors("read", {"ioengine": "filestat", "nrfiles": "100", "size": "400k"}, 1, 0.0, 0)
    assert names == {"threads": 1, "file_size": 4096, "file_layout": "file-per-thread"}
    assert name_factors("read", {"ioengine": "filecreate", "nrfiles": "100"}, 1, 0.0, 0)["files"] == 100
    for engine in ("nbd", "io_uring_cmd", "sg", "dev-dax", "external:/opt/spdk/build/fio/spdk_nvme"):
        assert "direct_io" not in name_factors("read", {"ioengine": engine}, 1, 0.0, 0)
    assert name_factors("read", {"ioengine": "io_uring"}, 1, 0.0, 0)["direct_io"] is False


def test_a_named_file_is_shared_by_several_threads():
    assert name_factors("read", {"filename": "/t/f"}, 4, 0.0, 0)["file_layout"] == "shared-file"
    assert "file_layout" not in name_factors("read", {"filename": "/t/f"}, 1, 0.0, 0)
    assert "file_layout" not in name_factors("read", {"filename": "/t/a:/t/b"}, 4, 0.0, 0)


def test_incomplete_options_give_no_factor_that_rests_on_a_default():
    assert name_factors("read", {"iodepth": "2", PARTIAL: ""}, 1, 0.0, 0) == {"threads": 1, "queue_depth": 2}
    assert name_factors("read", None, 4, 0.0, 0) == {"threads": 4}
