"""The folders that a trial's threads use: the sweep's folder as each client has it mounted, and folders within it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import METADATA_OPERATIONS
from coldcache.design.model.specification import Specification
from coldcache.design.settings.model import count_servers
from coldcache.tools.launchers import MODEL
from coldcache.tools.protocols import Traits

#: The folder within a client's own in which its files lie: what is pinned to a server is only what is below.
FILES = "files"


def name_folder(client: int, servers: int) -> str:
    """Return the folder of a client's own files, which is pinned to one of so many metadata servers."""
    return f"mdt{(client - 1) % servers}-c{client}"


def spread_over_clients(
    model: Specification, directory: str, operations: Sequence[str], factors: Mapping[str, Any],
    settings: Mapping[str, Any], traits: Traits,
) -> dict[str, Any]:  # fmt: skip
    """Return the fields of a run that say on which clients its threads run, and in which folders.

    Processes of a tool that starts them itself run on the clients, where the directory has one name; threads of others
    use each client's mount from outside.

    Parameters
    ----------
    model : Specification
        How many clients there are.
    directory : str
        The sweep's folder on the first client.
    operations : sequence of str
        Those on files themselves use a folder for each client, so that clients do not wait for each other.
    factors, settings : mapping
        Level and kind of each factor; ``nodes`` says how many clients take part.
    traits : Traits
        Of the tool.

    Raises
    ------
    DesignError
        If more clients take part, or more metadata servers, than the model has.
    """
    clients = int(factors.get("nodes", model.clients))
    if clients > model.clients:
        raise DesignError(f"factors.nodes: {clients} are more than the model's {model.clients} clients")
    servers = count_servers(settings, factors)
    if servers > model.metadata_servers:
        raise DesignError(
            f"{servers} metadata servers are more than the model's {model.metadata_servers}; lower the level, or "
            "raise model.metadata_servers"
        )
    numbers = range(1, clients + 1)
    path = Path(directory)
    at = next(place for place, part in enumerate(path.parts) if part == "c1")
    mounts = tuple(str(Path(*path.parts[:at], f"c{number}", *path.parts[at + 1 :])) for number in numbers)
    within = tuple(f"{name_folder(number, servers)}/{FILES}" for number in numbers)
    found: dict[str, Any] = {"nodes": 1, "subfolders": within if operations[0] in METADATA_OPERATIONS else ()}
    if not traits.starts_processes:
        return {**found, "mounts": mounts}
    used = min(clients, int(factors["threads"]))
    hosts = tuple(f"c{number}" for number in numbers[:used])
    # mdtest refuses more folders than ranks.
    return {**found, "subfolders": found["subfolders"][:used], "nodes": used, "starter": MODEL, "hosts": hosts}
