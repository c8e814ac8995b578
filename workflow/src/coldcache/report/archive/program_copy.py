"""Copy the program into an archive, and name its version and commit."""

import subprocess
from importlib.metadata import version
from pathlib import Path
from shutil import copytree, ignore_patterns

from coldcache.core.program_files import PROGRAM, SOURCES

#: Files and folders of a clone that are needed to rebuild results from raw logs.
_FILES = ("Snakefile", "Makefile", "pyproject.toml", "README.md", "CITATION.cff", "LICENSE", "environment.yml")
_FOLDERS = ("workflow", "envs", "profiles", "slurm", "docs", "config/schema", "config/published")

#: Those that a working folder may have of its own.
_OWN = ("notebooks", "config/config.yaml", "config/studies", "config/claims")

_LEFT_OUT = ("__pycache__", "*.egg-info", ".ipynb_checkpoints", "*.pyc", "*.png")


def copy_program(folder: Path) -> None:
    """Copy the program into a folder, with the notebooks, studies and claims of the working folder.

    The configuration of sites is left out; campaigns contain it.

    Parameters
    ----------
    folder : Path
        The folder to create.
    """
    folder.mkdir()
    for name in (*_FOLDERS, *_FILES, *_OWN):
        _copy(PROGRAM / name, folder / name)
    for name in _OWN:
        _copy(Path(name), folder / name)
    if PROGRAM not in SOURCES.parents:
        _copy(SOURCES / "coldcache", folder / "workflow/src/coldcache")


def _copy(source: Path, target: Path) -> None:
    """Copy a file or a folder over what is there; nothing if there is no such source."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        copytree(source, target, ignore=ignore_patterns(*_LEFT_OUT, "program"), dirs_exist_ok=True)
    elif source.is_file():
        target.write_bytes(source.read_bytes())


def name_version() -> str:
    """Return the program's version, with the commit of the clone if there is one: ``0.1.0 (commit 1a2b3c…)``."""
    try:
        said = subprocess.run(
            ["git", "-C", str(PROGRAM), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            capture_output=True, text=True, check=False, timeout=20,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return version("coldcache")
    commit = said.stdout.strip()
    return f"{version('coldcache')} (commit {commit})" if said.returncode == 0 and commit else version("coldcache")
