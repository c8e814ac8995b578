"""Copy the program into an archive, and name its version and commit."""

import subprocess
from importlib.metadata import version
from pathlib import Path
from shutil import copytree, ignore_patterns

from coldcache.report.archive.zip_files import copy_tree

#: Files and folders of a clone that are needed to rebuild results from raw logs.
_FILES = ("Snakefile", "Makefile", "pyproject.toml", "README.md", "CITATION.cff", "LICENSE", "environment.yml")
_FOLDERS = ("workflow", "notebooks", "envs", "slurm", "docs")
_CONFIG = ("config.yaml", "studies", "claims", "schema")
_LEFT_OUT = ("__pycache__", "*.egg-info", ".ipynb_checkpoints", "*.pyc", "*.png")


def copy_program(project: Path, folder: Path) -> None:
    """Copy the program into a folder, without the configuration of sites, which campaigns contain.

    Parameters
    ----------
    project : Path
        The root of a clone.
    folder : Path
        The folder to create.
    """
    folder.mkdir()
    for name in _FOLDERS:
        if (project / name).is_dir():
            copytree(project / name, folder / name, ignore=ignore_patterns(*_LEFT_OUT))
    for name in (*_FILES, *(f"config/{name}" for name in _CONFIG)):
        source, target = project / name, folder / name
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            copytree(source, target, ignore=ignore_patterns(*_LEFT_OUT))
        elif source.is_file():
            target.write_bytes(source.read_bytes())
    if (project / "raw/published").is_dir():
        copy_tree(project / "raw/published", folder / "raw/published")


def name_version(project: Path) -> str:
    """Return the program's version, with the commit of the clone if there is one: ``0.1.0 (commit 1a2b3c…)``."""
    try:
        said = subprocess.run(
            ["git", "-C", str(project), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            capture_output=True, text=True, check=False, timeout=20,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return version("coldcache")
    commit = said.stdout.strip()
    return f"{version('coldcache')} (commit {commit})" if said.returncode == 0 and commit else version("coldcache")
