"""Tools that other packages bring along: modules that their entry points of the group ``coldcache.tools`` name."""

from collections.abc import Collection, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from coldcache.tools.protocols import LogReader, Tool, Traits

#: The group of entry points; the name of each is the tool's in studies.
ENTRY_POINTS = "coldcache.tools"


class PackagedTools(NamedTuple):
    """What the installed packages offer.

    Attributes
    ----------
    tools : mapping of str to Tool
        Modules that run trials, by the name that studies use.
    readers : tuple of LogReader
        Modules that recognise and read logs from elsewhere.
    refused : mapping of str to str
        Why a module cannot be used, by the name of its entry point.
    """

    tools: Mapping[str, Tool]
    readers: tuple[LogReader, ...]
    refused: Mapping[str, str]


def find_tools(known: Collection[str]) -> PackagedTools:
    """Return the tools of the installed packages.

    Parameters
    ----------
    known : collection of str
        Names that are taken already.
    """
    tools: dict[str, Tool] = {}
    readers: list[LogReader] = []
    refused: dict[str, str] = {}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value)):
        module, reason = _load(point, {*known, *tools})
        if reason is not None:
            refused[point.name] = reason
            continue
        if not _list_lacking(module, Tool):
            tools[point.name] = module
        if not _list_lacking(module, LogReader):
            readers.append(module)
    return PackagedTools(tools, tuple(readers), refused)


def _load(point: EntryPoint, taken: Collection[str]) -> tuple[Any, str | None]:
    """Return the module of an entry point, and why it cannot be used; None if it can."""
    package = point.dist.name if point.dist else point.value
    if point.name in taken:
        return None, f"the package {package} calls a tool {point.name}, as another one does; remove one of them"
    try:
        module = point.load()
    except Exception as error:  # Whatever a stranger's module raises, other tools still work.
        return None, f"{point.value} of the package {package} cannot be loaded ({type(error).__name__}: {error})"
    lacking = min(_list_lacking(module, Tool), _list_lacking(module, LogReader), key=len)
    if lacking:
        return None, f"{point.value} of the package {package} lacks {', '.join(lacking)}; see docs/add-a-tool.md"
    if hasattr(module, "TRAITS") and not isinstance(module.TRAITS, Traits):
        return None, f"TRAITS of {point.value} of the package {package} are no coldcache.tools.protocols.Traits"
    return module, None


def _list_lacking(module: Any, protocol: type) -> list[str]:
    """Return the names of a protocol that a module lacks, sorted."""
    asked = {name for name in {**protocol.__annotations__, **vars(protocol)} if not name.startswith("_")}
    return sorted(name for name in asked if not hasattr(module, name))
