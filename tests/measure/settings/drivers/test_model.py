"""Settings of a model are put in force on the real one, read back, and restored."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from coldcache.core.errors import SettingError
from coldcache.design.model.specification import Specification
from coldcache.design.settings.model import ModelSetting
from coldcache.measure.model.feasibility import list_obstacles
from coldcache.measure.model.folders import read_folder, read_pins
from coldcache.measure.model.layout import find_targets, make_files
from coldcache.measure.model.place import open_place
from coldcache.measure.model.start import start_model
from coldcache.measure.model.stop import stop
from coldcache.measure.settings.changes import Changes
from coldcache.measure.settings.registry import locate, why_not
from coldcache.measure.target import locked, make_work_folder

PARTS = Specification(targets=3, storage_nodes=1, metadata_servers=2, clients=2, target_size=1 << 30)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]


@pytest.fixture(scope="module")
def model():
    obstacles = list_obstacles()
    if obstacles:
        pytest.skip("; ".join(obstacles))
    with tempfile.TemporaryDirectory(prefix="model-", dir="/var/tmp") as folder:
        place = open_place(Path(folder) / "m")
        try:
            start_model(place, PARTS)
            yield place
        finally:
            stop(place)


@pytest.fixture
def work(model):
    return make_work_folder(model.mount_of(1) / "data")


@pytest.fixture
def sweep(work):
    folder = work / "study/sweep"
    folder.mkdir(parents=True)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def kind(of, **stated):
    return ModelSetting(kind="model", of=of, **stated)


@pytest.mark.parametrize(
    ("of", "level", "before"),
    [
        ("target_rate", "2.5 MB/s", "10000000"),
        ("target_rate", "none", "10000000"),
        ("metadata_cpu", "0.2", "none"),
        ("client_rate", "5 MB/s", "none"),
        ("node_rate", "5 MB/s", "none"),
        ("write_cache", "off", "on"),
        ("client_cache", "off", "on"),
        ("client_cache_size", "8 MiB", "536870912"),
        ("request_size", "512 KiB", "none"),
        ("target_outage", "5 s", "none"),
    ],
)
def test_a_limit_is_put_in_force_and_restored(model, work, sweep, of, level, before):
    setting = kind(of)
    with locked(work) as lock:
        address = locate(setting, work, sweep)
        with Changes(work, lock) as changes:
            assert changes.read(address) == before
            asked = setting.reading(level)
            assert changes.put("factor", address, asked, setting.value(level)) == asked
            assert changes.read(address) == asked
        assert Changes(work, lock).read(address) == before


def test_files_have_the_layout_of_their_folder(model, work, sweep):
    with locked(work) as lock, Changes(work, lock) as changes:
        for of, level in (("targets", "2"), ("stripe_count", "2"), ("stripe_size", "2 MiB")):
            setting = kind(of)
            address = locate(setting, work, sweep)
            asked = setting.reading(level)
            assert changes.put(of, address, asked, setting.value(level)) == asked
        make_files(model, sweep, ["a", "b"], 8 << 20, read_folder(model, sweep))
        assert find_targets(model, sweep / "a") == [1, 2]
        assert find_targets(model, sweep / "b") == [1, 2]
        for of, read in (("targets", "2"), ("stripe_count", "2"), ("stripe_size", str(2 << 20))):
            assert changes.read(locate(kind(of), work, sweep)) == read


def test_a_file_on_another_target_is_told(model, work, sweep):
    with locked(work) as lock, Changes(work, lock) as changes:
        address = locate(kind("targets"), work, sweep)
        changes.put("targets", address, "1", "1")
        os.setxattr(sweep, "ceph.dir.layout.pool", b"ost3")
        (sweep / "stray").write_bytes(bytes(4096))
        os.setxattr(sweep, "ceph.dir.layout.pool", b"first1")
        assert changes.read(address) == "1, and target 3"


def test_the_folders_of_clients_are_dealt_out_to_the_metadata_servers(model, work, sweep):
    with locked(work) as lock, Changes(work, lock) as changes:
        address = locate(kind("metadata_servers"), work, sweep)
        assert changes.put("mdts", address, "2", "2") == "2"
        assert read_pins(model, sweep) == [0, 1]


def test_more_stripes_than_targets_are_refused(model, work, sweep):
    with locked(work) as lock, Changes(work, lock) as changes:
        address = locate(kind("stripe_count"), work, sweep)
        with pytest.raises(SettingError, match="4 are more than the model's 3 targets"):
            changes.put("stripe_count", address, "4", "4")


def test_a_folder_elsewhere_has_no_model(tmp_path):
    assert why_not(kind("targets"), tmp_path).endswith("is not on a model; measure on a site with the key model")
