"""Where a model lies, what its parts are called, and which of its processes run."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from coldcache.design.model.specification import Specification
from coldcache.measure.model.calls import call
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.groups import list_entrances, list_members

#: The file by which a folder is known to be a model's: nothing is removed from one that lacks it.
MARK = "coldcache-model.json"

#: The file that a campaign holds while it measures.
IN_USE = ".in-use"

# Enters the groups whose files come first, and becomes the program that follows.
_ENTER = 'while [ "$1" != -- ]; do echo $$ >"$1"; shift; done; shift; exec "$@"'


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of a model, and all names that follow from it."""

    folder: Path

    @property
    def name(self) -> str:
        """Beginning of the names of network namespaces and control groups; two folders never share one."""
        return "model-" + hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:6]

    @property
    def configuration(self) -> Path:
        """The file that every daemon and client reads."""
        return self.folder / "etc/ceph.conf"

    def mount_of(self, client: int) -> Path:
        """Return where a client sees the file system."""
        return self.folder / f"c{client}"

    def image_of(self, target: int) -> Path:
        """Return the file that a target's bytes lie in."""
        return self.folder / f"images/{target}"

    def device_of(self, target: int) -> Path:
        """Return the block device of a target."""
        return Path((self.folder / f"osd/{target}/block").readlink())

    def socket_of(self, daemon: str) -> Path:
        """Return the socket at which a daemon answers."""
        return self.folder / f"run/{daemon}.asok"

    def log(self, name: str) -> Path:
        """Return the file that takes a program's messages."""
        return self.folder / "log" / name

    def namespace(self, node: str) -> str:
        """Return the network namespace of a node."""
        return f"{self.name}-{node}"


def open_place(folder: Path | str) -> Place:
    """Return the place that a folder names, whether a model lies there or not."""
    return Place(Path(folder).resolve())


def find_place(folder: Path) -> Place | None:
    """Return the place of the model that a folder is on; None where it is on none."""
    return next((Place(mark.parent) for mark in _list_marks(folder.absolute()) if mark.is_file()), None)


# Each trial asks several times about the same folder.
@lru_cache(maxsize=64)
def _list_marks(path: Path) -> tuple[Path, ...]:
    return tuple(parent / MARK for parent in path.parents)


def read_specification(place: Place) -> Specification:
    """Return what the model that lies here is made of, with the limits that were set last.

    Raises
    ------
    ModelError
        If no model lies here.
    """
    try:
        return Specification.model_validate_json((place.folder / MARK).read_text())
    except OSError as error:
        raise ModelError(f"{place.folder}: no model is up here; up starts one") from error
    except (ValidationError, json.JSONDecodeError) as error:
        raise ModelError(f"{place.folder / MARK}: not of this version; down removes the model") from error


def write_specification(place: Place, specification: Specification) -> None:
    """Keep what the model is made of; a file cut short is never left."""
    part = place.folder / f"{MARK}.part"
    part.write_text(specification.model_dump_json(indent=1) + "\n")
    part.replace(place.folder / MARK)


@contextmanager
def lock(place: Place) -> Iterator[None]:
    """Hold the folder against other starts and ends of the same model, as long as this process lives.

    Raises
    ------
    ModelError
        If another process starts or ends the model right now.
    """
    place.folder.mkdir(parents=True, exist_ok=True)
    with _flocked(place.folder, f"{place.folder}: another process starts or ends this model; wait for its end"):
        yield


@contextmanager
def claim(place: Place) -> Iterator[None]:
    """Hold a model against others that would measure on it, restart it or end it, as long as this process lives.

    Raises
    ------
    ModelError
        If another process measures on it.
    """
    place.folder.mkdir(parents=True, exist_ok=True)
    (place.folder / IN_USE).touch()
    with _flocked(place.folder / IN_USE, f"{place.folder}: a campaign measures on this model; wait for its end"):
        yield


@contextmanager
def _flocked(path: Path, refusal: str) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ModelError(refusal) from error
        yield
    finally:
        os.close(descriptor)


def find_first_process(place: Place) -> int | None:
    """Return the process with whose end the kernel ends all others of the model; None where it does not run."""
    for member in list_members(place.name, "other"):
        with suppress(OSError):
            for line in Path(f"/proc/{member}/status").read_text().splitlines():
                if line.startswith("NSpid:") and line.split()[2:] == ["1"]:
                    return member
    return None


def find_daemons(place: Place) -> dict[str, int]:
    """Return the processes of servers and clients, by names such as ``osd.1``, ``mds.m0`` and ``client.c1``."""
    found = {}
    for member in list_members(place.name):
        with suppress(OSError):
            words = Path(f"/proc/{member}/cmdline").read_bytes().decode(errors="replace").split("\0")
            program = Path(words[0]).name
            if program in ("ceph-mon", "ceph-osd", "ceph-mds") and "--id" in words:
                found[f"{program[5:]}.{words[words.index('--id') + 1]}"] = member
            elif program == "ceph-fuse" and "--name" in words:
                found[words[words.index("--name") + 1]] = member
    return found


def list_expected(specification: Specification) -> set[str]:
    """Return the names of all servers and clients that run while the model is up."""
    servers = specification.metadata_servers + specification.standby_servers
    return {
        "mon.a",
        *(f"osd.{number}" for number in range(specification.targets + 1)),
        *(f"mds.m{number}" for number in range(servers)),
        *(f"client.c{number}" for number in range(1, specification.clients + 1)),
    }


def enter_groups(place: Place, group: str) -> list[str]:
    """Return the beginning of a command by which a program starts as a member of a group."""
    return ["/bin/sh", "-c", _ENTER, "sh", *map(str, list_entrances(place.name, group)), "--"]


def start_within(place: Place, node: str, group: str, *command: str | Path, log: Path, seconds: float = 60) -> None:
    """Start a daemon among the model's processes, on a node's network and in a group.

    Raises
    ------
    ModelError
        If the model's first process has ended, or the daemon does not start.
    """
    first = find_first_process(place)
    if first is None:
        raise ModelError(f"{place.folder}: the model's first process has ended; up restarts the model")
    inside = ["nsenter", "--target", str(first), "--pid", f"--net=/run/netns/{place.namespace(node)}"]
    call(*enter_groups(place, group), *inside, *command, log=log, seconds=seconds)
