"""What sentences are about: operations in the plural, a sweep with its scale, levels."""

from collections.abc import Mapping
from typing import Any

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_factor

#: Operations in the plural, as the subject of a title.
PLURALS = {
    "write": "writes", "read": "reads", "random-write": "random writes", "random-read": "random reads",
    "file-create": "creations", "file-stat": "look-ups", "file-read": "reads of files", "file-remove": "removals",
    "directory-create": "creations", "directory-stat": "look-ups", "directory-remove": "removals",
    "rewrite": "rewrites", "reread": "rereads", "reverse-read": "reverse reads", "stride-read": "stride reads",
    "record-rewrite": "record rewrites", "fwrite": "writes by fwrite", "frewrite": "rewrites by fwrite",
    "fread": "reads by fread", "freread": "rereads by fread", "tree-create": "creations of trees",
    "tree-remove": "removals of trees", "directory-rename": "renames of directories", "find": "searches by find",
}  # fmt: skip

#: What a guest counts of the calls that all connections have under way.
IN_FLIGHT = "most-in-flight"

#: Operations timed by one rank on the directories of one tree, while each rank may have its own: they do not scale.
OF_ONE_TREE = ("tree-create", "tree-remove")


def name_operation(sweep: Estimates, operation: str, levels: Mapping[str, Any] | None = None) -> str:
    """Return an operation in the plural; ``look-ups in memory`` where its work did not reach the storage.

    Operations on directories say so beside the same ones on files.

    Parameters
    ----------
    sweep : Estimates
        Where it was measured.
    operation : str
        One of the sweep's.
    levels : mapping of str to object, optional
        Levels that choose some of its cases; all of them when not given.
    """
    name = PLURALS.get(operation, operation.replace("-", " "))
    what, _, act = operation.partition("-")
    if what == "directory" and f"file-{act}" in sweep.operations():
        name = f"{name} of directories"
    return f"{name} in memory" if sweep.is_in_memory({"operation": operation, **(levels or {})}) else name


def list_measured(estimates: Estimates) -> list[str]:
    """Return the operations that have an estimate, the fastest first; those on one tree only where no others have."""
    cells = estimates.cells.estimate
    known = [name for name in estimates.operations() if bool(cells.sel(operation=name).notnull().any())]
    return [name for name in known if name not in OF_ONE_TREE] or known


def capitalise(text: str) -> str:
    """Return a text with a capital first letter; the others stay as they are."""
    return text[:1].upper() + text[1:]


def title_with_scale(estimates: Estimates) -> str:
    """Return the title of a sweep with the scale at which it was measured."""
    question = estimates.question
    return f"{question.title} ({question.why})" if question.why else question.title


def list_varied(sweep: Estimates) -> list[str]:
    """Return the factors of which a sweep has several levels."""
    return [str(dim) for dim in sweep.cells.estimate.dims if dim != "operation" and sweep.cells.sizes[dim] > 1]


def name_level(factor: str, level: Any) -> str:
    """Return a level as a sentence names it: ``4 threads``, ``transfer size 1 MiB``."""
    if factor == "threads":
        return f"{level:,.0f} thread{'s' if level != 1 else ''}"
    return format_factor(factor, level)
