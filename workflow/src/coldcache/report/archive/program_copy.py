"""Copy the program into an archive, and name its version and commit."""

import math
import subprocess
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from shutil import copytree, ignore_patterns

import yaml

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.known_since import with_known_since
from coldcache.core.program_files import PROGRAM, SOURCES
from coldcache.verdicts.thresholds import Ceilings

#: Files and folders of a clone that are needed to rebuild results from raw logs.
_FILES = ("Snakefile", "Makefile", "pyproject.toml", "README.md", "CITATION.cff", "LICENSE", "environment.yml")
_FOLDERS = ("workflow", "envs", "profiles", "slurm", "docs", "config/schema", "config/published")

#: Those that a working folder may have of its own.
_OWN = ("notebooks", "config/config.yaml", "config/studies", "config/claims")

_LEFT_OUT = ("__pycache__", "*.egg-info", ".ipynb_checkpoints", "*.pyc", "*.png")


def copy_program(folder: Path) -> None:
    """Copy the program into a folder, with the notebooks, studies and claims of the working folder.

    The configuration of sites is left out; campaigns contain it, and `write_known_since` writes what one lacks.

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


def write_known_since(campaign: Campaign, sites: Path, replace: Callable[[bytes], bytes] = lambda text: text) -> None:
    """Write what a site states since its campaign was sealed, so that a rebuild judges the campaign alike.

    Parameters
    ----------
    campaign : Campaign
        The campaign as its own file has it; without such statements nothing is written.
    sites : Path
        The folder for the site's file, which has only what verdicts and claims need.
    replace : callable
        What replaces names in the file and in its name.
    """
    known = with_known_since(campaign)
    if known == campaign:
        return
    site, target = known.site, known.site.target
    ceilings = target.model_dump(include=set(Ceilings.model_fields), exclude_none=True)
    targets = {site.target_name: {"path": target.path, **ceilings}}
    stated = {"site": site.site, "title": site.title, "targets": targets, "offers": site.offers}
    text = yaml.safe_dump(stated, sort_keys=False, allow_unicode=True, width=math.inf)
    sites.mkdir(parents=True, exist_ok=True)
    (sites / replace(f"{site.site}.yaml".encode()).decode()).write_bytes(replace(text.encode()))


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
