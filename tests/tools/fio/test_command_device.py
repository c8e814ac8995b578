"""Writes to a served block device end with a flush, and the time that fio states includes it."""

import subprocess
from urllib.parse import quote

import pytest
from slow_flush import SlowFlush

from coldcache.core.trial_figure import choose_record
from coldcache.tools.fio import command as fio
from coldcache.tools.run import Run

FLUSH = 1.0


@pytest.fixture
def device(tmp_path):
    """Return a served device whose flushes take a second, and its address."""
    served = SlowFlush(tmp_path / "s", FLUSH)
    yield served, f"nbd+unix:///?socket={quote(str(tmp_path / 's'))}"
    served.close()


def measure(device, operation, **more):
    served, address = device
    run = Run((operation,), "/t", device=address, transfer_size=65536, file_size=2**20, seconds=0.5, **more)
    done = subprocess.run(fio.argv(run), capture_output=True, timeout=120, check=True)
    records = fio.read(done.stdout)
    figure = choose_record(operation, records, "throughput")
    return served.asked, figure.value, figure.factors


@pytest.mark.parametrize(("threads", "depth"), [(1, 1), (1, 4), (4, 4), (16, 1)])
@pytest.mark.parametrize("operation", ["write", "random-write"])
def test_writes_repeat_until_their_time_is_over_and_wait_for_the_flush(device, operation, threads, depth):
    asked, rate, factors = measure(device, operation, threads=threads, queue_depth=depth)
    assert asked["flushes"] == threads
    # Each thread writes its own part more than once.
    assert asked["bytes"] > threads * 2**20
    assert asked["last"] == threads * 2**20
    # Without the flush in it the rate would be three times as high.
    assert rate < asked["bytes"] / (0.5 + FLUSH)
    assert (factors["threads"], factors["queue_depth"]) == (threads, depth)


def test_reads_need_no_flush(tmp_path):
    run = Run(("read",), "/t", 2, device="nbd+unix:///?socket=s", transfer_size=65536, file_size=2**20)
    assert "--end_fsync=1" not in fio.argv(run)
    assert f"--offset_increment={2**20}" in fio.argv(run)
