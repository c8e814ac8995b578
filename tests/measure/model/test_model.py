"""A real model: its curves have the shape of its limits, cold is cold, and nothing is left of it.

Bounds are those of physics: never faster than the limits, and no slower than a busy machine explains.
"""

import os
import signal
import time

import pytest

from coldcache.design.model.predict import predict_throughput
from coldcache.design.model.specification import Specification
from coldcache.design.model.stripes import Layout
from coldcache.measure.model.clients import remount_clients
from coldcache.measure.model.counters import read_model_counters, subtract
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.layout import find_targets, forget_stripes, make_files, read_layout
from coldcache.measure.model.limits import read_model_limits, set_limit
from coldcache.measure.model.place import find_daemons, find_first_process, list_expected, lock
from coldcache.measure.model.start import is_up, start_model
from coldcache.measure.model.stop import list_left, stop

MIB = 1 << 20

#: As conftest.py starts it.
SMALL = Specification(targets=4, storage_nodes=2, clients=4, target_rate=1e7)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]


def moved_bytes(place, before, kind):
    moved = subtract(read_model_counters(place), before)
    return sum(getattr(target, kind) for number, target in moved.targets.items() if number)


def test_a_model_that_is_up_is_left_as_it_is(model):
    processes = find_daemons(model)
    assert set(processes) == list_expected(SMALL)
    assert start_model(model, SMALL) is False
    assert find_daemons(model) == processes


def test_the_device_of_the_metadata_holds_more_than_a_target(model):
    assert (model.image_of(0).stat().st_size, model.image_of(1).stat().st_size) == (8 * 2**30, SMALL.target_size)


def test_ctrl_c_reaches_no_server_and_no_client(model):
    remount_clients(model, first=4)
    groups = {name: os.getpgid(process) for name, process in find_daemons(model).items()}
    assert os.getpgid(0) not in groups.values()


def test_two_starts_at_once_are_refused(model):
    with lock(model), pytest.raises(ModelError, match="another process starts or ends this model"):
        start_model(model, SMALL)


def test_the_knee_lies_where_threads_equal_targets(model, run_fio):
    rates = {}
    for threads in (1, 4, 8):
        size = 8 * min(threads, 4) // threads * MIB
        names = [f"knee{threads}.{number}" for number in range(threads)]
        make_files(model, model.mount_of(1) / "knee", names, size, Layout(4))
        paths = [model.mount_of(1 + number % 2) / "knee" / name for number, name in enumerate(names)]
        rates["write", threads] = run_fio("write", paths, size)
        remount_clients(model)
        rates["read", threads] = run_fio("read", paths, size)
    for way in ("write", "read"):
        assert rates[way, 4] / rates[way, 1] > 2.5
        assert 0.7 < rates[way, 8] / rates[way, 4] < 1.3
        for threads in (1, 4, 8):
            assert rates[way, threads] < 1.1 * predict_throughput(SMALL, threads, Layout(4), way).rate


def test_one_thread_is_as_fast_as_its_stripes(model, run_fio):
    rates = {}
    for stripes in (1, 4):
        size = 10 * stripes * MIB
        folder = model.mount_of(1) / "stripes"
        assert make_files(model, folder, [f"s{stripes}"], size, Layout(stripes, stripes))[f"s{stripes}"] == list(
            range(1, stripes + 1)
        )
        path = folder / f"s{stripes}"
        rates["write", stripes] = run_fio("write", [path], size)
        remount_clients(model)
        rates["read", stripes] = run_fio("read", [path], size)
        assert read_layout(path)["stripe_count"] == stripes
        assert set(find_targets(model, path)) == set(range(1, stripes + 1))
        path.unlink()
    for way in ("write", "read"):
        assert 2.5 < rates[way, 4] / rates[way, 1] < 4.5
    forget_stripes(model)


def test_cold_is_proved_by_the_bytes_of_the_targets(model, run_fio):
    size = 8 * MIB
    make_files(model, model.mount_of(1) / "cold", ["file"], size, Layout(1))
    path = model.mount_of(1) / "cold/file"
    run_fio("write", [path], size)
    remount_clients(model)
    before = read_model_counters(model)
    run_fio("read", [path], size)
    assert moved_bytes(model, before, "read_bytes") >= size
    before = read_model_counters(model)
    run_fio("read", [path], size)
    assert moved_bytes(model, before, "read_bytes") < size / 10


def test_limits_are_put_in_force_and_read_back(model, run_fio):
    asked = {"target_rate": 2.5e6, "target_iops": 500.0, "request_size": 2.0**19, "metadata_cpu": 0.2, "node_rate": 2e7}
    try:
        for key, value in asked.items():
            assert set_limit(model, key, value) == pytest.approx(value, rel=0.01)
        assert set_limit(model, "write_cache", False) is False
        found = read_model_limits(model)
        assert all(found[key] == pytest.approx(value, rel=0.01) for key, value in asked.items())
        assert read_model_limits(model)["client_rate"] is None
    finally:
        start_model(model, SMALL)
    found = read_model_limits(model)
    assert [found[key] for key in ("target_rate", "target_iops", "request_size", "node_rate")] == [
        1e7,
        None,
        None,
        None,
    ]


def test_a_delay_is_read_back_or_the_kernel_lacks_it(model):
    try:
        assert set_limit(model, "network_delay", 0.002) == pytest.approx(0.002)
        assert read_model_limits(model)["network_delay"] == pytest.approx(0.002)
    except ModelError as error:
        assert str(error).endswith("where the kernel has it, modprobe sch_netem")
        assert read_model_limits(model)["network_delay"] == 0
    finally:
        start_model(model, SMALL)


def test_without_its_limit_a_target_is_faster(model, run_fio):
    make_files(model, model.mount_of(1) / "control", ["file"], 8 * MIB, Layout(1))
    path = model.mount_of(1) / "control/file"
    rates = {}
    try:
        for rate in (2e6, None):
            set_limit(model, "target_rate", rate)
            rates[rate] = run_fio("write", [path], 8 * MIB)
    finally:
        set_limit(model, "target_rate", SMALL.target_rate)
    assert rates[2e6] < 2.2e6
    assert rates[None] > 2 * rates[2e6]


def test_after_a_kill_the_next_start_cleans_up(model):
    (model.mount_of(1) / "old").touch()
    os.kill(find_daemons(model)["osd.1"], signal.SIGKILL)
    deadline = time.monotonic() + 10
    while is_up(model) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert start_model(model, SMALL) is True
    assert set(find_daemons(model)) == list_expected(SMALL)
    assert not (model.mount_of(1) / "old").exists()


def test_nothing_is_left(model):
    # With its first process all others end, and the mounts are dead.
    os.kill(find_first_process(model), signal.SIGKILL)
    stop(model)
    assert list_left(model) == []
    assert not model.folder.exists()
