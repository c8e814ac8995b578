"""A small model that is up while the tests of this folder need it, and fio on its clients.

The tests that start it run where it can be started: as root, with FUSE, loop devices and Ceph's packages.
"""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coldcache.design.model.specification import Specification
from coldcache.measure.model.feasibility import list_obstacles
from coldcache.measure.model.place import Place, open_place
from coldcache.measure.model.start import start_model
from coldcache.measure.model.stop import stop

SMALL = Specification(targets=4, storage_nodes=2, clients=4, target_rate=1e7)


@pytest.fixture(scope="session")
def place() -> Iterator[Place]:
    """A place at which a model may be started; whatever is there at the end is ended."""
    obstacles = list_obstacles()
    if obstacles or shutil.which("fio") is None:
        pytest.skip("; ".join(obstacles) or "needs fio")
    # The sockets' names are bound to 107 characters, which pytest's own folders may exceed.
    with tempfile.TemporaryDirectory(prefix="model-", dir="/var/tmp") as folder:
        found = open_place(Path(folder) / "m")
        yield found
        stop(found)


@pytest.fixture
def model(place: Place) -> Place:
    """The small model, up; restarted only where an earlier test changed it."""
    start_model(place, SMALL)
    return place


@pytest.fixture
def run_fio(tmp_path) -> Callable[[str, list[Path], int], float]:
    """Return a function that writes or reads files, a thread each, and returns all bytes over the whole time in B/s."""

    def run(operation: str, paths: list[Path], size: int) -> float:
        lines = ["[global]", "thread", f"rw={operation}", "bs=1M", f"size={size}", "end_fsync=1", "invalidate=0"]
        lines += ["group_reporting", "iomem_align=4k"]
        for path in paths:
            lines += [f"[{path.name}]", f"filename={path}"]
        job = tmp_path / "job.fio"
        job.write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            ["fio", "--output-format=json", job], capture_output=True, text=True, timeout=60, check=True
        )
        told = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0][operation]
        return told["io_bytes"] / (told["runtime"] / 1000)

    return run
