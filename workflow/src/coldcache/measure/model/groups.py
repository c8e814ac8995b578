"""Control groups of the model: who belongs to it, and what its processes may use (cgroups(7), versions 1 and 2)."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from coldcache.measure.model.errors import ModelError

ROOT = Path("/sys/fs/cgroup")
_CONTROLLERS = ("blkio", "cpu", "cpuacct")

#: Version 1 has a tree for each controller, version 2 one for all.
VERSION = 1 if (ROOT / "blkio").is_dir() else 2


def folder_of(name: str, group: str, controller: str) -> Path:
    """Return the folder of a group, in the tree of a controller of version 1."""
    return ROOT / controller / name / group if VERSION == 1 else ROOT / name / group


def list_trees(name: str) -> list[Path]:
    """Return the folders that hold all groups of a model."""
    return [ROOT / controller / name for controller in _CONTROLLERS] if VERSION == 1 else [ROOT / name]


def make_groups(name: str, groups: Iterable[str]) -> None:
    """Make the groups of a model."""
    if VERSION == 2:
        (ROOT / name).mkdir(exist_ok=True)
        for folder in (ROOT, ROOT / name):
            (folder / "cgroup.subtree_control").write_text("+cpu +io")
    for group in groups:
        for tree in list_trees(name):
            (tree / group).mkdir(parents=True, exist_ok=True)


def give_way(name: str, group: str) -> None:
    """Let a group have the least weight: beside others its processes get hardly any of the processors.

    Raises
    ------
    ModelError
        If the kernel refuses it.
    """
    file, least = ("cpu.shares", 2) if VERSION == 1 else ("cpu.weight", 1)
    write_limit(folder_of(name, group, "cpu") / file, str(least))


def list_entrances(name: str, group: str) -> list[Path]:
    """Return the files that take the number of a process into a group."""
    return [tree / group / "cgroup.procs" for tree in list_trees(name)]


def list_members(name: str, group: str | None = None) -> set[int]:
    """Return the processes of a group, or of the whole model."""
    found: set[int] = set()
    for tree in list_trees(name)[:1]:
        for file in tree.glob(f"{group or '**'}/cgroup.procs") if tree.is_dir() else ():
            with suppress(OSError):
                found.update(int(number) for number in file.read_text().split() if int(number))
    return found


def remove_groups(name: str) -> None:
    """Remove all groups of a model, which have no members any more."""
    for tree in list_trees(name):
        if tree.is_dir():
            for folder in sorted((path for path in tree.rglob("*") if path.is_dir()), reverse=True):
                folder.rmdir()
            tree.rmdir()


def write_limit(file: Path, value: str) -> None:
    """Write a limit into the kernel's file.

    Raises
    ------
    ModelError
        If the kernel refuses it.
    """
    try:
        file.write_text(value)
    except OSError as error:
        raise ModelError(f"{file}: {value!r}: {error.strerror}") from error


def seconds_of_cpu(name: str, group: str) -> float:
    """Return the processor time that the processes of a group have used, in s."""
    if VERSION == 1:
        return int((folder_of(name, group, "cpuacct") / "cpuacct.usage").read_text()) / 1e9
    fields = dict(line.split() for line in (folder_of(name, group, "") / "cpu.stat").read_text().splitlines())
    return int(fields["usage_usec"]) / 1e6
