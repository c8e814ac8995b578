"""Threads are dealt out to the clients of a model, and folders of names to its metadata servers."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.design.model.clients import spread_over_clients
from coldcache.design.model.specification import Specification
from coldcache.design.settings.model import ModelSetting
from coldcache.tools.fio import command as fio
from coldcache.tools.iozone import command as iozone
from coldcache.tools.mdtest import command as mdtest
from coldcache.tools.run import Run

MODEL = Specification(clients=3, metadata_servers=2)
FOLDER = "/var/tmp/m/c1/data/coldcache/s/w"
SERVERS = {"mdts": ModelSetting(kind="model", of="metadata_servers")}


def test_data_lie_in_one_folder_that_every_client_sees():
    found = spread_over_clients(MODEL, FOLDER, ("write",), {"threads": 4}, {}, fio.TRAITS)
    assert found["mounts"] == tuple(f"/var/tmp/m/c{client}/data/coldcache/s/w" for client in (1, 2, 3))
    assert found["subfolders"] == ()
    run = Run(("write",), FOLDER, 4, **found)
    assert run.folders == found["mounts"]


def test_names_lie_in_a_folder_of_each_client():
    found = spread_over_clients(MODEL, FOLDER, ("file-create",), {"mdts": 2}, SERVERS, fio.TRAITS)
    assert found["subfolders"] == ("mdt0-c1/files", "mdt1-c2/files", "mdt0-c3/files")
    run = Run(("file-create",), FOLDER, 4, **found)
    assert run.folders[1] == "/var/tmp/m/c2/data/coldcache/s/w/mdt1-c2/files"
    assert [run.name_within(thread) for thread in (0, 3)] == ["mdt0-c1/files/"] * 2


def test_a_run_without_clients_uses_its_directory():
    assert Run(("write",), FOLDER, 4).folders == (FOLDER,)
    assert Run(("write",), FOLDER, 4).name_within(3) == ""


def test_fewer_clients_take_part_where_a_factor_says_so():
    assert len(spread_over_clients(MODEL, FOLDER, ("read",), {"nodes": 2}, {}, fio.TRAITS)["mounts"]) == 2
    with pytest.raises(DesignError, match="4 are more than the model's 3 clients"):
        spread_over_clients(MODEL, FOLDER, ("read",), {"nodes": 4}, {}, fio.TRAITS)


def test_more_servers_than_there_are_are_refused():
    with pytest.raises(DesignError, match="3 metadata servers are more than the model's 2"):
        spread_over_clients(MODEL, FOLDER, ("file-create",), {"mdts": 3}, SERVERS, fio.TRAITS)


def test_processes_run_on_the_clients_where_the_directory_has_one_name():
    found = spread_over_clients(MODEL, FOLDER, ("write",), {"threads": 5}, {}, iozone.TRAITS)
    assert found == {"nodes": 3, "subfolders": (), "starter": "model", "hosts": ("c1", "c2", "c3")}
    run = Run(("write",), FOLDER, 5, **found)
    assert run.folders == (FOLDER,)
    lines = [f"127.0.0.{client} {FOLDER} {iozone.TRAITS.program.require()}" for client in (1, 2, 3, 1, 2)]
    assert iozone.files(run)["clients.txt"].splitlines() == lines


def test_fewer_threads_than_clients_use_as_many_clients():
    found = spread_over_clients(MODEL, FOLDER, ("file-create",), {"threads": 2, "mdts": 2}, SERVERS, mdtest.TRAITS)
    assert (found["nodes"], found["hosts"]) == (2, ("c1", "c2"))
    # mdtest refuses more folders than ranks.
    folders = Run(("file-create",), FOLDER, 2, **found).folders
    assert folders == tuple(f"{FOLDER}/{name}/files" for name in ("mdt0-c1", "mdt1-c2"))
