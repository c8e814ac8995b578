"""Source files that a step of the workflow runs; when one changes, the step runs again."""

import ast
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from coldcache.campaign.seal import sha256
from coldcache.core.program_files import SOURCES, show_path

_PACKAGE = "coldcache"

#: A line for IPython: a magic command, or one for the shell.
_OF_IPYTHON = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)

#: Imports from this package in its own modules, whose form ruff checks: to parse them alone takes a tenth of the time.
_OF_PACKAGE = re.compile(rf"^[ \t]*((?:from|import) {_PACKAGE}\b(?:[^(\n]*\([^)]*\)|.*))", re.MULTILINE)

#: Packages whose modules are loaded by name at run time: an importer may run any of them.
_CHOSEN_BY_NAME = ("coldcache.design.settings", "coldcache.measure.settings.drivers")


#: The checksum of a file, which several steps run.
_sum = cache(sha256)


def sources_of(modules: Iterable[str]) -> list[str]:
    """Return the files of modules and of all modules of this package that they import.

    Parameters
    ----------
    modules : iterable of str
        Full names, such as ``coldcache.dataset.collect``. Imports inside functions count, too.

    Returns
    -------
    list of str
        Sorted paths, without repeats; relative if the program lies in the working folder.
    """
    sources = _find_sources()
    found: set[Path] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        for path in _files_of(name, sources):
            if path not in found:
                found.add(path)
                waiting.extend(_imports_of(path) if path.suffix == ".py" else ())
    return sorted(map(show_path, found))


def sources_of_notebook(notebook: Path) -> list[str]:
    """Return the files that execute a notebook, and those that its cells import.

    Parameters
    ----------
    notebook : Path
        A broken notebook counts as one without imports.
    """
    return list(_sources_of_notebook(notebook, Path.cwd()))


def digest_of(paths: Iterable[str]) -> str:
    """Return one checksum of the names and bytes of files, in whatever folder: a parameter of the step that runs them.

    As inputs of the step, its hundred files would be read again for each of its outputs.
    """
    files = [Path(path).absolute() for path in paths]
    return hashlib.sha256("".join(f"{_sum(file)}  {file.name}\n" for file in files).encode()).hexdigest()


@cache
def _sources_of_notebook(notebook: Path, folder: Path) -> tuple[str, ...]:
    try:
        cells = json.loads((folder / notebook).read_bytes())["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, LookupError, TypeError):
        code = []
    imported = [name for text in code for name in _imports_in_cell(text)]
    return tuple(sources_of(["coldcache.workflow.execute_notebook", *imported]))


def _imports_in_cell(text: str) -> list[str]:
    """Return what a cell imports; its lines for IPython, such as ``%matplotlib inline``, do nothing here."""
    with suppress(SyntaxError):
        return list(_imports_in(_OF_IPYTHON.sub(r"\1pass", text)))
    return []


def _find_sources() -> Path:
    """Return the sources of a clone in the working folder, else those of the program."""
    own = Path.cwd() / "workflow/src"
    return own if (own / _PACKAGE).is_dir() else SOURCES


@cache
def _files_of(name: str, sources: Path) -> tuple[Path, ...]:
    """Return the file of a module and those of its parent packages; empty for a name that is not a module."""
    parts = name.split(".")
    places = [sources.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
    # A module may keep stored results beside it under its own name, as a file or in a folder.
    ends = (".py", ".csv", ".jsonl")
    files = [file for place in places for file in (place / "__init__.py", *(place.with_suffix(end) for end in ends))]
    found = [file for file in files if file.is_file()]
    for place in places:
        if place.with_suffix(".py") in found:
            found += sorted(place.glob("*.csv"))
    for package in _CHOSEN_BY_NAME:
        if f"{name}.".startswith(f"{package}."):
            found += sorted(sources.joinpath(*package.split(".")).rglob("*.py"))
    return tuple(found)


@cache
def _imports_of(path: Path) -> tuple[str, ...]:
    return tuple(_imports_in("\n".join(_OF_PACKAGE.findall(path.read_text()))))


def _imports_in(text: str) -> Iterator[str]:
    """Yield the names that a program imports from this package; ``from a import b`` as ``a.b``."""
    for node in _statements(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == _PACKAGE)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement of a program, nested ones too, without visiting expressions."""
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(node, field, ()):
            yield inner
            yield from _statements(inner)
