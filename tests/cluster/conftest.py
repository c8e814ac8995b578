"""A Slurm cluster for the tests, with or without accounting, or on a scale model."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm_lab import PROGRAMS, Lab, explain_no_cluster, run_cluster

from coldcache.design.model.specification import Specification
from coldcache.measure.model.feasibility import list_obstacles
from coldcache.measure.model.place import Place, open_place
from coldcache.measure.model.start import start_model
from coldcache.measure.model.stop import stop


@pytest.fixture(scope="session")
def lab(root, tmp_path_factory) -> Iterator[Lab]:
    """A cluster without accounting; it ends with the last test that uses it."""
    reason = explain_no_cluster()
    if reason:
        pytest.skip(reason)
    with run_cluster(root, tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(scope="session")
def accounted(root, tmp_path_factory) -> Iterator[Lab]:
    """A cluster with accounting, which forgets ended jobs at once."""
    reason = explain_no_cluster((*PROGRAMS, "slurmdbd", "mariadbd"))
    if reason:
        pytest.skip(reason)
    with run_cluster(root, tmp_path_factory.mktemp("accounted"), "accounting") as made:
        yield made


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """A small scale model that is up: four targets of 10 MB/s and a client for each node."""
    obstacles = list_obstacles()
    if obstacles:
        pytest.skip("; ".join(obstacles))
    # The sockets' names are bound to 107 characters, which pytest's own folders may exceed.
    with tempfile.TemporaryDirectory(prefix="model-", dir="/var/tmp") as folder:
        found = open_place(Path(folder) / "m")
        try:
            start_model(found, Specification(targets=4, storage_nodes=2, clients=4, target_rate=1e7))
            yield found
        finally:
            stop(found)


@pytest.fixture(scope="module")
def on_model(root, tmp_path_factory, place) -> Iterator[Lab]:
    """A cluster whose target is the file system of a scale model: each node sees it by a client of its own."""
    reason = explain_no_cluster()
    if reason:
        pytest.skip(reason)
    with run_cluster(root, tmp_path_factory.mktemp("on-model")) as made:
        (place.mount_of(1) / "data").mkdir()
        for client in range(1, 5):
            made.on_node(client, "mount", "--bind", str(place.mount_of(client) / "data"), str(made.target))
        made.run("mount", "--bind", str(place.mount_of(1) / "data"), str(made.target))
        yield made
