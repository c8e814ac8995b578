"""Find studies, sites, notebooks and templates: those of the working folder, then those that come with the program."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]

#: Holds `Snakefile`, `config/`, `notebooks/` and `workflow/report/`: the clone, or in an installed wheel the folder
#: `program` of the package.
PROGRAM = _PACKAGE / "program" if (_PACKAGE / "program").is_dir() else _PACKAGE.parents[2]

#: The folder of the package's sources.
SOURCES = _PACKAGE.parent


def find_file(path: Path) -> Path:
    """Return the file of a path in the working folder, or else that of the program.

    Parameters
    ----------
    path : Path
        Relative to the working folder, such as ``config/sites/local.yaml``. An absolute path is returned as it is.

    Returns
    -------
    Path
        `path` itself if it exists, or if the program has no such file either.
    """
    shipped = PROGRAM / path
    return shipped if not path.exists() and shipped.exists() else path


def list_files(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a folder that match a pattern, with those of the program's folder of the same path.

    Parameters
    ----------
    folder : Path
        Relative to the working folder, such as ``config/studies``; of an absolute one, only its own files count.
    pattern : str
        Such as ``*.yaml``.

    Returns
    -------
    list of Path
        Sorted by name. A file of the working folder replaces the program's of the same name.
    """
    found = {path.name: path for path in (PROGRAM / folder).glob(pattern) if folder != Path()}
    found |= {path.name: path for path in folder.glob(pattern)}
    return [found[name] for name in sorted(found)]


def show_path(path: Path) -> str:
    """Return a path relative to the working folder if it lies below it, else as it is."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
